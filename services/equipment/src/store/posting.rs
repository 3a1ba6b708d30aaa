//! Adds entries to the facts of a machine and stores what follows from all of them.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;

use super::projection_rows::MachineLedger;
use super::{entries, fuel, projections};
use crate::domain::fold::{Folded, MarkedBy, OutOfRange};
use crate::domain::ledger::{Actor, Entry, EntryKind, Subject};

/// Adds an entry to the facts of a loaded ledger.
pub async fn add(
    tx: &mut TenantTx,
    ledger: &mut MachineLedger,
    entry: &Entry,
) -> Result<(), ServiceError> {
    let period = match entry.fuel {
        Some(_) => fuel::period_at(tx, entry.captured_at).await?,
        None => 0,
    };
    ledger.facts.push(entry.fact(period));
    Ok(())
}

/// Stores projections and new entries, whose facts were added to the ledger, under the row lock of
/// their equipment. Last services that moved are recorded as edits; `marked_before` is from the ledger
/// before the change.
pub async fn store(
    tx: &mut TenantTx,
    ledger: &MachineLedger,
    folded: &Folded,
    new: &mut [Entry],
    marked_before: &MarkedBy,
    (actor, now): (&Actor, DateTime<Utc>),
) -> Result<(), ServiceError> {
    projections::store(tx, ledger, folded, Some(now)).await?;
    // Entries are inserted after the facts that were stored before.
    for entry in new {
        if let Some(placed) = folded.placed.get(&entry.id) {
            entry.place(placed);
        }
        entries::insert_locked(tx, entry, None).await?;
    }
    for content in ledger.moved_marks(folded, marked_before) {
        let mut entry = Entry {
            content,
            ..Entry::new(
                Subject::unloaded(ledger.id),
                EntryKind::Edit,
                actor.clone(),
                now,
            )
        };
        entries::insert_locked(tx, &mut entry, None).await?;
    }
    Ok(())
}

/// Adds one entry to the ledger of locked equipment and stores what follows.
pub async fn post(
    tx: &mut TenantTx,
    entry: Entry,
    now: DateTime<Utc>,
    out_of_range: impl FnOnce(OutOfRange) -> ServiceError,
) -> Result<(), ServiceError> {
    let ledger = projections::load_one(tx, entry.subject.id).await?;
    post_all(tx, ledger, vec![entry], now, out_of_range).await
}

/// Adds entries of one person to the loaded ledger of locked equipment and stores what follows.
pub async fn post_all(
    tx: &mut TenantTx,
    mut ledger: MachineLedger,
    mut entries: Vec<Entry>,
    now: DateTime<Utc>,
    out_of_range: impl FnOnce(OutOfRange) -> ServiceError,
) -> Result<(), ServiceError> {
    let Some(actor) = entries.last().map(|entry| entry.actor.clone()) else {
        return Ok(());
    };
    let marked_before = ledger.marked_by();
    for entry in &entries {
        add(tx, &mut ledger, entry).await?;
    }
    let folded = ledger.fold().map_err(out_of_range)?;
    let (new, by) = (&mut entries, (&actor, now));
    store(tx, &ledger, &folded, new, &marked_before, by).await
}

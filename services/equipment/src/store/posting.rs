//! Adds entries to the facts of a machine and stores what follows from all of them.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::projection_rows::MachineLedger;
use super::{entries, fuel, projections};
use crate::domain::fold::{Folded, OutOfRange};
use crate::domain::ledger::{Actor, Entry, EntryKind, Subject};
use crate::domain::tasks::clamped_text;

/// Adds an entry to the facts of a loaded ledger.
pub async fn add(
    connection: &mut PgConnection,
    tenant: Tenant,
    ledger: &mut MachineLedger,
    entry: &Entry,
) -> Result<(), ServiceError> {
    let period = match entry.fuel {
        Some(_) => fuel::period_at(connection, tenant, entry.captured_at).await?,
        None => 0,
    };
    ledger.facts.push(entry.fact(period));
    Ok(())
}

/// Stores projections and new entries, whose facts were added to the ledger, under the row lock of
/// their equipment.
pub async fn store(
    connection: &mut PgConnection,
    tenant: Tenant,
    ledger: &MachineLedger,
    folded: &Folded,
    new: &mut [Entry],
    actor: &Actor,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    projections::store(connection, tenant, ledger, folded, Some(now)).await?;
    // Entries are inserted after the facts that were stored before.
    for entry in new {
        if let Some(placed) = folded.placed.get(&entry.id) {
            entry.place(placed);
        }
        insert(connection, tenant, entry).await?;
    }
    // A mark may also be lower because the service that set it was voided.
    record_marks(
        connection,
        tenant,
        ledger,
        folded,
        (actor, now),
        |task, before, after| folded.clamped.contains(&task) && before > after,
    )
    .await
}

/// Records last services that are above the stored ones again, because what lowered them was voided.
pub async fn record_raised(
    connection: &mut PgConnection,
    tenant: Tenant,
    ledger: &MachineLedger,
    folded: &Folded,
    actor: &Actor,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    record_marks(
        connection,
        tenant,
        ledger,
        folded,
        (actor, now),
        |_, before, after| before.is_some() && before < after,
    )
    .await
}

/// Records the last services that changed as edits.
async fn record_marks(
    connection: &mut PgConnection,
    tenant: Tenant,
    ledger: &MachineLedger,
    folded: &Folded,
    (actor, now): (&Actor, DateTime<Utc>),
    is_recorded: impl Fn(Uuid, Option<Quantity>, Option<Quantity>) -> bool,
) -> Result<(), ServiceError> {
    for (task, after) in &folded.projection.tasks {
        let Some(before) = ledger.stored.tasks.get(task) else {
            continue;
        };
        let (before, after) = (before.last_usage, after.last_usage);
        if is_recorded(*task, before, after) {
            let name = ledger.task_names.get(task).map_or("", String::as_str);
            let subject = Subject::unloaded(ledger.id);
            let mut entry = Entry {
                content: clamped_text(name, before, after),
                ..Entry::new(subject, EntryKind::Edit, actor.clone(), now)
            };
            insert(connection, tenant, &mut entry).await?;
        }
    }
    Ok(())
}

async fn insert(
    connection: &mut PgConnection,
    tenant: Tenant,
    entry: &mut Entry,
) -> Result<(), ServiceError> {
    if entries::insert(connection, tenant, entry, None).await? {
        Ok(())
    } else {
        Err(ServiceError::internal("locked equipment row disappeared"))
    }
}

/// Adds one entry to the ledger of locked equipment and stores what follows.
pub async fn post(
    connection: &mut PgConnection,
    tenant: Tenant,
    entry: Entry,
    now: DateTime<Utc>,
    out_of_range: impl FnOnce(OutOfRange) -> ServiceError,
) -> Result<(), ServiceError> {
    let ledger = projections::load_one(connection, tenant, entry.subject.id).await?;
    post_all(connection, tenant, ledger, vec![entry], now, out_of_range).await
}

/// Adds entries of one person to the loaded ledger of locked equipment and stores what follows.
pub async fn post_all(
    connection: &mut PgConnection,
    tenant: Tenant,
    mut ledger: MachineLedger,
    mut entries: Vec<Entry>,
    now: DateTime<Utc>,
    out_of_range: impl FnOnce(OutOfRange) -> ServiceError,
) -> Result<(), ServiceError> {
    let Some(actor) = entries.last().map(|entry| entry.actor.clone()) else {
        return Ok(());
    };
    for entry in &entries {
        add(connection, tenant, &mut ledger, entry).await?;
    }
    let folded = ledger.fold().map_err(out_of_range)?;
    let new = &mut entries;
    store(connection, tenant, &ledger, &folded, new, &actor, now).await
}

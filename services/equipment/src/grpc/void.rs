use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::text::{LineBreaks, clean};
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, keyed_request, manager, parse_id, person_request, read, stale};
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{Actor, EntryKind, MeterMove, StoredEntry, Voiding};
use crate::refusals;
use crate::store;

const MAX_REASON: usize = 500;

#[tracing::instrument(name = "equipment.void_entry", level = "debug", skip_all)]
pub async fn void_entry(
    api: &Api,
    request: Request<v1::VoidEntryRequest>,
) -> Result<v1::VoidEntryResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "VoidEntry")?;
    let equipment = parse_id(&request.equipment_id)?;
    let entry = parse_id(&request.entry_id)?;
    let reason = reason(&request.reason)?;
    let now = api.clock.now();

    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    store::company::set_time_zone(&mut tx, &identity, now).await?;
    let mut voided = lock_entry(&mut tx, equipment, entry).await?;
    match voided.kind {
        EntryKind::Usage | EntryKind::Service | EntryKind::Note(_) | EntryKind::Meter => {}
        EntryKind::Edit | EntryKind::Retirement | EntryKind::Restoration => {
            return Err(ServiceError::conflict(refusals::NOT_VOIDABLE));
        }
    }
    let voiding = Voiding {
        reason,
        undone: false,
        by: identity.display_name.clone(),
        at: now,
        usage: None,
        replaced_by: None,
    };
    let actor = manager(&identity);
    voided.voiding = Some(void(&mut tx, (equipment, &[entry]), voiding, &actor).await?);
    let response = v1::VoidEntryResponse {
        record: Some(convert::history(&voided)),
        equipment: Some(read::load(api, &mut tx, &identity, equipment).await?),
    };
    api.finish(tx, response, Some(equipment)).await
}

/// Returns what the void of an entry would change.
pub async fn preview_void(
    api: &Api,
    request: Request<v1::PreviewVoidRequest>,
) -> Result<v1::PreviewVoidResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.equipment_id)?;
    let entry = parse_id(&request.entry_id)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let found = store::ledger::find(&mut tx, id, entry).await?;
    found.ok_or_else(ServiceError::not_found)?;
    let mut ledger = store::projections::load_one(&mut tx, id).await?;
    tx.commit().await?;
    ledger.facts.retain(|fact| fact.id != entry);
    let without = ledger.fold().map_err(|_| out_of_range())?;
    let meter = without.projection.meter;
    let services = without.projection.tasks.iter().filter_map(|(task, marks)| {
        let (before, after) = (ledger.stored.tasks.get(task)?.last_usage, marks.last_usage);
        (before != after).then(|| v1::MovedService {
            task_name: ledger.task_name(*task).to_owned(),
            before: before.map(Quantity::to_f64),
            after: after.map(Quantity::to_f64),
        })
    });
    Ok(v1::PreviewVoidResponse {
        current_usage: meter.usage.to_f64(),
        meter_reading: meter.reading().to_f64(),
        services: services.collect(),
    })
}

/// Voids entries of a locked machine and stores the fold without them. Returns the voiding of the last entry;
/// it carries the meter move of all.
pub async fn void(
    tx: &mut TenantTx,
    (equipment, entries): (Uuid, &[Uuid]),
    mut voiding: Voiding,
    actor: &Actor,
) -> Result<Voiding, ServiceError> {
    let mut ledger = store::projections::load_one(tx, equipment).await?;
    let marked_before = ledger.marked_by();
    ledger.facts.retain(|fact| !entries.contains(&fact.id));
    let without = ledger.fold().map_err(|_| out_of_range())?;
    let (before, after) = (ledger.stored.meter.usage, without.projection.meter.usage);
    for (place, entry) in entries.iter().enumerate() {
        let moved = before != after && place + 1 == entries.len();
        voiding.usage = moved.then_some(MeterMove { before, after });
        store::voids::insert(tx, equipment, *entry, actor.id, &voiding).await?;
        store::applied::void(tx, *entry, &voiding).await?;
    }
    store::posting::store(
        tx,
        &ledger,
        &without,
        &mut [],
        &marked_before,
        (actor, voiding.at),
    )
    .await?;
    Ok(voiding)
}

pub fn reason(text: &str) -> Result<String, ServiceError> {
    let mut errors = FieldErrors::default();
    let reason = errors.keep("reason", clean(text, MAX_REASON, LineBreaks::Allowed));
    if reason.as_ref().is_some_and(String::is_empty) {
        errors.add("reason", refusals::REASON_MISSING);
    }
    errors.check()?;
    Ok(reason.unwrap_or_default())
}

/// Locks active equipment, so that only one of concurrent voids of an entry succeeds.
pub async fn lock(tx: &mut TenantTx, equipment: Uuid) -> Result<(), ServiceError> {
    let locked = store::meter::lock(tx, equipment).await?;
    if locked.is_some() {
        return Ok(());
    }
    let tenant = tx.tenant();
    let retired = store::equipment::exists(tx, tenant, equipment).await?;
    Err(if retired {
        ServiceError::conflict(refusals::EQUIPMENT_RETIRED)
    } else {
        ServiceError::not_found()
    })
}

/// Locks active equipment and loads an entry of it that counts.
pub async fn lock_entry(
    tx: &mut TenantTx,
    equipment: Uuid,
    entry: Uuid,
) -> Result<StoredEntry, ServiceError> {
    lock(tx, equipment).await?;
    let found = store::ledger::find(tx, equipment, entry).await?;
    let found = found.ok_or_else(ServiceError::not_found)?;
    match &found.voiding {
        None => Ok(found),
        Some(voiding) if voiding.replaced_by.is_some() => {
            Err(stale(refusals::SERVICE_EDITED_MEANWHILE))
        }
        Some(_) => Err(ServiceError::conflict(refusals::ALREADY_VOIDED)),
    }
}

fn out_of_range() -> ServiceError {
    ServiceError::conflict(refusals::VOID_OUT_OF_RANGE)
        .with_reason(refusals::METER_OUT_OF_RANGE.code)
}

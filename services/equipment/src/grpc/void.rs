use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::{Caller, Tenant};
use hourmeter_runtime::text::{LineBreaks, clean};
use sqlx::PgConnection;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, manager, parse_id, read};
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
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "VoidEntry")?;
    let request = request.into_inner();
    let (equipment, entry) = (
        parse_id(&request.equipment_id)?,
        parse_id(&request.entry_id)?,
    );
    let reason = reason(&request.reason)?;
    let (tenant, now) = (identity.tenant(), api.clock.now());

    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(response) => return Ok(response),
    };
    store::company::set_time_zone(&mut tx, &identity, now).await?;
    let place = (equipment, entry);
    let voided = void(&mut tx, tenant, place, &reason, &manager(&identity), now).await?;
    let response = v1::VoidEntryResponse {
        record: Some(convert::history(&voided)),
        equipment: Some(read::load(api, &mut tx, &identity, equipment).await?),
    };
    tx.finish(&response).await?;
    api.changed(identity.tenant());
    Ok(response)
}

/// Voids an entry of a machine and stores the fold without it.
pub async fn void(
    connection: &mut PgConnection,
    tenant: Tenant,
    (equipment, entry): (Uuid, Uuid),
    reason: &str,
    actor: &Actor,
    now: DateTime<Utc>,
) -> Result<StoredEntry, ServiceError> {
    let mut voided = load_voidable(&mut *connection, tenant, equipment, entry).await?;
    let mut voiding = Voiding {
        reason: reason.to_owned(),
        by: actor.name.clone(),
        at: now,
        usage: None,
    };
    let mut ledger = store::projections::load_one(&mut *connection, tenant, equipment).await?;
    ledger.facts.retain(|fact| fact.id != entry);
    let without = ledger.fold().map_err(|_| out_of_range())?;
    let (before, after) = (ledger.stored.meter.usage, without.projection.meter.usage);
    voiding.usage = (before != after).then_some(MeterMove { before, after });
    store::voids::insert(
        &mut *connection,
        tenant,
        equipment,
        entry,
        actor.id,
        &voiding,
    )
    .await?;
    store::applied::void(&mut *connection, tenant, entry, &voiding).await?;
    store::posting::store(connection, tenant, &ledger, &without, &mut [], actor, now).await?;
    voided.voiding = Some(voiding);
    Ok(voided)
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

/// Loads the entry under the equipment's row lock, so that only one of concurrent voids succeeds.
async fn load_voidable(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: Uuid,
    entry: Uuid,
) -> Result<StoredEntry, ServiceError> {
    if store::meter::lock(connection, tenant, equipment)
        .await?
        .is_none()
    {
        let retired = store::equipment::exists(connection, tenant, equipment).await?;
        return Err(if retired {
            ServiceError::conflict(refusals::EQUIPMENT_RETIRED)
        } else {
            ServiceError::not_found()
        });
    }
    let voided = store::ledger::find(connection, tenant, equipment, entry).await?;
    let voided = voided.ok_or_else(ServiceError::not_found)?;
    match voided.kind {
        _ if voided.voiding.is_some() => Err(ServiceError::conflict(refusals::ALREADY_VOIDED)),
        EntryKind::Usage | EntryKind::Service | EntryKind::Note(_) | EntryKind::Meter => Ok(voided),
        EntryKind::Edit | EntryKind::Retirement | EntryKind::Restoration => {
            Err(ServiceError::conflict(refusals::NOT_VOIDABLE))
        }
    }
}

fn out_of_range() -> ServiceError {
    ServiceError::conflict(refusals::VOID_OUT_OF_RANGE)
        .with_reason(refusals::METER_OUT_OF_RANGE.code)
}

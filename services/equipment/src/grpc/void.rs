
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::message::Reason;
use hourmeter_runtime::text::{LineBreaks, clean};
use sqlx::PgConnection;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, id, read};
use crate::domain::fold::{fold, is_read_after};
use crate::domain::ledger::{EntryKind, MeterMove, Record, Voiding};
use crate::domain::problems::Problems;
use crate::refusals;
use crate::store;

const REASON: usize = 500;

#[tracing::instrument(name = "equipment.void_entry", level = "debug", skip_all)]
pub async fn void_entry(
    api: &Api,
    request: Request<v1::VoidEntryRequest>,
) -> Result<v1::VoidEntryResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "VoidEntry")?;
    let request = request.into_inner();
    let (equipment, entry) = (id(&request.equipment_id)?, id(&request.entry_id)?);
    let reason = reason(&request.reason)?;
    let (company, now) = (identity.company_id, api.clock.now());

    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(answer) => return Ok(answer),
    };
    let mut record = voidable(&mut tx, company, equipment, entry).await?;
    let mut voiding = Voiding {
        reason,
        by: identity.display_name.clone(),
        at: now,
        usage: None,
    };
    let kept = store::projections::load(&mut tx, company, &[equipment]).await?;
    let mut kept = kept
        .into_iter()
        .next()
        .ok_or_else(ServiceError::not_found)?;
    if record.replacement.is_some() && is_read_after(&kept.facts, entry) {
        return Err(meter_in_use());
    }
    kept.facts.retain(|fact| fact.id != entry);
    let without = fold(&kept.beginning, &kept.facts).map_err(|_| out_of_range())?;
    let (before, after) = (kept.stored.stand.usage, without.stand.usage);
    voiding.usage = (before != after).then_some(MeterMove { before, after });
    store::voids::insert(
        &mut tx,
        company,
        equipment,
        entry,
        identity.user_id,
        &voiding,
    )
    .await?;
    store::projections::store(&mut tx, company, equipment, &without, Some(now)).await?;
    record.voiding = Some(voiding);
    let answer = v1::VoidEntryResponse {
        record: Some(convert::history(&record)),
        equipment: Some(read::whole(api, &mut tx, &identity, equipment).await?),
    };
    tx.finish(&answer).await?;
    api.changed(identity.company_id);
    Ok(answer)
}

fn reason(text: &str) -> Result<String, ServiceError> {
    let mut problems = Problems::default();
    let reason = problems.keep("reason", clean(text, REASON, LineBreaks::Allowed));
    if reason.as_ref().is_some_and(String::is_empty) {
        problems.add("reason", refusals::REASON_MISSING);
    }
    problems.check()?;
    Ok(reason.unwrap_or_default())
}

/// Loads the entry under the equipment's row lock, so that only one of concurrent voids succeeds.
async fn voidable(
    connection: &mut PgConnection,
    company: Uuid,
    equipment: Uuid,
    entry: Uuid,
) -> Result<Record, ServiceError> {
    if store::meter::lock(connection, company, equipment)
        .await?
        .is_none()
    {
        let retired = store::equipment::exists(connection, company, equipment).await?;
        return Err(if retired {
            refusal(refusals::EQUIPMENT_RETIRED)
        } else {
            ServiceError::not_found()
        });
    }
    let record = store::ledger::find(connection, company, equipment, entry).await?;
    let record = record.ok_or_else(ServiceError::not_found)?;
    match record.kind {
        _ if record.voiding.is_some() => Err(refusal(refusals::ALREADY_VOIDED)),
        EntryKind::Usage | EntryKind::Service | EntryKind::Note(_) | EntryKind::Meter => Ok(record),
        EntryKind::Edit | EntryKind::Retirement | EntryKind::Restoration => {
            Err(refusal(refusals::NOT_VOIDABLE))
        }
    }
}

fn out_of_range() -> ServiceError {
    refusal(refusals::VOID_OUT_OF_RANGE).with_reason(refusals::METER_OUT_OF_RANGE.code)
}

fn meter_in_use() -> ServiceError {
    refusal(refusals::METER_IN_USE)
}

fn refusal(reason: Reason) -> ServiceError {
    ServiceError::new(Kind::Conflict, reason)
}

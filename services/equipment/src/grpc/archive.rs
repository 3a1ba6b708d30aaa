//! Retiring and restoring equipment.

use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::audit::AuditEntry;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;
use uuid::Uuid;

use super::limit::reserve_slot;
use super::{
    Api, audit_log, convert, cursor, input, keyed_request, manager, parse_id, person_request, read,
};
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{Entry, EntryKind, MeterMove};
use crate::refusals;
use crate::store;

pub async fn retire_equipment(
    api: &Api,
    request: Request<v1::RetireEquipmentRequest>,
) -> Result<v1::RetireEquipmentResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "RetireEquipment")?;
    let id = parse_id(&request.id)?;
    let mut errors = FieldErrors::default();
    let notes = input::long_text(&request.retirement_notes, "retirementNotes", &mut errors);
    errors.check()?;
    let now = api.clock.now();

    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    let meter = store::meter::lock(&mut tx, id).await?;
    let meter = meter.ok_or_else(ServiceError::not_found)?;
    let archive_id = Uuid::now_v7();
    let by = &identity.display_name;
    let sequence = store::archive::retire(&mut tx, id, archive_id, by, &notes, now).await?;
    let (subject, actor) = (meter.subject, manager(&identity));
    let mut entry = Entry {
        usage: Some(unchanged(meter.dial.state.usage)),
        content: notes.clone(),
        ..Entry::new(subject, EntryKind::Retirement, actor, now)
    };
    store::entries::insert_locked(&mut tx, &mut entry, Some(sequence)).await?;
    let line = AuditEntry::success(AuditEventType::EquipmentRetired);
    let line = line.target(id, &entry.subject.name);
    audit_log::record(&mut tx, &identity, &line).await?;
    let retired = store::archive::lock(&mut tx, archive_id).await?;
    let retired = retired.ok_or_else(ServiceError::not_found)?;
    let response = v1::RetireEquipmentResponse {
        retired: Some(convert::retired(&retired, &identity)),
    };
    api.finish(tx, response, Some(id)).await
}

/// A meter move that changes nothing.
const fn unchanged(usage: Quantity) -> MeterMove {
    MeterMove {
        before: usage,
        after: usage,
    }
}

pub async fn list_retired(
    api: &Api,
    request: Request<v1::ListRetiredRequest>,
) -> Result<v1::ListRetiredResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let page = cursor::by_time(request.page.as_ref())?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let mut rows = store::archive::list(&mut tx, page.after, page.sql_limit()).await?;
    let next = page.cut(&mut rows, |row| (row.at, row.archive_id));
    let retired = rows.iter().map(|row| convert::retired(row, &identity));
    Ok(v1::ListRetiredResponse {
        retired: retired.collect(),
        page: Some(next),
    })
}

pub async fn restore_equipment(
    api: &Api,
    request: Request<v1::RestoreEquipmentRequest>,
) -> Result<v1::RestoreEquipmentResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "RestoreEquipment")?;
    let archive_id = parse_id(&request.id)?;
    let now = api.clock.now();

    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    let row = store::archive::lock(&mut tx, archive_id).await?;
    let item = row.ok_or_else(ServiceError::not_found)?.equipment;
    reserve_slot(&mut tx, &identity, now).await?;
    let sequence = store::archive::restore(&mut tx, item.id, now).await?;
    let (subject, actor) = (item.subject(), manager(&identity));
    let mut entry = Entry {
        usage: Some(unchanged(item.details.current_usage)),
        ..Entry::new(subject, EntryKind::Restoration, actor, now)
    };
    store::entries::insert_locked(&mut tx, &mut entry, Some(sequence)).await?;
    let line = AuditEntry::success(AuditEventType::EquipmentRestored);
    let line = line.target(item.id, &entry.subject.name);
    audit_log::record(&mut tx, &identity, &line).await?;
    let response = v1::RestoreEquipmentResponse {
        equipment: Some(read::load(api, &mut tx, &identity, item.id).await?),
    };
    api.finish(tx, response, Some(item.id)).await
}

pub async fn get_retired(
    api: &Api,
    request: Request<v1::GetRetiredRequest>,
) -> Result<v1::GetRetiredResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let equipment = parse_id(&request.equipment_id)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let retired = store::archive::find(&mut tx, equipment).await?;
    let Some(retired) = retired else {
        // A page that was open during the restore does not look like a request for other equipment.
        read::find(&mut tx, equipment).await?;
        let message = refusals::EQUIPMENT_NOT_RETIRED;
        return Err(ServiceError::new(Kind::NotFound, message));
    };
    Ok(v1::GetRetiredResponse {
        retired: Some(convert::retired(&retired, &identity)),
    })
}

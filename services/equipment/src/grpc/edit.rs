//! Creating, updating and deleting equipment.

use chrono::{DateTime, Utc};
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_proto::equipment::v1;
use hourmeter_proto::notifications::v1::{Fact, StatusChange, fact::What};
use hourmeter_runtime::audit::AuditEntry;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::facts::store_fact;
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::identity::Identity;
use tonic::Request;
use uuid::Uuid;

use super::limit::{allow_parts, reserve_slot};
use super::operator_updates::out_of_range;
use super::usage::after_known;
use super::{Api, audit_log, input, keyed_request, manager, parse_id, person_request, read, stale};
use crate::domain::diff::differences;
use crate::domain::equipment::{Details, Equipment, ServiceTask};
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{Entry, EntryKind, Subject};
use crate::domain::meter::MeterFact;
use crate::domain::rule::SnoozeEnd;
use crate::domain::tasks::{edited_mark, rule_differences};
use crate::refusals;
use crate::store;

pub async fn create_equipment(
    api: &Api,
    request: Request<v1::CreateEquipmentRequest>,
) -> Result<v1::CreateEquipmentResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "CreateEquipment")?;
    let mut errors = FieldErrors::default();
    let fields = request.equipment.unwrap_or_default();
    let (details, start) = input::change(&fields, &mut errors).create(&mut errors);
    errors.check()?;

    let now = api.clock.now();
    // Random, so that the first characters, which lists show, differ.
    let id = Uuid::new_v4();
    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    allow_parts(&identity, &[], &details.parts)?;
    reserve_slot(&mut tx, &identity, now).await?;
    store::equipment::insert(&mut tx, &identity, id, &details, start, now).await?;
    let response = v1::CreateEquipmentResponse {
        equipment: Some(read::load(api, &mut tx, &identity, id).await?),
        warnings: warnings(&mut tx, id, None, &details).await?,
    };
    api.finish(tx, response, Some(id)).await
}

pub async fn update_equipment(
    api: &Api,
    request: Request<v1::UpdateEquipmentRequest>,
) -> Result<v1::UpdateEquipmentResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.id)?;
    let mut errors = FieldErrors::default();
    let fields = request.equipment.unwrap_or_default();
    let change = input::change(&fields, &mut errors);

    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    store::company::set_time_zone(&mut tx, &identity, api.clock.now()).await?;
    let before = read::lock(&mut tx, id).await?;
    let version = before.version.unsigned_abs();
    if request.expected_version.is_some_and(|seen| seen != version) {
        return Err(stale(refusals::EQUIPMENT_CHANGED_MEANWHILE));
    }
    let (after, fact) = change.apply(&before.details, before.dial(), &mut errors);
    errors.check()?;
    allow_parts(&identity, &before.details.parts, &after.parts)?;
    let changes = after != before.details || fact.is_some();
    let warnings = warnings(&mut tx, id, Some(&before.details), &after).await?;
    if changes {
        store_edit(api, &mut tx, &identity, &before, after, fact).await?;
    }
    let equipment = read::load(api, &mut tx, &identity, id).await?;
    tx.commit().await?;
    if changes {
        api.changed(tenant, Some(id));
    }
    Ok(v1::UpdateEquipmentResponse {
        equipment: Some(equipment),
        warnings,
    })
}

/// Warns of other machines with the same name or serial number, if these were changed.
async fn warnings(
    tx: &mut TenantTx,
    id: Uuid,
    before: Option<&Details>,
    after: &Details,
) -> Result<Vec<v1::EquipmentWarning>, ServiceError> {
    let name = Some(after.name.as_str()).filter(|name| before.is_none_or(|old| old.name != *name));
    let serial = after.serial_number.as_deref();
    let serial = serial.filter(|_| before.is_none_or(|old| old.serial_number.as_deref() != serial));
    if name.is_none() && serial.is_none() {
        return Ok(Vec::new());
    }
    let (same_name, same_serial) = store::equipment::duplicates(tx, id, name, serial).await?;
    let found = [
        ("name", refusals::SAME_NAME, same_name),
        ("serialNumber", refusals::SAME_SERIAL_NUMBER, same_serial),
    ];
    let warnings = found.into_iter().filter_map(|(field, reason, name)| {
        let message = reason.with("name", name?);
        Some(v1::EquipmentWarning {
            field: field.to_owned(),
            code: message.code.into_owned(),
            message: message.text.into_owned(),
            parameters: message.parameters.into_iter().collect(),
        })
    });
    Ok(warnings.collect())
}

/// Stores an edit and adds its single ledger entry.
async fn store_edit(
    api: &Api,
    tx: &mut TenantTx,
    identity: &Identity,
    item: &Equipment,
    after: Details,
    fact: Option<MeterFact>,
) -> Result<(), ServiceError> {
    let (id, now) = (item.id, api.clock.now());
    let (before, after) = (&item.details, &after);
    let captured_at = after_known(now, item.known_at);
    let unit_since = (before.unit != after.unit).then_some(captured_at);
    store::equipment::update(tx, id, after, unit_since).await?;
    if unit_since.is_some() {
        // A usage in the old unit may never be reached in the new one.
        let until_usage: Vec<Uuid> = item
            .snoozed_tasks()
            .into_iter()
            .filter(|(_, end)| matches!(end, SnoozeEnd::Usage(_)))
            .map(|(task, _)| task.id)
            .collect();
        store::tasks::snooze(tx, id, &until_usage, None).await?;
    }
    let current_task = item.form_task();
    let task = ServiceTask {
        recurrence: after.task,
        ..current_task.clone()
    };
    if task != current_task {
        store::tasks::update(tx, id, &task).await?;
    }
    if before.parts != after.parts {
        store::parts::replace(tx, id, &after.parts).await?;
    }
    let statuses = (before.operational_status, after.operational_status);
    if statuses.0 != statuses.1 && !(statuses.0.is_usable() && statuses.1.is_usable()) {
        let fact = status_change(identity, id, after, now);
        store_fact(tx, identity.tenant(), &fact).await?;
    }
    let subject = Subject {
        id,
        name: after.name.clone(),
        unit: after.unit,
    };
    let mut changes = differences(before, after, item.meter_offset);
    changes.extend(rule_differences(&current_task, &task));
    let entry = Entry {
        captured_at,
        content: changes.join("; "),
        mark: edited_mark(&current_task, &task),
        meter: fact,
        ..Entry::new(subject, EntryKind::Edit, manager(identity), now)
    };
    store::posting::post(tx, entry, now, |_| out_of_range()).await
}

/// What owner, managers and operators are notified of.
fn status_change(identity: &Identity, id: Uuid, after: &Details, now: DateTime<Utc>) -> Fact {
    Fact {
        key: format!("status:{id}:{}", now.timestamp_micros()),
        happened_at: Some(timestamp(now)),
        actor_id: identity.user_id.to_string(),
        what: Some(What::StatusChange(StatusChange {
            equipment_id: id.to_string(),
            equipment_name: after.name.clone(),
            status: after.operational_status.as_str().to_owned(),
            changed_by: manager(identity).name,
        })),
    }
}

pub async fn delete_equipment(
    api: &Api,
    request: Request<v1::DeleteEquipmentRequest>,
) -> Result<v1::DeleteEquipmentResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.id)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    store::deleted::insert(&mut tx, id, api.clock.now()).await?;
    let deleted = store::equipment::delete(&mut tx, id).await?;
    let name = deleted.ok_or_else(ServiceError::not_found)?;
    let line = AuditEntry::success(AuditEventType::EquipmentDeleted).target(id, &name);
    audit_log::record(&mut tx, &identity, &line).await?;
    tx.commit().await?;
    api.changed(tenant, Some(id));
    Ok(v1::DeleteEquipmentResponse {})
}

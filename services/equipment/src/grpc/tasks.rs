//! Service tasks. `CompleteServiceTask` is in `service`.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::message::Reason;
use tonic::Request;
use uuid::Uuid;

use super::operator_updates::out_of_range;
use super::usage::after_known;
use super::{Api, convert, input, keyed_request, manager, parse_id, person_request, read};
use crate::domain::equipment::{Equipment, ServiceTask};
use crate::domain::field_errors::FieldErrors;
use crate::domain::forecast::CompanyDay;
use crate::domain::ledger::{Entry, EntryKind, TaskMark};
use crate::domain::tasks::{
    MAX_TASKS, added_text, changed_text, changes_form, edited_mark, removed_text, same_name,
};
use crate::refusals;
use crate::store;

pub async fn list_service_tasks(
    api: &Api,
    request: Request<v1::ListServiceTasksRequest>,
) -> Result<v1::ListServiceTasksResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.equipment_id)?;
    let (tenant, day) = (identity.tenant(), api.day(&identity));
    let mut tx = api.database.tenant(tenant).await?;
    let Some(item) = store::equipment::find(&mut tx, tenant, id).await? else {
        return Err(read::absent(&mut tx, id).await?);
    };
    let done = store::tasks::last_done(&mut tx, id).await?;
    let first = store::meters::first_reading(&mut tx, id).await?;
    Ok(v1::ListServiceTasksResponse {
        first_usage: first.map(|(usage, _)| usage.to_f64()),
        first_read_at: first.map(|(_, at)| timestamp(at)),
        tasks: item
            .planned_tasks()
            .map(|task| task_with_day(&task, &item, &done, &day))
            .collect(),
    })
}

pub async fn create_service_task(
    api: &Api,
    request: Request<v1::CreateServiceTaskRequest>,
) -> Result<v1::CreateServiceTaskResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "CreateServiceTask")?;
    let id = parse_id(&request.equipment_id)?;
    let mut errors = FieldErrors::default();
    let change = input::task_change(&request.task.unwrap_or_default(), &mut errors);
    let today = api.today(&identity);

    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    let item = read::lock(&mut tx, id).await?;
    let task = change.apply(&blank(), item.dial().usage(), today, &mut errors);
    errors.check()?;
    if item.more_tasks.len() >= MAX_TASKS {
        let message = refusals::TOO_MANY_TASKS.with("max", MAX_TASKS);
        return Err(ServiceError::conflict(message));
    }
    check_name(&item, &task)?;
    let created_at = after_known(api.clock.now(), item.known_at);
    store::tasks::insert(&mut tx, id, &task, created_at).await?;
    let content = added_text(&task, item.details.unit);
    add_entry(api, &mut tx, &identity, &item, content, None).await?;
    let equipment = read::load(api, &mut tx, &identity, id).await?;
    let response = v1::CreateServiceTaskResponse {
        task: Some(convert::service_task(&task, &item, &api.day(&identity))),
        equipment: Some(equipment),
    };
    api.finish(tx, response, Some(id)).await
}

pub async fn update_service_task(
    api: &Api,
    request: Request<v1::UpdateServiceTaskRequest>,
) -> Result<v1::UpdateServiceTaskResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.equipment_id)?;
    let task_id = parse_id(&request.task_id)?;
    let mut fields = request.task.unwrap_or_default();
    let mut errors = FieldErrors::default();
    let today = api.today(&identity);

    let mut tx = api.database.tenant(identity.tenant()).await?;
    let item = read::lock(&mut tx, id).await?;
    let before = item.task(task_id).ok_or_else(ServiceError::not_found)?;
    if before.from_form {
        if !before.recurrence.recurs() {
            return Err(no_service_plan());
        }
        // It has no name; a row that is written back has an empty one.
        fields.name = fields.name.filter(|name| !name.is_empty());
    }
    let change = input::task_change(&fields, &mut errors);
    let after = change.apply(&before, item.dial().usage(), today, &mut errors);
    errors.check()?;
    if before.from_form && changes_form(&before, &after) {
        return Err(ServiceError::conflict(refusals::FORM_TASK));
    }
    check_name(&item, &after)?;
    if after != before {
        store::tasks::update(&mut tx, id, &after).await?;
        let content = changed_text(&before, &after);
        let mark = edited_mark(&before, &after);
        add_entry(api, &mut tx, &identity, &item, content, mark).await?;
    }
    let (task, equipment) = states(api, &mut tx, &identity, id, task_id).await?;
    tx.commit().await?;
    api.changed(identity.tenant(), Some(id));
    Ok(v1::UpdateServiceTaskResponse {
        task: Some(task),
        equipment: Some(equipment),
    })
}

pub async fn delete_service_task(
    api: &Api,
    request: Request<v1::DeleteServiceTaskRequest>,
) -> Result<v1::DeleteServiceTaskResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.equipment_id)?;
    let task_id = parse_id(&request.task_id)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let item = read::lock(&mut tx, id).await?;
    let task = item.task(task_id).ok_or_else(ServiceError::not_found)?;
    if task.from_form {
        return Err(ServiceError::conflict(refusals::FORM_TASK));
    }
    store::tasks::delete(&mut tx, id, task.id).await?;
    add_entry(api, &mut tx, &identity, &item, removed_text(&task), None).await?;
    let equipment = read::load(api, &mut tx, &identity, id).await?;
    tx.commit().await?;
    api.changed(identity.tenant(), Some(id));
    Ok(v1::DeleteServiceTaskResponse {
        equipment: Some(equipment),
    })
}

/// A task with the day of its last service, also without a schedule.
pub fn task_with_day(
    task: &ServiceTask,
    item: &Equipment,
    done: &HashMap<Option<Uuid>, NaiveDate>,
    today: &CompanyDay,
) -> v1::ServiceTask {
    let nameless = done.get(&None).filter(|_| task.from_form);
    let day = done.get(&Some(task.id)).max(nameless);
    let mut message = convert::service_task(task, item, today);
    message.last_serviced_on = day.map(ToString::to_string).unwrap_or_default();
    if message.last_done_on.is_empty() {
        message.last_done_on.clone_from(&message.last_serviced_on);
    }
    message
}

/// A task and its equipment as they are stored now.
pub(super) async fn states(
    api: &Api,
    tx: &mut TenantTx,
    identity: &Identity,
    id: Uuid,
    task: Uuid,
) -> Result<(v1::ServiceTask, v1::Equipment), ServiceError> {
    let item = read::find(tx, id).await?;
    let done = store::tasks::last_done(tx, id).await?;
    let task = item.task(task).ok_or_else(ServiceError::not_found)?;
    let day = api.day(identity);
    let row = task_with_day(&task, &item, &done, &day);
    Ok((row, convert::equipment(&item, identity, &day)))
}

pub(super) fn blank() -> ServiceTask {
    ServiceTask {
        id: Uuid::now_v7(),
        ..ServiceTask::default()
    }
}

/// Task names identify tasks in the history, so they are unique per machine.
fn check_name(item: &Equipment, task: &ServiceTask) -> Result<(), ServiceError> {
    let mut others = item.more_tasks.iter().filter(|other| other.id != task.id);
    if others.any(|other| same_name(&other.name, &task.name)) {
        return Err(name_taken(refusals::TASK_NAME_TAKEN));
    }
    Ok(())
}

pub(super) fn no_service_plan() -> ServiceError {
    ServiceError::conflict(refusals::NO_SERVICE_PLAN)
}

pub(super) fn name_taken(message: Reason) -> ServiceError {
    ServiceError {
        fields: vec![("name".to_owned(), message.into())],
        ..ServiceError::new(Kind::AlreadyExists, message)
    }
}

/// Adds the single ledger entry of a task change.
pub(super) async fn add_entry(
    api: &Api,
    tx: &mut TenantTx,
    identity: &Identity,
    item: &Equipment,
    content: String,
    mark: Option<TaskMark>,
) -> Result<(), ServiceError> {
    let now = api.clock.now();
    let entry = entry(identity, item, content, mark, now);
    store::posting::post(tx, entry, now, |_| out_of_range()).await
}

/// The ledger entry of a task change.
pub(super) fn entry(
    identity: &Identity,
    item: &Equipment,
    content: String,
    mark: Option<TaskMark>,
    now: DateTime<Utc>,
) -> Entry {
    Entry {
        captured_at: after_known(now, item.known_at),
        mark,
        content,
        ..Entry::new(item.subject(), EntryKind::Edit, manager(identity), now)
    }
}

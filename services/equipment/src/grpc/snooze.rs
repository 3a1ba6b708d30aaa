//! Snoozing service tasks, the form's included.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Outcome;
use tonic::Request;

use super::tasks::{add_entry, no_service_plan, states};
use super::void::reason;
use super::{Api, input, keyed_request, parse_id, person_request, read};
use crate::domain::equipment::Snoozed;
use crate::domain::field_errors::FieldErrors;
use crate::domain::kinds::MeterUnit;
use crate::domain::rule::SnoozeEnd;
use crate::domain::tasks::{snoozed_text, woken_text};
use crate::refusals;
use crate::store;

pub async fn snooze_service_task(
    api: &Api,
    request: Request<v1::SnoozeServiceTaskRequest>,
) -> Result<v1::SnoozeServiceTaskResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "SnoozeServiceTask")?;
    let id = parse_id(&request.equipment_id)?;
    let task_id = parse_id(&request.task_id)?;
    let mut errors = FieldErrors::default();
    let end = input::snooze_end(&request, &mut errors);
    errors.check()?;
    let reason = reason(&request.reason)?;
    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    let item = read::lock(&mut tx, id).await?;
    let task = item.task(task_id).ok_or_else(ServiceError::not_found)?;
    if !task.recurrence.recurs() {
        return Err(no_service_plan());
    }
    let has_meter = item.details.unit != MeterUnit::NotApplicable;
    let end = end.filter(|end| match end {
        SnoozeEnd::Usage(_) if !has_meter => false,
        end => !end.is_over(item.details.current_usage, api.today(&identity)),
    });
    let Some(end) = end else {
        let field = match request.until_usage {
            Some(_) => "untilUsage",
            None => "untilDate",
        };
        return Err(ServiceError::field(field, refusals::SNOOZE_END_PASSED));
    };
    let content = snoozed_text(&task, end, item.details.unit, &reason);
    let snoozed = Snoozed {
        reason,
        by: identity.display_name.clone(),
        at: api.clock.now(),
    };
    store::tasks::snooze(&mut tx, id, &[task_id], Some((end, &snoozed))).await?;
    add_entry(api, &mut tx, &identity, &item, content, None).await?;
    let (task, equipment) = states(api, &mut tx, &identity, id, task_id).await?;
    let response = v1::SnoozeServiceTaskResponse {
        task: Some(task),
        equipment: Some(equipment),
    };
    api.finish(tx, response, Some(id)).await
}

pub async fn wake_service_task(
    api: &Api,
    request: Request<v1::WakeServiceTaskRequest>,
) -> Result<v1::WakeServiceTaskResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.equipment_id)?;
    let task_id = parse_id(&request.task_id)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let item = read::lock(&mut tx, id).await?;
    let task = item.task(task_id).ok_or_else(ServiceError::not_found)?;
    let usage = item.details.current_usage;
    if task.recurrence.is_snoozed(usage, api.today(&identity)) {
        store::tasks::snooze(&mut tx, id, &[task_id], None).await?;
        add_entry(api, &mut tx, &identity, &item, woken_text(&task), None).await?;
    }
    let (task, equipment) = states(api, &mut tx, &identity, id, task_id).await?;
    tx.commit().await?;
    api.changed(tenant, Some(id));
    Ok(v1::WakeServiceTaskResponse {
        task: Some(task),
        equipment: Some(equipment),
    })
}

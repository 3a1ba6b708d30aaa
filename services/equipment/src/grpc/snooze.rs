//! Snoozing service tasks, the form's included.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::Caller;
use tonic::Request;

use super::service::no_service_plan;
use super::tasks::{add_entry, lock_equipment, states};
use super::void::reason;
use super::{Api, input, parse_id};
use crate::domain::equipment::Snoozed;
use crate::domain::field_errors::FieldErrors;
use crate::domain::kinds::MeterUnit;
use crate::domain::rule::SnoozeEnd;
use crate::domain::tasks::{snoozed_text, woken_text};
use crate::refusals;
use crate::store;

pub async fn snooze(
    api: &Api,
    request: Request<v1::SnoozeServiceTaskRequest>,
) -> Result<v1::SnoozeServiceTaskResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "SnoozeServiceTask")?;
    let request = request.into_inner();
    let (id, task_id) = (
        parse_id(&request.equipment_id)?,
        parse_id(&request.task_id)?,
    );
    let mut errors = FieldErrors::default();
    let end = input::snooze_end(&request, &mut errors);
    errors.check()?;
    let reason = reason(&request.reason)?;
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let tx = api.database.tenant(tenant).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(response) => return Ok(response),
    };
    let item = lock_equipment(&mut tx, &identity, id).await?;
    let task = item.task(task_id).ok_or_else(ServiceError::not_found)?;
    if !task.plan.has_plan() {
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
    let by = identity.display_name.clone();
    let snoozed = Snoozed {
        reason,
        by,
        at: now,
    };
    let stored: Option<(SnoozeEnd, &Snoozed)> = Some((end, &snoozed));
    store::tasks::snooze(&mut tx, tenant, id, &[task_id], stored).await?;
    add_entry(api, &mut tx, &identity, &item, content, None).await?;
    let (task, equipment) = states(api, &mut tx, &identity, id, task_id).await?;
    let response = v1::SnoozeServiceTaskResponse {
        task: Some(task),
        equipment: Some(equipment),
    };
    tx.finish(&response).await?;
    api.machine_changed(tenant, id);
    Ok(response)
}

pub async fn wake(
    api: &Api,
    request: Request<v1::WakeServiceTaskRequest>,
) -> Result<v1::WakeServiceTaskResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let request = request.into_inner();
    let (id, task_id) = (
        parse_id(&request.equipment_id)?,
        parse_id(&request.task_id)?,
    );
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let item = lock_equipment(&mut tx, &identity, id).await?;
    let task = item.task(task_id).ok_or_else(ServiceError::not_found)?;
    let usage = item.details.current_usage;
    if task.plan.is_snoozed(usage, api.today(&identity)) {
        store::tasks::snooze(&mut tx, tenant, id, &[task_id], None).await?;
        add_entry(api, &mut tx, &identity, &item, woken_text(&task), None).await?;
    }
    let (task, equipment) = states(api, &mut tx, &identity, id, task_id).await?;
    tx.commit().await?;
    api.machine_changed(tenant, id);
    Ok(v1::WakeServiceTaskResponse {
        task: Some(task),
        equipment: Some(equipment),
    })
}

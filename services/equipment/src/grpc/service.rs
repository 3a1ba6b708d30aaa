//! Completing services: the form's task by `MarkServiced`, any task by `CompleteServiceTask`.

use chrono::{DateTime, NaiveDate, TimeZone as _, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::{Caller, Identity};
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, input, manager, parse_id, read};
use crate::domain::calendar::read_date;
use crate::domain::equipment::Task;
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{Entry, EntryKind, TaskMark};
use crate::domain::meter::{MeterState, offset_at};
use crate::domain::tasks::{Completed, Completion, complete};
use crate::refusals;
use crate::store;
use crate::store::meter::Meter;

pub async fn mark_serviced(
    api: &Api,
    request: Request<v1::MarkServicedRequest>,
) -> Result<v1::MarkServicedResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "MarkServiced")?;
    let request = request.into_inner();
    let id = parse_id(&request.id)?;
    let report = ServiceReport::from_mark_serviced(&request, api.today(&identity))?;

    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, api.clock.now()).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(response) => return Ok(response),
    };
    record_service(api, &mut tx, &identity, id, None, &report).await?;
    let equipment = read::load(api, &mut tx, &identity, id).await?;
    let response = v1::MarkServicedResponse {
        equipment: Some(equipment),
    };
    tx.finish(&response).await?;
    api.changed(identity.tenant());
    Ok(response)
}

pub async fn complete_task(
    api: &Api,
    request: Request<v1::CompleteServiceTaskRequest>,
) -> Result<v1::CompleteServiceTaskResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "CompleteServiceTask")?;
    let request = request.into_inner();
    let (id, task) = (
        parse_id(&request.equipment_id)?,
        parse_id(&request.task_id)?,
    );
    let today = api.today(&identity);
    let report = ServiceReport::from_complete_task(&request, today)?;

    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, api.clock.now()).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(response) => return Ok(response),
    };
    let (task, usage) = record_service(api, &mut tx, &identity, id, Some(task), &report).await?;
    let equipment = read::load(api, &mut tx, &identity, id).await?;
    let response = v1::CompleteServiceTaskResponse {
        task: Some(convert::service_task(&task, usage, today)),
        equipment: Some(equipment),
    };
    tx.finish(&response).await?;
    api.changed(identity.tenant());
    Ok(response)
}

/// Records a service of `task` (None: the form's) and returns the task and its usage afterwards.
#[tracing::instrument(name = "equipment.record_service", level = "debug", skip_all)]
async fn record_service(
    api: &Api,
    connection: &mut PgConnection,
    identity: &Identity,
    id: Uuid,
    task: Option<Uuid>,
    report: &ServiceReport,
) -> Result<(Task, Quantity), ServiceError> {
    let tenant = identity.tenant();
    let meter = store::meter::lock(connection, tenant, id).await?;
    let meter = meter.ok_or_else(ServiceError::not_found)?;
    let item = store::equipment::find(connection, tenant, id).await?;
    let item = item.ok_or_else(ServiceError::not_found)?;
    let task = match task {
        None => item.form_task(),
        Some(task) => item.task(task).ok_or_else(ServiceError::not_found)?,
    };
    if !task.plan.has_plan() {
        return Err(no_service_plan());
    }
    let last_done = store::tasks::last_done(connection, tenant, id, &task).await?;
    let at = usage_at_service(connection, identity, &meter, report, api).await?;
    let completion = Completion {
        usage: at,
        ..report.completion
    };
    let completed = complete(task.plan, meter.state.usage, last_done, completion);
    let task = Task {
        plan: completed.plan,
        ..task
    };
    store::tasks::update(connection, tenant, id, &task).await?;
    store::tasks::refresh(connection, tenant, id).await?;
    let mut entry = entry(api, identity, &meter, &task, &completed, report);
    store::entries::post(connection, tenant, &mut entry, api.clock.now()).await?;
    let offset = api.day(identity).utc_offset;
    store::forecast::refresh(connection, tenant, id, offset).await?;
    Ok((task, completed.usage.after))
}

/// Life-to-date usage at the service, from the reading of the meter that was in use then. None: not
/// reported.
async fn usage_at_service(
    connection: &mut PgConnection,
    identity: &Identity,
    meter: &Meter,
    report: &ServiceReport,
    api: &Api,
) -> Result<Option<Quantity>, ServiceError> {
    let Some(reading) = report.meter else {
        return Ok(None);
    };
    let (tenant, id) = (identity.tenant(), meter.subject.id);
    let (today, now) = (api.today(identity), api.clock.now());
    let at = captured_at(identity, report.completion.day, today, now);
    let history = store::meters::history(connection, tenant, id).await?;
    let ends = history.map(|history| history.ends).unwrap_or_default();
    let at_service = MeterState {
        usage: meter.state.usage,
        offset: offset_at(at, &ends),
    };
    let at_service = at_service.with_reading(reading);
    // A usage above the known one is a reading of the current meter.
    let current = meter
        .state
        .with_usage(at_service.usage.max(meter.state.usage));
    if at_service.is_in_range() && current.is_in_range() {
        Ok(Some(at_service.usage))
    } else {
        Err(ServiceError::field("meter", refusals::METER_OUT_OF_RANGE))
    }
}

fn entry(
    api: &Api,
    identity: &Identity,
    meter: &Meter,
    task: &Task,
    completed: &Completed,
    report: &ServiceReport,
) -> Entry {
    let (today, now) = (api.today(identity), api.clock.now());
    let subject = meter.subject.clone();
    Entry {
        captured_at: captured_at(identity, report.completion.day, today, now),
        usage: Some(completed.usage),
        effect: completed.effect,
        mark: Some(TaskMark {
            task: task.id,
            name: task.name.clone(),
            usage: completed.mark,
            start: task.plan.schedule.map(|_| report.completion.day),
        }),
        reading: report.meter,
        cost: report.cost,
        performed_on: Some(report.completion.day),
        content: report.content(today),
        ..Entry::new(subject, EntryKind::Service, manager(identity), now)
    }
}

/// When the service read the meter: now, or the end of an earlier day, so that readings taken since
/// then are not late.
fn captured_at(
    identity: &Identity,
    day: NaiveDate,
    today: NaiveDate,
    now: DateTime<Utc>,
) -> DateTime<Utc> {
    let end = day.and_hms_opt(23, 59, 59).filter(|_| day < today);
    let end = end.and_then(|end| identity.time_zone.from_local_datetime(&end).latest());
    end.map_or(now, |end| end.with_timezone(&Utc).min(now))
}

fn no_service_plan() -> ServiceError {
    ServiceError::conflict(refusals::NO_SERVICE_PLAN)
}

struct ServiceReport {
    completion: Completion,
    /// Reading of the meter.
    meter: Option<Quantity>,
    notes: String,
    cost: Option<Quantity>,
}

impl ServiceReport {
    fn from_mark_serviced(
        request: &v1::MarkServicedRequest,
        today: NaiveDate,
    ) -> Result<Self, ServiceError> {
        let mut errors = FieldErrors::default();
        let (notes, cost) = (&request.notes, request.cost);
        let report = Self::read(notes, cost, &request.performed_at, today, &mut errors);
        errors.check()?;
        Ok(report)
    }

    fn from_complete_task(
        request: &v1::CompleteServiceTaskRequest,
        today: NaiveDate,
    ) -> Result<Self, ServiceError> {
        let mut errors = FieldErrors::default();
        let (notes, cost) = (&request.notes, request.cost);
        let mut report = Self::read(notes, cost, &request.performed_at, today, &mut errors);
        let meter = request.meter.map(Quantity::from_input).transpose();
        report.meter = errors.keep("meter", meter).flatten();
        errors.check()?;
        Ok(report)
    }

    fn read(
        notes: &str,
        cost: Option<f64>,
        performed_at: &str,
        today: NaiveDate,
        errors: &mut FieldErrors,
    ) -> Self {
        let notes = input::long_text(notes, "notes", errors);
        let cost = cost.map(Quantity::from_input).transpose();
        let cost = errors.keep("cost", cost).flatten();
        let day = match performed_at.trim() {
            "" => Some(today),
            text => errors.keep("performedAt", read_date(text).ok_or(refusals::DATE_INVALID)),
        };
        let day = day.unwrap_or(today);
        if day > today {
            errors.add("performedAt", refusals::DATE_IN_FUTURE);
        }
        let completion = Completion { day, usage: None };
        Self {
            completion,
            meter: None,
            notes,
            cost,
        }
    }

    /// Notes, cost, and the date unless it is today.
    fn content(&self, today: NaiveDate) -> String {
        let mut lines = Vec::new();
        if !self.notes.is_empty() {
            lines.push(self.notes.clone());
        }
        if let Some(cost) = self.cost {
            let (dollars, cents) = (cost.hundredths() / 100, cost.hundredths() % 100);
            lines.push(format!("Cost: ${dollars}.{cents:02}"));
        }
        let day = self.completion.day;
        if day != today {
            lines.push(format!("Performed on {day}"));
        }
        lines.join("\n")
    }
}

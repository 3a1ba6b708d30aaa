//! Completing services: the form's task by `MarkServiced`, any task by `CompleteServiceTask`.

use chrono::{DateTime, NaiveDate, TimeZone as _, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::refusals as shared;
use tonic::Request;
use uuid::Uuid;

use super::tasks::{no_service_plan, states};
use super::usage::{after_known, check_expected};
use super::{Api, input, keyed_request, manager, parse_id, read};
use crate::domain::equipment::Equipment;
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{Entry, EntryKind, MarkUsage, TaskMark};
use crate::domain::meter::MeterFact;
use crate::domain::service_text::service_content;
use crate::domain::tasks::MAX_TASKS;
use crate::domain::timeline::MeterAt;
use crate::domain::usage::{UsageError, check};
use crate::refusals;
use crate::store;

pub async fn mark_serviced(
    api: &Api,
    request: Request<v1::MarkServicedRequest>,
) -> Result<v1::MarkServicedResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "MarkServiced")?;
    let id = parse_id(&request.id)?;
    if request.task_ids.len() > MAX_TASKS + 1 {
        let text = shared::AT_MOST.with("max", MAX_TASKS + 1);
        return Err(ServiceError::field("taskIds", text));
    }
    let tasks: Vec<Uuid> = request
        .task_ids
        .iter()
        .map(|id| parse_id(id))
        .collect::<Result<_, _>>()?;
    let report = ServiceReport::read(&request, api.today(&identity))?;

    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    let entry_ids = record_service(api, &mut tx, &identity, id, &tasks, &report).await?;
    let equipment = read::load(api, &mut tx, &identity, id).await?;
    let response = v1::MarkServicedResponse {
        equipment: Some(equipment),
        entry_ids,
    };
    api.finish(tx, response, Some(id)).await
}

pub async fn complete_service_task(
    api: &Api,
    request: Request<v1::CompleteServiceTaskRequest>,
) -> Result<v1::CompleteServiceTaskResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "CompleteServiceTask")?;
    let id = parse_id(&request.equipment_id)?;
    let task = parse_id(&request.task_id)?;
    let service = v1::MarkServicedRequest {
        performed_at: request.performed_at,
        meter: request.meter,
        notes: request.notes,
        cost: request.cost,
        expected_reading: request.expected_reading,
        ..v1::MarkServicedRequest::default()
    };
    let report = ServiceReport::read(&service, api.today(&identity))?;

    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    let entry_ids = record_service(api, &mut tx, &identity, id, &[task], &report).await?;
    let (task, equipment) = states(api, &mut tx, &identity, id, task).await?;
    let response = v1::CompleteServiceTaskResponse {
        task: Some(task),
        equipment: Some(equipment),
        entry_ids,
    };
    api.finish(tx, response, Some(id)).await
}

/// Records a service of the tasks (none: of the form's), with an entry for each. Returns their ids, or
/// none if it ends a snooze, which voiding them would not restore.
#[tracing::instrument(name = "equipment.record_service", level = "debug", skip_all)]
async fn record_service(
    api: &Api,
    tx: &mut TenantTx,
    identity: &Identity,
    id: Uuid,
    tasks: &[Uuid],
    report: &ServiceReport,
) -> Result<Vec<String>, ServiceError> {
    let now = api.clock.now();
    store::company::set_time_zone(tx, identity, now).await?;
    let item = read::lock(tx, id).await?;
    check_expected(report.expected, item.dial().state)?;
    let today = api.today(identity);
    let at = captured_at(identity, report.day, today, after_known(now, item.known_at));
    let form = [item.form_task_id];
    let tasks = if tasks.is_empty() { &form } else { tasks };
    let mut ends_snooze = false;
    if !item.snoozed_tasks().is_empty() {
        // A service before the last one does not end the snooze.
        let done = store::tasks::last_done(tx, id).await?;
        let is_last = |task: &Uuid| {
            done.get(&Some(*task))
                .is_none_or(|last| *last <= report.day)
        };
        let served: Vec<Uuid> = tasks.iter().copied().filter(is_last).collect();
        let usage = item.details.current_usage;
        let mut known = served.iter().filter_map(|task| item.task(*task));
        ends_snooze = known.any(|task| task.recurrence.is_snoozed(usage, today));
        store::tasks::snooze(tx, id, &served, None).await?;
    }
    let ledger = store::projections::load_one(tx, id).await?;
    let meter = ledger.meter_at(at);
    let usage = report.usage_at_service(&item, &meter, at)?;
    let mut entries = Vec::with_capacity(tasks.len());
    for (nth, task) in tasks.iter().enumerate() {
        let task = item.task(*task).ok_or_else(ServiceError::not_found)?;
        if !task.recurrence.recurs() {
            return Err(no_service_plan());
        }
        // The cost is that of the whole service.
        let cost = report.cost.filter(|_| nth == 0);
        let entry = Entry {
            captured_at: at,
            meter: report.meter.map(MeterFact::ServiceReading),
            mark: Some(TaskMark {
                task: task.id,
                usage: usage.map_or(MarkUsage::Meter, |usage| MarkUsage::Given(Some(usage))),
                start: task.recurrence.schedule.map(|_| report.day),
                name: task.name,
            }),
            cost,
            performed_on: Some(report.day),
            content: service_content(&report.notes, cost, report.day, today),
            ..Entry::new(item.subject(), EntryKind::Service, manager(identity), now)
        };
        entries.push(entry);
    }
    let ids = entries.iter().map(|entry| entry.id.to_string()).collect();
    store::posting::post_all(tx, ledger, entries, now, |_| out_of_range("meter")).await?;
    Ok(if ends_snooze { Vec::new() } else { ids })
}

pub fn out_of_range(field: &str) -> ServiceError {
    ServiceError::field(field, refusals::METER_OUT_OF_RANGE)
}

/// Life-to-date usage of a reading of the meter. Errors name `field`.
pub fn usage_at(meter: &MeterAt, reading: Quantity, field: &str) -> Result<Quantity, ServiceError> {
    let state = meter.dial.state.with_reading(reading);
    match check(meter, MeterFact::ServiceReading(reading)) {
        Err(UsageError::TooLarge) => Err(out_of_range(field)),
        Err(error) => Err(ServiceError::field(field, error)),
        Ok(()) if !state.is_in_range() => Err(out_of_range(field)),
        Ok(()) => Ok(state.usage),
    }
}

/// The day of a service. None: not given.
pub fn read_day(text: &str, today: NaiveDate, errors: &mut FieldErrors) -> Option<NaiveDate> {
    let day = input::date(text, "performedAt", errors);
    if day.is_some_and(|day| day > today) {
        errors.add("performedAt", refusals::DATE_IN_FUTURE);
    }
    day
}

/// When the service was done: now, or the end of an earlier day.
pub fn captured_at(
    identity: &Identity,
    day: NaiveDate,
    today: NaiveDate,
    now: DateTime<Utc>,
) -> DateTime<Utc> {
    let end = day.and_hms_opt(23, 59, 59).filter(|_| day < today);
    let end = end.and_then(|end| identity.time_zone.from_local_datetime(&end).latest());
    end.map_or(now, |end| end.with_timezone(&Utc).min(now))
}

struct ServiceReport {
    day: NaiveDate,
    /// Reading of the meter.
    meter: Option<Quantity>,
    notes: String,
    cost: Option<Quantity>,
    /// The reading that the person saw.
    expected: Option<Quantity>,
}

impl ServiceReport {
    /// Life-to-date usage at the service. None: it was not read.
    fn usage_at_service(
        &self,
        item: &Equipment,
        meter: &MeterAt,
        at: DateTime<Utc>,
    ) -> Result<Option<Quantity>, ServiceError> {
        let Some(reading) = self.meter else {
            return Ok(None);
        };
        if item.unit_since.is_some_and(|since| at <= since) {
            return Err(ServiceError::field("meter", refusals::WRONG_UNIT));
        }
        usage_at(meter, reading, "meter").map(Some)
    }

    fn read(request: &v1::MarkServicedRequest, today: NaiveDate) -> Result<Self, ServiceError> {
        let mut errors = FieldErrors::default();
        let notes = input::long_text(&request.notes, "notes", &mut errors);
        let cost = input::quantity(request.cost, "cost", &mut errors);
        let day = read_day(&request.performed_at, today, &mut errors).unwrap_or(today);
        let meter = input::quantity(request.meter, "meter", &mut errors);
        let expected = request.expected_reading;
        let expected = input::quantity(expected, "expectedReading", &mut errors);
        errors.check()?;
        Ok(Self {
            day,
            meter,
            notes,
            cost,
            expected,
        })
    }
}

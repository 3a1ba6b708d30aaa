//! Service tasks of equipment.

use hourmeter_proto::equipment::v1::{
    self as proto, CalendarUnit, CompleteServiceTaskRequest, CreateServiceTaskRequest,
    DeleteServiceTaskRequest, ListServiceTasksRequest, ServiceStatus, ServiceTaskInput,
    SnoozeServiceTaskRequest, TaskBasis, UpdateServiceTaskRequest, WakeServiceTaskRequest,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;
use hourmeter_runtime::refusals as shared;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::call::Call;
use super::fields::Fields;
use super::fields::kind::{FieldKind, Numbers};
use super::from_proto::{FromProto as _, objects};
use super::history::Recorded;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::values::{Date, Id, Instant, Number};
use super::wire_enums::WireName;
use crate::refusals;

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Patch, Post};
    let rpc = |method| AccessRule::Rpc(EquipmentService, method);
    let (all, one) = (
        "/api/equipment/{id}/service-tasks",
        "/api/equipment/{id}/service-tasks/{taskId}",
    );
    vec![
        rpc("ListServiceTasks")
            .route(Get, all, list)
            .summary("Service tasks, the equipment form's first")
            .list::<ServiceTask>(),
        rpc("CreateServiceTask")
            .at(Post, all)
            .body(creation, create)
            .summary("Adds a service task: by usage, by calendar or by both, whichever comes first")
            .created::<ServiceTask>(),
        rpc("UpdateServiceTask")
            .at(Patch, one)
            .body(change, update)
            .summary(
                "Changes the fields of a task that are given; null removes an interval. Of the \
                 form's task only basis, first due points and warnings",
            )
            .ok::<ServiceTask>(),
        rpc("DeleteServiceTask")
            .route(Delete, one, delete)
            .summary("Removes a task; what was done stays in the history")
            .empty(),
        rpc("CompleteServiceTask")
            .at(Post, "/api/equipment/{id}/service-tasks/{taskId}/done")
            .body(completion, done)
            .summary("Records that a task was done and starts its intervals again")
            .ok::<Recorded<ServiceTask>>(),
        rpc("SnoozeServiceTask")
            .at(Post, "/api/equipment/{id}/service-tasks/{taskId}/snooze")
            .body(snoozing, snooze)
            .summary(
                "Snoozes a task until a date or a usage: until then the machine is not due \
                 because of it",
            )
            .ok::<ServiceTask>(),
        rpc("WakeServiceTask")
            .route(
                Post,
                "/api/equipment/{id}/service-tasks/{taskId}/wake",
                wake,
            )
            .summary("Ends the snooze of a task")
            .ok::<ServiceTask>(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ServiceTask {
    equipment_id: Id,
    #[serde(flatten)]
    task: Task,
}

objects! {
    struct Task(task: proto::ServiceTask) {
        id: Id,
        name: Option<String>,
        from_form: bool,
        usage_interval: Number,
        last_done_usage: Option<Number>,
        last_done_on: Option<Date>,
        calendar_interval: Option<u32>,
        calendar_unit: WireName<CalendarUnit>,
        next_due_date: Option<Date>,
        projected_due_date: Option<Date>,
        projected_by_calendar: bool,
        status: WireName<ServiceStatus>,
        usage_percent: Option<Number>,
        next_due_usage: Option<Number>,
        remaining_usage: Option<Number>,
        days_until_due: Option<i32>,
        basis: WireName<TaskBasis>,
        first_due_usage: Option<Number>,
        first_due_date: Option<Date>,
        warning_percent: Option<u32>,
        warning_usage: Option<Number>,
        warning_days: Option<u32>,
        missed_rounds: u32,
        snooze: Option<TaskSnooze>,
    }

    pub struct TaskSnooze(snooze: proto::TaskSnooze) {
        until_date: Option<Date>,
        until_usage: Option<Number>,
        reason: String,
        by: String,
        at: Instant,
    }
}

/// The fields of a new task; null is the same as omitted.
fn creation(fields: &mut Fields) -> ServiceTaskInput {
    ServiceTaskInput {
        name: Some(fields.required_text_in("name", 1..=100)),
        usage_interval: interval(fields, "usageInterval"),
        last_done_usage: fields.number("lastDoneUsage"),
        calendar_interval: calendar_interval(fields, "calendarInterval"),
        calendar_unit: fields.enum_value::<CalendarUnit>("calendarUnit"),
        last_done_on: fields.date("lastDoneOn"),
        basis: fields.enum_value::<TaskBasis>("basis"),
        first_due_usage: fields.number("firstDueUsage"),
        first_due_date: fields.date("firstDueDate"),
        warning_percent: warning_percent(fields, "warningPercent"),
        warning_usage: fields.number("warningUsage"),
        warning_days: warning_days(fields, "warningDays"),
    }
}

fn change(fields: &mut Fields) -> ServiceTaskInput {
    ServiceTaskInput {
        name: fields.text_in("name", 1..=100),
        usage_interval: fields.clearable("usageInterval", interval),
        last_done_usage: fields.number("lastDoneUsage"),
        calendar_interval: fields.clearable("calendarInterval", calendar_interval),
        calendar_unit: fields.enum_value::<CalendarUnit>("calendarUnit"),
        last_done_on: fields.date("lastDoneOn"),
        basis: fields.enum_value::<TaskBasis>("basis"),
        first_due_usage: fields.clearable("firstDueUsage", Fields::number),
        first_due_date: fields.clearable("firstDueDate", Fields::date),
        warning_percent: fields.clearable("warningPercent", warning_percent),
        warning_usage: fields.clearable("warningUsage", Fields::number),
        warning_days: fields.clearable("warningDays", warning_days),
    }
}

fn snoozing(fields: &mut Fields) -> SnoozeServiceTaskRequest {
    SnoozeServiceTaskRequest {
        until_date: fields.date("untilDate").unwrap_or_default(),
        until_usage: fields.number("untilUsage"),
        reason: fields.required_text_in("reason", 1..=500),
        ..SnoozeServiceTaskRequest::default()
    }
}

/// An interval of usage; 0: not by usage.
pub fn interval(fields: &mut Fields, name: &'static str) -> Option<f64> {
    fields.number_of(name, Numbers::Whole, shared::NOT_A_NUMBER)
}

/// Rejects 0, which the service reads as "none"; here only null clears.
pub fn calendar_interval(fields: &mut Fields, name: &'static str) -> Option<u32> {
    let text = refusals::NOT_WHOLE_FROM_ONE;
    let interval = fields.whole_of(name, FieldKind::Whole(1..=u32::MAX.into()), text);
    if interval == Some(0) {
        fields.wrong(name, text);
    }
    interval
}

pub fn warning_percent(fields: &mut Fields, name: &'static str) -> Option<u32> {
    fields.whole_in(name, 0..=99)
}

pub fn warning_days(fields: &mut Fields, name: &'static str) -> Option<u32> {
    fields.whole_in(name, 0..=365)
}

fn completion(fields: &mut Fields) -> CompleteServiceTaskRequest {
    CompleteServiceTaskRequest {
        performed_at: fields.date("performedAt").unwrap_or_default(),
        meter: fields.number("meter"),
        notes: fields.text("notes").unwrap_or_default(),
        cost: fields.number("cost"),
        expected_reading: fields.number("expectedReading"),
        ..CompleteServiceTaskRequest::default()
    }
}

/// The row of a task, with the equipment id in canonical form.
fn row(call: &Call, task: Option<proto::ServiceTask>) -> ServiceTask {
    let equipment_id = Uuid::parse_str(&call.id()).map(|id| id.to_string());
    ServiceTask {
        equipment_id: Id(equipment_id.unwrap_or_default()),
        task: Task::from_proto(task),
    }
}

async fn list(call: Call) -> RestResult {
    let request = ListServiceTasksRequest {
        equipment_id: call.id(),
    };
    let found = call.equipment().list_service_tasks(request).await?;
    let tasks = found.into_inner().tasks.into_iter();
    let rows: Vec<_> = tasks.map(|task| row(&call, Some(task))).collect();
    RestResponse::ok(&rows)
}

async fn create(call: Call, task: ServiceTaskInput) -> RestResult {
    let request = CreateServiceTaskRequest {
        equipment_id: call.id(),
        task: Some(task),
    };
    let created = call.equipment().create_service_task(request).await?;
    RestResponse::created(&row(&call, created.into_inner().task))
}

async fn update(call: Call, task: ServiceTaskInput) -> RestResult {
    let request = UpdateServiceTaskRequest {
        equipment_id: call.id(),
        task_id: call.path_param("taskId"),
        task: Some(task),
    };
    let changed = call.equipment().update_service_task(request).await?;
    RestResponse::ok(&row(&call, changed.into_inner().task))
}

async fn delete(call: Call) -> RestResult {
    let request = DeleteServiceTaskRequest {
        equipment_id: call.id(),
        task_id: call.path_param("taskId"),
    };
    call.equipment().delete_service_task(request).await?;
    Ok(RestResponse::empty())
}

async fn done(call: Call, completion: CompleteServiceTaskRequest) -> RestResult {
    let request = CompleteServiceTaskRequest {
        equipment_id: call.id(),
        task_id: call.path_param("taskId"),
        ..completion
    };
    let done = call.equipment().complete_service_task(request).await?;
    let done = done.into_inner();
    let task = row(&call, done.task);
    RestResponse::ok(&Recorded::new(task, done.entry_ids))
}

async fn snooze(call: Call, snoozing: SnoozeServiceTaskRequest) -> RestResult {
    let request = SnoozeServiceTaskRequest {
        equipment_id: call.id(),
        task_id: call.path_param("taskId"),
        ..snoozing
    };
    let snoozed = call.equipment().snooze_service_task(request).await?;
    RestResponse::ok(&row(&call, snoozed.into_inner().task))
}

async fn wake(call: Call) -> RestResult {
    let request = WakeServiceTaskRequest {
        equipment_id: call.id(),
        task_id: call.path_param("taskId"),
    };
    let woken = call.equipment().wake_service_task(request).await?;
    RestResponse::ok(&row(&call, woken.into_inner().task))
}

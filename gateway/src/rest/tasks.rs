//! Service tasks of equipment.

use hourmeter_proto::equipment::v1::{
    CompleteServiceTaskRequest, CreateServiceTaskRequest, DeleteServiceTaskRequest,
    ListServiceTasksRequest, ServiceTask, ServiceTaskInput, UpdateServiceTaskRequest,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;
use uuid::Uuid;

use super::answer::Answer;
use super::call::Call;
use super::fields::Fields;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Patch, Post};
    let rpc = |method| Admission::Rpc(EquipmentService, method);
    let example = || task("", ServiceTask::default());
    let (all, one) = (
        "/api/equipment/{id}/service-tasks",
        "/api/equipment/{id}/service-tasks/{taskId}",
    );
    vec![
        Route::new(
            (Get, all),
            rpc("ListServiceTasks"),
            "Service tasks, the equipment form's first",
            list,
        )
        .list("ServiceTask", example()),
        Route::new(
            (Post, all),
            rpc("CreateServiceTask"),
            "Adds a service task: by usage, by calendar or by both, whichever comes first",
            create,
        )
        .body(creation)
        .created("ServiceTask", example()),
        Route::new(
            (Patch, one),
            rpc("UpdateServiceTask"),
            "Changes the fields of a task that are given; null takes an interval away",
            update,
        )
        .body(change)
        .ok("ServiceTask", example()),
        Route::new(
            (Delete, one),
            rpc("DeleteServiceTask"),
            "Removes a task; what was done stays in the history",
            delete,
        )
        .empty(),
        Route::new(
            (Post, "/api/equipment/{id}/service-tasks/{taskId}/done"),
            rpc("CompleteServiceTask"),
            "Records that a task was done and starts its intervals again",
            done,
        )
        .body(completion)
        .ok("ServiceTask", example()),
    ]
}

fn task(equipment_id: &str, task: ServiceTask) -> Shape {
    let status = words::service_status(task.status());
    let unit = words::calendar_unit(task.calendar_unit());
    let interval = (task.calendar_interval > 0).then_some(task.calendar_interval);
    Shape::new()
        .id("id", task.id)
        .id("equipmentId", equipment_id.to_owned())
        .opt_text("name", task.name)
        .flag("fromForm", task.from_form)
        .number("usageInterval", task.usage_interval)
        .opt_number("lastDoneUsage", task.last_done_usage)
        .opt_date("lastDoneOn", task.last_done_on)
        .opt_whole("calendarInterval", interval)
        .word("calendarUnit", unit, words::CALENDAR_UNIT_WORDS)
        .opt_date("nextDueDate", task.next_due_date)
        .word("status", status, words::SERVICE_STATUS_WORDS)
        .opt_number("usagePercent", task.usage_percent)
        .opt_number("nextDueUsage", task.next_due_usage)
        .opt_number("remainingUsage", task.remaining_usage)
        .opt_whole("daysUntilDue", task.days_until_due)
}

/// The fields of a new task; null is the same as left out.
fn creation(fields: &mut Fields) -> ServiceTaskInput {
    ServiceTaskInput {
        name: Some(fields.required_text("name")),
        usage_interval: fields.number("usageInterval"),
        last_done_usage: fields.number("lastDoneUsage"),
        calendar_interval: calendar_interval(fields),
        calendar_unit: calendar_unit(fields),
        last_done_on: fields.date("lastDoneOn"),
    }
}

fn change(fields: &mut Fields) -> ServiceTaskInput {
    ServiceTaskInput {
        name: fields.text("name"),
        usage_interval: fields.clearable("usageInterval", |fields| fields.number("usageInterval")),
        last_done_usage: fields.number("lastDoneUsage"),
        calendar_interval: fields.clearable("calendarInterval", calendar_interval),
        calendar_unit: calendar_unit(fields),
        last_done_on: fields.date("lastDoneOn"),
    }
}

/// The service reads 0 as "none", which only null says here.
fn calendar_interval(fields: &mut Fields) -> Option<u32> {
    let text = "Must be a whole number of 1 or more.";
    let interval = fields.whole_or("calendarInterval", text);
    if interval == Some(0) {
        fields.wrong("calendarInterval", text);
    }
    interval
}

fn calendar_unit(fields: &mut Fields) -> Option<i32> {
    let unit = fields.word("calendarUnit", words::CALENDAR_UNITS);
    unit.map(i32::from)
}

fn completion(fields: &mut Fields) -> CompleteServiceTaskRequest {
    CompleteServiceTaskRequest {
        performed_at: fields.date("performedAt").unwrap_or_default(),
        meter: fields.number("meter"),
        notes: fields.text("notes").unwrap_or_default(),
        cost: fields.number("cost"),
        ..CompleteServiceTaskRequest::default()
    }
}

/// The row of a task; an id may be written in several ways, and is answered in one.
fn row(call: &Call, answered: ServiceTask) -> Shape {
    let equipment_id = Uuid::parse_str(&call.id).map(|id| id.to_string());
    task(&equipment_id.unwrap_or_default(), answered)
}

async fn list(call: Call) -> Result<Answer, Refusal> {
    let request = ListServiceTasksRequest {
        equipment_id: call.id.clone(),
    };
    let found = call.equipment().list_service_tasks(request).await?;
    let tasks = found.into_inner().tasks.into_iter();
    let rows: Vec<Shape> = tasks.map(|task| row(&call, task)).collect();
    Answer::list(&rows, None)
}

async fn create(call: Call) -> Result<Answer, Refusal> {
    let request = CreateServiceTaskRequest {
        equipment_id: call.id.clone(),
        task: Some(call.body(creation)?),
    };
    let created = call.equipment().create_service_task(request).await?;
    let created = created.into_inner().task.unwrap_or_default();
    Answer::created(&row(&call, created))
}

async fn update(call: Call) -> Result<Answer, Refusal> {
    let request = UpdateServiceTaskRequest {
        equipment_id: call.id.clone(),
        task_id: call.part("taskId"),
        task: Some(call.body(change)?),
    };
    let changed = call.equipment().update_service_task(request).await?;
    let changed = changed.into_inner().task.unwrap_or_default();
    Answer::ok(&row(&call, changed))
}

async fn delete(call: Call) -> Result<Answer, Refusal> {
    let request = DeleteServiceTaskRequest {
        equipment_id: call.id.clone(),
        task_id: call.part("taskId"),
    };
    call.equipment().delete_service_task(request).await?;
    Ok(Answer::empty())
}

async fn done(call: Call) -> Result<Answer, Refusal> {
    let request = CompleteServiceTaskRequest {
        equipment_id: call.id.clone(),
        task_id: call.part("taskId"),
        ..call.body(completion)?
    };
    let done = call.equipment().complete_service_task(request).await?;
    let done = done.into_inner().task.unwrap_or_default();
    Answer::ok(&row(&call, done))
}

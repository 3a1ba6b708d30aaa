//! Task sets.

use std::collections::BTreeMap;

use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::{
    self as proto, ApplyTaskSetRequest, CalendarUnit, CreateTaskSetRequest, DeleteTaskSetRequest,
    EquipmentType, ListTaskSetsRequest, MeterUnit, PreviewTaskSetRequest, TaskBasis,
    TaskSetChangeKind, TaskSetInput, TaskSetMode, TaskSetSkip, TaskSetStart, UpdateTaskSetRequest,
};

use super::call::Call;
use super::fields::{Fields, page};
use super::from_proto::{FromProto as _, objects};
use super::lists;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::tasks::{calendar_interval, interval, warning_days, warning_percent};
use super::values::{Id, Number};
use super::wire_enums::WireName;

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Post, Put};
    let rpc = AccessRule::TaskSetRpc;
    let (all, one) = ("/api/task-sets", "/api/task-sets/{id}");
    vec![
        rpc("ListTaskSets")
            .route(Get, all, list)
            .summary("Task sets, by name")
            .list::<TaskSet>(),
        rpc("CreateTaskSet")
            .at(Post, all)
            .body(input, create)
            .summary("Adds a task set: a named list of service tasks for many machines")
            .created::<TaskSet>(),
        rpc("UpdateTaskSet")
            .at(Put, one)
            .body(change, update)
            .summary("Replaces a task set; its machines change when it is applied to them")
            .ok::<TaskSet>(),
        rpc("DeleteTaskSet")
            .route(Delete, one, delete)
            .summary("Deletes a task set; machines keep their tasks")
            .empty(),
        rpc("PreviewTaskSet")
            .at(Get, "/api/task-sets/{id}/preview")
            .query(preview_query, preview)
            .summary(
                "What applying a task set changes: on all machines of a type, or on those that \
                 have it",
            )
            .pages::<Outcome>(),
        rpc("ApplyTaskSet")
            .at(Post, "/api/task-sets/{id}/apply")
            .body(application, apply)
            .summary("Applies a task set to up to 50 machines independently of each other")
            .list::<Outcome>(),
        rpc("PreviewTaskSet")
            .route(Get, "/api/equipment/{id}/task-sets", of_equipment)
            .summary("The task sets of a machine, and how its tasks differ from them")
            .list::<Outcome>(),
    ]
}

objects! {
    struct TaskSet(set: proto::TaskSet) {
        id: Id,
        name: String,
        unit: WireName<MeterUnit>,
        items: Vec<Item>,
        revision: u64,
        machines: u32,
        outdated_machines: u32,
    }

    struct Item(item: proto::TaskSetItem) {
        id: Option<Id>,
        name: String,
        usage_interval: Number,
        calendar_interval: Option<u32>,
        calendar_unit: WireName<CalendarUnit>,
        basis: WireName<TaskBasis>,
        warning_percent: Option<u32>,
        warning_usage: Option<Number> = Some(item.warning_usage).filter(|usage| *usage > 0.0),
        warning_days: Option<u32>,
    }

    struct Outcome(result: proto::TaskSetResult) {
        task_set_id: Id,
        task_set_name: String,
        equipment_id: Id,
        equipment_name: Option<String>,
        ok: bool,
        message: Option<String>,
        code: Option<String>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        parameters: BTreeMap<String, String>,
        changes: Vec<Change>,
        assigned: bool,
    }

    struct Change(change: proto::TaskSetChange) {
        kind: WireName<TaskSetChangeKind>,
        task_id: Option<Id>,
        before: Option<Item>,
        after: Option<Item>,
        lookalike: Option<Item>,
    }
}

fn input(fields: &mut Fields) -> TaskSetInput {
    let unit = fields.enum_value::<MeterUnit>("unit");
    TaskSetInput {
        name: fields.required_text_in("name", 1..=100),
        unit: unit.unwrap_or_default(),
        items: fields.objects("items", 50, item).unwrap_or_default(),
    }
}

fn item(fields: &mut Fields) -> proto::TaskSetItem {
    proto::TaskSetItem {
        id: fields.text("id").unwrap_or_default(),
        name: fields.required_text_in("name", 1..=100),
        usage_interval: interval(fields, "usageInterval").unwrap_or_default(),
        calendar_interval: calendar_interval(fields, "calendarInterval").unwrap_or_default(),
        calendar_unit: fields.enum_or_unspecified::<CalendarUnit>("calendarUnit"),
        basis: fields.enum_or_unspecified::<TaskBasis>("basis"),
        warning_percent: warning_percent(fields, "warningPercent").unwrap_or_default(),
        warning_usage: fields.number("warningUsage").unwrap_or_default(),
        warning_days: warning_days(fields, "warningDays").unwrap_or_default(),
    }
}

fn change(fields: &mut Fields) -> UpdateTaskSetRequest {
    UpdateTaskSetRequest {
        task_set: Some(input(fields)),
        expected_revision: fields.whole("expectedRevision"),
        ..UpdateTaskSetRequest::default()
    }
}

fn preview_query(fields: &mut Fields) -> (PreviewTaskSetRequest, PageRequest) {
    let kind = fields.enum_value::<EquipmentType>("type");
    let request = PreviewTaskSetRequest {
        r#type: kind.unwrap_or_default(),
        mode: fields.enum_or_unspecified::<TaskSetMode>("mode"),
        ..PreviewTaskSetRequest::default()
    };
    (request, page(fields))
}

fn application(fields: &mut Fields) -> ApplyTaskSetRequest {
    ApplyTaskSetRequest {
        equipment_ids: fields.ids("equipmentIds", 50),
        mode: fields.enum_or_unspecified::<TaskSetMode>("mode"),
        expected_revision: fields.whole("expectedRevision"),
        skips: fields.objects("skips", 2500, skip).unwrap_or_default(),
        keep_task_ids: fields.optional_ids("keepTaskIds", 2500),
        start: fields.enum_or_unspecified::<TaskSetStart>("start"),
        ..ApplyTaskSetRequest::default()
    }
}

fn skip(fields: &mut Fields) -> TaskSetSkip {
    TaskSetSkip {
        equipment_id: fields.required_id("equipmentId"),
        item_id: fields.required_id("itemId"),
    }
}

async fn list(call: Call) -> RestResult {
    let request = ListTaskSetsRequest {};
    let found = call.task_sets().list_task_sets(request).await?;
    RestResponse::ok(&Vec::<TaskSet>::from_proto(found.into_inner().task_sets))
}

async fn create(call: Call, input: TaskSetInput) -> RestResult {
    let request = CreateTaskSetRequest {
        task_set: Some(input),
    };
    let created = call.task_sets().create_task_set(request).await?;
    RestResponse::created(&TaskSet::from_proto(created.into_inner().task_set))
}

async fn update(call: Call, mut request: UpdateTaskSetRequest) -> RestResult {
    request.id = call.id();
    let updated = call.task_sets().update_task_set(request).await?;
    RestResponse::ok(&TaskSet::from_proto(updated.into_inner().task_set))
}

async fn delete(call: Call) -> RestResult {
    let request = DeleteTaskSetRequest { id: call.id() };
    call.task_sets().delete_task_set(request).await?;
    Ok(RestResponse::empty())
}

async fn preview(
    call: Call,
    (mut request, page): (PreviewTaskSetRequest, PageRequest),
) -> RestResult {
    request.task_set_id = call.id();
    lists::respond(call, page, move |call, page| {
        let request = PreviewTaskSetRequest {
            page: Some(page),
            ..request.clone()
        };
        async move {
            let found = call
                .task_sets()
                .preview_task_set(request)
                .await?
                .into_inner();
            Ok((Vec::<Outcome>::from_proto(found.results), found.page))
        }
    })
    .await
}

async fn apply(call: Call, mut request: ApplyTaskSetRequest) -> RestResult {
    request.task_set_id = call.id();
    let applied = call.task_sets().apply_task_set(request).await?;
    RestResponse::ok(&Vec::<Outcome>::from_proto(applied.into_inner().results))
}

async fn of_equipment(call: Call) -> RestResult {
    // The preview of an unknown machine is empty.
    call.equipment()
        .get_equipment(proto::GetEquipmentRequest { id: call.id() })
        .await?;
    let request = PreviewTaskSetRequest {
        equipment_ids: vec![call.id()],
        ..PreviewTaskSetRequest::default()
    };
    let found = call.task_sets().preview_task_set(request).await?;
    RestResponse::ok(&Vec::<Outcome>::from_proto(found.into_inner().results))
}

//! Task sets.

use std::collections::BTreeMap;

use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::{
    self as proto, ApplyTaskSetRequest, CalendarUnit, CreateTaskSetRequest, DeleteTaskSetRequest,
    EquipmentType, ListTaskSetsRequest, MeterUnit, PreviewTaskSetRequest, TaskBasis,
    TaskSetChangeKind, TaskSetInput, TaskSetMode, TaskSetSkip, TaskSetStart, UpdateTaskSetRequest,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::fields::{Fields, page};
use super::lists;
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::tasks::{basis, calendar_interval, calendar_unit, usage_interval};
use super::values::{Id, Number, all, non_empty};
use super::wire_enums::{WireEnum as _, WireName};
use crate::api_error::ApiError;

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Post, Put};
    let rpc = AccessRule::TaskSetRpc;
    let (all, one) = ("/api/task-sets", "/api/task-sets/{id}");
    vec![
        Route::new((Get, all), rpc("ListTaskSets"), "Task sets, by name", list).list::<TaskSet>(),
        Route::new(
            (Post, all),
            rpc("CreateTaskSet"),
            "Adds a task set: a named list of service tasks for many machines",
            create,
        )
        .body(input)
        .created::<TaskSet>(),
        Route::new(
            (Put, one),
            rpc("UpdateTaskSet"),
            "Replaces a task set; its machines change when it is applied to them",
            update,
        )
        .body(change)
        .ok::<TaskSet>(),
        Route::new(
            (Delete, one),
            rpc("DeleteTaskSet"),
            "Deletes a task set; machines keep their tasks",
            delete,
        )
        .empty(),
        Route::new(
            (Get, "/api/task-sets/{id}/preview"),
            rpc("PreviewTaskSet"),
            "What applying a task set changes: on all machines of a type, or on those that have it",
            preview,
        )
        .query(preview_query)
        .pages::<Outcome>(),
        Route::new(
            (Post, "/api/task-sets/{id}/apply"),
            rpc("ApplyTaskSet"),
            "Applies a task set to up to 50 machines independently of each other",
            apply,
        )
        .body(application)
        .list::<Outcome>(),
        Route::new(
            (Get, "/api/equipment/{id}/task-sets"),
            rpc("PreviewTaskSet"),
            "The task sets of a machine, and how its tasks differ from them",
            of_equipment,
        )
        .list::<Outcome>(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TaskSet {
    id: Id,
    name: String,
    unit: WireName<MeterUnit>,
    items: Vec<Item>,
    revision: u64,
    machines: u32,
    outdated_machines: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Item {
    id: Option<Id>,
    name: String,
    usage_interval: Number,
    calendar_interval: Option<u32>,
    calendar_unit: WireName<CalendarUnit>,
    basis: WireName<TaskBasis>,
    warning_percent: Option<u32>,
    warning_usage: Option<Number>,
    warning_days: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Outcome {
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

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Change {
    kind: WireName<TaskSetChangeKind>,
    task_id: Option<Id>,
    before: Option<Item>,
    after: Option<Item>,
    lookalike: Option<Item>,
}

impl From<proto::TaskSet> for TaskSet {
    fn from(set: proto::TaskSet) -> Self {
        Self {
            unit: WireName(set.unit()),
            id: Id(set.id),
            name: set.name,
            items: all(set.items),
            revision: set.revision,
            machines: set.machines,
            outdated_machines: set.outdated_machines,
        }
    }
}

impl From<proto::TaskSetItem> for Item {
    fn from(item: proto::TaskSetItem) -> Self {
        let interval = item.calendar_interval;
        Self {
            calendar_unit: WireName(item.calendar_unit()),
            basis: WireName(item.basis()),
            id: non_empty(item.id).map(Id),
            name: item.name,
            usage_interval: Number(item.usage_interval),
            calendar_interval: (interval > 0).then_some(interval),
            warning_percent: (item.warning_percent > 0).then_some(item.warning_percent),
            warning_usage: (item.warning_usage > 0.0).then_some(Number(item.warning_usage)),
            warning_days: (item.warning_days > 0).then_some(item.warning_days),
        }
    }
}

impl From<proto::TaskSetResult> for Outcome {
    fn from(result: proto::TaskSetResult) -> Self {
        Self {
            task_set_id: Id(result.task_set_id),
            task_set_name: result.task_set_name,
            equipment_id: Id(result.equipment_id),
            equipment_name: non_empty(result.equipment_name),
            ok: result.ok,
            message: non_empty(result.message),
            code: non_empty(result.code),
            parameters: result.parameters.into_iter().collect(),
            changes: all(result.changes),
            assigned: result.assigned,
        }
    }
}

impl From<proto::TaskSetChange> for Change {
    fn from(change: proto::TaskSetChange) -> Self {
        Self {
            kind: WireName(change.kind()),
            task_id: non_empty(change.task_id).map(Id),
            before: change.before.map(Item::from),
            after: change.after.map(Item::from),
            lookalike: change.lookalike.map(Item::from),
        }
    }
}

fn input(fields: &mut Fields) -> TaskSetInput {
    let unit = fields.word("unit", MeterUnit::NAMES);
    TaskSetInput {
        name: fields.required_text_in("name", 1..=100),
        unit: unit.map(i32::from).unwrap_or_default(),
        items: fields.objects("items", 50, item).unwrap_or_default(),
    }
}

fn item(fields: &mut Fields) -> proto::TaskSetItem {
    proto::TaskSetItem {
        id: fields.text("id").unwrap_or_default(),
        name: fields.required_text_in("name", 1..=100),
        usage_interval: usage_interval(fields).unwrap_or_default(),
        calendar_interval: calendar_interval(fields).unwrap_or_default(),
        calendar_unit: calendar_unit(fields).unwrap_or_default(),
        basis: basis(fields).unwrap_or_default(),
        warning_percent: fields
            .whole_in("warningPercent", 0..=99)
            .unwrap_or_default(),
        warning_usage: fields.number("warningUsage").unwrap_or_default(),
        warning_days: fields.whole_in("warningDays", 0..=365).unwrap_or_default(),
    }
}

fn change(fields: &mut Fields) -> UpdateTaskSetRequest {
    UpdateTaskSetRequest {
        task_set: Some(input(fields)),
        expected_revision: fields.whole("expectedRevision"),
        ..UpdateTaskSetRequest::default()
    }
}

fn mode(fields: &mut Fields) -> i32 {
    let mode = fields.word("mode", TaskSetMode::NAMES);
    mode.map(i32::from).unwrap_or_default()
}

fn preview_query(fields: &mut Fields) -> (PreviewTaskSetRequest, PageRequest) {
    let kind = fields.word("type", EquipmentType::NAMES);
    let request = PreviewTaskSetRequest {
        r#type: kind.map(i32::from).unwrap_or_default(),
        mode: mode(fields),
        ..PreviewTaskSetRequest::default()
    };
    (request, page(fields))
}

fn application(fields: &mut Fields) -> ApplyTaskSetRequest {
    ApplyTaskSetRequest {
        equipment_ids: fields.ids("equipmentIds", 50),
        mode: mode(fields),
        expected_revision: fields.whole("expectedRevision"),
        skips: fields.objects("skips", 2500, skip).unwrap_or_default(),
        keep_task_ids: fields.optional_ids("keepTaskIds", 2500),
        start: fields
            .word("start", TaskSetStart::NAMES)
            .map(i32::from)
            .unwrap_or_default(),
        ..ApplyTaskSetRequest::default()
    }
}

fn skip(fields: &mut Fields) -> TaskSetSkip {
    TaskSetSkip {
        equipment_id: fields.required_id("equipmentId"),
        item_id: fields.required_id("itemId"),
    }
}

async fn list(call: Call) -> Result<RestResponse, ApiError> {
    let found = call
        .task_sets()
        .list_task_sets(ListTaskSetsRequest {})
        .await?;
    RestResponse::list(&all::<_, TaskSet>(found.into_inner().task_sets), None)
}

async fn create(call: Call) -> Result<RestResponse, ApiError> {
    let task_set = Some(call.body(input)?);
    let created = call
        .task_sets()
        .create_task_set(CreateTaskSetRequest { task_set })
        .await?;
    let created = created.into_inner().task_set.unwrap_or_default();
    RestResponse::created(&TaskSet::from(created))
}

async fn update(call: Call) -> Result<RestResponse, ApiError> {
    let mut request = call.body(change)?;
    request.id.clone_from(&call.id);
    let updated = call.task_sets().update_task_set(request).await?;
    let updated = updated.into_inner().task_set.unwrap_or_default();
    RestResponse::ok(&TaskSet::from(updated))
}

async fn delete(call: Call) -> Result<RestResponse, ApiError> {
    let id = call.id.clone();
    call.task_sets()
        .delete_task_set(DeleteTaskSetRequest { id })
        .await?;
    Ok(RestResponse::empty())
}

async fn preview(call: Call) -> Result<RestResponse, ApiError> {
    let (mut request, page) = call.query(preview_query)?;
    request.task_set_id.clone_from(&call.id);
    let session = call.session();
    let read = move |page| {
        let mut client = call.task_sets();
        let request = PreviewTaskSetRequest {
            page: Some(page),
            ..request.clone()
        };
        async move {
            let found = client.preview_task_set(request).await?.into_inner();
            Ok((all::<_, Outcome>(found.results), found.page))
        }
    };
    lists::respond(session, page, read).await
}

async fn apply(call: Call) -> Result<RestResponse, ApiError> {
    let mut request = call.body(application)?;
    request.task_set_id.clone_from(&call.id);
    let applied = call.task_sets().apply_task_set(request).await?;
    RestResponse::list(&all::<_, Outcome>(applied.into_inner().results), None)
}

async fn of_equipment(call: Call) -> Result<RestResponse, ApiError> {
    // The preview of an unknown machine is empty.
    call.equipment()
        .get_equipment(proto::GetEquipmentRequest {
            id: call.id.clone(),
        })
        .await?;
    let request = PreviewTaskSetRequest {
        equipment_ids: vec![call.id.clone()],
        ..PreviewTaskSetRequest::default()
    };
    let found = call.task_sets().preview_task_set(request).await?;
    RestResponse::list(&all::<_, Outcome>(found.into_inner().results), None)
}

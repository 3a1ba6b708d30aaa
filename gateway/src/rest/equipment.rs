//! Equipment.

use std::collections::BTreeMap;

use hourmeter_proto::equipment::v1::{
    self as proto, Badge, CalendarUnit, CreateEquipmentRequest, DeleteEquipmentRequest,
    EquipmentFuel, EquipmentType, GetEquipmentRequest, GetSummaryRequest, MeterUnit,
    OperationalStatus, OverallStatus, ServiceStatus, UpdateEquipmentRequest,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::equipment_input::{change, creation, list_query, service, usage};
use super::equipment_list::list;
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::tasks::TaskSnooze;
use super::values::{Date, Id, Instant, Number, all, non_empty};
use super::wire_enums::WireName;
use crate::api_error::ApiError;

pub fn routes() -> Vec<Route> {
    let mut routes = reading();
    routes.extend(writing());
    routes
}

const fn rpc(method: &'static str) -> AccessRule {
    AccessRule::Rpc(EquipmentService, method)
}

fn reading() -> Vec<Route> {
    use Verb::Get;
    vec![
        Route::new(
            (Get, "/api/equipment"),
            rpc("ListEquipment"),
            "The company's equipment, by name unless another order is given",
            list,
        )
        .query(list_query)
        .pages::<Equipment>(),
        Route::new(
            (Get, "/api/equipment/count"),
            rpc("GetSummary"),
            "How many there are, and how many the plan allows; -1: no limit",
            count,
        )
        .ok::<EquipmentCount>(),
        Route::new(
            (Get, "/api/equipment/{id}"),
            rpc("GetEquipment"),
            "One piece of equipment",
            get,
        )
        .ok::<Equipment>(),
    ]
}

fn writing() -> Vec<Route> {
    use Verb::{Delete, Patch, Post};
    vec![
        Route::new(
            (Post, "/api/equipment"),
            rpc("CreateEquipment"),
            "Adds a piece of equipment",
            create,
        )
        .body(creation)
        .created::<SavedEquipment>(),
        Route::new(
            (Patch, "/api/equipment/{id}"),
            rpc("UpdateEquipment"),
            "Changes the fields that are given; null clears a field that may be absent",
            update,
        )
        .body(change)
        .ok::<SavedEquipment>(),
        Route::new(
            (Delete, "/api/equipment/{id}"),
            rpc("DeleteEquipment"),
            "Deletes a piece of equipment with its notes and history",
            delete,
        )
        .empty(),
        Route::new(
            (Patch, "/api/equipment/{id}/usage"),
            rpc("RecordUsage"),
            "A usage and fuel entry, in one of three forms of usage",
            record_usage,
        )
        .body(usage)
        .ok::<Recorded<Equipment>>(),
        Route::new(
            (Patch, "/api/equipment/{id}/reset-service"),
            rpc("MarkServiced"),
            "Marks a piece of equipment as serviced",
            mark_serviced,
        )
        .body(service)
        .ok::<Recorded<Equipment>>(),
    ]
}

/// An item of equipment with its computed figures.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "as documented")]
pub struct Equipment {
    id: Id,
    user_id: Id,
    name: String,
    r#type: WireName<EquipmentType>,
    serial_number: Option<String>,
    unit_number: Option<String>,
    group: Option<String>,
    unit: WireName<MeterUnit>,
    current_usage: Number,
    meter_reading: Number,
    meter_read_at: Option<Instant>,
    usual_daily_use: Option<Number>,
    usual_fill: Option<Number>,
    threshold: Option<Number>,
    fuel_type: WireName<EquipmentFuel>,
    alert_threshold: u32,
    service_interval: Number,
    last_service_usage: Option<Number>,
    total_fuel_used: Number,
    total_gas_used: Number,
    total_diesel_used: Number,
    has_scheduled_maintenance: bool,
    maintenance_start_date: Option<Date>,
    maintenance_interval: Option<u32>,
    maintenance_interval_unit: WireName<CalendarUnit>,
    next_maintenance_date: Option<Date>,
    service_parts: Vec<ServicePart>,
    description: Option<String>,
    date_added: Instant,
    last_updated: Instant,
    service_status: WireName<ServiceStatus>,
    overall_status: WireName<OverallStatus>,
    badge: WireName<Badge>,
    usage_percent: Option<Number>,
    days_until_maintenance: Option<i32>,
    critical: bool,
    severely_critical: bool,
    lifespan_percent: Option<Number>,
    lifespan_alert: bool,
    next_service_due_usage: Option<Number>,
    remaining_usage: Option<Number>,
    operational_status: WireName<OperationalStatus>,
    meter_age_days: Option<u32>,
    stale: bool,
    projected_due_date: Option<Date>,
    projected_due_earliest: Option<Date>,
    projected_due_latest: Option<Date>,
    projected_due_task: Option<ProjectedTask>,
    urgent_task: Option<UrgentTask>,
    more_tasks: u32,
    missed_rounds: u32,
    missed_task: Option<String>,
    snoozed_tasks: Vec<SnoozedTask>,
    version: u64,
}

/// A row after a write, with its history records, which can be voided.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Recorded{T}")]
pub struct Recorded<T> {
    #[serde(flatten)]
    row: T,
    entry_ids: Vec<Id>,
}

impl<T> Recorded<T> {
    pub fn new(row: T, entry_ids: Vec<String>) -> Self {
        let entry_ids = entry_ids.into_iter().map(Id).collect();
        Self { row, entry_ids }
    }
}

/// Stored equipment, with what may be a mistake.
#[derive(Serialize, JsonSchema)]
struct SavedEquipment {
    #[serde(flatten)]
    equipment: Equipment,
    /// Absent: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<EquipmentWarning>,
}

impl SavedEquipment {
    fn new(row: Option<proto::Equipment>, warnings: Vec<proto::EquipmentWarning>) -> Self {
        Self {
            equipment: Equipment::from(row.unwrap_or_default()),
            warnings: all(warnings),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct EquipmentWarning {
    field: String,
    code: String,
    message: String,
    parameters: BTreeMap<String, String>,
}

impl From<proto::EquipmentWarning> for EquipmentWarning {
    fn from(warning: proto::EquipmentWarning) -> Self {
        Self {
            field: warning.field,
            code: warning.code,
            message: warning.message,
            parameters: warning.parameters.into_iter().collect(),
        }
    }
}

impl From<proto::Equipment> for Equipment {
    fn from(row: proto::Equipment) -> Self {
        let interval = row.maintenance_interval;
        Self {
            r#type: WireName(row.r#type()),
            unit: WireName(row.unit()),
            fuel_type: WireName(row.fuel()),
            maintenance_interval_unit: WireName(row.maintenance_interval_unit()),
            service_status: WireName(row.service_status()),
            overall_status: WireName(row.overall_status()),
            badge: WireName(row.badge()),
            operational_status: WireName(row.operational_status()),
            id: Id(row.id),
            user_id: Id(row.owner_id),
            name: row.name,
            serial_number: non_empty(row.serial_number),
            unit_number: non_empty(row.unit_number),
            group: non_empty(row.group),
            current_usage: Number(row.current_usage),
            meter_reading: Number(row.meter_reading),
            meter_read_at: row.meter_read_at.map(Instant::from),
            usual_daily_use: row.usual_daily_use.map(Number),
            usual_fill: row.usual_fill.map(Number),
            threshold: row.threshold.map(Number),
            alert_threshold: row.alert_threshold,
            service_interval: Number(row.service_interval),
            last_service_usage: row.last_service_usage.map(Number),
            total_fuel_used: Number(row.total_fuel_used),
            total_gas_used: Number(row.total_gas_used),
            total_diesel_used: Number(row.total_diesel_used),
            has_scheduled_maintenance: row.has_scheduled_maintenance,
            maintenance_start_date: non_empty(row.maintenance_start_date).map(Date),
            maintenance_interval: (interval > 0).then_some(interval),
            next_maintenance_date: non_empty(row.next_maintenance_date).map(Date),
            service_parts: all(row.service_parts),
            description: non_empty(row.description),
            date_added: row.date_added.into(),
            last_updated: row.last_updated.into(),
            usage_percent: row.usage_percent.map(Number),
            days_until_maintenance: row.days_until_maintenance,
            critical: row.critical,
            severely_critical: row.severely_critical,
            lifespan_percent: row.lifespan_percent.map(Number),
            lifespan_alert: row.lifespan_alert,
            next_service_due_usage: row.next_service_due_usage.map(Number),
            remaining_usage: row.remaining_usage.map(Number),
            meter_age_days: row.meter_age_days,
            stale: row.stale,
            projected_due_date: non_empty(row.projected_due_date).map(Date),
            projected_due_earliest: non_empty(row.projected_due_earliest).map(Date),
            projected_due_latest: non_empty(row.projected_due_latest).map(Date),
            projected_due_task: row.projected_due_task.map(ProjectedTask::from),
            urgent_task: row.urgent_task.map(UrgentTask::from),
            more_tasks: row.more_tasks,
            missed_rounds: row.missed_rounds,
            missed_task: non_empty(row.missed_task),
            snoozed_tasks: all(row.snoozed_tasks),
            version: row.version,
        }
    }
}

/// The task that determines the status, unless it is the one of the equipment form.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SnoozedTask {
    id: Id,
    name: Option<String>,
    #[serde(flatten)]
    snooze: TaskSnooze,
}

impl From<proto::SnoozedTask> for SnoozedTask {
    fn from(task: proto::SnoozedTask) -> Self {
        Self {
            id: Id(task.id),
            name: non_empty(task.name),
            snooze: task.snooze.unwrap_or_default().into(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UrgentTask {
    id: Id,
    name: String,
    status: WireName<ServiceStatus>,
    next_due_usage: Option<Number>,
    remaining_usage: Option<Number>,
    days_until_due: Option<i32>,
}

impl From<proto::UrgentTask> for UrgentTask {
    fn from(task: proto::UrgentTask) -> Self {
        Self {
            status: WireName(task.status()),
            id: Id(task.id),
            name: task.name,
            next_due_usage: task.next_due_usage.map(Number),
            remaining_usage: task.remaining_usage.map(Number),
            days_until_due: task.days_until_due,
        }
    }
}

/// The task that is projected to be due first; its name is null for the one of the equipment form.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ProjectedTask {
    id: Id,
    name: Option<String>,
    by_calendar: bool,
    remaining_usage: Option<Number>,
}

impl From<proto::ProjectedTask> for ProjectedTask {
    fn from(task: proto::ProjectedTask) -> Self {
        Self {
            id: Id(task.id),
            name: non_empty(task.name),
            by_calendar: task.by_calendar,
            remaining_usage: task.remaining_usage.map(Number),
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ServicePart {
    part: String,
    part_number: Option<String>,
    qty: Option<u32>,
}

impl From<proto::ServicePart> for ServicePart {
    fn from(part: proto::ServicePart) -> Self {
        Self {
            part: part.part,
            part_number: non_empty(part.part_number),
            qty: part.quantity,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct EquipmentCount {
    count: u32,
    limit: i32,
}

fn recorded(
    row: Option<proto::Equipment>,
    entry_ids: Vec<String>,
) -> Result<RestResponse, ApiError> {
    RestResponse::ok(&Recorded::new(
        Equipment::from(row.unwrap_or_default()),
        entry_ids,
    ))
}

pub fn response(row: Option<proto::Equipment>) -> Result<RestResponse, ApiError> {
    RestResponse::ok(&Equipment::from(row.unwrap_or_default()))
}

async fn count(call: Call) -> Result<RestResponse, ApiError> {
    let summary = call.equipment().get_summary(GetSummaryRequest {}).await?;
    let summary = summary.get_ref();
    RestResponse::ok(&EquipmentCount {
        count: summary.total,
        limit: summary.equipment_limit,
    })
}

async fn get(call: Call) -> Result<RestResponse, ApiError> {
    let request = GetEquipmentRequest {
        id: call.id.clone(),
    };
    let found = call.equipment().get_equipment(request).await?;
    response(found.into_inner().equipment)
}

async fn create(call: Call) -> Result<RestResponse, ApiError> {
    let request = CreateEquipmentRequest {
        equipment: Some(call.body(creation)?),
    };
    let created = call.equipment().create_equipment(request).await?;
    let created = created.into_inner();
    RestResponse::created(&SavedEquipment::new(created.equipment, created.warnings))
}

async fn update(call: Call) -> Result<RestResponse, ApiError> {
    let (input, expected_version) = call.body(change)?;
    let request = UpdateEquipmentRequest {
        id: call.id.clone(),
        equipment: Some(input),
        expected_version,
    };
    let changed = call.equipment().update_equipment(request).await?;
    let changed = changed.into_inner();
    RestResponse::ok(&SavedEquipment::new(changed.equipment, changed.warnings))
}

async fn delete(call: Call) -> Result<RestResponse, ApiError> {
    let request = DeleteEquipmentRequest {
        id: call.id.clone(),
    };
    call.equipment().delete_equipment(request).await?;
    Ok(RestResponse::empty())
}

async fn record_usage(call: Call) -> Result<RestResponse, ApiError> {
    let mut request = call.body(usage)?;
    request.id.clone_from(&call.id);
    let changed = call.equipment().record_usage(request).await?.into_inner();
    recorded(changed.equipment, changed.entry_ids)
}

async fn mark_serviced(call: Call) -> Result<RestResponse, ApiError> {
    let mut request = call.body(service)?;
    request.id.clone_from(&call.id);
    let changed = call.equipment().mark_serviced(request).await?.into_inner();
    recorded(changed.equipment, changed.entry_ids)
}

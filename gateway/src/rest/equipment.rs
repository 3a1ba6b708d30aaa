//! Equipment.

use std::collections::BTreeMap;

use hourmeter_proto::equipment::v1::{
    self as proto, Badge, CalendarUnit, CreateEquipmentRequest, DeleteEquipmentRequest,
    EquipmentFuel, EquipmentInput, EquipmentType, GetEquipmentRequest, GetSummaryRequest,
    MarkServicedRequest, MeterUnit, OperationalStatus, OverallStatus, RecordUsageRequest,
    ServiceStatus, UpdateEquipmentRequest,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::equipment_input::{change, creation, service, usage};
use super::from_proto::{FromProto as _, objects};
use super::history::Recorded;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::tasks::TaskSnooze;
use super::values::{Date, Id, Instant, Number};
use super::wire_enums::WireName;

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Patch, Post};
    let rpc = |method| AccessRule::Rpc(EquipmentService, method);
    vec![
        rpc("GetSummary")
            .route(Get, "/api/equipment/count", count)
            .summary("How many there are, and how many the plan allows; -1: no limit")
            .ok::<EquipmentCount>(),
        rpc("GetEquipment")
            .route(Get, "/api/equipment/{id}", get)
            .summary("One piece of equipment")
            .ok::<Equipment>(),
        rpc("CreateEquipment")
            .at(Post, "/api/equipment")
            .body(creation, create)
            .summary("Adds a piece of equipment")
            .created::<SavedEquipment>(),
        rpc("UpdateEquipment")
            .at(Patch, "/api/equipment/{id}")
            .body(change, update)
            .summary("Changes the fields that are given; null clears a field that may be absent")
            .ok::<SavedEquipment>(),
        rpc("DeleteEquipment")
            .route(Delete, "/api/equipment/{id}", delete)
            .summary("Deletes a piece of equipment with its notes and history")
            .empty(),
        rpc("RecordUsage")
            .at(Patch, "/api/equipment/{id}/usage")
            .body(usage, record_usage)
            .summary("A usage and fuel entry, in one of three forms of usage")
            .ok::<Recorded<Equipment>>(),
        rpc("MarkServiced")
            .at(Patch, "/api/equipment/{id}/reset-service")
            .body(service, mark_serviced)
            .summary("Marks a piece of equipment as serviced")
            .ok::<Recorded<Equipment>>(),
    ]
}

objects! {
    pub struct Equipment(row: proto::Equipment) {
        id: Id,
        user_id: Id = row.owner_id,
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
        fuel_type: WireName<EquipmentFuel> = row.fuel,
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
            equipment: Equipment::from_proto(row),
            warnings: Vec::from_proto(warnings),
        }
    }
}

objects! {
    struct EquipmentWarning(warning: proto::EquipmentWarning) {
        field: String,
        code: String,
        message: String,
        parameters: BTreeMap<String, String>,
    }

    /// A task that is snoozed; its name is null for the one of the equipment form.
    struct SnoozedTask(task: proto::SnoozedTask) {
        id: Id,
        name: Option<String>,
        #[serde(flatten)]
        snooze: TaskSnooze,
    }

    /// The task that determines the status, unless it is the one of the equipment form.
    struct UrgentTask(task: proto::UrgentTask) {
        id: Id,
        name: String,
        status: WireName<ServiceStatus>,
        next_due_usage: Option<Number>,
        remaining_usage: Option<Number>,
        days_until_due: Option<i32>,
    }

    /// The task that is projected to be due first; its name is null for the one of the equipment form.
    struct ProjectedTask(task: proto::ProjectedTask) {
        id: Id,
        name: Option<String>,
        by_calendar: bool,
        remaining_usage: Option<Number>,
    }

    struct EquipmentCount(summary: proto::GetSummaryResponse) {
        count: u32 = summary.total,
        limit: i32 = summary.equipment_limit,
    }

    struct ServicePart(part: proto::ServicePart) {
        part: String,
        part_number: Option<String>,
        qty: Option<u32> = part.quantity,
    }
}

fn recorded(row: Option<proto::Equipment>, entry_ids: Vec<String>) -> RestResult {
    RestResponse::ok(&Recorded::new(Equipment::from_proto(row), entry_ids))
}

pub fn response(row: Option<proto::Equipment>) -> RestResult {
    RestResponse::ok(&Equipment::from_proto(row))
}

async fn count(call: Call) -> RestResult {
    let summary = call.equipment().get_summary(GetSummaryRequest {}).await?;
    RestResponse::ok(&EquipmentCount::from_proto(summary.into_inner()))
}

async fn get(call: Call) -> RestResult {
    let request = GetEquipmentRequest { id: call.id() };
    let found = call.equipment().get_equipment(request).await?;
    response(found.into_inner().equipment)
}

async fn create(call: Call, input: EquipmentInput) -> RestResult {
    let request = CreateEquipmentRequest {
        equipment: Some(input),
    };
    let created = call.equipment().create_equipment(request).await?;
    let created = created.into_inner();
    RestResponse::created(&SavedEquipment::new(created.equipment, created.warnings))
}

async fn update(
    call: Call,
    (input, expected_version): (EquipmentInput, Option<u64>),
) -> RestResult {
    let request = UpdateEquipmentRequest {
        id: call.id(),
        equipment: Some(input),
        expected_version,
    };
    let changed = call.equipment().update_equipment(request).await?;
    let changed = changed.into_inner();
    RestResponse::ok(&SavedEquipment::new(changed.equipment, changed.warnings))
}

async fn delete(call: Call) -> RestResult {
    let request = DeleteEquipmentRequest { id: call.id() };
    call.equipment().delete_equipment(request).await?;
    Ok(RestResponse::empty())
}

async fn record_usage(call: Call, mut request: RecordUsageRequest) -> RestResult {
    request.id = call.id();
    let changed = call.equipment().record_usage(request).await?.into_inner();
    recorded(changed.equipment, changed.entry_ids)
}

async fn mark_serviced(call: Call, mut request: MarkServicedRequest) -> RestResult {
    request.id = call.id();
    let changed = call.equipment().mark_serviced(request).await?.into_inner();
    recorded(changed.equipment, changed.entry_ids)
}

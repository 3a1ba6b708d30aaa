//! Equipment itself.

use hourmeter_proto::equipment::v1::{
    CreateEquipmentRequest, DeleteEquipmentRequest, Equipment, GetEquipmentRequest,
    GetSummaryRequest, GetSummaryResponse, ListEquipmentRequest, ServicePart,
    UpdateEquipmentRequest, UrgentTask,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::answer::Answer;
use super::call::Call;
use super::equipment_input::{change, creation, list_query, service, usage};
use super::lists;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    let mut routes = reading();
    routes.extend(writing());
    routes
}

const fn rpc(method: &'static str) -> Admission {
    Admission::Rpc(EquipmentService, method)
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
        .pages("Equipment", equipment(Equipment::default())),
        Route::new(
            (Get, "/api/equipment/count"),
            rpc("GetSummary"),
            "How many there are, and how many the plan allows; -1: no limit",
            count,
        )
        .ok("EquipmentCount", counted(&GetSummaryResponse::default())),
        Route::new(
            (Get, "/api/equipment/{id}"),
            rpc("GetEquipment"),
            "One piece of equipment",
            get,
        )
        .ok("Equipment", equipment(Equipment::default())),
    ]
}

fn writing() -> Vec<Route> {
    use Verb::{Delete, Patch, Post};
    let example = || equipment(Equipment::default());
    vec![
        Route::new(
            (Post, "/api/equipment"),
            rpc("CreateEquipment"),
            "Adds a piece of equipment",
            create,
        )
        .body(creation)
        .created("Equipment", example()),
        Route::new(
            (Patch, "/api/equipment/{id}"),
            rpc("UpdateEquipment"),
            "Changes the fields that are given; null clears a field that may be absent",
            update,
        )
        .body(change)
        .ok("Equipment", example()),
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
        .ok("Equipment", example()),
        Route::new(
            (Patch, "/api/equipment/{id}/reset-service"),
            rpc("MarkServiced"),
            "Marks a piece of equipment as serviced",
            mark_serviced,
        )
        .body(service)
        .ok("Equipment", example()),
    ]
}

/// A piece of equipment with its computed figures.
pub fn equipment(row: Equipment) -> Shape {
    let stored = stored(&row);
    let status = words::service_status(row.service_status());
    let overall = words::overall_status(row.overall_status());
    let badge = words::badge(row.badge());
    stored
        .objects("serviceParts", row.service_parts, part)
        .opt_text("description", row.description)
        .time("dateAdded", row.date_added)
        .time("lastUpdated", row.last_updated)
        .word("serviceStatus", status, words::SERVICE_STATUS_WORDS)
        .word("overallStatus", overall, words::OVERALL_STATUS_WORDS)
        .word("badge", badge, words::BADGE_WORDS)
        .opt_number("usagePercent", row.usage_percent)
        .opt_whole("daysUntilMaintenance", row.days_until_maintenance)
        .flag("critical", row.critical)
        .flag("severelyCritical", row.severely_critical)
        .opt_number("lifespanPercent", row.lifespan_percent)
        .flag("lifespanAlert", row.lifespan_alert)
        .opt_number("nextServiceDueUsage", row.next_service_due_usage)
        .opt_number("remainingUsage", row.remaining_usage)
        .opt_object("urgentTask", row.urgent_task, urgent_task)
        .whole("moreTasks", row.more_tasks)
        .whole("version", i64::try_from(row.version).unwrap_or(i64::MAX))
}

fn stored(row: &Equipment) -> Shape {
    let interval = (row.maintenance_interval > 0).then_some(row.maintenance_interval);
    let interval_unit = words::calendar_unit(row.maintenance_interval_unit());
    Shape::new()
        .id("id", row.id.clone())
        .id("userId", row.owner_id.clone())
        .text("name", row.name.clone())
        .word(
            "type",
            words::equipment_type(row.r#type()),
            words::TYPE_WORDS,
        )
        .opt_text("serialNumber", row.serial_number.clone())
        .word("unit", words::unit(row.unit()), words::UNIT_WORDS)
        .number("currentUsage", row.current_usage)
        .number("meterReading", row.meter_reading)
        .opt_time("meterReadAt", row.meter_read_at)
        .opt_number("usualDailyUse", row.usual_daily_use)
        .opt_number("usualFill", row.usual_fill)
        .opt_number("threshold", row.threshold)
        .word("fuelType", words::fuel(row.fuel()), words::FUEL_WORDS)
        .whole("alertThreshold", row.alert_threshold)
        .number("serviceInterval", row.service_interval)
        .opt_number("lastServiceUsage", row.last_service_usage)
        .number("totalFuelUsed", row.total_fuel_used)
        .number("totalGasUsed", row.total_gas_used)
        .number("totalDieselUsed", row.total_diesel_used)
        .flag("hasScheduledMaintenance", row.has_scheduled_maintenance)
        .opt_date("maintenanceStartDate", row.maintenance_start_date.clone())
        .opt_whole("maintenanceInterval", interval)
        .word(
            "maintenanceIntervalUnit",
            interval_unit,
            words::CALENDAR_UNIT_WORDS,
        )
        .opt_date("nextMaintenanceDate", row.next_maintenance_date.clone())
}

/// The task beyond the form's that decides the status.
fn urgent_task(task: UrgentTask) -> Shape {
    let status = words::service_status(task.status());
    Shape::new()
        .id("id", task.id)
        .text("name", task.name)
        .word("status", status, words::SERVICE_STATUS_WORDS)
        .opt_number("nextDueUsage", task.next_due_usage)
        .opt_number("remainingUsage", task.remaining_usage)
        .opt_whole("daysUntilDue", task.days_until_due)
}

fn part(part: ServicePart) -> Shape {
    Shape::new()
        .text("part", part.part)
        .opt_text("partNumber", part.part_number)
        .opt_whole("qty", part.quantity)
}

fn counted(summary: &GetSummaryResponse) -> Shape {
    Shape::new()
        .whole("count", summary.total)
        .whole("limit", summary.equipment_limit)
}

/// Answers a piece of equipment.
pub fn answer(row: Option<Equipment>) -> Result<Answer, Refusal> {
    Answer::ok(&equipment(row.unwrap_or_default()))
}

async fn list(call: Call) -> Result<Answer, Refusal> {
    let asked = call.query(list_query)?;
    let read = |page| {
        let mut client = call.equipment();
        let request = ListEquipmentRequest {
            page: Some(page),
            ..asked.clone()
        };
        async move {
            let found = client.list_equipment(request).await?.into_inner();
            let rows = found.equipment.into_iter().map(equipment).collect();
            Ok((rows, found.page))
        }
    };
    lists::answer(asked.page.clone().unwrap_or_default(), read).await
}

async fn count(call: Call) -> Result<Answer, Refusal> {
    let summary = call.equipment().get_summary(GetSummaryRequest {}).await?;
    Answer::ok(&counted(summary.get_ref()))
}

async fn get(call: Call) -> Result<Answer, Refusal> {
    let request = GetEquipmentRequest {
        id: call.id.clone(),
    };
    let found = call.equipment().get_equipment(request).await?;
    answer(found.into_inner().equipment)
}

async fn create(call: Call) -> Result<Answer, Refusal> {
    let request = CreateEquipmentRequest {
        equipment: Some(call.body(creation)?),
    };
    let created = call.equipment().create_equipment(request).await?;
    let created = created.into_inner().equipment.unwrap_or_default();
    Answer::created(&equipment(created))
}

async fn update(call: Call) -> Result<Answer, Refusal> {
    let (input, expected_version) = call.body(change)?;
    let request = UpdateEquipmentRequest {
        id: call.id.clone(),
        equipment: Some(input),
        expected_version,
    };
    let changed = call.equipment().update_equipment(request).await?;
    answer(changed.into_inner().equipment)
}

async fn delete(call: Call) -> Result<Answer, Refusal> {
    let request = DeleteEquipmentRequest {
        id: call.id.clone(),
    };
    call.equipment().delete_equipment(request).await?;
    Ok(Answer::empty())
}

async fn record_usage(call: Call) -> Result<Answer, Refusal> {
    let mut request = call.body(usage)?;
    request.id.clone_from(&call.id);
    let changed = call.equipment().record_usage(request).await?;
    answer(changed.into_inner().equipment)
}

async fn mark_serviced(call: Call) -> Result<Answer, Refusal> {
    let mut request = call.body(service)?;
    request.id.clone_from(&call.id);
    let changed = call.equipment().mark_serviced(request).await?;
    answer(changed.into_inner().equipment)
}

//! Retired equipment.

use hourmeter_proto::equipment::v1::{
    Equipment, GetRetiredRequest, ListRetiredRequest, RestoreEquipmentRequest,
    RetireEquipmentRequest, RetiredEquipment,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::answer::Answer;
use super::call::Call;
use super::equipment::equipment;
use super::fields::page;
use super::lists;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| Admission::Rpc(EquipmentService, method);
    let example = || retired(RetiredEquipment::default());
    vec![
        Route::new(
            (Post, "/api/equipment/{id}/retire"),
            rpc("RetireEquipment"),
            "Moves a piece of equipment to the archive",
            retire,
        )
        .body(|fields| fields.text("retirementNotes"))
        .ok("RetiredEquipment", example()),
        Route::new(
            (Get, "/api/retired-equipment"),
            rpc("ListRetired"),
            "The archive, newest first",
            list_retired,
        )
        .query(page)
        .pages("RetiredEquipment", example()),
        Route::new(
            (Get, "/api/retired-equipment/{id}"),
            rpc("GetRetired"),
            "One of the archive, by the id it had as equipment (its originalEquipmentId)",
            get_retired,
        )
        .ok("RetiredEquipment", example()),
        Route::new(
            (Post, "/api/retired-equipment/{id}/restore"),
            rpc("RestoreEquipment"),
            "Brings a piece of equipment back, by the id of its row in the archive",
            restore,
        )
        .ok("Equipment", equipment(Equipment::default())),
    ]
}

fn retired(row: RetiredEquipment) -> Shape {
    let kind = words::equipment_type(row.r#type());
    let (unit, fuel) = (words::unit(row.unit()), words::fuel(row.fuel()));
    Shape::new()
        .id("id", row.id)
        .id("originalEquipmentId", row.original_equipment_id)
        .id("userId", row.owner_id)
        .text("name", row.name)
        .word("type", kind, words::TYPE_WORDS)
        .opt_text("serialNumber", row.serial_number)
        .word("unit", unit, words::UNIT_WORDS)
        .number("finalUsage", row.final_usage)
        .opt_number("threshold", row.threshold)
        .word("fuelType", fuel, words::FUEL_WORDS)
        .number("serviceInterval", row.service_interval)
        .opt_number("lastServiceUsage", row.last_service_usage)
        .number("totalFuelUsed", row.total_fuel_used)
        .number("totalGasUsed", row.total_gas_used)
        .number("totalDieselUsed", row.total_diesel_used)
        .opt_text("description", row.description)
        .opt_text("retirementNotes", row.retirement_notes)
        .text("retiredBy", row.retired_by)
        .time("originalDateAdded", row.original_date_added)
        .time("retiredAt", row.retired_at)
}

async fn retire(call: Call) -> Result<Answer, Refusal> {
    let notes = call.body(|fields| fields.text("retirementNotes"))?;
    let request = RetireEquipmentRequest {
        id: call.id.clone(),
        retirement_notes: notes.unwrap_or_default(),
    };
    let answer = call.equipment().retire_equipment(request).await?;
    Answer::ok(&retired(answer.into_inner().retired.unwrap_or_default()))
}

async fn list_retired(call: Call) -> Result<Answer, Refusal> {
    let read = |page| {
        let mut client = call.equipment();
        let request = ListRetiredRequest { page: Some(page) };
        async move {
            let found = client.list_retired(request).await?.into_inner();
            Ok((found.retired.into_iter().map(retired).collect(), found.page))
        }
    };
    lists::answer(call.query(page)?, read).await
}

async fn get_retired(call: Call) -> Result<Answer, Refusal> {
    let request = GetRetiredRequest {
        equipment_id: call.id.clone(),
    };
    let found = call.equipment().get_retired(request).await?;
    Answer::ok(&retired(found.into_inner().retired.unwrap_or_default()))
}

async fn restore(call: Call) -> Result<Answer, Refusal> {
    let request = RestoreEquipmentRequest {
        id: call.id.clone(),
    };
    let back = call.equipment().restore_equipment(request).await?;
    Answer::ok(&equipment(back.into_inner().equipment.unwrap_or_default()))
}

//! Retired equipment.

use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::{
    self as proto, EquipmentFuel, EquipmentType, GetRetiredRequest, ListRetiredRequest, MeterUnit,
    RestoreEquipmentRequest, RetireEquipmentRequest,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::call::Call;
use super::equipment::{self, Equipment};
use super::fields::page;
use super::from_proto::{FromProto as _, objects};
use super::lists;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant, Number};
use super::wire_enums::WireName;

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| AccessRule::Rpc(EquipmentService, method);
    vec![
        rpc("RetireEquipment")
            .at(Post, "/api/equipment/{id}/retire")
            .body(|fields| fields.text("retirementNotes"), retire)
            .summary("Moves a piece of equipment to the archive")
            .ok::<RetiredEquipment>(),
        rpc("ListRetired")
            .at(Get, "/api/retired-equipment")
            .query(page, list_retired)
            .summary("The archive, newest first")
            .pages::<RetiredEquipment>(),
        rpc("GetRetired")
            .route(Get, "/api/retired-equipment/{id}", get_retired)
            .summary("One of the archive, by the id it had as equipment (its originalEquipmentId)")
            .ok::<RetiredEquipment>(),
        rpc("RestoreEquipment")
            .route(Post, "/api/retired-equipment/{id}/restore", restore)
            .summary("Brings a piece of equipment back, by the id of its row in the archive")
            .ok::<Equipment>(),
    ]
}

objects! {
    struct RetiredEquipment(row: proto::RetiredEquipment) {
        id: Id,
        original_equipment_id: Id,
        user_id: Id = row.owner_id,
        name: String,
        r#type: WireName<EquipmentType>,
        serial_number: Option<String>,
        unit_number: Option<String>,
        group: Option<String>,
        unit: WireName<MeterUnit>,
        final_usage: Number,
        threshold: Option<Number>,
        fuel_type: WireName<EquipmentFuel> = row.fuel,
        service_interval: Number,
        last_service_usage: Option<Number>,
        total_fuel_used: Number,
        total_gas_used: Number,
        total_diesel_used: Number,
        description: Option<String>,
        retirement_notes: Option<String>,
        retired_by: String,
        original_date_added: Instant,
        retired_at: Instant,
    }
}

fn response(row: Option<proto::RetiredEquipment>) -> RestResult {
    RestResponse::ok(&RetiredEquipment::from_proto(row))
}

async fn retire(call: Call, notes: Option<String>) -> RestResult {
    let request = RetireEquipmentRequest {
        id: call.id(),
        retirement_notes: notes.unwrap_or_default(),
    };
    let retired = call.equipment().retire_equipment(request).await?;
    response(retired.into_inner().retired)
}

async fn list_retired(call: Call, page: PageRequest) -> RestResult {
    lists::respond(call, page, |call, page| async move {
        let request = ListRetiredRequest { page: Some(page) };
        let found = call.equipment().list_retired(request).await?.into_inner();
        Ok((
            Vec::<RetiredEquipment>::from_proto(found.retired),
            found.page,
        ))
    })
    .await
}

async fn get_retired(call: Call) -> RestResult {
    let request = GetRetiredRequest {
        equipment_id: call.id(),
    };
    let found = call.equipment().get_retired(request).await?;
    response(found.into_inner().retired)
}

async fn restore(call: Call) -> RestResult {
    let request = RestoreEquipmentRequest { id: call.id() };
    let back = call.equipment().restore_equipment(request).await?;
    equipment::response(back.into_inner().equipment)
}

//! Retired equipment.

use hourmeter_proto::equipment::v1::{
    self as proto, EquipmentFuel, EquipmentType, GetRetiredRequest, ListRetiredRequest, MeterUnit,
    RestoreEquipmentRequest, RetireEquipmentRequest,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::equipment::{self, Equipment};
use super::fields::page;
use super::lists;
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant, Number, all, non_empty};
use super::wire_enums::WireName;
use crate::api_error::ApiError;

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| AccessRule::Rpc(EquipmentService, method);
    vec![
        Route::new(
            (Post, "/api/equipment/{id}/retire"),
            rpc("RetireEquipment"),
            "Moves a piece of equipment to the archive",
            retire,
        )
        .body(|fields| fields.text("retirementNotes"))
        .ok::<RetiredEquipment>(),
        Route::new(
            (Get, "/api/retired-equipment"),
            rpc("ListRetired"),
            "The archive, newest first",
            list_retired,
        )
        .query(page)
        .pages::<RetiredEquipment>(),
        Route::new(
            (Get, "/api/retired-equipment/{id}"),
            rpc("GetRetired"),
            "One of the archive, by the id it had as equipment (its originalEquipmentId)",
            get_retired,
        )
        .ok::<RetiredEquipment>(),
        Route::new(
            (Post, "/api/retired-equipment/{id}/restore"),
            rpc("RestoreEquipment"),
            "Brings a piece of equipment back, by the id of its row in the archive",
            restore,
        )
        .ok::<Equipment>(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RetiredEquipment {
    id: Id,
    original_equipment_id: Id,
    user_id: Id,
    name: String,
    r#type: WireName<EquipmentType>,
    serial_number: Option<String>,
    unit_number: Option<String>,
    group: Option<String>,
    unit: WireName<MeterUnit>,
    final_usage: Number,
    threshold: Option<Number>,
    fuel_type: WireName<EquipmentFuel>,
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

impl From<proto::RetiredEquipment> for RetiredEquipment {
    fn from(row: proto::RetiredEquipment) -> Self {
        Self {
            r#type: WireName(row.r#type()),
            unit: WireName(row.unit()),
            fuel_type: WireName(row.fuel()),
            id: Id(row.id),
            original_equipment_id: Id(row.original_equipment_id),
            user_id: Id(row.owner_id),
            name: row.name,
            serial_number: non_empty(row.serial_number),
            unit_number: non_empty(row.unit_number),
            group: non_empty(row.group),
            final_usage: Number(row.final_usage),
            threshold: row.threshold.map(Number),
            service_interval: Number(row.service_interval),
            last_service_usage: row.last_service_usage.map(Number),
            total_fuel_used: Number(row.total_fuel_used),
            total_gas_used: Number(row.total_gas_used),
            total_diesel_used: Number(row.total_diesel_used),
            description: non_empty(row.description),
            retirement_notes: non_empty(row.retirement_notes),
            retired_by: row.retired_by,
            original_date_added: row.original_date_added.into(),
            retired_at: row.retired_at.into(),
        }
    }
}

fn response(row: Option<proto::RetiredEquipment>) -> Result<RestResponse, ApiError> {
    RestResponse::ok(&RetiredEquipment::from(row.unwrap_or_default()))
}

async fn retire(call: Call) -> Result<RestResponse, ApiError> {
    let notes = call.body(|fields| fields.text("retirementNotes"))?;
    let request = RetireEquipmentRequest {
        id: call.id.clone(),
        retirement_notes: notes.unwrap_or_default(),
    };
    let retired = call.equipment().retire_equipment(request).await?;
    response(retired.into_inner().retired)
}

async fn list_retired(call: Call) -> Result<RestResponse, ApiError> {
    let page = call.query(page)?;
    let session = call.session();
    let read = move |page| {
        let mut client = call.equipment();
        let request = ListRetiredRequest { page: Some(page) };
        async move {
            let found = client.list_retired(request).await?.into_inner();
            Ok((all::<_, RetiredEquipment>(found.retired), found.page))
        }
    };
    lists::respond(session, page, read).await
}

async fn get_retired(call: Call) -> Result<RestResponse, ApiError> {
    let request = GetRetiredRequest {
        equipment_id: call.id.clone(),
    };
    let found = call.equipment().get_retired(request).await?;
    response(found.into_inner().retired)
}

async fn restore(call: Call) -> Result<RestResponse, ApiError> {
    let request = RestoreEquipmentRequest {
        id: call.id.clone(),
    };
    let back = call.equipment().restore_equipment(request).await?;
    equipment::response(back.into_inner().equipment)
}

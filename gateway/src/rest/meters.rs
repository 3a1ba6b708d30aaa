//! Meters: the list for phones, the meters of one machine, and replacing a meter.

use hourmeter_proto::equipment::v1::{
    self as proto, EquipmentFuel, EquipmentType, ListMeterSegmentsRequest, ListMetersRequest,
    MeterChange, MeterReplacement, MeterUnit, OperationalStatus, ReplaceMeterRequest,
    ServiceStatus,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::equipment::{self, Equipment};
use super::fields::{Fields, page};
use super::lists;
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant, Number, all, non_empty};
use super::wire_enums::{WireEnum as _, WireName};
use crate::api_error::ApiError;

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| AccessRule::Rpc(EquipmentService, method);
    vec![
        Route::new(
            (Get, "/api/meters"),
            rpc("ListMeters"),
            "All meters in short form, by equipment name; cached by phones to work offline",
            list,
        )
        .query(page)
        .pages::<Meter>(),
        Route::new(
            (Get, "/api/equipment/{id}/meters"),
            rpc("ListMeterSegments"),
            "The meters a piece of equipment has had, newest first",
            segments,
        )
        .list::<MeterSegment>(),
        Route::new(
            (Post, "/api/equipment/{id}/replace-meter"),
            rpc("ReplaceMeter"),
            "A new meter was fitted, or the meter passed its highest value and began again",
            replace,
        )
        .body(request)
        .ok::<Equipment>(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "as documented")]
struct Meter {
    equipment_id: Id,
    name: String,
    r#type: WireName<EquipmentType>,
    serial_number: Option<String>,
    unit_number: Option<String>,
    unit: WireName<MeterUnit>,
    fuel_type: WireName<EquipmentFuel>,
    meter_reading: Number,
    meter_read_at: Option<Instant>,
    usual_daily_use: Option<Number>,
    usual_fill: Option<Number>,
    service_status: WireName<ServiceStatus>,
    operational_status: WireName<OperationalStatus>,
}

impl From<proto::Meter> for Meter {
    fn from(meter: proto::Meter) -> Self {
        Self {
            r#type: WireName(meter.r#type()),
            unit: WireName(meter.unit()),
            fuel_type: WireName(meter.fuel()),
            service_status: WireName(meter.service_status()),
            operational_status: WireName(meter.operational_status()),
            equipment_id: Id(meter.equipment_id),
            name: meter.name,
            serial_number: non_empty(meter.serial_number),
            unit_number: non_empty(meter.unit_number),
            meter_reading: Number(meter.meter_reading),
            meter_read_at: meter.meter_read_at.map(Instant::from),
            usual_daily_use: meter.usual_daily_use.map(Number),
            usual_fill: meter.usual_fill.map(Number),
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MeterSegment {
    number: u32,
    started_at: Instant,
    start_reading: Number,
    start_usage: Number,
    ended_at: Option<Instant>,
    end_reading: Number,
    end_usage: Number,
    ended_by: Option<WireName<MeterChange>>,
    ended_by_name: Option<String>,
}

impl From<proto::MeterSegment> for MeterSegment {
    fn from(segment: proto::MeterSegment) -> Self {
        Self {
            number: segment.number,
            started_at: segment.started_at.into(),
            start_reading: Number(segment.start_reading),
            start_usage: Number(segment.start_usage),
            ended_at: segment.ended_at.map(Instant::from),
            end_reading: Number(segment.end_reading),
            end_usage: Number(segment.end_usage),
            ended_by: WireName::known(segment.ended_by()),
            ended_by_name: non_empty(segment.ended_by_name),
        }
    }
}

/// The end of one meter and the start of the next.
pub fn replacement(fields: &mut Fields) -> MeterReplacement {
    let change = fields.required_word("kind", MeterChange::NAMES);
    MeterReplacement {
        change: change.unwrap_or_default().into(),
        final_reading: fields.number("finalReading"),
        start_reading: fields.number("startReading").unwrap_or_default(),
    }
}

fn request(fields: &mut Fields) -> ReplaceMeterRequest {
    ReplaceMeterRequest {
        id: String::new(),
        replacement: Some(replacement(fields)),
        reading: fields.number("reading"),
        replaced_at: fields.instant("replacedAt"),
        notes: fields.text("notes").unwrap_or_default(),
        expected_reading: fields.number("expectedReading"),
    }
}

async fn list(call: Call) -> Result<RestResponse, ApiError> {
    let page = call.query(page)?;
    let session = call.session();
    let read = move |page| {
        let mut client = call.equipment();
        let request = ListMetersRequest { page: Some(page) };
        async move {
            let found = client.list_meters(request).await?.into_inner();
            Ok((all::<_, Meter>(found.meters), found.page))
        }
    };
    lists::respond(session, page, read).await
}

async fn segments(call: Call) -> Result<RestResponse, ApiError> {
    let request = ListMeterSegmentsRequest {
        equipment_id: call.id.clone(),
    };
    let found = call.equipment().list_meter_segments(request).await?;
    RestResponse::list(&all::<_, MeterSegment>(found.into_inner().segments), None)
}

async fn replace(call: Call) -> Result<RestResponse, ApiError> {
    let mut request = call.body(request)?;
    request.id.clone_from(&call.id);
    let replaced = call.equipment().replace_meter(request).await?;
    equipment::response(replaced.into_inner().equipment)
}

//! Meters: the list for phones, the meters of one machine, and replacing a meter.

use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::{
    self as proto, EquipmentFuel, EquipmentType, ListMeterSegmentsRequest, ListMetersRequest,
    MeterChange, MeterReplacement, MeterUnit, OperationalStatus, ReplaceMeterRequest,
    ServiceStatus,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::call::Call;
use super::equipment::{self, Equipment};
use super::fields::{Fields, page};
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
        rpc("ListMeters")
            .at(Get, "/api/meters")
            .query(page, list)
            .summary(
                "All meters in short form, by equipment name; cached by phones to work offline",
            )
            .pages::<Meter>(),
        rpc("ListMeterSegments")
            .route(Get, "/api/equipment/{id}/meters", segments)
            .summary("The meters a piece of equipment has had, newest first")
            .list::<MeterSegment>(),
        rpc("ReplaceMeter")
            .at(Post, "/api/equipment/{id}/replace-meter")
            .body(request, replace)
            .summary(
                "A new meter was fitted, or the meter passed its highest value and began again",
            )
            .ok::<Equipment>(),
    ]
}

objects! {
    #[expect(clippy::struct_field_names, reason = "as documented")]
    struct Meter(meter: proto::Meter) {
        equipment_id: Id,
        name: String,
        r#type: WireName<EquipmentType>,
        serial_number: Option<String>,
        unit_number: Option<String>,
        unit: WireName<MeterUnit>,
        fuel_type: WireName<EquipmentFuel> = meter.fuel,
        meter_reading: Number,
        meter_read_at: Option<Instant>,
        usual_daily_use: Option<Number>,
        usual_fill: Option<Number>,
        service_status: WireName<ServiceStatus>,
        operational_status: WireName<OperationalStatus>,
    }

    struct MeterSegment(segment: proto::MeterSegment) {
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
}

/// The end of one meter and the start of the next.
pub fn replacement(fields: &mut Fields) -> MeterReplacement {
    MeterReplacement {
        change: fields.required_enum_value::<MeterChange>("kind"),
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

async fn list(call: Call, page: PageRequest) -> RestResult {
    lists::respond(call, page, |call, page| async move {
        let request = ListMetersRequest { page: Some(page) };
        let found = call.equipment().list_meters(request).await?.into_inner();
        Ok((Vec::<Meter>::from_proto(found.meters), found.page))
    })
    .await
}

async fn segments(call: Call) -> RestResult {
    let request = ListMeterSegmentsRequest {
        equipment_id: call.id(),
    };
    let found = call.equipment().list_meter_segments(request).await?;
    RestResponse::ok(&Vec::<MeterSegment>::from_proto(
        found.into_inner().segments,
    ))
}

async fn replace(call: Call, mut request: ReplaceMeterRequest) -> RestResult {
    request.id = call.id();
    let replaced = call.equipment().replace_meter(request).await?;
    equipment::response(replaced.into_inner().equipment)
}

//! Meters: the short list of all of them, those a piece of equipment has had, and replacing one.

use hourmeter_proto::equipment::v1::{
    Equipment, ListMeterSegmentsRequest, ListMetersRequest, Meter, MeterReplacement, MeterSegment,
    ReplaceMeterRequest,
};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::answer::Answer;
use super::call::Call;
use super::equipment::{self, equipment};
use super::fields::{Fields, page};
use super::lists;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| Admission::Rpc(EquipmentService, method);
    vec![
        Route::new(
            (Get, "/api/meters"),
            rpc("ListMeters"),
            "All meters in short, by the equipment's name: what a phone keeps to work without signal",
            list,
        )
        .query(page)
        .pages("Meter", meter(Meter::default())),
        Route::new(
            (Get, "/api/equipment/{id}/meters"),
            rpc("ListMeterSegments"),
            "The meters a piece of equipment has had, newest first",
            segments,
        )
        .list("MeterSegment", segment(MeterSegment::default())),
        Route::new(
            (Post, "/api/equipment/{id}/replace-meter"),
            rpc("ReplaceMeter"),
            "A new meter was fitted, or the meter passed its highest value and began again",
            replace,
        )
        .body(request)
        .ok("Equipment", equipment(Equipment::default())),
    ]
}

fn meter(meter: Meter) -> Shape {
    let kind = words::equipment_type(meter.r#type());
    let unit = words::unit(meter.unit());
    let fuel = words::fuel(meter.fuel());
    let status = words::service_status(meter.service_status());
    Shape::new()
        .id("equipmentId", meter.equipment_id)
        .text("name", meter.name)
        .word("type", kind, words::TYPE_WORDS)
        .opt_text("serialNumber", meter.serial_number)
        .word("unit", unit, words::UNIT_WORDS)
        .word("fuelType", fuel, words::FUEL_WORDS)
        .number("meterReading", meter.meter_reading)
        .opt_time("meterReadAt", meter.meter_read_at)
        .opt_number("usualDailyUse", meter.usual_daily_use)
        .opt_number("usualFill", meter.usual_fill)
        .word("serviceStatus", status, words::SERVICE_STATUS_WORDS)
}

fn segment(segment: MeterSegment) -> Shape {
    let ended_by = words::meter_change(segment.ended_by());
    Shape::new()
        .whole("number", segment.number)
        .time("startedAt", segment.started_at)
        .number("startReading", segment.start_reading)
        .number("startUsage", segment.start_usage)
        .opt_time("endedAt", segment.ended_at)
        .number("endReading", segment.end_reading)
        .number("endUsage", segment.end_usage)
        .opt_word("endedBy", ended_by, words::METER_CHANGE_WORDS)
        .opt_text("endedByName", segment.ended_by_name)
}

/// How one meter ended and the next began.
pub fn replacement(fields: &mut Fields) -> MeterReplacement {
    let change = fields.required_word("kind", words::METER_CHANGES);
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

async fn list(call: Call) -> Result<Answer, Refusal> {
    let read = |page| {
        let mut client = call.equipment();
        let request = ListMetersRequest { page: Some(page) };
        async move {
            let found = client.list_meters(request).await?.into_inner();
            Ok((found.meters.into_iter().map(meter).collect(), found.page))
        }
    };
    lists::answer(call.query(page)?, read).await
}

async fn segments(call: Call) -> Result<Answer, Refusal> {
    let request = ListMeterSegmentsRequest {
        equipment_id: call.id.clone(),
    };
    let found = call.equipment().list_meter_segments(request).await?;
    let found = found.into_inner().segments;
    let rows: Vec<Shape> = found.into_iter().map(segment).collect();
    Answer::list(&rows, None)
}

async fn replace(call: Call) -> Result<Answer, Refusal> {
    let mut request = call.body(request)?;
    request.id.clone_from(&call.id);
    let replaced = call.equipment().replace_meter(request).await?;
    equipment::answer(replaced.into_inner().equipment)
}

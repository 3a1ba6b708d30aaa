//! History of equipment: what was entered, exports of it, and voiding what was wrong.

use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::{
    HistoryRecord, ListHistoryRequest, MeterReplacement, VoidEntryRequest, Voiding,
};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::answer::Answer;
use super::call::Call;
use super::fields::page;
use super::lists;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::limits::CompanyLimit;
use crate::rescue::Refusal;

const fn rpc(method: &'static str) -> Admission {
    Admission::Rpc(EquipmentService, method)
}

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let example = || record(HistoryRecord::default());
    vec![
        Route::new(
            (Get, "/api/equipment/{id}/history"),
            rpc("ListHistory"),
            "History of one piece of equipment, newest first",
            history_of_one,
        )
        .query(page)
        .pages("HistoryRecord", example()),
        Route::new(
            (Post, "/api/equipment/{id}/history/{entryId}/void"),
            rpc("VoidEntry"),
            "Voids a wrong entry: it stays, marked, and counts no longer",
            void,
        )
        .body(|fields| fields.required_text("reason"))
        .ok("HistoryRecord", example()),
        Route::new(
            (Get, "/api/equipment-history"),
            rpc("ListHistory"),
            "History of the company's equipment, newest first",
            history,
        )
        .query(page)
        .pages("HistoryRecord", example()),
        Route::new(
            (Get, "/api/equipment-history/export"),
            rpc("ListHistory"),
            "All history, voided entries too, for an export",
            export_history,
        )
        .list("HistoryRecord", example())
        .limited(CompanyLimit::Exports),
        Route::new(
            (Get, "/api/fuel-usage/export"),
            rpc("ListHistory"),
            "All fuel entries that count, for an export",
            export_fuel,
        )
        .list("FuelRow", fuel_row(HistoryRecord::default()))
        .limited(CompanyLimit::Exports),
    ]
}

fn record(record: HistoryRecord) -> Shape {
    let (kind, note_type) = words::record(record.kind(), record.note_type());
    let fuel = words::fuel_kind(record.fuel_kind());
    Shape::new()
        .id("id", record.id)
        .id("equipmentId", record.equipment_id)
        .text("equipmentName", record.equipment_name)
        .word("type", kind, words::RECORD_WORDS)
        .word("noteType", note_type, words::NOTE_TYPE_WORDS)
        .text("operatorName", record.operator_name)
        .flag("fromOperator", record.from_operator)
        .opt_number("usage", record.usage)
        .opt_number("reading", record.reading)
        .number("fuelAdded", record.fuel_added)
        .opt_word("fuelType", fuel, words::FUEL_KIND_WORDS)
        .opt_text("taskName", record.task_name)
        .opt_date("performedOn", record.performed_on)
        .opt_number("cost", record.cost)
        .text("content", record.content)
        .opt_object("meterReplacement", record.meter_replacement, replacement)
        .opt_object("voided", record.voiding, voiding)
        .opt_time("capturedAt", record.captured_at)
        .time("createdAt", record.created_at)
}

/// Why something counts no longer.
pub fn voiding(voiding: Voiding) -> Shape {
    Shape::new()
        .text("reason", voiding.reason)
        .text("by", voiding.by)
        .time("at", voiding.at)
        .opt_number("usageBefore", voiding.usage_before)
        .opt_number("usageAfter", voiding.usage_after)
}

/// How one meter ended and the next began.
fn replacement(replacement: MeterReplacement) -> Shape {
    let kind = words::meter_change(replacement.change()).unwrap_or("replaced");
    Shape::new()
        .word("kind", kind, words::METER_CHANGE_WORDS)
        .opt_number("finalReading", replacement.final_reading)
        .number("startReading", replacement.start_reading)
}

fn fuel_row(record: HistoryRecord) -> Shape {
    let fuel = words::fuel_kind(record.fuel_kind());
    Shape::new()
        .time("date", record.captured_at)
        .text("equipmentName", record.equipment_name)
        .text("operatorName", record.operator_name)
        .word("fuelType", fuel.unwrap_or("gas"), words::FUEL_KIND_WORDS)
        .number("fuelAdded", record.fuel_added)
        .text("notes", record.content)
}

async fn read_history(
    call: &Call,
    page: PageRequest,
    fuel_only: bool,
    rows: impl Fn(Vec<HistoryRecord>) -> Vec<Shape>,
) -> Result<Answer, Refusal> {
    let rows = &rows;
    let read = |page| {
        let mut client = call.equipment();
        let request = ListHistoryRequest {
            // Empty without an id in the path, which means the whole company.
            equipment_id: call.id.clone(),
            page: Some(page),
            fuel_only,
            ..ListHistoryRequest::default()
        };
        async move {
            let found = client.list_history(request).await?.into_inner();
            Ok((rows(found.records), found.page))
        }
    };
    lists::answer(page, read).await
}

fn records(found: Vec<HistoryRecord>) -> Vec<Shape> {
    found.into_iter().map(record).collect()
}

fn fuel_rows(found: Vec<HistoryRecord>) -> Vec<Shape> {
    let counting = found.into_iter().filter(|record| record.voiding.is_none());
    counting.map(fuel_row).collect()
}

async fn history_of_one(call: Call) -> Result<Answer, Refusal> {
    if call.id.is_empty() {
        return Err(Failure::not_found().into());
    }
    history(call).await
}

async fn history(call: Call) -> Result<Answer, Refusal> {
    let page = call.query(page)?;
    // All history of a company is an export, whatever path it is asked by.
    if call.id.is_empty() && page.limit == 0 {
        call.count(CompanyLimit::Exports).await?;
        let all = read_history(&call, page, false, records).await?;
        return Ok(all.exported());
    }
    read_history(&call, page, false, records).await
}

async fn export_history(call: Call) -> Result<Answer, Refusal> {
    read_history(&call, PageRequest::default(), false, records).await
}

async fn export_fuel(call: Call) -> Result<Answer, Refusal> {
    read_history(&call, PageRequest::default(), true, fuel_rows).await
}

async fn void(call: Call) -> Result<Answer, Refusal> {
    let request = VoidEntryRequest {
        equipment_id: call.id.clone(),
        entry_id: call.part("entryId"),
        reason: call.body(|fields| fields.required_text("reason"))?,
    };
    let voided = call.equipment().void_entry(request).await?.into_inner();
    Answer::ok(&record(voided.record.unwrap_or_default()))
}

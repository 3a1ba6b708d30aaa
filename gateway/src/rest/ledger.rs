//! Notes, history, fuel rows and the archive of equipment.

use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::{
    AddNoteRequest, Equipment, HistoryRecord, ListHistoryRequest, ListHistoryResponse,
    ListNotesRequest, ListRetiredRequest, Note, NoteType, RestoreEquipmentRequest,
    RetireEquipmentRequest, RetiredEquipment,
};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::answer::Answer;
use super::call::Call;
use super::equipment::equipment;
use super::fields::{Fields, page};
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    let mut routes = history_routes();
    routes.extend(note_routes());
    routes.extend(archive_routes());
    routes
}

const fn rpc(method: &'static str) -> Admission {
    Admission::Rpc(EquipmentService, method)
}

fn history_routes() -> Vec<Route> {
    use Verb::Get;
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
            "All history, for an export",
            export_history,
        )
        .list("HistoryRecord", example())
        .export(),
        Route::new(
            (Get, "/api/fuel-usage/export"),
            rpc("ListHistory"),
            "All fuel entries, for an export",
            export_fuel,
        )
        .list("FuelRow", fuel_row(HistoryRecord::default()))
        .export(),
    ]
}

fn note_routes() -> Vec<Route> {
    use Verb::{Get, Post};
    vec![
        Route::new(
            (Get, "/api/equipment/{id}/notes"),
            rpc("ListNotes"),
            "Notes on one piece of equipment, newest first",
            notes,
        )
        .query(page)
        .pages("Note", note(Note::default())),
        Route::new(
            (Post, "/api/equipment/{id}/notes"),
            rpc("AddNote"),
            "Adds a note",
            add_note,
        )
        .body(note_body)
        .created("Note", note(Note::default())),
    ]
}

fn archive_routes() -> Vec<Route> {
    use Verb::{Get, Post};
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
            (Post, "/api/retired-equipment/{id}/restore"),
            rpc("RestoreEquipment"),
            "Brings a piece of equipment back from the archive",
            restore,
        )
        .ok("Equipment", equipment(Equipment::default())),
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
        .opt_number("usage", record.usage)
        .number("fuelAdded", record.fuel_added)
        .opt_word("fuelType", fuel, words::FUEL_KIND_WORDS)
        .text("content", record.content)
        .time("createdAt", record.created_at)
}

fn fuel_row(record: HistoryRecord) -> Shape {
    let fuel = words::fuel_kind(record.fuel_kind());
    Shape::new()
        .time("date", record.created_at)
        .text("equipmentName", record.equipment_name)
        .text("operatorName", record.operator_name)
        .word("fuelType", fuel.unwrap_or("gas"), words::FUEL_KIND_WORDS)
        .number("fuelAdded", record.fuel_added)
        .text("notes", record.content)
}

fn note(note: Note) -> Shape {
    let kind = words::note_type(note.r#type());
    Shape::new()
        .id("id", note.id)
        .id("equipmentId", note.equipment_id)
        .text("content", note.content)
        .word("type", kind, words::NOTE_TYPE_WORDS)
        .text("authorName", note.author_name)
        .time("createdAt", note.created_at)
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

async fn read_history(
    call: &Call,
    page: Option<PageRequest>,
    fuel_only: bool,
) -> Result<ListHistoryResponse, Refusal> {
    let request = ListHistoryRequest {
        // Empty without an id in the path, which means the whole company.
        equipment_id: call.id.clone(),
        page,
        fuel_only,
    };
    Ok(call.equipment().list_history(request).await?.into_inner())
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
        call.count_export()?;
    }
    let found = read_history(&call, Some(page), false).await?;
    let rows: Vec<Shape> = found.records.into_iter().map(record).collect();
    Answer::list(&rows, found.page)
}

async fn export_history(call: Call) -> Result<Answer, Refusal> {
    let found = read_history(&call, None, false).await?;
    let rows: Vec<Shape> = found.records.into_iter().map(record).collect();
    Answer::list(&rows, None)
}

async fn export_fuel(call: Call) -> Result<Answer, Refusal> {
    let found = read_history(&call, None, true).await?;
    let rows: Vec<Shape> = found.records.into_iter().map(fuel_row).collect();
    Answer::list(&rows, None)
}

async fn notes(call: Call) -> Result<Answer, Refusal> {
    let request = ListNotesRequest {
        equipment_id: call.id.clone(),
        page: Some(call.query(page)?),
    };
    let found = call.equipment().list_notes(request).await?.into_inner();
    let rows: Vec<Shape> = found.notes.into_iter().map(note).collect();
    Answer::list(&rows, found.page)
}

fn note_body(fields: &mut Fields) -> (String, NoteType) {
    let kind = fields.word("type", words::NOTE_TYPES);
    (fields.required_text("content"), kind.unwrap_or_default())
}

async fn add_note(call: Call) -> Result<Answer, Refusal> {
    let (content, kind) = call.body(note_body)?;
    let request = AddNoteRequest {
        equipment_id: call.id.clone(),
        content,
        r#type: kind.into(),
    };
    let added = call.equipment().add_note(request).await?;
    Answer::created(&note(added.into_inner().note.unwrap_or_default()))
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
    let page = call.query(page)?;
    let request = ListRetiredRequest { page: Some(page) };
    let found = call.equipment().list_retired(request).await?.into_inner();
    let rows: Vec<Shape> = found.retired.into_iter().map(retired).collect();
    Answer::list(&rows, found.page)
}

async fn restore(call: Call) -> Result<Answer, Refusal> {
    let request = RestoreEquipmentRequest {
        id: call.id.clone(),
    };
    let back = call.equipment().restore_equipment(request).await?;
    Answer::ok(&equipment(back.into_inner().equipment.unwrap_or_default()))
}

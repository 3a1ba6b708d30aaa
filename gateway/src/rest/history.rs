//! History of equipment, its exports, and voiding entries.

use std::sync::Arc;

use hourmeter_proto::equipment::v1::{
    self as proto, EditServiceRequest, FuelKind, HistoryKind, HistoryOrder, ListHistoryRequest,
    MeterChange, MeterUnit, NoteType, VoidEntryRequest,
};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::fields::{Fields, LONGEST_TEXT, page};
use super::from_proto::{FromProto, objects};
use super::lists;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::values::{Date, Id, Instant, Number};
use super::wire_enums::WireName;
use crate::limits::CompanyLimit;

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Patch, Post};
    let rpc = |method| AccessRule::Rpc(EquipmentService, method);
    vec![
        rpc("ListHistory")
            .route(Get, "/api/equipment/{id}/history", history_of_one)
            .summary("History of one piece of equipment, newest first")
            .reads_query(query_of_one)
            .pages::<HistoryRecord>(),
        rpc("EditService")
            .at(Patch, "/api/equipment/{id}/history/{entryId}")
            .body(service_edit, edit_service)
            .summary("Corrects the given fields of a recorded service: a new entry replaces it")
            .ok::<HistoryRecord>(),
        rpc("VoidEntry")
            .at(Post, "/api/equipment/{id}/history/{entryId}/void")
            .body(|fields| fields.required_text_in("reason", 1..=500), void)
            .summary("Voids an entry: it stays in the history, marked, and no longer counts")
            .ok::<HistoryRecord>(),
        rpc("ListHistory")
            .at(Get, "/api/equipment-history")
            .query(query, history)
            .summary("History of the company's equipment, newest first")
            .pages::<HistoryRecord>(),
        rpc("ListHistory")
            .route(Get, "/api/equipment-history/export", export_history)
            .summary("All history, voided entries too, for an export")
            .list::<HistoryRecord>()
            .export(),
        rpc("ListHistory")
            .route(Get, "/api/fuel-usage/export", export_fuel)
            .summary("All fuel entries that count, for an export")
            .list::<FuelRow>()
            .export(),
    ]
}

fn query_of_one(fields: &mut Fields) -> ListHistoryRequest {
    let order = fields.enum_value::<HistoryOrder>("order");
    ListHistoryRequest {
        page: Some(page(fields)),
        order: order.unwrap_or_default(),
        from: fields.date("from").unwrap_or_default(),
        to: fields.date("to").unwrap_or_default(),
        person_id: fields.text("personId").unwrap_or_default(),
        ..ListHistoryRequest::default()
    }
}

fn query(fields: &mut Fields) -> ListHistoryRequest {
    ListHistoryRequest {
        equipment_id: fields.text("equipmentId").unwrap_or_default(),
        ..query_of_one(fields)
    }
}

objects! {
    struct HistoryRecord(record: proto::HistoryRecord) {
        id: Id,
        equipment_id: Id,
        equipment_name: String,
        kind: WireName<HistoryKind>,
        r#type: RecordType = record.kind,
        note_type: WireName<NoteType> => WireName(note_type(record.kind, record.note_type)),
        operator_name: String,
        from_operator: bool,
        usage: Option<Number>,
        usage_before: Option<Number>,
        reading: Option<Number>,
        unit: WireName<MeterUnit>,
        fuel_added: Number,
        fuel_type: Option<WireName<FuelKind>> = record.fuel_kind,
        full_fill: bool,
        /// Number of fuel resets before `captured_at`.
        fuel_period: u32 => record.fuel_period.unsigned_abs(),
        task_name: Option<String>,
        performed_on: Option<Date>,
        cost: Option<Number>,
        content: String,
        /// Of a service.
        notes: Option<String>,
        /// The record that this edited service replaces.
        replaces: Option<Id>,
        meter_replacement: Option<MeterReplacement>,
        voided: Option<Voiding> = record.voiding,
        correction: Option<Correction>,
        captured_at: Option<Instant>,
        created_at: Instant,
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RecordType {
    Update,
    Note,
}

impl FromProto<i32> for RecordType {
    fn from_proto(kind: i32) -> Self {
        match HistoryKind::try_from(kind).unwrap_or_default() {
            HistoryKind::Usage | HistoryKind::Meter => Self::Update,
            HistoryKind::Service
            | HistoryKind::Note
            | HistoryKind::Edit
            | HistoryKind::Retirement
            | HistoryKind::Restoration
            | HistoryKind::Unspecified => Self::Note,
        }
    }
}

/// The type of a note; of another record, the one that describes its kind.
fn note_type(kind: i32, of_note: i32) -> NoteType {
    match HistoryKind::try_from(kind).unwrap_or_default() {
        HistoryKind::Usage | HistoryKind::Meter => NoteType::UsageUpdate,
        HistoryKind::Service => NoteType::Maintenance,
        HistoryKind::Note => NoteType::try_from(of_note).unwrap_or_default(),
        HistoryKind::Edit
        | HistoryKind::Retirement
        | HistoryKind::Restoration
        | HistoryKind::Unspecified => NoteType::Note,
    }
}

objects! {
    /// What the operator sent, if a manager applied it otherwise.
    struct Correction(correction: proto::Correction) {
        /// The manager.
        by: String,
        #[serde(flatten)]
        sent: SentValues,
        /// The machine that it was reported for.
        reported_equipment_name: Option<String>,
        /// The manager set the meter back to the reading.
        set_back: bool,
    }

    struct SentValues(sent: proto::SentValues) {
        reading: Option<Number>,
        usage_increase: Option<Number>,
        unit: Option<WireName<MeterUnit>>,
        fuel_added: Number,
        fuel_type: Option<WireName<FuelKind>> = sent.fuel_kind,
    }

    pub struct Voiding(voiding: proto::Voiding) {
        reason: String,
        /// The decision on an operator's update was undone.
        undone: bool,
        by: String,
        at: Instant,
        usage_before: Option<Number>,
        usage_after: Option<Number>,
        /// The record that replaces the edited service.
        replaced_by: Option<Id>,
    }

    /// The end of one meter and the start of the next.
    pub struct MeterReplacement(replacement: proto::MeterReplacement) {
        kind: WireName<MeterChange> = replacement.change,
        final_reading: Option<Number>,
        start_reading: Number,
    }

    struct FuelRow(record: proto::HistoryRecord) {
        date: Instant = record.captured_at,
        equipment_id: Id,
        equipment_name: String,
        /// Of the equipment now.
        group: Option<String>,
        operator_name: String,
        fuel_type: WireName<FuelKind> = record.fuel_kind,
        fuel_added: Number,
        full_fill: bool,
        /// Number of fuel resets before it was put in.
        period: u32 => record.fuel_period.unsigned_abs(),
        notes: String = record.content,
    }
}

/// A row after a write, with its history records, which can be voided.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Recorded{T}")]
pub struct Recorded<T> {
    #[serde(flatten)]
    row: T,
    entry_ids: Vec<Id>,
}

impl<T> Recorded<T> {
    pub fn new(row: T, entry_ids: Vec<String>) -> Self {
        let entry_ids = entry_ids.into_iter().map(Id).collect();
        Self { row, entry_ids }
    }
}

async fn read_history<T: FromProto<proto::HistoryRecord> + Serialize + Send + 'static>(
    call: Call,
    wanted: ListHistoryRequest,
) -> RestResult {
    let page = wanted.page.clone().unwrap_or_default();
    let is_export = call.id().is_empty() && page.limit == 0;
    let read = move |call: Arc<Call>, page| {
        let request = ListHistoryRequest {
            page: Some(page),
            ..wanted.clone()
        };
        async move {
            let fuel_only = request.fuel_only;
            let mut found = call.equipment().list_history(request).await?.into_inner();
            if fuel_only {
                // Voided fuel does not count.
                found.records.retain(|record| record.voiding.is_none());
            }
            Ok((Vec::<T>::from_proto(found.records), found.page))
        }
    };
    // A complete history is an export, which has no limit of its own.
    if is_export {
        lists::export(call, page.cursor, read).await
    } else {
        lists::respond(call, page, read).await
    }
}

async fn history_of_one(call: Call) -> RestResult {
    // Without an id it would be the history of all equipment.
    if call.id().is_empty() {
        return Err(ServiceError::not_found().into());
    }
    let wanted = ListHistoryRequest {
        equipment_id: call.id(),
        ..call.query(query_of_one)?
    };
    read_history::<HistoryRecord>(call, wanted).await
}

async fn history(call: Call, wanted: ListHistoryRequest) -> RestResult {
    // The company's complete history is an export on this path too.
    if wanted.page.as_ref().is_none_or(|page| page.limit == 0) {
        call.count(CompanyLimit::Exports).await?;
        let all = read_history::<HistoryRecord>(call, wanted).await?;
        return Ok(all.exported());
    }
    read_history::<HistoryRecord>(call, wanted).await
}

async fn export_history(call: Call) -> RestResult {
    read_history::<HistoryRecord>(call, ListHistoryRequest::default()).await
}

async fn export_fuel(call: Call) -> RestResult {
    let wanted = ListHistoryRequest {
        fuel_only: true,
        ..ListHistoryRequest::default()
    };
    read_history::<FuelRow>(call, wanted).await
}

fn service_edit(fields: &mut Fields) -> EditServiceRequest {
    EditServiceRequest {
        clear_cost: fields.cleared("cost"),
        cost: fields.number("cost"),
        performed_at: fields.date("performedAt").unwrap_or_default(),
        notes: fields.clearable_text("notes", LONGEST_TEXT),
        ..EditServiceRequest::default()
    }
}

async fn edit_service(call: Call, edit: EditServiceRequest) -> RestResult {
    let request = EditServiceRequest {
        equipment_id: call.id(),
        entry_id: call.path_param("entryId"),
        ..edit
    };
    let edited = call.equipment().edit_service(request).await?.into_inner();
    RestResponse::ok(&HistoryRecord::from_proto(edited.record))
}

async fn void(call: Call, reason: String) -> RestResult {
    let request = VoidEntryRequest {
        equipment_id: call.id(),
        entry_id: call.path_param("entryId"),
        reason,
    };
    let voided = call.equipment().void_entry(request).await?.into_inner();
    RestResponse::ok(&HistoryRecord::from_proto(voided.record))
}

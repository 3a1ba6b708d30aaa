//! History of equipment, its exports, and voiding entries.

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
use super::lists;
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::values::{Date, Id, Instant, Number, all, non_empty};
use super::wire_enums::{WireEnum as _, WireName};
use crate::api_error::ApiError;
use crate::limits::CompanyLimit;

const fn rpc(method: &'static str) -> AccessRule {
    AccessRule::Rpc(EquipmentService, method)
}

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Patch, Post};
    vec![
        Route::new(
            (Get, "/api/equipment/{id}/history"),
            rpc("ListHistory"),
            "History of one piece of equipment, newest first",
            history_of_one,
        )
        .query(query_of_one)
        .pages::<HistoryRecord>(),
        Route::new(
            (Patch, "/api/equipment/{id}/history/{entryId}"),
            rpc("EditService"),
            "Corrects the given fields of a recorded service: a new entry replaces it",
            edit_service,
        )
        .body(service_edit)
        .ok::<HistoryRecord>(),
        Route::new(
            (Post, "/api/equipment/{id}/history/{entryId}/void"),
            rpc("VoidEntry"),
            "Voids an entry: it stays in the history, marked, and no longer counts",
            void,
        )
        .body(|fields| fields.required_text_in("reason", 1..=500))
        .ok::<HistoryRecord>(),
        Route::new(
            (Get, "/api/equipment-history"),
            rpc("ListHistory"),
            "History of the company's equipment, newest first",
            history,
        )
        .query(query)
        .pages::<HistoryRecord>(),
        Route::new(
            (Get, "/api/equipment-history/export"),
            rpc("ListHistory"),
            "All history, voided entries too, for an export",
            export_history,
        )
        .list::<HistoryRecord>()
        .export(),
        Route::new(
            (Get, "/api/fuel-usage/export"),
            rpc("ListHistory"),
            "All fuel entries that count, for an export",
            export_fuel,
        )
        .list::<FuelRow>()
        .export(),
    ]
}

fn query_of_one(fields: &mut Fields) -> ListHistoryRequest {
    let order = fields.word("order", HistoryOrder::NAMES);
    ListHistoryRequest {
        page: Some(page(fields)),
        order: order.unwrap_or_default().into(),
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

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HistoryRecord {
    id: Id,
    equipment_id: Id,
    equipment_name: String,
    kind: WireName<HistoryKind>,
    r#type: RecordType,
    note_type: WireName<NoteType>,
    operator_name: String,
    from_operator: bool,
    usage: Option<Number>,
    usage_before: Option<Number>,
    reading: Option<Number>,
    unit: WireName<MeterUnit>,
    fuel_added: Number,
    fuel_type: Option<WireName<FuelKind>>,
    full_fill: bool,
    /// Number of fuel resets before `captured_at`.
    fuel_period: u32,
    task_name: Option<String>,
    performed_on: Option<Date>,
    cost: Option<Number>,
    content: String,
    /// Of a service.
    notes: Option<String>,
    /// The record that this edited service replaces.
    replaces: Option<Id>,
    meter_replacement: Option<MeterReplacement>,
    voided: Option<Voiding>,
    correction: Option<Correction>,
    captured_at: Option<Instant>,
    created_at: Instant,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RecordType {
    Update,
    Note,
}

impl From<proto::HistoryRecord> for HistoryRecord {
    fn from(record: proto::HistoryRecord) -> Self {
        let (record_type, note_type) = record_type(record.kind(), record.note_type());
        Self {
            kind: WireName(record.kind()),
            r#type: record_type,
            note_type: WireName(note_type),
            fuel_type: WireName::known(record.fuel_kind()),
            unit: WireName(record.unit()),
            id: Id(record.id),
            equipment_id: Id(record.equipment_id),
            equipment_name: record.equipment_name,
            operator_name: record.operator_name,
            from_operator: record.from_operator,
            usage: record.usage.map(Number),
            usage_before: record.usage_before.map(Number),
            reading: record.reading.map(Number),
            fuel_added: Number(record.fuel_added),
            full_fill: record.full_fill,
            fuel_period: record.fuel_period.unsigned_abs(),
            task_name: non_empty(record.task_name),
            performed_on: non_empty(record.performed_on).map(Date),
            cost: record.cost.map(Number),
            content: record.content,
            notes: non_empty(record.notes),
            replaces: non_empty(record.replaces).map(Id),
            meter_replacement: record.meter_replacement.map(MeterReplacement::from),
            voided: record.voiding.map(Voiding::from),
            correction: record.correction.map(Correction::from),
            captured_at: record.captured_at.map(Instant::from),
            created_at: record.created_at.into(),
        }
    }
}

const fn record_type(kind: HistoryKind, note: NoteType) -> (RecordType, NoteType) {
    match kind {
        HistoryKind::Usage | HistoryKind::Meter => (RecordType::Update, NoteType::UsageUpdate),
        HistoryKind::Service => (RecordType::Note, NoteType::Maintenance),
        HistoryKind::Note => (RecordType::Note, note),
        HistoryKind::Edit
        | HistoryKind::Retirement
        | HistoryKind::Restoration
        | HistoryKind::Unspecified => (RecordType::Note, NoteType::Note),
    }
}

/// What the operator sent, if a manager applied it otherwise.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Correction {
    /// The manager.
    by: String,
    reading: Option<Number>,
    usage_increase: Option<Number>,
    unit: Option<WireName<MeterUnit>>,
    fuel_added: Number,
    fuel_type: Option<WireName<FuelKind>>,
    /// The machine that it was reported for.
    reported_equipment_name: Option<String>,
    /// The manager set the meter back to the reading.
    set_back: bool,
}

impl From<proto::Correction> for Correction {
    fn from(correction: proto::Correction) -> Self {
        let sent = correction.sent.unwrap_or_default();
        Self {
            by: correction.by,
            reported_equipment_name: non_empty(correction.reported_equipment_name),
            unit: WireName::known(sent.unit()),
            fuel_type: WireName::known(sent.fuel_kind()),
            reading: sent.reading.map(Number),
            usage_increase: sent.usage_increase.map(Number),
            fuel_added: Number(sent.fuel_added),
            set_back: correction.set_back,
        }
    }
}

/// Why an entry was voided.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Voiding {
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

impl From<proto::Voiding> for Voiding {
    fn from(voiding: proto::Voiding) -> Self {
        Self {
            reason: voiding.reason,
            undone: voiding.undone,
            by: voiding.by,
            at: voiding.at.into(),
            usage_before: voiding.usage_before.map(Number),
            usage_after: voiding.usage_after.map(Number),
            replaced_by: non_empty(voiding.replaced_by).map(Id),
        }
    }
}

/// The end of one meter and the start of the next.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeterReplacement {
    kind: WireName<MeterChange>,
    final_reading: Option<Number>,
    start_reading: Number,
}

impl From<proto::MeterReplacement> for MeterReplacement {
    fn from(replacement: proto::MeterReplacement) -> Self {
        Self {
            kind: WireName(replacement.change()),
            final_reading: replacement.final_reading.map(Number),
            start_reading: Number(replacement.start_reading),
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FuelRow {
    date: Instant,
    equipment_id: Id,
    equipment_name: String,
    /// Of the equipment now.
    group: Option<String>,
    operator_name: String,
    fuel_type: WireName<FuelKind>,
    fuel_added: Number,
    full_fill: bool,
    /// Number of fuel resets before it was put in.
    period: u32,
    notes: String,
}

impl From<proto::HistoryRecord> for FuelRow {
    fn from(record: proto::HistoryRecord) -> Self {
        Self {
            fuel_type: WireName(record.fuel_kind()),
            date: record.captured_at.into(),
            equipment_id: Id(record.equipment_id),
            equipment_name: record.equipment_name,
            group: non_empty(record.group),
            operator_name: record.operator_name,
            fuel_added: Number(record.fuel_added),
            full_fill: record.full_fill,
            period: record.fuel_period.unsigned_abs(),
            notes: record.content,
        }
    }
}

async fn read_history<T: From<proto::HistoryRecord> + Serialize + Send + 'static>(
    call: Call,
    wanted: ListHistoryRequest,
) -> Result<RestResponse, ApiError> {
    let session = call.session();
    let page = wanted.page.clone().unwrap_or_default();
    let is_export = call.id.is_empty() && page.limit == 0;
    let read = move |page| {
        let mut client = call.equipment();
        let request = ListHistoryRequest {
            page: Some(page),
            ..wanted.clone()
        };
        async move {
            let fuel_only = request.fuel_only;
            let mut found = client.list_history(request).await?.into_inner();
            if fuel_only {
                // Voided fuel does not count.
                found.records.retain(|record| record.voiding.is_none());
            }
            Ok((all::<_, T>(found.records), found.page))
        }
    };
    // A complete history is an export, which has no limit of its own.
    if is_export {
        lists::export(session, page.cursor, read).await
    } else {
        lists::respond(session, page, read).await
    }
}

async fn history_of_one(call: Call) -> Result<RestResponse, ApiError> {
    if call.id.is_empty() {
        return Err(ServiceError::not_found().into());
    }
    let wanted = ListHistoryRequest {
        equipment_id: call.id.clone(),
        ..call.query(query_of_one)?
    };
    read_history::<HistoryRecord>(call, wanted).await
}

async fn history(call: Call) -> Result<RestResponse, ApiError> {
    let wanted = call.query(query)?;
    // The company's complete history is an export on this path too.
    if wanted.page.as_ref().is_none_or(|page| page.limit == 0) {
        call.count(CompanyLimit::Exports).await?;
        let all = read_history::<HistoryRecord>(call, wanted).await?;
        return Ok(all.exported());
    }
    read_history::<HistoryRecord>(call, wanted).await
}

async fn export_history(call: Call) -> Result<RestResponse, ApiError> {
    read_history::<HistoryRecord>(call, ListHistoryRequest::default()).await
}

async fn export_fuel(call: Call) -> Result<RestResponse, ApiError> {
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

async fn edit_service(call: Call) -> Result<RestResponse, ApiError> {
    let request = EditServiceRequest {
        equipment_id: call.id.clone(),
        entry_id: call.path_param("entryId"),
        ..call.body(service_edit)?
    };
    let edited = call.equipment().edit_service(request).await?.into_inner();
    RestResponse::ok(&HistoryRecord::from(edited.record.unwrap_or_default()))
}

async fn void(call: Call) -> Result<RestResponse, ApiError> {
    let request = VoidEntryRequest {
        equipment_id: call.id.clone(),
        entry_id: call.path_param("entryId"),
        reason: call.body(|fields| fields.required_text_in("reason", 1..=500))?,
    };
    let voided = call.equipment().void_entry(request).await?.into_inner();
    RestResponse::ok(&HistoryRecord::from(voided.record.unwrap_or_default()))
}

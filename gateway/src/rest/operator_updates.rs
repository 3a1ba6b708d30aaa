//! Updates of operators.

use hourmeter_proto::equipment::v1::MeterUnit;
use hourmeter_proto::operator_updates::v1::{
    self as proto, FuelKind, ListLastReportsRequest, ListUpdatesRequest, SubmitUpdateRequest,
    UpdateStatus, WithdrawUpdateRequest,
};
use hourmeter_runtime::identity::Service::OperatorUpdates;
use hourmeter_runtime::refusals as shared;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::fields::{Fields, Numbers, page};
use super::history::MeterReplacement;
use super::lists;
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant, Number, all, non_empty};
use super::wire_enums::{WireEnum as _, WireName};
use crate::api_error::ApiError;

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| AccessRule::Rpc(OperatorUpdates, method);
    vec![
        Route::new(
            (Post, "/api/operator-updates"),
            rpc("SubmitUpdate"),
            "Submits an update; 200 with the stored one if its clientId is known",
            submit,
        )
        .body(submission)
        .created::<OperatorUpdate>()
        .ok::<OperatorUpdate>(),
        Route::new(
            (Get, "/api/operator-updates"),
            rpc("ListUpdates"),
            "Updates: the company's for managers, their own for operators",
            list,
        )
        .query(list_query)
        .pages::<OperatorUpdate>(),
        Route::new(
            (Post, "/api/operator-updates/{id}/withdraw"),
            rpc("WithdrawUpdate"),
            "Withdraws the caller's own pending update, which then needs no decision",
            withdraw,
        )
        .ok::<OperatorUpdate>(),
        Route::new(
            (Get, "/api/operator-updates/last-reports"),
            rpc("ListLastReports"),
            "When the newest update of each person was received; people without updates are not listed",
            last_reports,
        )
        .query(page)
        .pages::<LastReport>(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "as documented")]
pub struct OperatorUpdate {
    id: Id,
    equipment_id: Id,
    equipment_name: String,
    reported_equipment_name: Option<String>,
    operator_id: Id,
    operator_name: String,
    new_usage: Option<Number>,
    usage_increase: Option<Number>,
    unit: WireName<MeterUnit>,
    fuel_added: Number,
    fuel_type: WireName<FuelKind>,
    full_fill: bool,
    notes: String,
    status: WireName<UpdateStatus>,
    applying: bool,
    created_at: Instant,
    client_id: String,
    reviewed_by: Option<String>,
    reviewed_at: Option<Instant>,
    reject_reason: Option<String>,
    taken_back_reason: Option<String>,
    taken_back_by: Option<String>,
    taken_back_at: Option<Instant>,
    below_current: bool,
    flags: Vec<String>,
    previous_usage: Option<Number>,
    applied_usage: Option<Number>,
    applied_reading: Option<Number>,
    applied_fuel: Option<Number>,
    applied_fuel_type: Option<WireName<FuelKind>>,
    meter_replacement: Option<MeterReplacement>,
    set_back: bool,
    late: bool,
    captured_at: Instant,
    captured_on_device: Option<String>,
    withdrawn: bool,
}

impl From<proto::OperatorUpdate> for OperatorUpdate {
    fn from(update: proto::OperatorUpdate) -> Self {
        Self {
            fuel_type: WireName(update.fuel_kind()),
            status: WireName(update.status()),
            unit: WireName(update.unit()),
            applied_fuel_type: WireName::known(update.applied_fuel_kind()),
            id: Id(update.id),
            equipment_id: Id(update.equipment_id),
            equipment_name: update.equipment_name,
            reported_equipment_name: non_empty(update.reported_equipment_name),
            operator_id: Id(update.operator_id),
            operator_name: update.operator_name,
            new_usage: update.new_usage.map(Number),
            usage_increase: update.usage_increase.map(Number),
            fuel_added: Number(update.fuel_added),
            full_fill: update.full_fill,
            notes: update.notes,
            applying: update.applying,
            created_at: update.created_at.into(),
            client_id: update.client_id,
            reviewed_by: non_empty(update.reviewed_by),
            reviewed_at: update.reviewed_at.map(Instant::from),
            reject_reason: non_empty(update.reject_reason),
            taken_back_reason: non_empty(update.taken_back_reason),
            taken_back_by: non_empty(update.taken_back_by),
            taken_back_at: update.taken_back_at.map(Instant::from),
            below_current: update.below_current,
            flags: update.flags,
            previous_usage: update.previous_usage.map(Number),
            applied_usage: update.applied_usage.map(Number),
            applied_reading: update.applied_reading.map(Number),
            applied_fuel: update.applied_fuel.map(Number),
            meter_replacement: update.meter_replacement.map(MeterReplacement::from),
            set_back: update.set_back,
            late: update.late,
            captured_at: update.captured_at.into(),
            captured_on_device: non_empty(update.captured_on_device),
            withdrawn: update.withdrawn,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LastReport {
    operator_id: Id,
    received_at: Instant,
}

impl From<proto::LastReport> for LastReport {
    fn from(report: proto::LastReport) -> Self {
        Self {
            operator_id: Id(report.operator_id),
            received_at: report.received_at.into(),
        }
    }
}

pub fn response(stored: Option<proto::OperatorUpdate>) -> Result<RestResponse, ApiError> {
    RestResponse::ok(&OperatorUpdate::from(stored.unwrap_or_default()))
}

pub fn submission(fields: &mut Fields) -> SubmitUpdateRequest {
    let fuel = fields.word("fuelType", FuelKind::NAMES);
    SubmitUpdateRequest {
        equipment_id: fields.required_text("equipmentId"),
        new_usage: fields.number_or("newUsage", shared::INVALID_USAGE),
        usage_increase: fields.number_of("usageIncrease", Numbers::Positive, shared::INVALID_USAGE),
        unit: fields
            .word("unit", MeterUnit::NAMES)
            .unwrap_or_default()
            .into(),
        fuel_added: fields.number_or("fuelAdded", shared::FUEL_AMOUNT_INVALID),
        fuel_kind: fuel.unwrap_or_default().into(),
        notes: fields.text("notes").unwrap_or_default(),
        client_id: fields.text_in("clientId", 0..=100).unwrap_or_default(),
        captured_at: fields.instant("capturedAt"),
        full_fill: fields.flag("fullFill").unwrap_or_default(),
    }
}

async fn submit(call: Call) -> Result<RestResponse, ApiError> {
    let request = call.body(submission)?;
    let stored = call.operator_updates().submit_update(request).await?;
    let stored = stored.into_inner();
    if stored.created {
        RestResponse::created(&OperatorUpdate::from(stored.update.unwrap_or_default()))
    } else {
        response(stored.update)
    }
}

async fn withdraw(call: Call) -> Result<RestResponse, ApiError> {
    let request = WithdrawUpdateRequest {
        id: call.id.clone(),
    };
    let withdrawn = call.operator_updates().withdraw_update(request).await?;
    response(withdrawn.into_inner().update)
}

fn list_query(fields: &mut Fields) -> ListUpdatesRequest {
    let statuses = fields.words("status", UpdateStatus::NAMES);
    ListUpdatesRequest {
        statuses: statuses.into_iter().map(i32::from).collect(),
        page: Some(page(fields)),
        by_decision: false,
    }
}

async fn list(call: Call) -> Result<RestResponse, ApiError> {
    let asked = call.query(list_query)?;
    let page = asked.page.clone().unwrap_or_default();
    let session = call.session();
    let read = move |page| {
        let mut client = call.operator_updates();
        let request = ListUpdatesRequest {
            page: Some(page),
            ..asked.clone()
        };
        async move {
            let found = client.list_updates(request).await?.into_inner();
            Ok((all::<_, OperatorUpdate>(found.updates), found.page))
        }
    };
    lists::respond(session, page, read).await
}

async fn last_reports(call: Call) -> Result<RestResponse, ApiError> {
    let page = call.query(page)?;
    let session = call.session();
    let read = move |page| {
        let mut client = call.operator_updates();
        let request = ListLastReportsRequest { page: Some(page) };
        async move {
            let found = client.list_last_reports(request).await?.into_inner();
            Ok((all::<_, LastReport>(found.reports), found.page))
        }
    };
    lists::respond(session, page, read).await
}

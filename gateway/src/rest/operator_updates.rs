//! Updates of operators.

use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::MeterUnit;
use hourmeter_proto::operator_updates::v1::{
    self as proto, FuelKind, ListLastReportsRequest, ListUpdatesRequest, SubmitUpdateRequest,
    UpdateStatus, WithdrawUpdateRequest,
};
use hourmeter_runtime::identity::Service::OperatorUpdates;
use hourmeter_runtime::refusals as shared;

use super::call::Call;
use super::fields::kind::Numbers;
use super::fields::{Fields, page};
use super::from_proto::{FromProto as _, objects};
use super::history::MeterReplacement;
use super::lists;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant, Number};
use super::wire_enums::{WireEnum as _, WireName};

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| AccessRule::Rpc(OperatorUpdates, method);
    vec![
        rpc("SubmitUpdate")
            .at(Post, "/api/operator-updates")
            .body(submission, submit)
            .summary("Submits an update; 200 with the stored one if its clientId is known")
            .created::<OperatorUpdate>()
            .ok::<OperatorUpdate>(),
        rpc("ListUpdates")
            .at(Get, "/api/operator-updates")
            .query(list_query, list)
            .summary("Updates: the company's for managers, their own for operators")
            .pages::<OperatorUpdate>(),
        rpc("WithdrawUpdate")
            .route(Post, "/api/operator-updates/{id}/withdraw", withdraw)
            .summary("Withdraws the caller's own pending update, which then needs no decision")
            .ok::<OperatorUpdate>(),
        rpc("ListLastReports")
            .at(Get, "/api/operator-updates/last-reports")
            .query(page, last_reports)
            .summary(
                "When the newest update of each person was received; people without updates are \
                 not listed",
            )
            .pages::<LastReport>(),
    ]
}

objects! {
    pub struct OperatorUpdate(update: proto::OperatorUpdate) {
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
        fuel_type: WireName<FuelKind> = update.fuel_kind,
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
        applied_fuel_type: Option<WireName<FuelKind>> = update.applied_fuel_kind,
        meter_replacement: Option<MeterReplacement>,
        set_back: bool,
        late: bool,
        captured_at: Instant,
        captured_on_device: Option<String>,
        withdrawn: bool,
    }

    struct LastReport(report: proto::LastReport) {
        operator_id: Id,
        received_at: Instant,
    }
}

pub fn response(stored: Option<proto::OperatorUpdate>) -> RestResult {
    RestResponse::ok(&OperatorUpdate::from_proto(stored))
}

pub fn submission(fields: &mut Fields) -> SubmitUpdateRequest {
    let fuel = fields.enum_value::<FuelKind>("fuelType");
    SubmitUpdateRequest {
        equipment_id: fields.required_text("equipmentId"),
        new_usage: fields.number_or("newUsage", shared::INVALID_USAGE),
        usage_increase: fields.number_of("usageIncrease", Numbers::Positive, shared::INVALID_USAGE),
        unit: fields.enum_or_unspecified::<MeterUnit>("unit"),
        fuel_added: fields.number_or("fuelAdded", shared::FUEL_AMOUNT_INVALID),
        fuel_kind: fuel.unwrap_or_default(),
        notes: fields.text("notes").unwrap_or_default(),
        client_id: fields.text_in("clientId", 0..=100).unwrap_or_default(),
        captured_at: fields.instant("capturedAt"),
        full_fill: fields.flag("fullFill").unwrap_or_default(),
    }
}

async fn submit(call: Call, request: SubmitUpdateRequest) -> RestResult {
    let stored = call.operator_updates().submit_update(request).await?;
    let stored = stored.into_inner();
    let update = OperatorUpdate::from_proto(stored.update);
    RestResponse::ok_or_created(stored.created, &update)
}

async fn withdraw(call: Call) -> RestResult {
    let request = WithdrawUpdateRequest { id: call.id() };
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

async fn list(call: Call, asked: ListUpdatesRequest) -> RestResult {
    let page = asked.page.clone().unwrap_or_default();
    lists::respond(call, page, move |call, page| {
        let request = ListUpdatesRequest {
            page: Some(page),
            ..asked.clone()
        };
        async move {
            let found = call
                .operator_updates()
                .list_updates(request)
                .await?
                .into_inner();
            Ok((Vec::<OperatorUpdate>::from_proto(found.updates), found.page))
        }
    })
    .await
}

async fn last_reports(call: Call, page: PageRequest) -> RestResult {
    lists::respond(call, page, |call, page| async move {
        let request = ListLastReportsRequest { page: Some(page) };
        let found = call
            .operator_updates()
            .list_last_reports(request)
            .await?
            .into_inner();
        Ok((Vec::<LastReport>::from_proto(found.reports), found.page))
    })
    .await
}

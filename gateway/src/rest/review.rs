//! Review of operators' updates.

use std::collections::BTreeMap;

use hourmeter_proto::operator_updates::v1::{
    self as proto, AcknowledgeUpdateRequest, AcknowledgeUpdatesRequest, ApplyUpdateRequest,
    ApplyUpdatesRequest, FuelKind, ListReviewRequest, MoveUpdateRequest, RejectUpdateRequest,
    RejectUpdatesRequest, UndoDecisionRequest, UndoDecisionsRequest, UndoableDecision,
};
use hourmeter_runtime::identity::Service::OperatorUpdates;

use super::call::Call;
use super::fields::{self, Fields, MOST_IDS};
use super::from_proto::{FromProto as _, objects};
use super::meters;
use super::operator_updates::{OperatorUpdate, response};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::values::Id;

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| AccessRule::Rpc(OperatorUpdates, method);
    vec![
        rpc("ListReview")
            .at(Get, "/api/operator-updates/review")
            .query(limit, review)
            .summary("Updates that wait for review, up to 500; machines with flagged updates first")
            .ok::<Review>(),
        rpc("ApplyUpdate")
            .at(Post, "/api/operator-updates/{id}/apply")
            .body(application, apply)
            .summary("Applies an update to its equipment")
            .ok::<OperatorUpdate>(),
        rpc("MoveUpdate")
            .at(Post, "/api/operator-updates/{id}/move")
            .body(|fields| fields.required_text("equipmentId"), move_to)
            .summary("Moves an update to other equipment and checks it again")
            .ok::<OperatorUpdate>(),
        rpc("RejectUpdate")
            .at(Post, "/api/operator-updates/{id}/reject")
            .body(|fields| fields.text_in("reason", 0..=1000), reject)
            .summary("Rejects an update")
            .ok::<OperatorUpdate>(),
        rpc("AcknowledgeUpdate")
            .route(Post, "/api/operator-updates/{id}/acknowledge", acknowledge)
            .summary("Acknowledges an update that was applied automatically")
            .ok::<OperatorUpdate>(),
        rpc("UndoDecision")
            .at(Post, "/api/operator-updates/{id}/undo")
            .body(undoing, undo)
            .summary(
                "Undoes the last decision on an update, or the named one, within 60 seconds; \
                 with a reason, an applied one is taken back with it",
            )
            .ok::<OperatorUpdate>(),
        rpc("ApplyUpdates")
            .at(Post, "/api/operator-updates/apply")
            .body(|fields| fields.ids("ids", MOST_IDS), apply_many)
            .summary("Applies several updates independently of each other")
            .list::<ApplyResult>(),
        rpc("RejectUpdates")
            .at(Post, "/api/operator-updates/reject")
            .body(rejection, reject_many)
            .summary("Rejects several updates independently of each other")
            .list::<ApplyResult>(),
        rpc("UndoDecisions")
            .at(Post, "/api/operator-updates/undo")
            .body(undoing_many, undo_many)
            .summary(
                "Undoes the last decisions on several updates, or the named ones, independently \
                 of each other; those with the error UNDO_LATER are to be requested again",
            )
            .list::<ApplyResult>(),
        rpc("AcknowledgeUpdates")
            .at(Post, "/api/operator-updates/acknowledge")
            .body(|fields| fields.ids("ids", MOST_IDS), acknowledge_many)
            .summary("Acknowledges several updates independently of each other")
            .list::<ApplyResult>(),
    ]
}

objects! {
    struct Review(review: proto::ListReviewResponse) {
        updates: Vec<OperatorUpdate>,
        pending_count: u32,
        flagged_count: u32,
    }

    struct ApplyResult(result: proto::ApplyResult) {
        id: Id,
        ok: bool,
        message: Option<String>,
        code: Option<String>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        parameters: BTreeMap<String, String>,
    }
}

fn results(results: Vec<proto::ApplyResult>) -> RestResult {
    RestResponse::ok(&Vec::<ApplyResult>::from_proto(results))
}

fn limit(fields: &mut Fields) -> ListReviewRequest {
    ListReviewRequest {
        limit: fields::limit(fields).unwrap_or_default(),
    }
}

fn application(fields: &mut Fields) -> ApplyUpdateRequest {
    let fuel = fields.enum_value::<FuelKind>("fuelType");
    ApplyUpdateRequest {
        id: String::new(),
        new_usage: fields.number("newUsage"),
        meter_replacement: fields.object("meterReplacement", meters::replacement),
        fuel_added: fields.number("fuelAdded"),
        fuel_kind: fuel.unwrap_or_default(),
    }
}

fn rejection(fields: &mut Fields) -> RejectUpdatesRequest {
    RejectUpdatesRequest {
        ids: fields.ids("ids", MOST_IDS),
        reason: fields.text_in("reason", 0..=1000).unwrap_or_default(),
    }
}

fn undoing(fields: &mut Fields) -> UndoDecisionRequest {
    UndoDecisionRequest {
        id: String::new(),
        decision: fields.enum_or_unspecified::<UndoableDecision>("decision"),
        reason: fields.text_in("reason", 0..=500).unwrap_or_default(),
    }
}

fn undoing_many(fields: &mut Fields) -> UndoDecisionsRequest {
    UndoDecisionsRequest {
        ids: fields.ids("ids", MOST_IDS),
        decision: fields.enum_or_unspecified::<UndoableDecision>("decision"),
    }
}

async fn review(call: Call, request: ListReviewRequest) -> RestResult {
    let found = call.operator_updates().list_review(request).await?;
    RestResponse::ok(&Review::from_proto(found.into_inner()))
}

async fn apply(call: Call, mut request: ApplyUpdateRequest) -> RestResult {
    request.id = call.id();
    let applied = call.operator_updates().apply_update(request).await?;
    response(applied.into_inner().update)
}

async fn move_to(call: Call, equipment_id: String) -> RestResult {
    let request = MoveUpdateRequest {
        id: call.id(),
        equipment_id,
        wait: false,
    };
    let moved = call.operator_updates().move_update(request).await?;
    response(moved.into_inner().update)
}

async fn reject(call: Call, reason: Option<String>) -> RestResult {
    let request = RejectUpdateRequest {
        id: call.id(),
        reason: reason.unwrap_or_default(),
    };
    let rejected = call.operator_updates().reject_update(request).await?;
    response(rejected.into_inner().update)
}

async fn acknowledge(call: Call) -> RestResult {
    let request = AcknowledgeUpdateRequest { id: call.id() };
    let seen = call.operator_updates().acknowledge_update(request).await?;
    response(seen.into_inner().update)
}

async fn apply_many(call: Call, ids: Vec<String>) -> RestResult {
    let request = ApplyUpdatesRequest { ids };
    let applied = call.operator_updates().apply_updates(request).await?;
    results(applied.into_inner().results)
}

async fn undo(call: Call, mut request: UndoDecisionRequest) -> RestResult {
    request.id = call.id();
    let undone = call.operator_updates().undo_decision(request).await?;
    response(undone.into_inner().update)
}

async fn reject_many(call: Call, request: RejectUpdatesRequest) -> RestResult {
    let rejected = call.operator_updates().reject_updates(request).await?;
    results(rejected.into_inner().results)
}

async fn undo_many(call: Call, request: UndoDecisionsRequest) -> RestResult {
    let undone = call.operator_updates().undo_decisions(request).await?;
    results(undone.into_inner().results)
}

async fn acknowledge_many(call: Call, ids: Vec<String>) -> RestResult {
    let request = AcknowledgeUpdatesRequest { ids };
    let seen = call.operator_updates().acknowledge_updates(request).await?;
    results(seen.into_inner().results)
}

//! The review of what operators report.

use hourmeter_proto::operator_updates::v1::{
    AcknowledgeUpdateRequest, AcknowledgeUpdatesRequest, ApplyResult, ApplyUpdateRequest,
    ApplyUpdatesRequest, ListReviewRequest, ListReviewResponse, MoveUpdateRequest, OperatorUpdate,
    RejectUpdateRequest,
};
use hourmeter_runtime::identity::Service::OperatorUpdates;

use super::answer::Answer;
use super::call::Call;
use super::fields::Fields;
use super::meters;
use super::operator_updates::{answer, update};
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use crate::rescue::Refusal;

const fn rpc(method: &'static str) -> Admission {
    Admission::Rpc(OperatorUpdates, method)
}

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    let mut routes = vec![
        Route::new(
            (Verb::Get, "/api/operator-updates/review"),
            rpc("ListReview"),
            "What waits for review, up to 500: machines with flagged submissions first",
            review,
        )
        .query(limit)
        .ok("Review", queue(ListReviewResponse::default())),
    ];
    routes.extend(of_one());
    routes.extend(of_many());
    routes
}

fn of_one() -> Vec<Route> {
    use Verb::Post;
    let example = || update(OperatorUpdate::default());
    vec![
        Route::new(
            (Post, "/api/operator-updates/{id}/apply"),
            rpc("ApplyUpdate"),
            "Applies a submission to its equipment",
            apply,
        )
        .body(application)
        .ok("OperatorUpdate", example()),
        Route::new(
            (Post, "/api/operator-updates/{id}/move"),
            rpc("MoveUpdate"),
            "Gives a submission to other equipment, where it is checked anew",
            move_to,
        )
        .body(|fields| fields.required_text("equipmentId"))
        .ok("OperatorUpdate", example()),
        Route::new(
            (Post, "/api/operator-updates/{id}/reject"),
            rpc("RejectUpdate"),
            "Refuses a submission",
            reject,
        )
        .body(|fields| fields.text("reason"))
        .ok("OperatorUpdate", example()),
        Route::new(
            (Post, "/api/operator-updates/{id}/acknowledge"),
            rpc("AcknowledgeUpdate"),
            "Marks a submission that took effect by itself as seen",
            acknowledge,
        )
        .ok("OperatorUpdate", example()),
    ]
}

fn of_many() -> Vec<Route> {
    use Verb::Post;
    let result = || result(ApplyResult::default());
    vec![
        Route::new(
            (Post, "/api/operator-updates/apply"),
            rpc("ApplyUpdates"),
            "Applies several submissions; each stands for itself",
            apply_many,
        )
        .body(|fields| fields.texts("ids"))
        .list("ApplyResult", result()),
        Route::new(
            (Post, "/api/operator-updates/acknowledge"),
            rpc("AcknowledgeUpdates"),
            "Marks several submissions as seen; each stands for itself",
            acknowledge_many,
        )
        .body(|fields| fields.texts("ids"))
        .list("ApplyResult", result()),
    ]
}

fn queue(found: ListReviewResponse) -> Shape {
    Shape::new()
        .objects("updates", found.updates, update)
        .whole("pendingCount", found.pending_count)
        .whole("flaggedCount", found.flagged_count)
}

fn result(result: ApplyResult) -> Shape {
    Shape::new()
        .id("id", result.id)
        .flag("ok", result.ok)
        .opt_text("message", result.message)
}

fn results(all: Vec<ApplyResult>) -> Result<Answer, Refusal> {
    let rows: Vec<Shape> = all.into_iter().map(result).collect();
    Answer::list(&rows, None)
}

fn limit(fields: &mut Fields) -> ListReviewRequest {
    let limit = fields.whole("limit");
    ListReviewRequest {
        limit: limit.unwrap_or_default(),
    }
}

fn application(fields: &mut Fields) -> ApplyUpdateRequest {
    ApplyUpdateRequest {
        id: String::new(),
        new_usage: fields.number("newUsage"),
        meter_replacement: fields.object("meterReplacement", meters::replacement),
    }
}

async fn review(call: Call) -> Result<Answer, Refusal> {
    let request = call.query(limit)?;
    let found = call.operator_updates().list_review(request).await?;
    Answer::ok(&queue(found.into_inner()))
}

async fn apply(call: Call) -> Result<Answer, Refusal> {
    let mut request = call.body(application)?;
    request.id.clone_from(&call.id);
    let applied = call.operator_updates().apply_update(request).await?;
    answer(applied.into_inner().update)
}

async fn move_to(call: Call) -> Result<Answer, Refusal> {
    let request = MoveUpdateRequest {
        id: call.id.clone(),
        equipment_id: call.body(|fields| fields.required_text("equipmentId"))?,
    };
    let moved = call.operator_updates().move_update(request).await?;
    answer(moved.into_inner().update)
}

async fn reject(call: Call) -> Result<Answer, Refusal> {
    let reason = call.body(|fields| fields.text("reason"))?;
    let request = RejectUpdateRequest {
        id: call.id.clone(),
        reason: reason.unwrap_or_default(),
    };
    let rejected = call.operator_updates().reject_update(request).await?;
    answer(rejected.into_inner().update)
}

async fn acknowledge(call: Call) -> Result<Answer, Refusal> {
    let request = AcknowledgeUpdateRequest {
        id: call.id.clone(),
    };
    let seen = call.operator_updates().acknowledge_update(request).await?;
    answer(seen.into_inner().update)
}

async fn apply_many(call: Call) -> Result<Answer, Refusal> {
    let ids = call.body(|fields| fields.texts("ids"))?;
    let request = ApplyUpdatesRequest { ids };
    let applied = call.operator_updates().apply_updates(request).await?;
    results(applied.into_inner().results)
}

async fn acknowledge_many(call: Call) -> Result<Answer, Refusal> {
    let ids = call.body(|fields| fields.texts("ids"))?;
    let request = AcknowledgeUpdatesRequest { ids };
    let seen = call.operator_updates().acknowledge_updates(request).await?;
    results(seen.into_inner().results)
}

//! What operators report.

use hourmeter_proto::operator_updates::v1::{
    ListUpdatesRequest, OperatorUpdate, SubmitUpdateRequest,
};
use hourmeter_runtime::identity::Service::OperatorUpdates;

use super::answer::Answer;
use super::call::Call;
use super::fields::{Fields, page};
use super::lists;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| Admission::Rpc(OperatorUpdates, method);
    let example = || update(OperatorUpdate::default());
    vec![
        Route::new(
            (Post, "/api/operator-updates"),
            rpc("SubmitUpdate"),
            "Stores a submission; 200 with the stored one when its clientId was seen before",
            submit,
        )
        .body(submission)
        .created("OperatorUpdate", example())
        .ok("OperatorUpdate", example()),
        Route::new(
            (Get, "/api/operator-updates"),
            rpc("ListUpdates"),
            "Submissions: the company's for managers, their own for operators",
            list,
        )
        .query(list_query)
        .pages("OperatorUpdate", example()),
    ]
}

/// A submission.
pub fn update(update: OperatorUpdate) -> Shape {
    let fuel = words::reported_fuel(update.fuel_kind());
    let status = words::update_status(update.status());
    Shape::new()
        .id("id", update.id)
        .id("equipmentId", update.equipment_id)
        .text("equipmentName", update.equipment_name)
        .opt_text("reportedEquipmentName", update.reported_equipment_name)
        .id("operatorId", update.operator_id)
        .text("operatorName", update.operator_name)
        .opt_number("newUsage", update.new_usage)
        .number("fuelAdded", update.fuel_added)
        .word("fuelType", fuel, words::FUEL_KIND_WORDS)
        .text("notes", update.notes)
        .word("status", status, words::UPDATE_STATUS_WORDS)
        .flag("applying", update.applying)
        .time("createdAt", update.created_at)
        .text("clientId", update.client_id)
        .opt_text("reviewedBy", update.reviewed_by)
        .opt_time("reviewedAt", update.reviewed_at)
        .opt_text("rejectReason", update.reject_reason)
        .flag("belowCurrent", update.below_current)
        .texts("flags", update.flags)
        .opt_number("previousUsage", update.previous_usage)
        .opt_number("appliedUsage", update.applied_usage)
        .flag("late", update.late)
        .time("capturedAt", update.captured_at)
}

/// Answers a submission.
pub fn answer(stored: Option<OperatorUpdate>) -> Result<Answer, Refusal> {
    Answer::ok(&update(stored.unwrap_or_default()))
}

fn submission(fields: &mut Fields) -> SubmitUpdateRequest {
    let fuel = fields.word("fuelType", words::REPORTED_FUELS);
    SubmitUpdateRequest {
        equipment_id: fields.required_text("equipmentId"),
        new_usage: fields.number("newUsage"),
        fuel_added: fields.number("fuelAdded"),
        fuel_kind: fuel.unwrap_or_default().into(),
        notes: fields.text("notes").unwrap_or_default(),
        client_id: fields.text("clientId").unwrap_or_default(),
        captured_at: fields.instant("capturedAt"),
    }
}

async fn submit(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(submission)?;
    let stored = call.operator_updates().submit_update(request).await?;
    let stored = stored.into_inner();
    if stored.created {
        Answer::created(&update(stored.update.unwrap_or_default()))
    } else {
        answer(stored.update)
    }
}

fn list_query(fields: &mut Fields) -> ListUpdatesRequest {
    let statuses = fields.words("status", words::UPDATE_STATUSES);
    ListUpdatesRequest {
        statuses: statuses.into_iter().map(i32::from).collect(),
        page: Some(page(fields)),
    }
}

async fn list(call: Call) -> Result<Answer, Refusal> {
    let asked = call.query(list_query)?;
    let read = |page| {
        let mut client = call.operator_updates();
        let request = ListUpdatesRequest {
            page: Some(page),
            ..asked.clone()
        };
        async move {
            let found = client.list_updates(request).await?.into_inner();
            Ok((found.updates.into_iter().map(update).collect(), found.page))
        }
    };
    lists::answer(asked.page.clone().unwrap_or_default(), read).await
}

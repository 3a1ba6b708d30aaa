//! Recovering the personal password by security questions, and changing it.

use hourmeter_proto::accounts::v1::{
    ChangePasswordRequest, RecoverPasswordRequest, StartRecoveryRequest, StartRecoveryResponse,
};
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::error::{Kind, ServiceError};
use http::header;

use super::call::Call;
use super::fields::Fields;
use super::from_proto::{FromProto as _, objects};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::sign_in::{
    account_name, begin_attempt, client_origin, finish_attempt, previous_token, session_cookie,
};
use crate::limits::{CompanyLimit, Login};
use crate::refusals;
use crate::session_cache::AffectedSessions;

/// Reason of a wrong answer to a security question.
const WRONG_ANSWERS: &str = "WRONG_ANSWERS";

pub fn routes() -> Vec<Route> {
    use AccessRule::{ManagerOrStaff, Public};
    vec![
        Public
            .at(Verb::Post, "/api/auth/forgot-password")
            .body(account_name, forgot_password)
            .summary("The security questions of an account")
            .ok::<RecoveryQuestions>()
            .audited_if_limited(AuditEventType::PasswordRecovery),
        Public
            .at(Verb::Post, "/api/auth/reset-password")
            .body(reset_password_body, reset_password)
            .summary("Sets a new password with both security answers; does not sign in")
            .empty()
            .audited_if_limited(AuditEventType::PasswordRecovery),
        ManagerOrStaff
            .at(Verb::Patch, "/api/user/change-password")
            .body(change_password_body, change_password)
            .summary("Changes one's own password; other sessions end")
            .empty()
            .audited_if_limited(AuditEventType::PasswordChanged),
    ]
}

objects! {
    struct RecoveryQuestions(found: StartRecoveryResponse) {
        question1: String,
        question2: String,
    }
}

async fn forgot_password(call: Call, email_or_business_name: String) -> RestResult {
    let request = StartRecoveryRequest {
        email_or_business_name,
        origin: Some(client_origin(&call)),
    };
    let (limits, address) = (&call.services.limits, call.requester.context.address);
    limits.count_recovery_start(address).await?;
    let found = call.edge_accounts().start_recovery(request).await?;
    let found = found.into_inner();
    // A caller with many misses is guessing names and gets no further details.
    if found.decoy && limits.may_reveal_miss(address).await {
        return Err(ServiceError::new(Kind::NotFound, refusals::ACCOUNT_NOT_FOUND).into());
    }
    RestResponse::ok(&RecoveryQuestions::from_proto(found))
}

fn reset_password_body(fields: &mut Fields) -> RecoverPasswordRequest {
    RecoverPasswordRequest {
        email_or_business_name: account_name(fields),
        answer1: fields.required_text("securityAnswer1"),
        answer2: fields.required_text("securityAnswer2"),
        new_password: fields.required_text_in("newPassword", 6..=128),
        origin: None,
    }
}

async fn reset_password(call: Call, mut request: RecoverPasswordRequest) -> RestResult {
    request.origin = Some(client_origin(&call));
    let (limits, address) = (&call.services.limits, call.requester.context.address);
    let attempt = limits
        .recovery(&request.email_or_business_name, address)
        .await?;
    let response = call.edge_accounts().recover_password(request).await;
    let response = response.map_err(|status| ServiceError::from_status(&status));
    if !matches!(&response, Err(failure) if failure.reason == WRONG_ANSWERS) {
        attempt.take_back().await;
        // Only accounts knows whose password it is.
        let sessions = &call.services.sessions;
        sessions.invalidate(AffectedSessions::All).await;
    }
    response?;
    Ok(RestResponse::empty())
}

fn change_password_body(fields: &mut Fields) -> ChangePasswordRequest {
    ChangePasswordRequest {
        current_password: fields.required_text("currentPassword"),
        new_password: fields.required_text_in("newPassword", 6..=128),
        ..ChangePasswordRequest::default()
    }
}

async fn change_password(call: Call, mut request: ChangePasswordRequest) -> RestResult {
    request.token = previous_token(&call);
    request.origin = Some(client_origin(&call));
    let person = call.requester.person_id();
    let person = person.ok_or_else(ServiceError::unauthenticated)?;
    call.count(CompanyLimit::PasswordWork).await?;
    let attempt = begin_attempt(&call, Login::Session, &person.to_string()).await?;
    let response = call.edge_accounts().change_password(request).await;
    let session = finish_attempt(attempt, response).await?.session;
    let cookie = session_cookie(&call, &session.unwrap_or_default())?;
    Ok(RestResponse::empty().with(header::SET_COOKIE, cookie))
}

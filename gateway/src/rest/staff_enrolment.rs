//! Enrolment of support staff with a code from the command line: authenticator and password.

use hourmeter_proto::accounts::v1::{
    self as proto, FinishStaffEnrolmentRequest, StartStaffEnrolmentRequest,
};
use hourmeter_runtime::error::{Kind, ServiceError};
use tonic::Status;

use super::accounts::User;
use super::call::Call;
use super::fields::Fields;
use super::from_proto::{FromProto as _, objects};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::sign_in::{begin_attempt, client_origin, previous_token, signed_in};
use crate::api_error::ApiError;
use crate::limits::{Login, SignInAttempt};

/// Reason of a code that is unknown, used or expired.
const WRONG_CODE: &str = "WRONG_ENROLMENT_CODE";

pub fn routes() -> Vec<Route> {
    vec![
        AccessRule::Public
            .at(Verb::Post, "/api/auth/staff-enrolment")
            .body(|fields| fields.required_text("code"), start)
            .summary("The authenticator secret of a new member of support staff")
            .ok::<Enrolment>(),
        AccessRule::Public
            .at(Verb::Post, "/api/auth/staff-enrolment/finish")
            .body(finish_body, finish)
            .summary(
                "Stores the password that the member of staff chose and signs in; the enrolment \
                 code is used up",
            )
            .ok::<User>(),
    ]
}

objects! {
    struct Enrolment(begun: proto::StartStaffEnrolmentResponse) {
        email: String,
        name: String,
        secret: String,
        url: String,
    }
}

async fn start(call: Call, code: String) -> RestResult {
    let attempt = begin_attempt(&call, Login::Enrolment, "").await?;
    let request = StartStaffEnrolmentRequest { code };
    let response = call.edge_accounts().start_staff_enrolment(request).await;
    let begun = finish_enrolment_attempt(attempt, response).await?;
    RestResponse::ok(&Enrolment::from_proto(begun.into_inner()))
}

fn finish_body(fields: &mut Fields) -> FinishStaffEnrolmentRequest {
    FinishStaffEnrolmentRequest {
        code: fields.required_text("code"),
        totp: fields.required_text("totp"),
        new_password: fields.required_text_in("newPassword", 6..=128),
        ..FinishStaffEnrolmentRequest::default()
    }
}

async fn finish(call: Call, mut request: FinishStaffEnrolmentRequest) -> RestResult {
    request.origin = Some(client_origin(&call));
    request.previous_token = previous_token(&call);
    let attempt = begin_attempt(&call, Login::Enrolment, "").await?;
    let response = call.edge_accounts().finish_staff_enrolment(request).await;
    let finished = finish_enrolment_attempt(attempt, response).await?;
    signed_in::<User>(&call, finished.into_inner().session).await
}

/// Finishes an attempt: only a wrong enrolment code counts as failed.
async fn finish_enrolment_attempt<T>(
    attempt: SignInAttempt<'_>,
    response: Result<T, Status>,
) -> Result<T, ApiError> {
    let failure = response.as_ref().err().map(ServiceError::from_status);
    let failed = failure
        .is_some_and(|failure| failure.reason == WRONG_CODE || failure.kind == Kind::TooMany);
    if !failed {
        attempt.not_tried().await;
    }
    Ok(response?)
}

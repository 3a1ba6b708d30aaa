//! Enrolment of support staff with a code from the command line: authenticator and password.

use hourmeter_proto::accounts::v1::{FinishStaffEnrolmentRequest, StartStaffEnrolmentRequest};
use hourmeter_runtime::error::{Kind, ServiceError};
use http::header;
use schemars::JsonSchema;
use serde::Serialize;
use tonic::Status;

use super::accounts::User;
use super::answer::Answer;
use super::call::Call;
use super::fields::Fields;
use super::route::{Admission, Route, Verb};
use super::sign_in::{begin, granted, origin, previous_token};
use crate::limits::{Login, SignInTry};
use crate::rescue::Refusal;

/// Reason of a code that is unknown, used or expired.
const WRONG_CODE: &str = "WRONG_ENROLMENT_CODE";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            (Verb::Post, "/api/auth/staff-enrolment"),
            Admission::Public,
            "The authenticator secret of a new member of support staff",
            start,
        )
        .body(|fields| fields.required_text("code"))
        .ok::<Enrolment>(),
        Route::new(
            (Verb::Post, "/api/auth/staff-enrolment/finish"),
            Admission::Public,
            "Stores the password that the member of staff chose and signs in; the enrolment code is \
             used up",
            finish,
        )
        .body(finish_body)
        .ok::<User>(),
    ]
}

#[derive(Serialize, JsonSchema)]
struct Enrolment {
    email: String,
    name: String,
    secret: String,
    url: String,
}

async fn start(call: Call) -> Result<Answer, Refusal> {
    let code = call.body(|fields| fields.required_text("code"))?;
    let attempt = begin(&call, Login::Enrolment, "").await?;
    let request = StartStaffEnrolmentRequest { code };
    let answer = call.edge_accounts().start_staff_enrolment(request).await;
    let begun = guessed(attempt, answer).await?.into_inner();
    Answer::ok(&Enrolment {
        email: begun.email,
        name: begun.name,
        secret: begun.secret,
        url: begun.url,
    })
}

fn finish_body(fields: &mut Fields) -> FinishStaffEnrolmentRequest {
    FinishStaffEnrolmentRequest {
        code: fields.required_text("code"),
        totp: fields.required_text("totp"),
        new_password: fields.required_text("newPassword"),
        origin: None,
        previous_token: String::new(),
    }
}

async fn finish(call: Call) -> Result<Answer, Refusal> {
    let mut request = call.body(finish_body)?;
    request.origin = Some(origin(&call));
    request.previous_token = previous_token(&call);
    let attempt = begin(&call, Login::Enrolment, "").await?;
    let answer = call.edge_accounts().finish_staff_enrolment(request).await;
    let session = guessed(attempt, answer).await?.into_inner().session;
    let (user, cookie) = granted(&call, session).await?;
    let answer = Answer::ok(&User::from(user))?;
    Ok(answer.with(header::SET_COOKIE, cookie))
}

/// Finishes an attempt: only a wrong enrolment code counts as failed.
async fn guessed<T>(attempt: SignInTry<'_>, answer: Result<T, Status>) -> Result<T, Refusal> {
    let failure = answer.as_ref().err().map(ServiceError::from_status);
    let failed = failure
        .is_some_and(|failure| failure.reason == WRONG_CODE || failure.kind == Kind::TooMany);
    if !failed {
        attempt.not_tried().await;
    }
    Ok(answer?)
}

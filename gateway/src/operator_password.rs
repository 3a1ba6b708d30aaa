//! Setting the operator password compares it with the password of every manager, so it counts as a
//! guess, in REST and grpc-web.

use hourmeter_proto::accounts::v1::UpdateCompanySettingsRequest;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::ServiceError;

use crate::api_error::ApiError;
use crate::limits::{CompanyLimit, Limits, Login, SignInAttempt};
use crate::requester::Requester;

/// Placeholder of a stored operator password, which is returned only on request.
pub const MASK: &str = "********";
/// The reason of accounts when it is the password of an owner or manager.
const PERSONAL_PASSWORD: &str = "PERSONAL_PASSWORD";

/// Whether a change of settings sets the operator password.
pub fn is_set_by(request: &UpdateCompanySettingsRequest) -> bool {
    let password = request.operator_password.as_deref();
    password.is_some_and(|password| password != MASK)
}

/// Counts an attempt as a failed sign-in of the person until its result is known. Not counted where
/// accounts rejects the call before it checks the password.
pub async fn begin<'a>(
    limits: &'a Limits,
    clock: &Clock,
    requester: &Requester,
) -> Result<Option<SignInAttempt<'a>>, ApiError> {
    let Some(identity) = requester.identity() else {
        return Ok(None);
    };
    if !identity.signed_in_recently(clock) {
        return Ok(None);
    }
    let person = identity.user_id.to_string();
    let attempt = limits
        .sign_in(Login::Session, &person, requester.context.address)
        .await?;
    for limit in [CompanyLimit::PasswordWork, CompanyLimit::OperatorPasswords] {
        if let Err(error) = limits.company(limit, identity.company_id).await {
            attempt.not_tried().await;
            return Err(error);
        }
    }
    Ok(Some(attempt))
}

/// Ends an attempt. Only someone's personal password stays counted: setting another one proves
/// nothing about the person.
pub async fn end(attempt: SignInAttempt<'_>, failure: Option<&ServiceError>) {
    if failure.is_none_or(|failure| failure.reason != PERSONAL_PASSWORD) {
        attempt.not_tried().await;
    }
}

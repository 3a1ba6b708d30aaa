//! Managers' actions on other accounts.

use hourmeter_proto::accounts::v1::{ResetSecondFactorRequest, ResetUserPasswordRequest};
use hourmeter_runtime::identity::Service::Accounts;
use hourmeter_runtime::refusals as shared;

use super::call::Call;
use super::fields::Fields;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};

pub fn routes() -> Vec<Route> {
    vec![
        AccessRule::Rpc(Accounts, "ResetUserPassword")
            .at(Verb::Post, "/api/admin/reset-user-password")
            .body(password_body, reset_password)
            .summary("Sets the password of another person; null clears an operator's personal one")
            .empty(),
        AccessRule::Rpc(Accounts, "ResetSecondFactor")
            .at(Verb::Post, "/api/admin/reset-second-factor")
            .body(
                |fields| fields.required_text("targetUserId"),
                reset_second_factor,
            )
            .summary("Takes a manager's second factor away and ends the manager's sessions")
            .empty(),
    ]
}

fn password_body(fields: &mut Fields) -> ResetUserPasswordRequest {
    if fields.missing("newPassword") {
        // Omitting the field must not clear the password.
        fields.wrong("newPassword", shared::NEW_PASSWORD_MISSING);
    }
    ResetUserPasswordRequest {
        user_id: fields.required_text("targetUserId"),
        new_password: fields.text_in("newPassword", 6..=128),
    }
}

async fn reset_password(call: Call, request: ResetUserPasswordRequest) -> RestResult {
    call.accounts().reset_user_password(request).await?;
    Ok(RestResponse::empty())
}

async fn reset_second_factor(call: Call, user_id: String) -> RestResult {
    let request = ResetSecondFactorRequest { user_id };
    call.accounts().reset_second_factor(request).await?;
    Ok(RestResponse::empty())
}

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
            .route(Verb::Post, "/api/admin/reset-user-password", reset_password)
            .summary("Sets the password of another person; null clears an operator's personal one")
            .body(password_body)
            .empty(),
        AccessRule::Rpc(Accounts, "ResetSecondFactor")
            .route(
                Verb::Post,
                "/api/admin/reset-second-factor",
                reset_second_factor,
            )
            .summary("Takes a manager's second factor away and ends the manager's sessions")
            .body(|fields| fields.required_text("targetUserId"))
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

async fn reset_password(call: Call) -> RestResult {
    let request = call.body(password_body)?;
    call.accounts().reset_user_password(request).await?;
    Ok(RestResponse::empty())
}

async fn reset_second_factor(call: Call) -> RestResult {
    let user_id = call.body(|fields| fields.required_text("targetUserId"))?;
    let request = ResetSecondFactorRequest { user_id };
    call.accounts().reset_second_factor(request).await?;
    Ok(RestResponse::empty())
}

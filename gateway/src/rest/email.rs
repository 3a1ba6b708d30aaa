//! Verifying the address of a mailed link.

use hourmeter_proto::accounts::v1::VerifyEmailRequest;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::fields::Fields;
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::sign_in::client_origin;
use crate::api_error::ApiError;

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            (Verb::Post, "/api/auth/verify-email"),
            AccessRule::Public,
            "Verifies the address to which a link was mailed",
            verify_email,
        )
        .body(|fields| fields.required_text("secret"))
        .ok::<VerifiedEmail>(),
    ]
}

#[derive(Serialize, JsonSchema)]
struct VerifiedEmail {
    email: String,
}

async fn verify_email(call: Call) -> Result<RestResponse, ApiError> {
    let request = VerifyEmailRequest {
        secret: call.body(|fields: &mut Fields| fields.required_text("secret"))?,
        origin: Some(client_origin(&call)),
    };
    let verified = call.edge_accounts().verify_email(request).await?;
    RestResponse::ok(&VerifiedEmail {
        email: verified.into_inner().email,
    })
}

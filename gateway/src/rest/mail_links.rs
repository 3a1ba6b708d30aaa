//! Links that are mailed: verifying an address, and setting a new password.

use hourmeter_proto::accounts::v1::{
    FindMailRecipientRequest, RecoverByLinkRequest, VerifyEmailRequest,
};
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_proto::notifications::v1::SendRecoveryLinkRequest;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::fields::Fields;
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::sign_in::client_origin;
use crate::api_error::ApiError;
use crate::session_cache::AffectedSessions;

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
        Route::new(
            (Verb::Post, "/api/auth/recovery-link"),
            AccessRule::Public,
            "Mails a link that sets a new password to a verified address; the same answer for every name",
            send_recovery_link,
        )
        .body(|fields| fields.required_text("emailOrBusinessName"))
        .empty()
        .audited_if_limited(AuditEventType::PasswordRecovery),
        Route::new(
            (Verb::Post, "/api/auth/new-password"),
            AccessRule::Public,
            "Sets a new password with a mailed link; does not sign in",
            set_new_password,
        )
        .body(new_password_body)
        .empty()
        .audited_if_limited(AuditEventType::PasswordRecovery),
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

async fn send_recovery_link(call: Call) -> Result<RestResponse, ApiError> {
    let request = FindMailRecipientRequest {
        email_or_business_name: call.body(|fields| fields.required_text("emailOrBusinessName"))?,
    };
    let (limits, address) = (&call.services.limits, call.requester.context.address);
    limits.count_recovery_start(address).await?;
    let found = call.edge_accounts().find_mail_recipient(request).await?;
    let found = found.into_inner();
    if !found.person_id.is_empty() {
        let mut notifications = call.edge_notifications();
        let request = SendRecoveryLinkRequest {
            company_id: found.company_id,
            person_id: found.person_id,
        };
        // Not awaited: the time of the response must not show whether an account exists.
        tokio::spawn(async move {
            if let Err(status) = notifications.send_recovery_link(request).await {
                tracing::warn!(%status, "failed to queue a recovery link");
            }
        });
    }
    Ok(RestResponse::empty())
}

fn new_password_body(fields: &mut Fields) -> RecoverByLinkRequest {
    RecoverByLinkRequest {
        secret: fields.required_text("secret"),
        new_password: fields.required_text_in("newPassword", 6..=128),
        origin: None,
    }
}

async fn set_new_password(call: Call) -> Result<RestResponse, ApiError> {
    let mut request = call.body(new_password_body)?;
    request.origin = Some(client_origin(&call));
    let (limits, address) = (&call.services.limits, call.requester.context.address);
    limits.count_recovery_start(address).await?;
    call.edge_accounts().recover_by_link(request).await?;
    // Only accounts knows whose password it is.
    let sessions = &call.services.sessions;
    sessions.invalidate(AffectedSessions::All).await;
    Ok(RestResponse::empty())
}

//! Links that are mailed: verifying an address, and setting a new password.

use hourmeter_proto::accounts::v1::{
    FindMailRecipientRequest, RecoverByLinkRequest, VerifyEmailRequest, VerifyEmailResponse,
};
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_proto::notifications::v1::SendRecoveryLinkRequest;

use super::call::Call;
use super::fields::Fields;
use super::from_proto::{FromProto as _, objects};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::sign_in::{account_name, client_origin};
use crate::outgoing;
use crate::session_cache::AffectedSessions;

pub fn routes() -> Vec<Route> {
    vec![
        AccessRule::Public
            .at(Verb::Post, "/api/auth/verify-email")
            .body(|fields| fields.required_text("secret"), verify_email)
            .summary("Verifies the address to which a link was mailed")
            .ok::<VerifiedEmail>(),
        AccessRule::Public
            .at(Verb::Post, "/api/auth/recovery-link")
            .body(account_name, send_recovery_link)
            .summary(
                "Mails a link that sets a new password to a verified address; the same answer \
                 for every name",
            )
            .empty()
            .audited_if_limited(AuditEventType::PasswordRecovery),
        AccessRule::Public
            .at(Verb::Post, "/api/auth/new-password")
            .body(new_password_body, set_new_password)
            .summary("Sets a new password with a mailed link; does not sign in")
            .empty()
            .audited_if_limited(AuditEventType::PasswordRecovery),
    ]
}

objects! {
    struct VerifiedEmail(verified: VerifyEmailResponse) {
        email: String,
    }
}

async fn verify_email(call: Call, secret: String) -> RestResult {
    let request = VerifyEmailRequest {
        secret,
        origin: Some(client_origin(&call)),
    };
    let verified = call.edge_accounts().verify_email(request).await?;
    RestResponse::ok(&VerifiedEmail::from_proto(verified.into_inner()))
}

async fn send_recovery_link(call: Call, email_or_business_name: String) -> RestResult {
    let request = FindMailRecipientRequest {
        email_or_business_name,
    };
    let (limits, address) = (&call.services.limits, call.requester.context.address);
    limits.count_recovery_start(address).await?;
    let found = call.edge_accounts().find_mail_recipient(request).await?;
    let found = found.into_inner();
    if !found.person_id.is_empty() {
        let mut notifications = outgoing::notifications(call.as_gateway());
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

async fn set_new_password(call: Call, mut request: RecoverByLinkRequest) -> RestResult {
    request.origin = Some(client_origin(&call));
    let (limits, address) = (&call.services.limits, call.requester.context.address);
    limits.count_recovery_start(address).await?;
    call.edge_accounts().recover_by_link(request).await?;
    // Only accounts knows whose password it is.
    let sessions = &call.services.sessions;
    sessions.invalidate(AffectedSessions::All).await;
    Ok(RestResponse::empty())
}

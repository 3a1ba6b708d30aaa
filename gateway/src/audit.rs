//! Events that only the gateway sees, for the audit log of accounts: denied requests and exports.
//!
//! Denied requests are queued and written by one task, so they neither delay nor fail a request.
//! Events beyond the size of the queue or the rate of a company, person or address are only
//! counted. An export is written before its response is sent.

mod queue;

use std::sync::Arc;

use hourmeter_proto::accounts::v1::{RecordAuditEventsRequest, Scope, SeenEvent};
use hourmeter_runtime::audit::AuditOutcome;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::text::LoginName;
use secrecy::SecretString;
use uuid::Uuid;

pub use self::queue::AuditSink;
use self::queue::QueuedEvent;
use crate::api_error::{ApiError, DeniedKind};
use crate::gateway::Gateway;
use crate::layers::audit::CalledRoute;
use crate::outgoing::{self, Outgoing};
use crate::requester::{Principal, RequestContext, Requester};
use crate::server::BackgroundTasks;

/// Queues a cross-site request. Whose session it would have used is resolved later from `token`.
pub fn record_cross_site(
    gateway: &Arc<Gateway>,
    context: RequestContext,
    token: Option<SecretString>,
    route: &CalledRoute,
) {
    let event = event(
        context,
        "request_refused",
        AuditOutcome::Failed,
        route.name(gateway),
    );
    let address = context.address;
    let queued = QueuedEvent {
        event,
        address,
        token,
    };
    AuditSink::enqueue(gateway, queued, route.background.as_ref());
}

/// Queues a denied request if it belongs in the audit log.
pub fn record_denied(
    gateway: &Arc<Gateway>,
    requester: &Requester,
    route: &CalledRoute,
    kind: DeniedKind,
) {
    let name = route.name(gateway);
    let Some(entry) = denied_entry(requester.person_id().is_some(), &name, kind) else {
        return;
    };
    let mut event = event(requester.context, entry.event_type, entry.outcome, name);
    if entry.has_session {
        attribute(&mut event, requester);
    }
    let queued = QueuedEvent {
        event,
        address: requester.context.address,
        token: None,
    };
    AuditSink::enqueue(gateway, queued, route.background.as_ref());
}

/// Queues a rate-limited sign-in. Accounts finds the company of `name`.
pub fn record_rate_limited_sign_in(
    gateway: &Arc<Gateway>,
    context: RequestContext,
    name: &str,
    at_operator_login: bool,
    background: Option<&BackgroundTasks>,
) {
    let event = SeenEvent {
        sign_in_name: LoginName::read(name).exact().to_owned(),
        at_operator_login,
        ..event(context, "sign_in", AuditOutcome::Limited, String::new())
    };
    let queued = QueuedEvent {
        event,
        address: context.address,
        token: None,
    };
    AuditSink::enqueue(gateway, queued, background);
}

/// How a denied request appears in the audit log.
struct DeniedEntry {
    event_type: &'static str,
    outcome: AuditOutcome,
    /// False for sign-in and recovery: the current session is not the one that is asked for.
    has_session: bool,
}

fn denied_entry(signed_in: bool, route: &str, kind: DeniedKind) -> Option<DeniedEntry> {
    let failed = |event_type| {
        signed_in.then_some(DeniedEntry {
            event_type,
            outcome: AuditOutcome::Failed,
            has_session: true,
        })
    };
    match kind {
        DeniedKind::Permission => failed("permission_denied"),
        DeniedKind::CrossSite => failed("request_refused"),
        DeniedKind::NotFound if is_written_by_accounts(route) => None,
        DeniedKind::NotFound => failed("unknown_object"),
        DeniedKind::RateLimited => {
            // Sign-ins are queued with their name, by `record_rate_limited_sign_in`.
            let (event_type, has_session) = match route {
                "POST /api/auth/forgot-password" | "POST /api/auth/reset-password" => {
                    ("password_recovery", false)
                }
                "POST /api/auth/reauth" => ("reauthentication", true),
                "PATCH /api/user/change-password" => ("password_changed", true),
                _ => return None,
            };
            Some(DeniedEntry {
                event_type,
                outcome: AuditOutcome::Limited,
                has_session,
            })
        }
    }
}

/// Whether accounts writes unknown ids of this route itself.
fn is_written_by_accounts(route: &str) -> bool {
    match route.split_once(' ') {
        Some((_, path)) => {
            path.starts_with("/api/employees")
                || path.starts_with("/api/auth/")
                || path == "/api/admin/reset-user-password"
                || path == "/api/admin/reset-second-factor"
                || path.ends_with("/reveal-master-password")
        }
        None => route.starts_with("AccountsService/"),
    }
}

/// Writes an export. The response may be sent only if this succeeds.
pub async fn record_export(
    gateway: &Arc<Gateway>,
    requester: &Requester,
    route: String,
) -> Result<(), ApiError> {
    let mut export = event(requester.context, "export", AuditOutcome::Success, route);
    attribute(&mut export, requester);
    record(gateway, requester.context.request_id, vec![export]).await?;
    Ok(())
}

async fn record(
    gateway: &Arc<Gateway>,
    request_id: Uuid,
    events: Vec<SeenEvent>,
) -> Result<(), ServiceError> {
    let mut accounts = outgoing::accounts(Outgoing::as_gateway(gateway, request_id));
    let request = RecordAuditEventsRequest { events };
    let response = accounts.record_audit_events(request).await;
    response.map_err(|status| ServiceError::from_status(&status))?;
    Ok(())
}

/// Name of an RPC in the audit log: `EquipmentService/ListHistory`.
pub fn rpc_name(path: &str) -> String {
    let Some((service, method)) = path.rsplit_once('/') else {
        return path.to_owned();
    };
    let service = service.rsplit('.').next().unwrap_or(service);
    format!("{service}/{method}")
}

fn event(
    context: RequestContext,
    event_type: &str,
    outcome: AuditOutcome,
    route: String,
) -> SeenEvent {
    SeenEvent {
        event: event_type.to_owned(),
        outcome: outcome.name().to_owned(),
        address_prefix: context.address.prefix(),
        request_id: context.request_id.to_string(),
        detail: route,
        ..SeenEvent::default()
    }
}

fn attribute(event: &mut SeenEvent, requester: &Requester) {
    let (actor, name, scope) = match &requester.principal {
        Principal::Person { identity, .. } => {
            event.company_id = identity.company_id.to_string();
            (identity.user_id, &identity.display_name, identity.scope)
        }
        Principal::Staff(staff) => (staff.staff_id, &staff.display_name, Scope::Staff),
        Principal::Anonymous | Principal::Unverified => return,
    };
    event.actor_id = actor.to_string();
    event.actor_name.clone_from(name);
    event.scope = scope.into();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rpc_name_has_no_package() {
        let path = "/hourmeter.equipment.v1.EquipmentService/ListHistory";
        assert_eq!(rpc_name(path), "EquipmentService/ListHistory");
        let template = "/hourmeter.equipment.v1.EquipmentService/{method}";
        assert_eq!(rpc_name(template), "EquipmentService/{method}");
    }

    #[test]
    fn is_written_by_accounts_covers_its_routes() {
        for (route, own) in [
            ("DELETE /api/employees/{id}", true),
            ("POST /api/admin/reset-user-password", true),
            ("POST /api/admin/reset-second-factor", true),
            ("POST /api/auth/forgot-password", true),
            ("AccountsService/DeleteEmployee", true),
            ("GET /api/equipment/{id}", false),
            ("POST /api/admin/accounts/{id}/equipment-limit", false),
            ("POST /api/admin/accounts/{id}/reveal-master-password", true),
            ("EquipmentService/GetEquipment", false),
            ("", false),
        ] {
            assert_eq!(is_written_by_accounts(route), own, "{route}");
        }
    }
}

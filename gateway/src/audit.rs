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

pub use self::queue::Audit;
use self::queue::Waiting;
use crate::gateway::Gateway;
use crate::layers::audit::Place;
use crate::outgoing::{self, Outgoing};
use crate::rescue::{Refusal, Refused};
use crate::server::Background;
use crate::visitor::{Visit, Visitor, Who};

/// Queues a cross-site request. Whose session it would have used is resolved later from `token`.
pub fn note_foreign(
    gateway: &Arc<Gateway>,
    visit: Visit,
    token: Option<SecretString>,
    place: &Place,
) {
    let event = event(
        visit,
        "request_refused",
        AuditOutcome::Failed,
        place.name(gateway),
    );
    let address = visit.address;
    let waiting = Waiting {
        event,
        address,
        token,
    };
    Audit::note(gateway, waiting, place.background.as_ref());
}

/// Queues a denied request if it belongs in the audit log.
pub fn note_refused(gateway: &Arc<Gateway>, visitor: &Visitor, place: &Place, refused: Refused) {
    let name = place.name(gateway);
    let Some(line) = worth(visitor.person_id().is_some(), &name, refused) else {
        return;
    };
    let mut event = event(visitor.visit, line.word, line.outcome, name);
    if line.is_of_session {
        attribute(&mut event, visitor);
    }
    let waiting = Waiting {
        event,
        address: visitor.visit.address,
        token: None,
    };
    Audit::note(gateway, waiting, place.background.as_ref());
}

/// Queues a rate-limited sign-in. Accounts finds the company of `name`.
pub fn note_limited_sign_in(
    gateway: &Arc<Gateway>,
    visit: Visit,
    name: &str,
    at_operator_login: bool,
    background: Option<&Background>,
) {
    let event = SeenEvent {
        sign_in_name: LoginName::read(name).exact().to_owned(),
        at_operator_login,
        ..event(visit, "sign_in", AuditOutcome::Limited, String::new())
    };
    let waiting = Waiting {
        event,
        address: visit.address,
        token: None,
    };
    Audit::note(gateway, waiting, background);
}

/// How a denied request appears in the audit log.
struct Worth {
    word: &'static str,
    outcome: AuditOutcome,
    /// False for sign-in and recovery: the current session is not the one that is asked for.
    is_of_session: bool,
}

fn worth(signed_in: bool, place: &str, refused: Refused) -> Option<Worth> {
    let failed = |word| {
        signed_in.then_some(Worth {
            word,
            outcome: AuditOutcome::Failed,
            is_of_session: true,
        })
    };
    match refused {
        Refused::Permission => failed("permission_denied"),
        Refused::Foreign => failed("request_refused"),
        Refused::Unknown if is_written_by_accounts(place) => None,
        Refused::Unknown => failed("unknown_object"),
        Refused::Limited => {
            // Sign-ins are queued with their name, by `record_rate_limited_sign_in`.
            let (word, is_of_session) = match place {
                "POST /api/auth/forgot-password" | "POST /api/auth/reset-password" => {
                    ("password_recovery", false)
                }
                "POST /api/auth/reauth" => ("reauthentication", true),
                "PATCH /api/user/change-password" => ("password_changed", true),
                _ => return None,
            };
            Some(Worth {
                word,
                outcome: AuditOutcome::Limited,
                is_of_session,
            })
        }
    }
}

/// Whether accounts writes unknown ids of this route itself.
fn is_written_by_accounts(place: &str) -> bool {
    match place.split_once(' ') {
        Some((_, path)) => {
            path.starts_with("/api/employees")
                || path.starts_with("/api/auth/")
                || path == "/api/admin/reset-user-password"
                || path == "/api/admin/reset-second-factor"
                || path.ends_with("/reveal-master-password")
        }
        None => place.starts_with("AccountsService/"),
    }
}

/// Writes an export. The response may be sent only if this succeeds.
pub async fn record_export(
    gateway: &Arc<Gateway>,
    visitor: &Visitor,
    place: String,
) -> Result<(), Refusal> {
    let mut export = event(visitor.visit, "export", AuditOutcome::Success, place);
    attribute(&mut export, visitor);
    record(gateway, visitor.visit.request_id, vec![export]).await?;
    Ok(())
}

async fn record(
    gateway: &Arc<Gateway>,
    request_id: Uuid,
    events: Vec<SeenEvent>,
) -> Result<(), ServiceError> {
    let mut accounts = outgoing::accounts(Outgoing::edge(gateway, request_id));
    let request = RecordAuditEventsRequest { events };
    let answer = accounts.record_audit_events(request).await;
    answer.map_err(|status| ServiceError::from_status(&status))?;
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

fn event(visit: Visit, word: &str, outcome: AuditOutcome, place: String) -> SeenEvent {
    SeenEvent {
        event: word.to_owned(),
        outcome: outcome.name().to_owned(),
        address_prefix: visit.address.prefix(),
        request_id: visit.request_id.to_string(),
        detail: place,
        ..SeenEvent::default()
    }
}

fn attribute(event: &mut SeenEvent, visitor: &Visitor) {
    let (actor, name, scope) = match &visitor.who {
        Who::Person { identity, .. } => {
            event.company_id = identity.company_id.to_string();
            (identity.user_id, &identity.display_name, identity.scope)
        }
        Who::Staff(staff) => (staff.staff_id, &staff.display_name, Scope::Staff),
        Who::Nobody | Who::Unknown => return,
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
        for (place, own) in [
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
            assert_eq!(is_written_by_accounts(place), own, "{place}");
        }
    }
}

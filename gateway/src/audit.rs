//! What only the gateway sees, for the audit log that accounts keeps: requests that were refused,
//! and exports.
//!
//! Refusals never hold up or fail a request. They wait in a short queue until one task has written
//! them down; what is too much for the queue, or of one company, person or address, is only counted.
//! An export is written down before its answer is given.

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

/// Notes a request that was not made by a page of ours. Whose session it would have used is found
/// out later.
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

/// Notes what was refused, if it is for the audit log.
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

/// Notes a sign-in that a limit refused. Accounts finds out whose name it is.
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

/// What is worth writing down about a refusal.
struct Worth {
    word: &'static str,
    outcome: AuditOutcome,
    /// False for a try to become somebody, which tells nothing of who one is so far.
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
        Refused::Unknown if is_accounts_own(place) => None,
        Refused::Unknown => failed("unknown_object"),
        Refused::Limited => {
            // Sign-ins are noted with their name, where it is known.
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

/// Accounts writes itself which of its ids are not there; a name that is nobody's is no id.
fn is_accounts_own(place: &str) -> bool {
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

/// Writes an export down; its answer may be given only then.
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

/// An RPC as the audit log names it: `EquipmentService/ListHistory`.
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
    fn places_name_no_ids() {
        let path = "/hourmeter.equipment.v1.EquipmentService/ListHistory";
        assert_eq!(rpc_name(path), "EquipmentService/ListHistory");
        let template = "/hourmeter.equipment.v1.EquipmentService/{method}";
        assert_eq!(rpc_name(template), "EquipmentService/{method}");
    }

    #[test]
    fn accounts_writes_its_own() {
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
            assert_eq!(is_accounts_own(place), own, "{place}");
        }
    }
}

//! Whether the process is up, and whether it may take traffic.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use hourmeter_proto::accounts::v1::{ListSecurityQuestionsRequest, ResolveSessionRequest};
use hourmeter_runtime::error::Failure;
use tonic::{Code, Status};

use crate::gateway::Gateway;
use crate::layers::visit_of;
use crate::outgoing::{self, Outgoing};
use crate::rescue::Refusal;
use crate::session::TOKEN_LENGTH;
use crate::visitor::Visit;

/// `/healthz` and `/readyz`.
pub fn router(gateway: &Arc<Gateway>) -> Router {
    Router::new()
        .route("/healthz", get(async || "ok"))
        .route("/readyz", get(ready))
        .with_state(gateway.clone())
}

/// Without accounts nobody is signed in; without another service only its own routes are away. For
/// people; who spreads traffic asks the admin port, see [`crate::ready_once_reached`].
async fn ready(
    State(gateway): State<Arc<Gateway>>,
    request: axum::extract::Request,
) -> Result<&'static str, Response> {
    let visit = visit_of(&request);
    match ask_accounts(&gateway, visit).await {
        Ok(()) => Ok("ok"),
        Err(status) => {
            let refusal = Refusal::from(Failure::unavailable(status));
            Err(refusal.into_response(visit.door, visit.request_id))
        }
    }
}

async fn ask_accounts(gateway: &Arc<Gateway>, visit: Visit) -> Result<(), Status> {
    let mut accounts = outgoing::accounts(Outgoing::edge(gateway, visit.request_id));
    // Needs an identity that accounts trusts; without one the next would be refused alike.
    let request = ListSecurityQuestionsRequest {};
    accounts.list_security_questions(request).await?;
    // Needs the database to find that this is nobody's session.
    let token = "A".repeat(TOKEN_LENGTH);
    let request = ResolveSessionRequest {
        token,
        ..ResolveSessionRequest::default()
    };
    match accounts.resolve_session(request).await {
        Err(status) if status.code() != Code::Unauthenticated => Err(status),
        _ => Ok(()),
    }
}

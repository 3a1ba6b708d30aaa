//! Whether the process is up, and whether it may take traffic.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use hourmeter_proto::accounts::v1::ListSecurityQuestionsRequest;
use hourmeter_runtime::error::Failure;

use crate::gateway::Gateway;
use crate::layers::visit_of;
use crate::outgoing::{self, Outgoing};
use crate::rescue::Refusal;

/// `/healthz` and `/readyz`.
pub fn router(gateway: &Arc<Gateway>) -> Router {
    Router::new()
        .route("/healthz", get(async || "ok"))
        .route("/readyz", get(ready))
        .with_state(gateway.clone())
}

/// Without accounts nobody is signed in; without another service only its own routes are away.
async fn ready(
    State(gateway): State<Arc<Gateway>>,
    request: axum::extract::Request,
) -> Result<&'static str, Response> {
    let visit = visit_of(&request);
    let mut accounts = outgoing::accounts(Outgoing::edge(&gateway, visit));
    let request = ListSecurityQuestionsRequest {};
    match accounts.list_security_questions(request).await {
        Ok(_) => Ok("ok"),
        Err(status) => {
            let refusal = Refusal::from(Failure::unavailable(status));
            Err(refusal.into_response(visit.door, visit.request_id))
        }
    }
}

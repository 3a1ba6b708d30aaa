//! Counts a session's and a company's calls. Before the permission check, since a refused call
//! has cost a session lookup too.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use super::visit_of;
use crate::gateway::Gateway;
use crate::visitor::Visitor;

/// The layer.
pub async fn layer(State(gateway): State<Arc<Gateway>>, request: Request, next: Next) -> Response {
    let visitor = request.extensions().get::<Arc<Visitor>>();
    let identity = visitor.and_then(|visitor| visitor.identity());
    let ids = identity.map(|identity| (identity.session_id, identity.company_id));
    let Some((session, company)) = ids else {
        return next.run(request).await;
    };
    match gateway.limits.call(session, company) {
        Ok(_running) => next.run(request).await,
        Err(refusal) => {
            let visit = visit_of(&request);
            refusal.into_response(visit.door, visit.request_id)
        }
    }
}

//! Queues denied requests for the audit log.

use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use crate::api_error::DeniedKind;
use crate::audit::{AuditSink, CalledRoute};
use crate::requester::Requester;
use crate::rest::FailedRoute;

/// Runs the route and queues a denied response.
pub async fn run(
    audit: &Arc<AuditSink>,
    requester: &Requester,
    request: Request,
    next: Next,
) -> Response {
    let route = CalledRoute::of(&request);
    let response = next.run(request).await;
    if let Some(kind) = response.extensions().get::<DeniedKind>() {
        let rest = response.extensions().get::<FailedRoute>();
        let rest = rest.map(|failed| failed.route().audit());
        audit.record_denied(requester, (&route, rest), *kind);
    }
    response
}

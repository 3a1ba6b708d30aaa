//! Counts a session's and a company's calls. Before the permission check, since a refused call
//! has cost a session lookup too.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use super::visit_of;
use crate::gateway::Gateway;
use crate::visitor::{Visitor, Who};

/// The layer.
pub async fn layer(State(gateway): State<Arc<Gateway>>, request: Request, next: Next) -> Response {
    let visitor = request.extensions().get::<Arc<Visitor>>();
    let counted = match visitor.map(|visitor| &visitor.who) {
        Some(Who::Person { identity, .. }) => {
            let (session, company) = (identity.session_id, identity.company_id);
            gateway.limits.call(session, company).await.map(Some)
        }
        Some(Who::Staff(staff)) => {
            let counted = gateway.limits.staff_call(staff.session_id).await;
            counted.map(|()| None)
        }
        Some(Who::Nobody | Who::Unknown) | None => Ok(None),
    };
    match counted {
        Ok(_running) => next.run(request).await,
        Err(refusal) => {
            let visit = visit_of(&request);
            refusal.into_response(visit.door, visit.request_id)
        }
    }
}

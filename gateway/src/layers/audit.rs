//! Tells the audit log what was refused and why it matters there.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::{Method, Uri};

use crate::audit;
use crate::gateway::Gateway;
use crate::rescue::Refused;
use crate::server::Background;
use crate::visitor::{Door, Visitor};

/// What was called, and where work of it may be left.
pub struct Place {
    method: Method,
    uri: Uri,
    /// Absent for what is neither a route nor an RPC.
    route: Option<MatchedPath>,
    /// Absent where nobody waits for it, as in tests.
    pub background: Option<Background>,
}

impl Place {
    /// That of a request. Made for every one, so it only holds on to what is there.
    pub fn of(request: &Request) -> Self {
        Self {
            method: request.method().clone(),
            uri: request.uri().clone(),
            route: request.extensions().get().cloned(),
            background: request.extensions().get().cloned(),
        }
    }

    /// The route or RPC without the ids of the address, e.g. `GET /api/equipment/{id}` or
    /// `EquipmentService/ListHistory`; empty for what is neither.
    pub fn name(&self, gateway: &Gateway) -> String {
        let Some(route) = &self.route else {
            return String::new();
        };
        let path = self.uri.path();
        match Door::from_path(path) {
            Door::Rest => format!("{} {}", self.method, route.as_str()),
            // A path that is no RPC may say anything.
            Door::GrpcWeb if gateway.policy.contains_key(path) => audit::rpc_name(path),
            Door::GrpcWeb => audit::rpc_name(route.as_str()),
            Door::Page => String::new(),
        }
    }
}

/// Runs the route and notes what it refused.
pub async fn run(
    gateway: &Arc<Gateway>,
    visitor: &Visitor,
    request: Request,
    next: Next,
) -> Response {
    let place = Place::of(&request);
    let response = next.run(request).await;
    if let Some(refused) = response.extensions().get::<Refused>() {
        audit::note_refused(gateway, visitor, &place, *refused);
    }
    response
}

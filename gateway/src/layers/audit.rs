//! Queues denied requests for the audit log.

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

/// The route or RPC of a request.
pub struct Place {
    method: Method,
    uri: Uri,
    /// None for paths without a route.
    route: Option<MatchedPath>,
    /// None in tests.
    pub background: Option<Background>,
}

impl Place {
    /// Runs for every request, so it only clones handles.
    pub fn of(request: &Request) -> Self {
        Self {
            method: request.method().clone(),
            uri: request.uri().clone(),
            route: request.extensions().get().cloned(),
            background: request.extensions().get().cloned(),
        }
    }

    /// The route or RPC without ids, e.g. `GET /api/equipment/{id}` or
    /// `EquipmentService/ListHistory`; empty for other paths.
    pub fn name(&self, gateway: &Gateway) -> String {
        let Some(route) = &self.route else {
            return String::new();
        };
        let path = self.uri.path();
        match Door::from_path(path) {
            Door::Rest => format!("{} {}", self.method, route.as_str()),
            // An unknown path may contain anything.
            Door::GrpcWeb if gateway.policy.contains_key(path) => audit::rpc_name(path),
            Door::GrpcWeb => audit::rpc_name(route.as_str()),
            Door::Page => String::new(),
        }
    }
}

/// Runs the route and queues a denied response.
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

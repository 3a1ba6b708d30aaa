//! Queues denied requests for the audit log.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::{Method, Uri};

use crate::api_error::DeniedKind;
use crate::audit;
use crate::gateway::Gateway;
use crate::requester::{Protocol, Requester};
use crate::server::BackgroundTasks;

/// The route or RPC of a request.
pub struct CalledRoute {
    method: Method,
    uri: Uri,
    /// None for paths without a route.
    route: Option<MatchedPath>,
    /// None in tests.
    pub background: Option<BackgroundTasks>,
}

impl CalledRoute {
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
        match Protocol::from_path(path) {
            Protocol::Rest => format!("{} {}", self.method, route.as_str()),
            // An unknown path may contain anything.
            Protocol::GrpcWeb if gateway.policy.contains_key(path) => audit::rpc_name(path),
            Protocol::GrpcWeb => audit::rpc_name(route.as_str()),
            Protocol::Page => String::new(),
        }
    }
}

/// Runs the route and queues a denied response.
pub async fn run(
    gateway: &Arc<Gateway>,
    requester: &Requester,
    request: Request,
    next: Next,
) -> Response {
    let route = CalledRoute::of(&request);
    let response = next.run(request).await;
    if let Some(kind) = response.extensions().get::<DeniedKind>() {
        audit::record_denied(gateway, requester, &route, *kind);
    }
    response
}

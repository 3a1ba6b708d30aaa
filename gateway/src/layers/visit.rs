//! Names the request: its door, its id, where it came from. Logs how it was answered.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderName;
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::gateway::Gateway;
use crate::visitor::{Door, Visit};

/// Tells the request's id, also on answers that are not JSON.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The layer.
pub async fn layer(
    State(gateway): State<Arc<Gateway>>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map(|ConnectInfo(address)| address.ip());
    let trusted = &gateway.config.trusted_proxies;
    let visit = Visit {
        door: Door::of_path(request.uri().path()),
        request_id: Uuid::now_v7(),
        address: ClientAddress::find(peer, request.headers(), trusted),
    };
    request.extensions_mut().insert(visit);
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let began = Instant::now();
    let mut response = next.run(request).await;
    let status = response.status().as_u16();
    // Probes ask every few seconds and would drown the rest.
    if !matches!(path.as_str(), "/healthz" | "/readyz") {
        let duration_ms = began.elapsed().as_millis();
        tracing::info!(request.id = %visit.request_id, %method, path, status, duration_ms, "answered");
    }
    if let Ok(id) = visit.request_id.to_string().parse() {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

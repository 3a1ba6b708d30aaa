//! Names the request: its door, its id, its trace, where it came from. Logs answers that somebody
//! has to look at; how many there are of the others, the metrics tell.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderName;
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::gateway::Gateway;
use crate::layers::measure::{Route, method_name, status_of};
use crate::traced::Traced;
use crate::visitor::{Door, Visit};

/// Tells the request's id, also on answers that are not JSON.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// An answer that took longer is worth a line.
const SLOW: Duration = Duration::from_secs(1);

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
    let route = Route::of(&gateway, &request);
    let method = method_name(request.method());
    let place = (method, route.name());
    let mut traced = Traced::begin(request.headers_mut(), place, visit.request_id);
    let began = Instant::now();
    let mut response = traced.current.scope(next.run(request)).await;
    let (status, took) = (status_of(&response), began.elapsed());
    traced.end(status);
    if status.is_server_error() || took > SLOW {
        let (status, duration_ms) = (status.as_u16(), took.as_millis());
        traced.current.within(|| {
            tracing::info!(
                route = route.name(),
                method,
                status,
                duration_ms,
                "answered"
            );
        });
    }
    if let Ok(id) = visit.request_id.to_string().parse() {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

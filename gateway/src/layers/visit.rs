//! Names a request: its door, its id, where it came from. Logs slow and failed answers.

use std::net::{IpAddr, SocketAddr};
use std::sync::Once;
use std::time::Duration;

use axum::extract::{ConnectInfo, Request};
use http::{HeaderMap, HeaderName, StatusCode};
use tracing::Span;
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::gateway::Gateway;
use crate::visitor::{Door, Visit};

/// Carries the request's id, also on answers that are not JSON.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// An answer that took longer is logged.
const SLOW: Duration = Duration::from_secs(1);

/// Names a request and keeps the name in its extensions.
pub fn name(gateway: &Gateway, request: &mut Request) -> Visit {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map(|ConnectInfo(address)| address.ip());
    let trusted = &gateway.config.trusted_proxies;
    if ClientAddress::is_hidden(peer, request.headers(), trusted) {
        warn_of_proxy(peer);
    }
    let visit = Visit {
        door: Door::from_path(request.uri().path()),
        request_id: Uuid::now_v7(),
        address: ClientAddress::find(peer, request.headers(), trusted),
    };
    request.extensions_mut().insert(visit);
    visit
}

/// Warns once, as anybody may send the header.
fn warn_of_proxy(peer: Option<IpAddr>) {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| {
        tracing::warn!(
            ?peer,
            "X-Forwarded-For from an address that is not in TRUSTED_PROXIES: if it is a proxy, all \
             its clients share the limits of one address"
        );
    });
}

/// Sets the header with the request's id.
pub fn put_id(headers: &mut HeaderMap, visit: Visit) {
    if let Ok(id) = visit.request_id.to_string().parse() {
        headers.insert(REQUEST_ID, id);
    }
}

/// Logs an answer that failed or was slow; metrics count the others.
pub fn log(span: &Span, (method, route): (&'static str, &str), status: StatusCode, took: Duration) {
    if status.is_server_error() || took > SLOW {
        let (status, duration_ms) = (status.as_u16(), took.as_millis());
        tracing::info!(parent: span, route, method, status, duration_ms, "answered");
    }
}

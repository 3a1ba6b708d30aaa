//! The context of a request: protocol, id and client address. Logs slow and failed responses.

use std::net::{IpAddr, SocketAddr};
use std::sync::Once;
use std::time::Duration;

use axum::extract::{ConnectInfo, Request};
use http::{HeaderMap, HeaderName, StatusCode};
use ipnet::IpNet;
use tracing::Span;
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::requester::{Protocol, RequestContext};

/// The request id, on every response.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Slower responses are logged.
const SLOW: Duration = Duration::from_secs(1);

/// Creates the context of a request and stores it in its extensions.
pub fn create(trusted: &[IpNet], request: &mut Request) -> RequestContext {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map(|ConnectInfo(address)| address.ip());
    if ClientAddress::is_hidden(peer, request.headers(), trusted) {
        warn_of_proxy(peer);
    }
    let context = RequestContext {
        protocol: Protocol::from_path(request.uri().path()),
        request_id: Uuid::now_v7(),
        address: ClientAddress::find(peer, request.headers(), trusted),
    };
    request.extensions_mut().insert(context);
    context
}

/// Limits the warning to one per process, because every client can send the header.
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

pub fn set_request_id(headers: &mut HeaderMap, context: RequestContext) {
    if let Ok(id) = context.request_id.to_string().parse() {
        headers.insert(REQUEST_ID, id);
    }
}

/// Logs failed and slow responses; metrics count all.
pub fn log_response(
    span: &Span,
    (method, route): (&'static str, &str),
    status: StatusCode,
    took: Duration,
) {
    if status.is_server_error() || took > SLOW {
        let (status, duration_ms) = (status.as_u16(), took.as_millis());
        tracing::info!(parent: span, route, method, status, duration_ms, "request failed or slow");
    }
}

//! Puts the gateway together: the routes, and around them the layers in the order a request
//! passes them.

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Signer;
use tower::ServiceBuilder;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate as _, SizeAbove};

use crate::config::{Backends, GatewayConfig};
use crate::gateway::Gateway;
use crate::layers::overload::Turns;
use crate::layers::{audit, csrf, headers, measure, overload, panic, rate, session, size, visit};
use crate::{health, proxy, rest, web};

/// JSON below this many bytes is not worth compressing.
const COMPRESS_ABOVE: u64 = 1024;

/// The whole gateway, which passes on what it hears through `events`. Fails when settings are wrong
/// or an RPC or route has no access policy.
pub fn router(
    config: GatewayConfig,
    backends: Backends,
    signer: Signer,
    clock: Clock,
    events: Events,
) -> Result<Router, Failure> {
    let gateway = Gateway::new(config, backends, signer, clock, events)?;
    let routes = rest::router(&gateway)?
        .merge(health::router(&gateway))
        .merge(proxy::router(&gateway))
        .merge(web::router(&gateway));
    let compressible = SizeAbove::new(COMPRESS_ABOVE).and(is_json);
    let order = ServiceBuilder::new()
        // Counts every answer, whichever layer gave it.
        .layer(from_fn_with_state(gateway.clone(), measure::layer))
        // Every answer carries the headers, also those of the layers below.
        .layer(from_fn(headers::layer))
        // Names the request before anything can fail.
        .layer(from_fn_with_state(gateway.clone(), visit::layer))
        // A panic below is answered by name.
        .layer(from_fn(panic::layer))
        // Needs nothing but the headers.
        .layer(from_fn(size::layer))
        // What can't be done in time is refused before it costs anything.
        .layer(from_fn_with_state(
            Turns::for_this_machine(),
            overload::layer,
        ))
        .layer(
            CompressionLayer::new()
                .gzip(true)
                // The best ratio costs several times the work for a tenth of the bytes.
                .quality(CompressionLevel::Fastest)
                .compress_when(compressible),
        )
        // Needs no lookup, so it comes before the session.
        .layer(from_fn_with_state(gateway.clone(), csrf::layer))
        .layer(from_fn_with_state(gateway.clone(), session::layer))
        // Needs the session; permission comes after it, where the route or RPC is known, and
        // then signing and the backend in `outgoing.rs`.
        .layer(from_fn_with_state(gateway.clone(), rate::layer))
        // Sees how all that is left of it was answered.
        .layer(from_fn_with_state(gateway, audit::layer));
    Ok(routes.layer(order))
}

fn is_json(
    _: http::StatusCode,
    _: http::Version,
    headers: &http::HeaderMap,
    _: &http::Extensions,
) -> bool {
    let content_type = headers.get(http::header::CONTENT_TYPE);
    content_type.is_some_and(|value| value == "application/json")
}

//! Assembles the gateway: the routes and the layers before them.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Signer;
use opentelemetry::trace::FutureExt as _;
use tower::ServiceBuilder;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate as _, SizeAbove};
use tracing::Instrument as _;

use crate::api_error::ApiError;
use crate::config::{Backends, GatewayConfig};
use crate::gateway::Gateway;
use crate::layers::metrics::{Route, method_name};
use crate::layers::overload::{Permits, Work};
use crate::layers::{audit, csrf, headers, metrics, panic, rate, request_context, session, size};
use crate::requester::{Protocol, RequestContext};
use crate::services::Services;
use crate::{health, proxy, request_trace, rest, web};

/// JSON below this many bytes is not worth compressing.
const COMPRESS_ABOVE: u64 = 1024;

/// Builds the gateway. Fails on invalid settings or an RPC or route without access policy.
pub fn router(
    config: GatewayConfig,
    backends: Backends,
    signer: Signer,
    clock: Clock,
    events: Events,
) -> Result<Router, ServiceError> {
    let services = Services::new(config, backends, signer, clock, &events)?;
    let gateway = Gateway::new(services, events);
    let routes = rest::router(&gateway)?
        .merge(health::router(&gateway.services))
        .merge(proxy::router(&gateway))
        .merge(web::router(&gateway.services.config));
    let permits = Arc::new(Permits::for_this_machine());
    let compressible = SizeAbove::new(COMPRESS_ABOVE).and(is_json);
    let order = ServiceBuilder::new()
        .layer(from_fn_with_state((gateway, permits), handle))
        .layer(
            CompressionLayer::new()
                .gzip(true)
                // Better ratios cost several times the CPU for a tenth of the bytes.
                .quality(CompressionLevel::Fastest)
                .compress_when(compressible),
        );
    // Otherwise axum builds the layers again for every request.
    Ok(routes.layer(order).with_state(()))
}

/// Responds to every request; counts, logs and traces the response.
async fn handle(
    State((gateway, permits)): State<(Arc<Gateway>, Arc<Permits>)>,
    mut request: Request,
    next: Next,
) -> Response {
    // Also ends when the client disconnects.
    let _in_flight = metrics::in_flight();
    let began = Instant::now();
    let context = request_context::create(&gateway.services.config.trusted_proxies, &mut request);
    let route = Route::of(&gateway.services.policy, &request);
    let method = method_name(request.method());
    let place = (method, route.name());
    let (trace_context, span) =
        request_trace::begin(request.headers_mut(), place, context.request_id);
    let handled = async {
        let admitted = admit(&gateway, &permits, context, request, next).await;
        admitted.unwrap_or_else(|error| error.into_response(context.protocol, context.request_id))
    };
    let handled = panic::catch(context, handled).instrument(span.clone());
    let mut response = handled.with_context(trace_context).await;
    let (status, took) = (metrics::status_of(&response), began.elapsed());
    request_trace::end(&span, status);
    request_context::log_response(&span, place, status, took);
    request_context::set_request_id(response.headers_mut(), context);
    headers::set(response.headers_mut(), context.protocol);
    metrics::count(&route, method, status, took);
    response
}

/// Rejects work that can't finish in time before it costs anything. The body is read first, so that
/// a permit is never held for a slow client.
async fn admit(
    gateway: &Arc<Gateway>,
    permits: &Permits,
    context: RequestContext,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    size::check(&request)?;
    csrf::check(&gateway.services.config, &gateway.audit, context, &request)?;
    let (request, _body) = gateway.bodies.read(context, request).await?;
    let running = permits
        .admit(Work::of(&gateway.services.policy, &request))
        .await?;
    let checked = check(gateway, context, request, next).await;
    let response =
        checked.unwrap_or_else(|error| error.into_response(context.protocol, context.request_id));
    running.end(&response);
    Ok(response)
}

/// Checks that do not depend on the route, cheapest first, then the route. The permission check
/// follows in the route or RPC, signing and the call in `outgoing.rs`.
async fn check(
    gateway: &Arc<Gateway>,
    context: RequestContext,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if context.protocol == Protocol::Page {
        return Ok(next.run(request).await);
    }
    let requester = session::identify(&gateway.services, context, &mut request).await?;
    let mut response = match rate::count(&gateway.services.limits, &requester).await {
        Ok(in_flight) => {
            let in_flight = in_flight.map(Arc::new);
            if let (Protocol::Rest, Some(in_flight)) = (context.protocol, &in_flight) {
                // A streamed response holds it.
                request.extensions_mut().insert(in_flight.clone());
            }
            audit::run(&gateway.audit, &requester, request, next).await
        }
        Err(error) => error.into_response(context.protocol, context.request_id),
    };
    session::renew(&requester, &mut response);
    Ok(response)
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

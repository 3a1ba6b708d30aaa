//! The grpc-web proxy: forwards RPCs to their service by path, without decoding messages.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, any_service};
use futures::stream::{self, StreamExt as _};
use hourmeter_proto::events::v1::events_service_server::EventsServiceServer;
use hourmeter_runtime::client::{self, GRPC_TIMEOUT, GrpcRequest, GrpcResponse, parse_timeout};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::refusals as shared;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, Version, header};
use http_body_util::{BodyExt as _, Limited, StreamBody};
use hyper::body::Frame;
use tonic::{Code, Status};
use tonic_web::GrpcWebLayer;
use tower::{Layer as _, Service as TowerService, ServiceExt as _, service_fn};

use crate::api_error::{self, ApiError, DeniedKind};
use crate::audit;
use crate::gateway::Gateway;
use crate::layers::context_of;
use crate::operator_password;
use crate::outgoing::Outgoing;
use crate::requester::Requester;
use crate::response_memory::QuotaKey;
use crate::rpc_limits;
use crate::rpc_status::failed_status;
use crate::services::Services;
use crate::watch;

const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of a response that are translated at a time.
const PART: usize = 48 * 1024;
/// The longest timeout of a client, unless the contract sets a longer deadline.
const MAX_TIMEOUT: Duration = Duration::from_secs(10);
/// Headers of the client that are forwarded; all others are dropped.
const PASSED: [HeaderName; 5] = [
    header::CONTENT_TYPE,
    header::TE,
    HeaderName::from_static("x-grpc-web"),
    HeaderName::from_static("x-user-agent"),
    HeaderName::from_static("x-requested-with"),
];

/// One route for each public service.
pub fn router(gateway: &Arc<Gateway>) -> Router {
    let names: std::collections::BTreeSet<&str> = gateway
        .services
        .policy
        .keys()
        .filter(|path| Service::from_path(path).is_some())
        .filter_map(|path| path.rsplit_once('/').map(|(service, _)| service))
        .collect();
    let events = EventsServiceServer::new(gateway.watch.clone());
    let mut router = Router::new().route(watch::ROUTE, translated(events));
    for service in names {
        let gateway = gateway.clone();
        let forward = service_fn(move |request| forward(gateway.clone(), request));
        router = router.route(&format!("{service}/{{method}}"), translated(forward));
    }
    router.layer(from_fn_with_state(gateway.clone(), admit))
}

fn translated<S>(service: S) -> MethodRouter
where
    S: TowerService<GrpcRequest, Response = GrpcResponse, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
{
    // Not a layer of the router: it would reject plain requests.
    let translated = GrpcWebLayer::new().layer(service);
    any_service(translated.map_request(|request: Request| request))
}

/// Checks that do not depend on the message, which `layers/body.rs` has read.
async fn admit(State(gateway): State<Arc<Gateway>>, request: Request, next: Next) -> Response {
    let context = context_of(&request);
    let (parts, message) = request.into_parts();
    match check(&gateway.services, &parts).await {
        Ok(()) => next.run(Request::from_parts(parts, message)).await,
        Err(error) => {
            let mut response = error.into_response(context.protocol, context.request_id);
            if response.status() == StatusCode::METHOD_NOT_ALLOWED {
                let allowed = HeaderValue::from_static("POST");
                response.headers_mut().insert(header::ALLOW, allowed);
            }
            response
        }
    }
}

async fn check(services: &Services, parts: &http::request::Parts) -> Result<(), ApiError> {
    if parts.method != Method::POST {
        return Err(ApiError::MethodNotAllowed);
    }
    if !is_grpc_web(&parts.headers) {
        return Err(ApiError::UnsupportedMediaType);
    }
    let access = services.policy.get(parts.uri.path());
    let access = access.ok_or(ApiError::UnknownPath)?;
    let requester = parts.extensions.get::<Arc<Requester>>();
    let requester = requester.ok_or_else(|| ServiceError::internal("no session layer"))?;
    requester.authorize(access, &services.clock)?;
    for limit in rpc_limits::of_every_call(access) {
        services.limits.count_requester(limit, requester).await?;
    }
    Ok(())
}

fn is_grpc_web(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    matches!(
        content_type,
        Some(
            "application/grpc-web"
                | "application/grpc-web+proto"
                | "application/grpc-web-text"
                | "application/grpc-web-text+proto"
        )
    )
}

async fn forward(
    gateway: Arc<Gateway>,
    request: GrpcRequest,
) -> Result<http::Response<tonic::body::Body>, Infallible> {
    let requester = request.extensions().get::<Arc<Requester>>().cloned();
    let Some(requester) = requester else {
        return Ok(internal());
    };
    let context = requester.context;
    let response = call_within_limits(&gateway, &requester, request).await;
    Ok(response.unwrap_or_else(|error| {
        let response = error.into_response(context.protocol, context.request_id);
        response.map(tonic::body::Body::new)
    }))
}

async fn call_within_limits(
    gateway: &Gateway,
    requester: &Arc<Requester>,
    request: GrpcRequest,
) -> Result<GrpcResponse, ApiError> {
    let checked = rpc_limits::check_message(&gateway.services, requester, request).await?;
    let export = checked
        .export
        .then(|| audit::rpc_name(checked.request.uri().path()));
    let response = call_service(gateway, requester.clone(), checked.request).await;
    let failure = failure(&response);
    if let Some(name) = export
        && failure.is_none()
    {
        gateway.audit.record_export(requester, name).await?;
    }
    if let Some(attempt) = checked.attempt {
        operator_password::end(attempt, failure.as_ref()).await;
    }
    track_response(gateway, requester, response).await
}

async fn call_service(
    gateway: &Gateway,
    requester: Arc<Requester>,
    request: GrpcRequest,
) -> GrpcResponse {
    let outgoing = Outgoing::as_requester(gateway.services.clone(), requester);
    let deadline = client::deadline_of(&gateway.services.policy, request.uri().path());
    let request = rebuilt(request, MAX_TIMEOUT.max(deadline));
    let response = outgoing.oneshot(request).await;
    let mut response = response.map_or_else(Status::into_http, cleaned);
    let Some(failure) = failure(&response) else {
        return response;
    };
    if let Some(refused) = DeniedKind::of(&failure) {
        response.extensions_mut().insert(refused);
    }
    // Services put it into the details.
    api_error::set_retry_after(&mut response, api_error::retry_after(&failure));
    response
}

/// Reads a complete response and counts its memory, so that a slow client blocks neither the
/// service nor other calls on the same connection.
async fn track_response(
    gateway: &Gateway,
    requester: &Requester,
    response: GrpcResponse,
) -> Result<GrpcResponse, ApiError> {
    let (parts, body) = response.into_parts();
    if body.is_end_stream() {
        return Ok(GrpcResponse::from_parts(parts, body));
    }
    let body = Limited::new(body, MAX_RESPONSE_BYTES).collect();
    let body = client::with_deadline(MAX_TIMEOUT, body)
        .await
        .map_err(Status::from)?
        .map_err(ServiceError::unavailable)?;
    let trailers = body.trailers().cloned().map(Frame::trailers);
    let key = QuotaKey::of(requester);
    let bytes = body.to_bytes();
    let limits = &gateway.services.limits;
    limits.record_response(&key, bytes.len());
    let bytes = gateway.response_memory.track(key, bytes)?;
    let data = stream::unfold(bytes, async |mut left: Bytes| {
        let length = left.len().min(PART);
        (length > 0).then(|| (Frame::data(left.split_to(length)), left))
    });
    let frames = data.chain(stream::iter(trailers)).map(Ok::<_, Status>);
    let body = tonic::body::Body::new(StreamBody::new(frames));
    Ok(GrpcResponse::from_parts(parts, body))
}

/// The error of a response, if it is one.
fn failure(response: &GrpcResponse) -> Option<ServiceError> {
    failed_status(response.headers()).map(|status| ServiceError::from_status(&status))
}

/// Builds the forwarded request: only path, message and listed headers are the client's.
fn rebuilt(request: GrpcRequest, max_timeout: Duration) -> GrpcRequest {
    let (parts, body) = request.into_parts();
    let mut inner = http::Request::new(body);
    *inner.method_mut() = Method::POST;
    *inner.version_mut() = Version::HTTP_2;
    *inner.uri_mut() = parts.uri.path().parse().unwrap_or(Uri::from_static("/"));
    for name in PASSED {
        if let Some(value) = parts.headers.get(&name) {
            inner.headers_mut().insert(name, value.clone());
        }
    }
    if let Some(timeout) = parts.headers.get(GRPC_TIMEOUT) {
        let timeout = capped(timeout, max_timeout);
        inner.headers_mut().insert(GRPC_TIMEOUT, timeout);
    }
    inner
}

/// The client's timeout, or the maximum if it is longer or invalid.
fn capped(timeout: &HeaderValue, max: Duration) -> HeaderValue {
    match parse_timeout(timeout) {
        Some(requested) if requested <= max => timeout.clone(),
        _ => format!("{}S", max.as_secs())
            .parse()
            .unwrap_or(HeaderValue::from_static("10S")),
    }
}

fn internal() -> GrpcResponse {
    let failure = ServiceError::new(Kind::Internal, shared::INTERNAL);
    Status::from(failure).into_http()
}

/// Hides the text of internal errors.
fn cleaned(response: GrpcResponse) -> GrpcResponse {
    let Some(status) = failed_status(response.headers()) else {
        return response;
    };
    match ServiceError::from_status(&status).kind {
        Kind::Internal if status.code() == Code::Unimplemented => {
            let unknown = ServiceError::not_found();
            unknown.into_status(Code::Unimplemented).into_http()
        }
        Kind::Internal => internal(),
        _ => response,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capped_limits_timeouts() {
        for (requested, expected) in [
            ("5S", "5S"),
            ("15000m", "10S"),
            ("10000m", "10000m"),
            ("1H", "10S"),
            ("99999999H", "10S"),
            ("nonsense", "10S"),
        ] {
            let requested = HeaderValue::from_static(requested);
            assert_eq!(capped(&requested, MAX_TIMEOUT), expected, "{requested:?}");
        }
        let provider = Duration::from_secs(13);
        let capped = |requested| capped(&HeaderValue::from_static(requested), provider);
        assert_eq!(capped("12S"), "12S");
        assert_eq!(capped("15000m"), "13S");
    }

    #[test]
    fn rebuilt_keeps_only_listed_headers() {
        let request = http::Request::post("http://evil.example/hourmeter.x.v1.X/Y?company_id=1")
            .header("x-internal-identity", "forged")
            .header("cookie", "sid=1")
            .header("authorization", "Bearer x")
            .header("x-company-id", "1")
            .header("x-user-agent", "connect")
            .header("content-type", "application/grpc")
            .body(tonic::body::Body::empty());
        let inner = rebuilt(request.expect("a request"), MAX_TIMEOUT);
        assert_eq!(inner.uri(), "/hourmeter.x.v1.X/Y");
        let mut names: Vec<&str> = inner.headers().keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["content-type", "x-user-agent"]);
    }

    #[test]
    fn cleaned_hides_internal_errors() {
        let broken = Status::internal("relation \"users\" does not exist").into_http();
        let cleaned = cleaned(broken);
        let status = Status::from_header_map(cleaned.headers()).expect("a status");
        assert_eq!(status.message(), shared::INTERNAL.sentence);
    }
}

#[cfg(test)]
#[path = "proxy_fuzz.rs"]
mod fuzz;

//! The trace of a request: the browser's if it sent one, else a new one. Sampling is decided here,
//! and no other trace header is forwarded.

use hourmeter_runtime::telemetry::export::ROUTE;
use hourmeter_runtime::telemetry::trace::{self, TRACEPARENT};
use http::{HeaderMap, HeaderName, StatusCode};
use opentelemetry::Context;
use opentelemetry::trace::Status;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use uuid::Uuid;

/// Trace headers of clients, which are not forwarded.
const NEVER_PASSED: [HeaderName; 3] = [
    TRACEPARENT,
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("baggage"),
];
/// Health checks are too frequent to trace.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// Creates the context and the span of a request, and removes the trace headers.
pub fn begin(
    headers: &mut HeaderMap,
    (method, route): (&'static str, &str),
    request_id: Uuid,
) -> (Context, Span) {
    let browser = trace::from_headers(headers);
    for name in NEVER_PASSED {
        headers.remove(name);
    }
    let sampled = !PROBES.contains(&route) && trace::sample();
    let context = trace::context_of_request(&browser, sampled, request_id);
    let span = trace::root_span(&context, || format!("{method} {route}"));
    if sampled {
        span.set_attribute("http.request.method", method);
        span.set_attribute(ROUTE, route.to_owned());
    }
    (context, span)
}

pub fn end(span: &Span, status: StatusCode) {
    span.set_attribute("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.set_status(Status::error(""));
    }
}

//! The trace of a request: the browser's where it sent one, else a new one. Whether spans of it are
//! sent is decided here, whatever the browser says, and nothing else of its kind is passed on.

use hourmeter_runtime::telemetry::trace::{Current, Span, SpanKind, TRACEPARENT, Trace, choose};
use http::{HeaderMap, HeaderName, StatusCode};
use uuid::Uuid;

/// What a client could send along to whoever comes after us.
const NEVER_PASSED: [HeaderName; 3] = [
    TRACEPARENT,
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("baggage"),
];
/// Probes ask every few seconds and would drown the rest.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// A request with its trace.
pub struct Traced {
    /// For all that is done for it.
    pub current: Current,
    span: Option<Span>,
}

impl Traced {
    /// Begins with what the headers say, and takes it out of them.
    pub fn begin(
        headers: &mut HeaderMap,
        (method, route): (&'static str, &str),
        request_id: Uuid,
    ) -> Self {
        let browser = Trace::of(headers);
        for name in NEVER_PASSED {
            headers.remove(name);
        }
        let chosen = !PROBES.contains(&route) && choose();
        let name = || format!("{method} {route}");
        let mut span = chosen
            .then(|| Span::begin(name(), SpanKind::Server, browser))
            .flatten();
        if let Some(span) = &mut span {
            span.set("http.request.method", method);
            span.set("http.route", route.to_owned());
            span.set("request.id", request_id.to_string());
        }
        let unsampled = || Trace::unsampled(browser, request_id);
        let current = Current {
            request_id: Some(request_id),
            trace: span.as_ref().map_or_else(unsampled, Span::trace),
        };
        Self { current, span }
    }

    /// Ends with the answer.
    pub fn end(&mut self, status: StatusCode) {
        // Ends as it is dropped.
        if let Some(mut span) = self.span.take() {
            span.set("http.response.status_code", i64::from(status.as_u16()));
            if status.is_server_error() {
                span.fail();
            }
        }
    }
}

//! The context of a request: its trace and its id, stored in OpenTelemetry's current context and
//! sent in the headers of calls.
//!
//! Only the gateway decides which requests are sampled. Other requests have a trace id for logs.

use std::collections::HashMap;

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing::field::display;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use uuid::Uuid;

use super::export;

/// W3C trace context.
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// The request id from the gateway, for the logs of services.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

#[derive(Clone, Copy)]
struct RequestId(Uuid);

/// Reads the text of a `traceparent` header; invalid text gives an invalid context.
pub fn parse(traceparent: &str) -> SpanContext {
    let carrier = HashMap::from([(TRACEPARENT.to_string(), traceparent.to_owned())]);
    let context = TraceContextPropagator::new().extract_with_context(&Context::new(), &carrier);
    context.span().span_context().clone()
}

/// Writes the current span as the text of a `traceparent` header.
pub fn current() -> Option<String> {
    let mut carrier = HashMap::new();
    Context::map_current(|context| {
        TraceContextPropagator::new().inject_context(context, &mut carrier);
    });
    carrier.remove(TRACEPARENT.as_str())
}

/// Reads the `traceparent` header; a missing or invalid one gives an invalid context.
pub fn from_headers(headers: &HeaderMap) -> SpanContext {
    let text = headers.get(TRACEPARENT).and_then(|text| text.to_str().ok());
    text.map_or(SpanContext::NONE, parse)
}

/// Builds the context of a request. Without a valid `parent`, a sampled request starts a new trace;
/// a request that is not sampled uses its request id as trace id.
pub fn context_of_request(parent: &SpanContext, sampled: bool, request_id: Uuid) -> Context {
    let context = match (parent.is_valid(), sampled) {
        (false, true) => Context::new(),
        (false, false) => {
            let (_, low) = request_id.as_u64_pair();
            remote(request_id.as_u128().into(), low.into(), false)
        }
        (true, _) => remote(parent.trace_id(), parent.span_id(), sampled),
    };
    context.with_value(RequestId(request_id))
}

/// Reads the context of a call from another process; None if the call belongs to no request.
pub fn context_of_call(headers: &HeaderMap) -> Option<Context> {
    let parent = from_headers(headers);
    let id = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    match id.and_then(|id| Uuid::try_parse(id).ok()) {
        Some(id) => {
            let sampled = parent.is_sampled();
            Some(context_of_request(&parent, sampled, id))
        }
        None => parent
            .is_valid()
            .then(|| Context::new().with_remote_span_context(parent)),
    }
}

/// Continues the current request as a child of another span.
pub fn child_of(parent: SpanContext) -> Context {
    Context::map_current(|context| context.with_remote_span_context(parent))
}

/// Writes the current context into the headers of a call.
pub fn inject(headers: &mut HeaderMap) {
    let id = Context::map_current(|context| context.get::<RequestId>().copied());
    let id = id.map(|RequestId(id)| id.to_string());
    for (name, value) in [(TRACEPARENT, current()), (REQUEST_ID, id)] {
        if let Some(Ok(value)) = value.map(HeaderValue::try_from) {
            headers.insert(name, value);
        }
    }
}

/// Creates the first span of a request in this process, with the ids for log lines.
pub fn root_span(context: &Context, name: impl FnOnce() -> String) -> Span {
    let parent = context.span().span_context().clone();
    let known = parent.is_valid();
    let exported = parent.is_sampled() || !known;
    let _parent = context.clone().attach();
    let span = tracing::info_span!(
        "request",
        request_id = context.get::<RequestId>().map(|id| display(id.0)),
        trace_id = known.then(|| display(parent.trace_id())),
        otel.name = exported.then(name),
        otel.kind = exported.then_some("server"),
    );
    if !known {
        let trace_id = span.context().span().span_context().trace_id();
        span.record("trace_id", display(trace_id));
    }
    span
}

/// Decides randomly whether a request is sampled, by the configured share.
pub fn sample() -> bool {
    let Some(share) = export::share() else {
        return false;
    };
    let random = getrandom::u32().unwrap_or(u32::MAX);
    f64::from(random) < share * (f64::from(u32::MAX) + 1.0)
}

fn remote(trace: TraceId, span: SpanId, sampled: bool) -> Context {
    let flags = TraceFlags::default().with_sampled(sampled);
    let parent = SpanContext::new(trace, span, flags, true, TraceState::NONE);
    Context::new().with_remote_span_context(parent)
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::FutureExt as _;

    use super::*;

    const SAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn parse_rejects_invalid_text() {
        assert!(parse(SAMPLED).is_sampled());
        assert!(!parse(&SAMPLED.replace("-01", "-00")).is_sampled());
        for invalid in [
            "",
            "00",
            &SAMPLED.to_uppercase(),
            &SAMPLED.replace("00-4", "ff-4"),
            &SAMPLED.replace("4bf9", "4bg9"),
            &SAMPLED.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            &SAMPLED.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &format!("{SAMPLED}-x"),
            &format!("{SAMPLED}{}", "0".repeat(4000)),
            &SAMPLED.replace('-', "_"),
        ] {
            assert!(!parse(invalid).is_valid(), "{invalid}");
        }
    }

    #[tokio::test]
    async fn inject_works_in_spawned_tasks() {
        assert_eq!(current(), None);
        let id = Uuid::now_v7();
        let work = async {
            let write = async {
                let mut headers = HeaderMap::new();
                inject(&mut headers);
                headers
            };
            tokio::spawn(write.with_current_context()).await
        };
        let work = work.with_context(context_of_request(&parse(SAMPLED), true, id));
        let headers = work.await.expect("no panic");
        assert_eq!(headers[TRACEPARENT], SAMPLED);
        let read = context_of_call(&headers).expect("a context");
        assert_eq!(read.get::<RequestId>().map(|id| id.0), Some(id));
        assert_eq!(read.span().span_context(), &parse(SAMPLED));
    }

    #[test]
    fn context_of_request_ignores_the_browsers_sampled_flag() {
        let traceparent = |browser: &str, sampled| {
            let context = context_of_request(&parse(browser), sampled, Uuid::nil());
            let _attached = context.attach();
            current()
        };
        let unsampled = SAMPLED.replace("-01", "-00");
        assert_eq!(traceparent(SAMPLED, false), Some(unsampled.clone()));
        assert_eq!(traceparent(&unsampled, true).as_deref(), Some(SAMPLED));
        assert_eq!(traceparent("", true), None);
    }

    #[test]
    fn context_of_call_without_trace_uses_the_request_id() {
        let mut headers = HeaderMap::new();
        assert!(context_of_call(&headers).is_none());
        let id = Uuid::now_v7();
        headers.insert(REQUEST_ID, id.to_string().parse().expect("a value"));
        let context = context_of_call(&headers).expect("a context");
        let span = context.span();
        assert_eq!(
            span.span_context().trace_id().to_string(),
            id.simple().to_string()
        );
        assert!(!span.span_context().is_sampled());
    }

    #[test]
    fn sample_without_exporter_is_false() {
        assert!(!sample());
    }
}

//! Traces: which trace a request belongs to, carried from the browser to SQL, and the spans of
//! those requests that are chosen.
//!
//! The gateway alone chooses. A request that was not chosen has a trace id all the same, which
//! stands in every log line about it.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, HeaderName, HeaderValue};
pub use opentelemetry::trace::SpanKind;
use opentelemetry::trace::{
    Link, Span as _, SpanBuilder, SpanContext, SpanId, Status, TraceContextExt as _, TraceFlags,
    TraceId, TraceState, Tracer as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::Span as SdkSpan;
use uuid::Uuid;

use super::export;

/// Carries the trace to the next process, as W3C defines it.
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// Carries the request's id from the gateway to services, for their logs.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT: Current;
}

/// What runs for which request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Current {
    /// The request, if the gateway named one.
    pub request_id: Option<Uuid>,
    /// Its trace, with the span that runs.
    pub trace: Trace,
}

impl Current {
    /// That of whoever asks; none outside of requests.
    pub fn get() -> Option<Self> {
        CURRENT.try_with(|current| *current).ok()
    }

    /// Does work for this.
    pub async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        CURRENT.scope(self, work).await
    }

    /// Does something at once for this.
    pub fn within<T>(self, work: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self, work)
    }

    /// What the headers of a call from another process of ours say.
    pub fn of_call(headers: &HeaderMap) -> Option<Self> {
        let id = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
        Some(Self {
            request_id: id.and_then(|id| Uuid::try_parse(id).ok()),
            trace: Trace::of(headers)?,
        })
    }

    /// Begins a span below the one that runs, where the request is traced, with links to places in
    /// other traces; and what runs from now on.
    pub fn begin(
        self,
        name: impl FnOnce() -> String,
        kind: SpanKind,
        links: &[Trace],
    ) -> (Option<Span>, Self) {
        let span = self
            .trace
            .is_sampled()
            .then(|| Span::below(name(), kind, self.trace, links))
            .flatten();
        let trace = span.as_ref().map_or(self.trace, Span::trace);
        (span, Self { trace, ..self })
    }

    /// Tells the next process.
    pub fn put(self, headers: &mut HeaderMap) {
        if let Ok(trace) = HeaderValue::try_from(self.trace.to_string()) {
            headers.insert(TRACEPARENT, trace);
        }
        let id = self.request_id.map(|id| id.to_string());
        if let Some(Ok(id)) = id.map(HeaderValue::try_from) {
            headers.insert(REQUEST_ID, id);
        }
    }
}

/// Goes on with the same request in a task of its own.
pub fn spawn<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> tokio::task::JoinHandle<T> {
    match Current::get() {
        Some(current) => tokio::spawn(current.scope(work)),
        None => tokio::spawn(work),
    }
}

/// A place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Of the whole trace.
    pub trace_id: TraceId,
    span_id: SpanId,
    sampled: bool,
}

impl Trace {
    /// What a `traceparent` header says, when it is there once and well-formed.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut all = headers.get_all(TRACEPARENT).iter();
        let text = all.next()?.to_str().ok()?;
        all.next().is_none().then(|| Self::parse(text)).flatten()
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut next = |length: usize| {
            let part = parts.next()?;
            let hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
            (part.len() == length && part.bytes().all(hex)).then_some(part)
        };
        let (version, trace_id, span_id, flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
        let read = Self {
            trace_id: TraceId::from_hex(trace_id).ok()?,
            span_id: SpanId::from_hex(span_id).ok()?,
            sampled: u8::from_str_radix(flags, 16).ok()? & 1 == 1,
        };
        let good = version == "00"
            && parts.next().is_none()
            && read.trace_id != TraceId::INVALID
            && read.span_id != SpanId::INVALID;
        good.then_some(read)
    }

    /// That of a request that is not chosen: the browser's, or a new one.
    pub fn unsampled(browser: Option<Self>, request_id: Uuid) -> Self {
        let bytes = request_id.into_bytes();
        let (_, half) = bytes.split_at(8);
        let own = Self {
            trace_id: TraceId::from_bytes(bytes),
            span_id: SpanId::from_bytes(half.try_into().unwrap_or([1; 8])),
            sampled: false,
        };
        Self {
            sampled: false,
            ..browser.unwrap_or(own)
        }
    }

    /// Whether spans of it are sent.
    pub const fn is_sampled(self) -> bool {
        self.sampled
    }

    fn place(self, flags: TraceFlags) -> SpanContext {
        SpanContext::new(
            self.trace_id,
            self.span_id,
            flags,
            true,
            TraceState::default(),
        )
    }

    fn context(self) -> Context {
        Context::new().with_remote_span_context(self.place(TraceFlags::SAMPLED))
    }

    fn link(self) -> Link {
        let flags = TraceFlags::default().with_sampled(self.sampled);
        Link::with_context(self.place(flags))
    }
}

/// Says that a text is no place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no traceparent")]
pub struct NoTrace;

impl std::str::FromStr for Trace {
    type Err = NoTrace;

    /// Reads what `Display` writes: the value of a `traceparent` header.
    fn from_str(text: &str) -> Result<Self, NoTrace> {
        Self::parse(text).ok_or(NoTrace)
    }
}

impl std::fmt::Display for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (trace_id, span_id) = (self.trace_id, self.span_id);
        write!(f, "00-{trace_id}-{span_id}-{:02x}", u8::from(self.sampled))
    }
}

/// Chooses whether a request that came from outside is traced, whatever it says itself. The share
/// is a setting.
pub fn choose() -> bool {
    let Some(share) = export::share() else {
        return false;
    };
    let drawn = getrandom::u32().unwrap_or(u32::MAX);
    f64::from(drawn) < share * (f64::from(u32::MAX) + 1.0)
}

/// A span that runs, of a request that was chosen.
#[derive(Debug)]
pub struct Span(SdkSpan);

impl Span {
    /// Begins one of a request that was chosen, below `parent` if there is one.
    pub fn begin(name: String, kind: SpanKind, parent: Option<Trace>) -> Option<Self> {
        let builder = SpanBuilder::from_name(name).with_kind(kind);
        Self::build(builder, parent)
    }

    fn below(name: String, kind: SpanKind, parent: Trace, links: &[Trace]) -> Option<Self> {
        let links = links.iter().map(|other| other.link()).collect();
        let builder = SpanBuilder::from_name(name)
            .with_kind(kind)
            .with_links(links);
        Self::build(builder, Some(parent))
    }

    fn build(builder: SpanBuilder, parent: Option<Trace>) -> Option<Self> {
        let tracer = export::tracer()?;
        let context = parent.map_or_else(Context::new, Trace::context);
        Some(Self(tracer.build_with_context(builder, &context)))
    }

    /// One that is over, and took so long.
    pub fn past(
        name: String,
        took: Duration,
        parent: Trace,
        attributes: impl IntoIterator<Item = KeyValue>,
    ) {
        let ended = SystemTime::now();
        let builder = SpanBuilder::from_name(name)
            .with_kind(SpanKind::Client)
            .with_start_time(ended.checked_sub(took).unwrap_or(ended))
            .with_attributes(attributes);
        if let Some(mut span) = Self::build(builder, Some(parent)) {
            span.0.end_with_timestamp(ended);
        }
    }

    /// Its place in the trace.
    pub fn trace(&self) -> Trace {
        let context = self.0.span_context();
        Trace {
            trace_id: context.trace_id(),
            span_id: context.span_id(),
            sampled: true,
        }
    }

    /// Says something about it.
    pub fn set(&mut self, key: &'static str, value: impl Into<opentelemetry::Value>) {
        self.0.set_attribute(KeyValue::new(key, value));
    }

    /// Marks it as failed.
    pub fn fail(&mut self) {
        self.0.set_status(Status::error(""));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn only_a_well_formed_header_is_read() {
        let read = Trace::parse(GOOD).expect("a trace");
        assert_eq!(read.to_string(), GOOD);
        assert!(read.is_sampled());
        let unsampled = Trace::parse(&GOOD.replace("-01", "-00")).expect("a trace");
        assert!(!unsampled.is_sampled());
        for bad in [
            "",
            "00",
            &GOOD.to_uppercase(),
            &GOOD.replace("00-4", "01-4"),
            &GOOD.replace("00-4", "ff-4"),
            &GOOD.replace("4bf9", "4bg9"),
            &GOOD.replace("4bf9", "4bf"),
            &GOOD.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            &GOOD.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &format!("{GOOD}-x"),
            &format!(" {GOOD}"),
            &format!("{GOOD}{}", "0".repeat(4000)),
            &GOOD.replace('-', "_"),
        ] {
            assert_eq!(Trace::parse(bad), None, "{bad}");
        }
        let mut headers = HeaderMap::new();
        headers.append(TRACEPARENT, HeaderValue::from_static(GOOD));
        assert!(Trace::of(&headers).is_some());
        headers.append(TRACEPARENT, HeaderValue::from_static(GOOD));
        assert_eq!(Trace::of(&headers), None, "which of the two?");
    }

    #[tokio::test]
    async fn it_goes_along_with_the_work() {
        assert_eq!(Current::get(), None);
        let current = Current {
            request_id: Some(Uuid::now_v7()),
            trace: Trace::unsampled(None, Uuid::now_v7()),
        };
        let seen = current.scope(async {
            let spawned = spawn(async { Current::get() }).await;
            (Current::get(), spawned.expect("no panic"))
        });
        assert_eq!(seen.await, (Some(current), Some(current)));
        let mut headers = HeaderMap::new();
        current.put(&mut headers);
        assert_eq!(Current::of_call(&headers), Some(current));
        // Nothing is sent anywhere, so nothing is chosen.
        assert!(!choose());
    }

    #[test]
    fn the_browsers_wish_is_not_ours() {
        let browser = Trace::parse(GOOD);
        let kept = Trace::unsampled(browser, Uuid::now_v7());
        assert_eq!(kept.to_string(), GOOD.replace("-01", "-00"));
    }
}

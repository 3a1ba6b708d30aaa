//! The `tracing` subscriber: log lines on standard error, and the export of spans.
//!
//! Log lines contain the first span of a request, which has its ids. Its child spans are for traces.

use std::io::stderr;

use opentelemetry::Context;
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::trace::SdkTracer;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Level, Metadata, Subscriber};
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::filter::{Targets, dynamic_filter_fn, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, Registry};

use super::sql;

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// One JSON object per line.
    Json,
    /// Compact text for a terminal.
    Plain,
}

/// Starts logging to standard error, and exporting spans if there is a tracer. `filter` has the
/// syntax of `RUST_LOG`, such as `info,hourmeter_billing=debug`; an invalid one means `info`.
/// Repeated calls have no effect.
pub fn start(filter: &str, format: LogFormat, tracer: Option<SdkTracer>) {
    let statements = tracer.clone().map(sql::layer);
    let subscriber = Registry::default()
        .with(lines(filter, format, stderr))
        .with(statements)
        .with(tracer.map(spans));
    drop(subscriber.try_init());
}

fn lines<S, W>(filter: &str, format: LogFormat, writer: W) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let levels: Targets = filter
        .parse()
        .unwrap_or_else(|_| Targets::new().with_default(LevelFilter::INFO));
    // Statements are for traces only.
    let levels = levels.with_target(sql::TARGET, LevelFilter::OFF);
    let most = Layer::<Registry>::max_level_hint(&levels).max(Some(LevelFilter::INFO));
    // At every level, lines contain the span with the request's ids.
    let wanted = filter_fn(move |metadata| {
        if metadata.is_span() {
            is_ours(metadata) && *metadata.level() <= Level::INFO
        } else {
            levels.would_enable(metadata.target(), metadata.level())
        }
    });
    let wanted = wanted.with_max_level_hint(most.unwrap_or(LevelFilter::TRACE));
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    let lines = match format {
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .boxed(),
        LogFormat::Plain => lines.compact().with_target(false).boxed(),
    };
    lines.with_filter(wanted)
}

/// Exports the spans of sampled requests, without log lines.
fn spans<S>(tracer: SdkTracer) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let is_candidate = |metadata: &Metadata<'_>| metadata.is_span() && is_ours(metadata);
    let wanted = dynamic_filter_fn(move |metadata, _| {
        is_candidate(metadata)
            && Context::map_current(|context| {
                let parent = context.span().span_context().clone();
                // Only the first span of a sampled request starts a trace.
                parent.is_sampled() || !parent.is_valid() && *metadata.level() == Level::INFO
            })
    });
    let wanted = wanted
        .with_callsite_filter(move |metadata| {
            if is_candidate(metadata) {
                Interest::sometimes()
            } else {
                Interest::never()
            }
        })
        .with_max_level_hint(LevelFilter::DEBUG);
    OpenTelemetryLayer::new(tracer)
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_filter(wanted)
}

fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("hourmeter")
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};
    use tracing::Instrument as _;
    use uuid::Uuid;

    use super::super::trace;
    use super::*;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("a lock").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    async fn written(filter: &str) -> Vec<Value> {
        let sink = Sink::default();
        let to = sink.clone();
        let lines = lines(filter, LogFormat::Json, move || to.clone());
        let _guard = tracing::subscriber::set_default(Registry::default().with(lines));
        let request_id = Uuid::from_u128(7);
        let context = trace::context_of_request(&trace::parse(""), false, request_id);
        tracing::warn!(count = 3, good = true, "text \"in\" quotes");
        async { tracing::error!(error = %"x", "failed") }
            .instrument(tracing::debug_span!("step"))
            .instrument(trace::root_span(&context, || "name".to_owned()))
            .await;
        let written = sink.0.lock().expect("a lock").clone();
        let lines = written.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_slice(line).expect("JSON"))
            .collect()
    }

    #[tokio::test]
    async fn lines_contain_request_ids() {
        for filter in ["info", "warn", "trace"] {
            let lines = written(filter).await;
            let [outside, mut within] = <[Value; 2]>::try_from(lines).expect("two lines");
            assert_eq!(outside["count"], 3);
            assert_eq!(outside["message"], "text \"in\" quotes");
            assert_eq!(outside["span"], Value::Null);
            let time = within["timestamp"].take();
            assert!(time.as_str().is_some_and(|time| time.ends_with('Z')));
            let expected = json!({
                "timestamp": null,
                "level": "ERROR",
                "message": "failed",
                "error": "x",
                "target": module_path!(),
                "span": {
                    "name": "request",
                    "request_id": "00000000-0000-0000-0000-000000000007",
                    "trace_id": "00000000000000000000000000000007",
                },
            });
            assert_eq!(within, expected, "{filter}");
        }
    }
}

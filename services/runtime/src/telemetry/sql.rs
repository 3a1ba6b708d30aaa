//! Spans of SQL statements, from sqlx's log events, without parameters and quoted values.

use std::fmt::Debug;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{Span as _, SpanKind, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::SdkTracer;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, layer};

/// The target of sqlx's events.
pub const TARGET: &str = "sqlx::query";

/// Creates the layer, which handles statements of sampled requests only.
pub fn layer<S>(tracer: SdkTracer) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let wanted = dynamic_filter_fn(|event, _| event.target() == TARGET && is_sampled())
        .with_callsite_filter(|event| {
            if event.target() == TARGET {
                Interest::sometimes()
            } else {
                Interest::never()
            }
        })
        .with_max_level_hint(LevelFilter::DEBUG);
    Statements(tracer).with_filter(wanted)
}

fn is_sampled() -> bool {
    Context::map_current(|context| context.span().span_context().is_sampled())
}

struct Statements(SdkTracer);

impl<S: Subscriber> Layer<S> for Statements {
    fn on_event(&self, event: &Event<'_>, _: layer::Context<'_, S>) {
        let mut statement = Statement::default();
        event.record(&mut statement);
        let text = statement.text();
        let name = text.split_whitespace().next().unwrap_or("SQL").to_owned();
        let ended = SystemTime::now();
        let began = ended.checked_sub(statement.took).unwrap_or(ended);
        let span = self.0.span_builder(name).with_kind(SpanKind::Client);
        let span = span.with_start_time(began).with_attributes([
            KeyValue::new("db.system.name", "postgresql"),
            KeyValue::new("db.query.text", text),
            KeyValue::new("db.response.returned_rows", statement.rows),
        ]);
        span.start(&self.0).end_with_timestamp(ended);
    }
}

/// The fields of an event.
#[derive(Default)]
struct Statement {
    /// The first words, or the whole of a short statement.
    summary: String,
    /// The whole statement; empty for a short one.
    whole: String,
    took: Duration,
    rows: i64,
}

impl Statement {
    fn text(&self) -> String {
        let text = if self.whole.trim().is_empty() {
            &self.summary
        } else {
            &self.whole
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        without_quoted(&words.join(" "))
    }
}

impl Visit for Statement {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.summary),
            "db.statement" => value.clone_into(&mut self.whole),
            _ => {}
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.took = Duration::try_from_secs_f64(value).unwrap_or_default();
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "rows_returned" {
            self.rows = i64::try_from(value).unwrap_or(i64::MAX);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

/// Replaces each quoted value with a question mark.
fn without_quoted(text: &str) -> String {
    let parts = text.split('\'').enumerate();
    let parts = parts.map(|(index, part)| if index % 2 == 0 { part } else { "?" });
    parts.collect::<Vec<_>>().join("'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_quoted_replaces_values() {
        for (text, expected) in [
            ("SELECT 1", "SELECT 1"),
            ("SELECT 'a b', $1, ''", "SELECT '?', $1, '?'"),
            ("SELECT 'it''s', x", "SELECT '?''?', x"),
            ("SELECT 'open", "SELECT '?"),
        ] {
            assert_eq!(without_quoted(text), expected);
        }
    }
}

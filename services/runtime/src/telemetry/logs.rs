//! Logs: one JSON object a line for machines, plain lines for a person at a terminal.

use std::fmt::{self, Debug, Display, Write as _};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, Registry};

use super::sql;
use super::trace::Current;

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// One JSON object a line, with the ids of request and trace in each that is about one.
    Json,
    /// For people.
    Plain,
}

/// Starts logging to standard error. `filter` has the levels of `RUST_LOG`, such as
/// `info,hourmeter_billing=debug`; an invalid one is `info`. A second call changes nothing.
pub fn start(filter: &str, format: LogFormat) {
    let filter: Targets = filter
        .parse()
        .unwrap_or_else(|_| Targets::new().with_default(LevelFilter::INFO));
    // Statements are recorded for traces; in logs they would be noise.
    let filter = filter.with_target(sql::TARGET, LevelFilter::OFF);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines = match format {
        LogFormat::Json => lines.event_format(JsonLines).boxed(),
        LogFormat::Plain => lines.compact().with_target(false).boxed(),
    };
    let subscriber = Registry::default()
        .with(lines.with_filter(filter))
        .with(sql::layer());
    drop(subscriber.try_init());
}

/// Writes an event as one JSON object.
struct JsonLines;

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let mut line = Line::begin("timestamp", &time);
        line.text("level", event.metadata().level());
        if let Some(current) = Current::get() {
            line.text("trace_id", current.trace.trace_id);
            if let Some(id) = current.request_id {
                line.text("request_id", id);
            }
        }
        event.record(&mut line);
        line.text("target", event.metadata().target());
        writeln!(writer, "{}}}", line.0)
    }
}

/// An object that is being written.
struct Line(String);

impl Line {
    fn begin(name: &str, value: &str) -> Self {
        let mut line = Self(String::with_capacity(256));
        line.0.push('{');
        line.0.push_str(&quoted(name));
        line.0.push(':');
        line.0.push_str(&quoted(value));
        line
    }

    fn text(&mut self, name: &str, value: impl Display) {
        self.raw(name, quoted(&value.to_string()));
    }

    fn raw(&mut self, name: &str, value: impl Display) {
        // Writing to a text can't fail.
        let _ = write!(self.0, ",{}:{value}", quoted(name));
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field.name(), value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.raw(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.raw(field.name(), value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.raw(field.name(), value);
        } else {
            self.text(field.name(), value);
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.raw(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.text(field.name(), format_args!("{value:?}"));
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::super::trace::Trace;
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

    #[tokio::test]
    async fn lines_are_json_and_name_request_and_trace() {
        let sink = Sink::default();
        let to = sink.clone();
        let lines = tracing_subscriber::fmt::layer().with_writer(move || to.clone());
        let subscriber = Registry::default().with(lines.event_format(JsonLines));
        let _guard = tracing::subscriber::set_default(subscriber);
        let request_id = Uuid::now_v7();
        let current = Current {
            request_id: Some(request_id),
            trace: Trace::unsampled(None, request_id),
        };
        tracing::warn!(
            count = 3,
            share = 0.5,
            good = true,
            name = "a\"b\nc",
            "text \"in\" quotes"
        );
        current
            .scope(async { tracing::error!(error = %"x", "within") })
            .await;
        let written = sink.0.lock().expect("a lock").clone();
        let written = String::from_utf8(written).expect("text");
        let lines: Vec<Value> = written
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let [outside, within] = lines.as_slice() else {
            panic!("{written}");
        };
        let mut outside = outside.clone();
        let time = outside["timestamp"].take();
        assert!(
            time.as_str().is_some_and(|time| time.ends_with('Z')),
            "{time}"
        );
        assert_eq!(
            outside,
            json!({
                "timestamp": null, "level": "WARN", "count": 3, "share": 0.5, "good": true,
                "name": "a\"b\nc", "message": "text \"in\" quotes", "target": module_path!(),
            })
        );
        assert_eq!(within["request_id"], json!(request_id));
        assert_eq!(within["trace_id"], json!(request_id.simple().to_string()));
    }
}

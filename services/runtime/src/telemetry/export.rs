//! Sends spans to a collector, which nothing waits for and nothing needs.

use std::fmt::Debug;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter as OtlpExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider, SpanData, SpanExporter};

use crate::config::{AppEnv, Settings};
use crate::error::Failure;

/// How long a batch may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long a stop waits for what is still to be sent.
const LAST_BATCH: Duration = Duration::from_secs(2);
/// Between two lines about a collector that is away.
const BETWEEN_LINES: Duration = Duration::from_mins(1);

static EXPORT: OnceLock<Export> = OnceLock::new();

struct Export {
    tracer: SdkTracer,
    provider: SdkTracerProvider,
    share: f64,
}

/// Where traces go, and how many.
#[derive(Clone, Debug, PartialEq)]
pub struct Traces {
    /// Address of the collector, like `http://collector:4317`.
    pub endpoint: String,
    /// Share of requests that are traced, from 0 to 1.
    pub share: f64,
}

impl Traces {
    /// Reads `OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_TRACES_SAMPLER_ARG`. None: no traces leave.
    pub fn read(settings: &mut Settings, env: AppEnv) -> Option<Self> {
        let usual = if env == AppEnv::Production { 0.05 } else { 1.0 };
        let share = settings.or("OTEL_TRACES_SAMPLER_ARG", usual);
        if !(0.0..=1.0).contains(&share) {
            settings.problem("OTEL_TRACES_SAMPLER_ARG is not from 0 to 1");
        }
        let endpoint = settings.text("OTEL_EXPORTER_OTLP_ENDPOINT")?;
        if !endpoint.starts_with("http://") {
            settings.problem("OTEL_EXPORTER_OTLP_ENDPOINT is not like http://collector:4317");
        }
        Some(Self { endpoint, share })
    }

    /// Begins to send spans of this process, which is named like `gateway`. Needs a runtime. A
    /// second call changes nothing.
    pub fn start(&self, process: &'static str) -> Result<(), Failure> {
        let exporter = OtlpExporter::builder()
            .with_tonic()
            .with_endpoint(&self.endpoint)
            .with_timeout(TIMEOUT)
            .build()
            .map_err(Failure::internal)?;
        let version = opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder()
            .with_service_name(format!("hourmeter-{process}"))
            .with_attribute(version)
            .build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_batch_exporter(Quiet::new(exporter))
            .build();
        let export = Export {
            tracer: provider.tracer("hourmeter"),
            provider,
            share: self.share,
        };
        if EXPORT.set(export).is_ok() {
            tracing::info!(share = self.share, "sending traces");
        }
        Ok(())
    }
}

/// Sends what is left, but does not wait long for it.
pub async fn stop() {
    let Some(export) = EXPORT.get() else {
        return;
    };
    let provider = export.provider.clone();
    let last = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(LAST_BATCH));
    let _ = tokio::time::timeout(LAST_BATCH, last).await;
}

/// Whether traces leave this process.
pub fn is_on() -> bool {
    EXPORT.get().is_some()
}

pub(super) fn tracer() -> Option<&'static SdkTracer> {
    EXPORT.get().map(|export| &export.tracer)
}

/// The share of requests that are traced; none where nothing is sent.
pub(super) fn share() -> Option<f64> {
    EXPORT.get().map(|export| export.share)
}

/// Tells of failures, now and then; lost traces are no harm.
#[derive(Debug)]
struct Quiet<E> {
    inner: E,
    started: Instant,
    /// From when on, in seconds since the start, a failure is told again.
    silent_until: AtomicU64,
}

impl<E> Quiet<E> {
    fn new(inner: E) -> Self {
        Self {
            inner,
            started: Instant::now(),
            silent_until: AtomicU64::new(0),
        }
    }

    /// Whether to tell of a failure now.
    fn is_due(&self) -> bool {
        let now = self.started.elapsed().as_secs();
        let next = now + BETWEEN_LINES.as_secs();
        self.silent_until.load(Ordering::Relaxed) <= now
            && self.silent_until.swap(next, Ordering::Relaxed) <= now
    }
}

impl<E: SpanExporter> SpanExporter for Quiet<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        let sent = self.inner.export(batch).await;
        if let Err(error) = &sent
            && self.is_due()
        {
            tracing::warn!(%error, count, "traces can't be sent and are lost");
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)], env: AppEnv) -> Result<Option<Traces>, String> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut settings = Settings::from_pairs(pairs);
        let read = Traces::read(&mut settings, env);
        settings.finish(read).map_err(|error| error.to_string())
    }

    #[test]
    fn settings_are_read() {
        const ENDPOINT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317");
        assert_eq!(read(&[], AppEnv::Production), Ok(None));
        let share = |env| {
            let read = read(&[ENDPOINT], env).expect("good settings");
            read.map(|traces| traces.share)
        };
        assert_eq!(share(AppEnv::Production), Some(0.05));
        assert_eq!(share(AppEnv::Development), Some(1.0));
        for (text, good) in [
            ("0", true),
            ("1", true),
            ("0.5", true),
            ("-0.1", false),
            ("1.1", false),
            ("NaN", false),
            ("x", false),
        ] {
            let read = read(&[ENDPOINT, ("OTEL_TRACES_SAMPLER_ARG", text)], AppEnv::Test);
            assert_eq!(read.is_ok(), good, "{text}");
        }
        let elsewhere = ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317");
        assert!(read(&[elsewhere], AppEnv::Test).is_err());
    }

    #[test]
    fn failures_are_told_once_a_minute() {
        let quiet = Quiet::new(());
        let told = (0..1000).filter(|_| quiet.is_due());
        assert_eq!(told.count(), 1);
        quiet.silent_until.store(0, Ordering::Relaxed);
        assert!(quiet.is_due());
    }
}

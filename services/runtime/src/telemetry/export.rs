//! Export of spans to a collector. Requests never wait for it.

use std::fmt::Debug;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use opentelemetry::trace::{SpanId, TracerProvider as _};
use opentelemetry_otlp::tonic_types::transport::{Certificate, ClientTlsConfig};
use opentelemetry_otlp::{
    SpanExporter as OtlpExporter, WithExportConfig as _, WithTonicConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider, SpanData, SpanExporter};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use crate::config::{AppEnv, Settings};
use crate::error::ServiceError;

const HTTPS: &str = "https://";
/// Timeout of a batch.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long a shutdown waits for the last batch.
const LAST_BATCH: Duration = Duration::from_secs(2);
/// The attribute of requests at the gateway, which no other span has.
pub const ROUTE: &str = "http.route";
/// Interval of log lines about failed exports.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

static EXPORT: OnceLock<Export> = OnceLock::new();

struct Export {
    provider: SdkTracerProvider,
    share: f64,
}

/// The collector and the sampling rate of traces.
#[derive(Clone, Debug, PartialEq)]
pub struct Traces {
    /// Address of the collector, like `http://collector:4317` or `https://collector:4317`.
    pub endpoint: String,
    /// Sampled share of requests, from 0 to 1.
    pub share: f64,
    /// For `https://`: PEM of the trusted authorities, read at the start. None: the public ones.
    pub authorities: Option<Vec<u8>>,
}

impl Traces {
    /// Reads `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_CERTIFICATE` and
    /// `OTEL_TRACES_SAMPLER_ARG`. None: no traces are exported.
    pub fn read(settings: &mut Settings, env: AppEnv) -> Option<Self> {
        let default = if env == AppEnv::Production { 0.05 } else { 1.0 };
        let share = settings.or("OTEL_TRACES_SAMPLER_ARG", default);
        if !(0.0..=1.0).contains(&share) {
            settings.problem("OTEL_TRACES_SAMPLER_ARG is not between 0 and 1");
        }
        let endpoint = settings.text("OTEL_EXPORTER_OTLP_ENDPOINT")?;
        let encrypted = endpoint.starts_with(HTTPS);
        if !encrypted && !endpoint.starts_with("http://") {
            settings.problem(
                "OTEL_EXPORTER_OTLP_ENDPOINT must be like http://collector:4317 or https://collector:4317",
            );
        }
        let file = settings.text("OTEL_EXPORTER_OTLP_CERTIFICATE");
        let authorities = file.and_then(|file| match read_authorities(&file) {
            Ok(_) if !encrypted => {
                settings.problem(
                    "OTEL_EXPORTER_OTLP_CERTIFICATE requires an OTEL_EXPORTER_OTLP_ENDPOINT with https://",
                );
                None
            }
            Ok(authorities) => Some(authorities),
            Err(problem) => {
                settings.problem(format!("OTEL_EXPORTER_OTLP_CERTIFICATE {problem}"));
                None
            }
        });
        Some(Self {
            endpoint,
            share,
            authorities,
        })
    }

    fn tls(&self) -> Option<ClientTlsConfig> {
        let config = ClientTlsConfig::new();
        self.endpoint
            .starts_with(HTTPS)
            .then(|| match &self.authorities {
                Some(authorities) => config.ca_certificate(Certificate::from_pem(authorities)),
                None => config.with_webpki_roots(),
            })
    }

    /// Starts the export; pass the tracer to [`start`](super::start). Needs a Tokio runtime.
    pub fn start(&self, process: &'static str) -> Result<SdkTracer, ServiceError> {
        let mut exporter = OtlpExporter::builder()
            .with_tonic()
            .with_endpoint(&self.endpoint)
            .with_timeout(TIMEOUT);
        if let Some(tls) = self.tls() {
            exporter = exporter.with_tls_config(tls);
        }
        let exporter = exporter.build().map_err(ServiceError::internal)?;
        let version = opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder()
            .with_service_name(format!("hourmeter-{process}"))
            .with_attribute(version)
            .build();
        // The gateway decides whether a request is sampled.
        let sampler = Sampler::ParentBased(Box::new(Sampler::AlwaysOn));
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_sampler(sampler)
            .with_batch_exporter(RateLimitedLog::new(exporter))
            .build();
        let tracer = provider.tracer("hourmeter");
        let share = self.share;
        drop(EXPORT.set(Export { provider, share }));
        Ok(tracer)
    }
}

fn read_authorities(file: &str) -> Result<Vec<u8>, String> {
    let text = std::fs::read(file).map_err(|error| format!("can't be read: {error}"))?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match all {
        Ok(all) if !all.is_empty() => Ok(text),
        Ok(_) => Err("has no certificate".to_owned()),
        Err(error) => Err(format!("has an invalid certificate: {error}")),
    }
}

/// Exports the remaining spans; waits at most 2 s.
pub async fn stop() {
    let Some(export) = EXPORT.get() else {
        return;
    };
    let provider = export.provider.clone();
    let last = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(LAST_BATCH));
    let _ = tokio::time::timeout(LAST_BATCH, last).await;
}

/// Whether this process exports traces.
pub fn is_on() -> bool {
    EXPORT.get().is_some()
}

/// The sampled share of requests; None without an exporter.
pub(super) fn share() -> Option<f64> {
    EXPORT.get().map(|export| export.share)
}

/// Makes a request's span at the gateway the first of its trace. Browsers choose the trace id but record
/// no span, so storages would wait for a parent that never comes and show the trace without a name.
fn remove_browsers(batch: &mut [SpanData]) {
    for span in batch.iter_mut().filter(|span| span.parent_span_is_remote) {
        if span.attributes.iter().any(|one| one.key.as_str() == ROUTE) {
            span.parent_span_id = SpanId::INVALID;
        }
    }
}

/// An exporter that logs failures at most once a minute.
#[derive(Debug)]
struct RateLimitedLog<E> {
    inner: E,
    started: Instant,
    /// When the next failure may be logged, in seconds since `started`.
    silent_until: AtomicU64,
}

impl<E> RateLimitedLog<E> {
    fn new(inner: E) -> Self {
        Self {
            inner,
            started: Instant::now(),
            silent_until: AtomicU64::new(0),
        }
    }

    fn is_due(&self) -> bool {
        let now = self.started.elapsed().as_secs();
        let next = now + LOG_INTERVAL.as_secs();
        self.silent_until.load(Ordering::Relaxed) <= now
            && self.silent_until.swap(next, Ordering::Relaxed) <= now
    }
}

impl<E: SpanExporter> SpanExporter for RateLimitedLog<E> {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        remove_browsers(&mut batch);
        let count = batch.len();
        let sent = self.inner.export(batch).await;
        if let Err(error) = &sent
            && self.is_due()
        {
            tracing::warn!(%error, count, "failed to export spans");
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
    fn traces_read_validates_settings() {
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
    fn traces_read_requires_https_and_certificates_for_authorities() {
        const FILE: &str = "OTEL_EXPORTER_OTLP_CERTIFICATE";
        let endpoint = |endpoint| ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
        let folder = tempfile::tempdir().expect("a folder");
        let key = rcgen::generate_simple_self_signed(["collector".to_owned()]).expect("a key");
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).expect("written");
            file.display().to_string()
        };
        let good = write("good", &key.cert.pem());
        let read = |endpoint, file: &str| {
            let read = read(&[endpoint, (FILE, file)], AppEnv::Test);
            read.map(|traces| traces.and_then(|traces| traces.authorities).is_some())
        };
        let (plain, encrypted) = (endpoint("http://c:4317"), endpoint("https://c:4317"));
        assert_eq!(read(encrypted, &good), Ok(true));
        assert_eq!(read(encrypted, ""), Ok(false), "public authorities");
        for bad in ["/nowhere", &write("empty", ""), &write("text", "x")] {
            assert!(read(encrypted, bad).is_err(), "{bad}");
        }
        assert!(read(plain, &good).is_err(), "it would be ignored");
    }

    #[test]
    fn is_due_once_a_minute() {
        let exporter = RateLimitedLog::new(());
        let logged = (0..1000).filter(|_| exporter.is_due());
        assert_eq!(logged.count(), 1);
        exporter.silent_until.store(0, Ordering::Relaxed);
        assert!(exporter.is_due());
    }
}

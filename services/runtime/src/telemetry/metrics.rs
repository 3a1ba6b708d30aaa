//! Metrics of this process, as text that Prometheus reads.
//!
//! One recorder a process, installed by whoever needs it first: products started side by side, as
//! tests do, share it.

use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ::metrics::{
    Gauge, Unit, describe_counter, describe_gauge, describe_histogram, set_global_recorder,
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;

use super::names::{self, Kind};

/// Upper bounds in seconds of the buckets of durations: from what answers out of memory to the
/// longest deadline.
const BUCKETS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// Durations are kept one by one until somebody sorts them into their buckets. Asking for the
/// metrics does; this is how often it happens where nobody asks.
const UPKEEP: Duration = Duration::from_secs(5);

static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
static PROCESS: LazyLock<Collector> = LazyLock::new(Collector::default);
static WATCHED: Mutex<Vec<Watched>> = Mutex::new(Vec::new());

type Watched = Box<dyn Fn() -> Option<()> + Send>;

/// All metrics of this process.
pub fn metrics_text() -> String {
    let recorder = install();
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    watched.retain(|look| look().is_some());
    drop(watched);
    PROCESS.collect();
    recorder.render()
}

/// Says what runs here: `gateway`, a service's name, or `all`.
pub fn name_process(process: &'static str) {
    let version = env!("CARGO_PKG_VERSION");
    names::BUILD_INFO.gauge([version, process]).set(1);
    // Told from the start, so that the first one shows as an increase.
    names::PANICS.counter(names::NO_LABELS).increment(0);
}

/// Looks at something each time the metrics are asked for, to set gauges by it, until it answers
/// `None` because what it looked at is gone.
pub fn watch(look: impl Fn() -> Option<()> + Send + 'static) {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    watched.push(Box::new(look));
}

/// Counts one more in a gauge until it is dropped.
pub struct GaugeGuard(Gauge);

impl GaugeGuard {
    /// One more.
    pub fn new(gauge: &Gauge) -> Self {
        gauge.increment(1);
        Self(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

impl std::fmt::Debug for GaugeGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GaugeGuard")
    }
}

/// The recorder of this process, installed at the first call.
pub(super) fn install() -> &'static PrometheusHandle {
    RECORDER.get_or_init(|| {
        let builder = PrometheusBuilder::new();
        // Only fails without a bucket.
        let builder = builder.set_buckets(&BUCKETS).unwrap_or_default();
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if set_global_recorder(recorder).is_err() {
            tracing::error!("something else records metrics in this process");
        }
        describe();
        keep_up(handle.clone());
        handle
    })
}

fn describe() {
    for metric in names::ALL {
        match metric.kind {
            Kind::Counter => describe_counter!(metric.name, metric.help),
            Kind::Gauge => describe_gauge!(metric.name, metric.help),
            Kind::Histogram => describe_histogram!(metric.name, Unit::Seconds, metric.help),
        }
    }
    PROCESS.describe();
}

/// A thread, because tests have many runtimes and each would take its tasks along when it ends.
fn keep_up(recorder: PrometheusHandle) {
    let thread = std::thread::Builder::new().name("metrics".to_owned());
    let started = thread.spawn(move || {
        loop {
            std::thread::sleep(UPKEEP);
            recorder.run_upkeep();
        }
    });
    if let Err(error) = started {
        tracing::error!(%error, "metrics grow until they are asked for");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::names::{LIMITED, NO_LABELS, OUTBOX_WAITING, RPC_DURATION, WATCH_STREAMS};
    use super::*;

    #[test]
    fn what_was_counted_is_told_with_its_meaning() {
        LIMITED.count(["metrics-test"]);
        LIMITED.count(["metrics-test"]);
        RPC_DURATION.histogram(["x", "Y"]).record(0.003);
        name_process("test");
        let text = metrics_text();
        for line in [
            "# TYPE hourmeter_limited_total counter",
            &format!("# HELP hourmeter_limited_total {}", LIMITED.help),
            "hourmeter_limited_total{limit=\"metrics-test\"} 2",
            "hourmeter_rpc_request_duration_seconds_bucket{service=\"x\",method=\"Y\",le=\"0.0025\"} 0",
            "hourmeter_rpc_request_duration_seconds_bucket{service=\"x\",method=\"Y\",le=\"0.005\"} 1",
            "hourmeter_rpc_request_duration_seconds_bucket{service=\"x\",method=\"Y\",le=\"10\"} 1",
            "hourmeter_rpc_request_duration_seconds_count{service=\"x\",method=\"Y\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let version = env!("CARGO_PKG_VERSION");
        assert!(text.contains(&format!(
            "hourmeter_build_info{{version=\"{version}\",process=\"test\"}} 1"
        )));
        assert!(text.contains("process_resident_memory_bytes "), "{text}");
    }

    #[test]
    fn what_is_gone_is_not_looked_at() {
        let alive = Arc::new(());
        let seen = Arc::downgrade(&alive);
        let waiting = OUTBOX_WAITING.gauge(["metrics-test"]);
        watch(move || {
            seen.upgrade()?;
            waiting.increment(1);
            Some(())
        });
        metrics_text();
        drop(alive);
        let text = metrics_text();
        assert!(
            metrics_text().contains("hourmeter_outbox_waiting{service=\"metrics-test\"} 1"),
            "{text}"
        );
        WATCH_STREAMS.gauge(NO_LABELS).set(0);
    }
}

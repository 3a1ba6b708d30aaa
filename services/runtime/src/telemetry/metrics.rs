//! Metrics of this process in the text format of Prometheus.

use std::sync::{LazyLock, Mutex, Once, PoisonError};

use ::metrics::{Gauge, Unit, describe_counter, describe_gauge, describe_histogram};
use metrics_process::Collector;

use super::names::{self, Kind};
use super::recorder::install;

static DESCRIBED: Once = Once::new();
static PROCESS: LazyLock<Collector> = LazyLock::new(Collector::default);
static SCRAPE_HOOKS: Mutex<Vec<ScrapeHook>> = Mutex::new(Vec::new());

type ScrapeHook = Box<dyn Fn() -> Option<()> + Send>;

/// Renders all metrics of this process.
pub fn metrics_text() -> String {
    let recorder = install();
    DESCRIBED.call_once(describe);
    let mut hooks = SCRAPE_HOOKS.lock().unwrap_or_else(PoisonError::into_inner);
    hooks.retain(|hook| hook().is_some());
    drop(hooks);
    PROCESS.collect();
    recorder.render()
}

/// Sets the process label of the build info: `gateway`, a service's name, or `all`.
pub fn name_process(process: &'static str) {
    let version = env!("CARGO_PKG_VERSION");
    names::BUILD_INFO.gauge([version, process]).set(1);
    // Exported from the start, so that the first panic is an increase.
    names::PANICS.counter(names::NO_LABELS).increment(0);
}

/// Runs `hook` at each scrape, to set gauges, until it returns `None`.
pub fn on_scrape(hook: impl Fn() -> Option<()> + Send + 'static) {
    let mut hooks = SCRAPE_HOOKS.lock().unwrap_or_else(PoisonError::into_inner);
    hooks.push(Box::new(hook));
}

/// Increments a gauge until it is dropped.
#[derive(Debug)]
pub struct GaugeGuard(Gauge);

impl GaugeGuard {
    /// Increments the gauge.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::names::{LIMITED, NO_LABELS, OUTBOX_WAITING, RPC_DURATION, WATCH_STREAMS};
    use super::*;

    #[test]
    fn metrics_text_has_values_and_help() {
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
    fn on_scrape_removes_finished_hooks() {
        let alive = Arc::new(());
        let seen = Arc::downgrade(&alive);
        let waiting = OUTBOX_WAITING.gauge(["metrics-test"]);
        on_scrape(move || {
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

//! The recorder of metrics: one per process, installed at the first use. Tests that run several
//! products in one process share it.

use std::sync::OnceLock;
use std::time::Duration;

use ::metrics::set_global_recorder;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// Upper bounds of the duration buckets in seconds.
const BUCKETS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// Interval at which the recorder sorts buffered durations into buckets; a scrape does it too.
const UPKEEP: Duration = Duration::from_secs(5);

static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

/// Returns the recorder of this process; installs it at the first call.
pub(super) fn install() -> &'static PrometheusHandle {
    RECORDER.get_or_init(|| {
        let builder = PrometheusBuilder::new();
        // Fails only for an empty list.
        let builder = builder.set_buckets(&BUCKETS).unwrap_or_default();
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if set_global_recorder(recorder).is_err() {
            tracing::error!("another metrics recorder is installed; metrics are not exported");
        }
        start_upkeep(handle.clone());
        handle
    })
}

/// In a thread, because tests have several Tokio runtimes, and a task ends with its runtime.
fn start_upkeep(recorder: PrometheusHandle) {
    let thread = std::thread::Builder::new().name("metrics".to_owned());
    let started = thread.spawn(move || {
        loop {
            std::thread::sleep(UPKEEP);
            recorder.run_upkeep();
        }
    });
    if let Err(error) = started {
        tracing::error!(%error, "failed to start metrics upkeep; histograms grow until the next scrape");
    }
}

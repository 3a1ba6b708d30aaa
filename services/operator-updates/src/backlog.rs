//! Outbox backlog metrics.

use std::time::Duration;

use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::telemetry::names;
use tokio_util::sync::CancellationToken;

use crate::store::deliveries::{self, Backlog};

/// Every replica reports the same values.
const POLL_INTERVAL: Duration = Duration::from_secs(10);
const SERVICE: [&str; 1] = [Service::OperatorUpdates.name()];

pub async fn watch(database: Database, stop: CancellationToken) {
    loop {
        match read_backlog(&database).await {
            Ok(backlog) => report(&backlog),
            // The gauges keep their last values; database failures have their own alert.
            Err(failure) => {
                tracing::debug!(error = ?failure.cause, "failed to read the outbox backlog");
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(POLL_INTERVAL) => {}
        }
    }
}

async fn read_backlog(database: &Database) -> Result<Backlog, ServiceError> {
    let mut lookup = database.lookup().await?;
    deliveries::backlog(&mut lookup).await
}

#[expect(clippy::cast_precision_loss, reason = "no backlog has 2^53 rows")]
fn report(backlog: &Backlog) {
    let waiting = names::OUTBOX_WAITING.gauge(SERVICE);
    waiting.set(backlog.waiting as f64);
    let oldest = names::OUTBOX_OLDEST.gauge(SERVICE);
    oldest.set(backlog.oldest_seconds);
    names::OUTBOX_PARKED
        .gauge(SERVICE)
        .set(backlog.parked as f64);
}

#[cfg(test)]
mod tests {
    use hourmeter_runtime::telemetry::metrics_text;

    use super::*;

    #[test]
    fn report_sets_every_gauge() {
        report(&Backlog {
            waiting: 3,
            oldest_seconds: 7.5,
            parked: 2,
        });
        let text = metrics_text();
        for (name, value) in [("waiting", "3"), ("oldest_seconds", "7.5"), ("parked", "2")] {
            let line = format!("hourmeter_outbox_{name}{{service=\"operator-updates\"}} {value}");
            assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
        }
    }
}

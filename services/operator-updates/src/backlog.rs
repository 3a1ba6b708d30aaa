//! How much waits to be applied, told in the metrics.

use std::time::Duration;

use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::telemetry::names;
use tokio_util::sync::CancellationToken;

use crate::store::deliveries::{self, Backlog};

/// How often it looks. Every replica sees the same.
const LOOK_EVERY: Duration = Duration::from_secs(10);
const SERVICE: [&str; 1] = [Service::OperatorUpdates.name()];

/// Looks until `stop`.
pub async fn watch(database: Database, stop: CancellationToken) {
    loop {
        match look(&database).await {
            Ok(backlog) => tell(&backlog),
            // What was told last stands; that the database is away is told elsewhere.
            Err(failure) => tracing::debug!(error = ?failure.cause, "the backlog is not known"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

async fn look(database: &Database) -> Result<Backlog, ServiceError> {
    let mut lookup = database.lookup().await?;
    deliveries::backlog(&mut lookup).await
}

#[expect(clippy::cast_precision_loss, reason = "no backlog has 2^53 rows")]
fn tell(backlog: &Backlog) {
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
    fn each_figure_is_told_by_its_name() {
        tell(&Backlog {
            waiting: 3,
            oldest_seconds: 7.5,
            parked: 2,
        });
        let told = metrics_text();
        for (name, value) in [("waiting", "3"), ("oldest_seconds", "7.5"), ("parked", "2")] {
            let line = format!("hourmeter_outbox_{name}{{service=\"operator-updates\"}} {value}");
            assert!(told.lines().any(|told| told == line), "{line}\n{told}");
        }
    }
}

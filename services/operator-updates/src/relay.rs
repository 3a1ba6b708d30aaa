//! The relay: delivers decisions that handlers could not deliver.

use std::sync::Arc;
use std::time::Duration;

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::telemetry::names;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::delivery::Deliveries;

/// Polling interval.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Queues delivered concurrently.
const CONCURRENCY: i32 = 8;
/// Queues read per slot, because other replicas read the same ones and take some of them.
const READ_AHEAD: i32 = 4;

/// Runs until `stop`, then finishes running deliveries.
pub async fn run(deliveries: Arc<Deliveries>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = deliveries.left_to_relay() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
        }
        while !stop.is_cancelled() {
            match round(&deliveries, &stop).await {
                Ok(0) => break,
                Ok(_) => {}
                Err(failure) => {
                    tracing::warn!(error = ?failure.cause, "relay failed to read due deliveries; retrying");
                    break;
                }
            }
        }
    }
}

/// Delivers queues that are due and returns their number. Starts none after `stop`.
async fn round(
    deliveries: &Arc<Deliveries>,
    stop: &CancellationToken,
) -> Result<usize, ServiceError> {
    let mut due = deliveries.due(CONCURRENCY * READ_AHEAD).await?.into_iter();
    // One task per queue, so that a panic or a slow queue does not affect the others.
    let mut running = JoinSet::new();
    let mut start_next = |running: &mut JoinSet<_>| {
        if !stop.is_cancelled()
            && let Some(queue) = due.next()
        {
            let deliveries = deliveries.clone();
            running.spawn(async move { deliveries.deliver_due(queue).await });
        }
    };
    for _ in 0..CONCURRENCY {
        start_next(&mut running);
    }
    let mut count = 0;
    while let Some(ended) = running.join_next().await {
        match ended {
            Ok(Ok(delivered)) => count += usize::from(delivered),
            // Retried after the lease expires.
            Ok(Err(failure)) => {
                tracing::warn!(error = ?failure.cause, "failed to complete a delivery; retrying after its lease expires");
            }
            Err(panic) => {
                names::PANICS.count(names::NO_LABELS);
                tracing::error!(%panic, "a delivery panicked");
            }
        }
        start_next(&mut running);
    }
    Ok(count)
}

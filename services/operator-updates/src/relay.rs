//! The relay: delivers decisions that handlers could not deliver.

use std::sync::Arc;
use std::time::Duration;

use hourmeter_runtime::error::ServiceError;
use tokio_util::sync::CancellationToken;

use crate::delivery::Deliveries;
use crate::tasks::in_tasks;

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Queues delivered concurrently.
const CONCURRENCY: u8 = 8;
/// Queues read per slot, because other replicas read the same ones and take some of them.
const READ_AHEAD: u8 = 4;

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
                Ok(true) => {}
                Ok(false) => break,
                Err(failure) => {
                    tracing::warn!(error = ?failure.cause, "relay failed to read due deliveries; retrying");
                    break;
                }
            }
        }
    }
}

/// Delivers queues that are due and returns whether there were any. Starts none after `stop`.
async fn round(
    deliveries: &Arc<Deliveries>,
    stop: &CancellationToken,
) -> Result<bool, ServiceError> {
    let due = deliveries.due((CONCURRENCY * READ_AHEAD).into()).await?;
    let due = due.into_iter().take_while(|_| !stop.is_cancelled());
    let deliver = |queue| {
        let deliveries = deliveries.clone();
        async move {
            deliveries.deliver_due(queue).await.unwrap_or_else(|failure| {
                tracing::warn!(error = ?failure.cause, "failed to complete a delivery; retrying after its lease expires");
                false
            })
        }
    };
    let delivered = in_tasks(due, CONCURRENCY.into(), "a delivery", deliver).await;
    Ok(delivered.contains(&Some(true)))
}

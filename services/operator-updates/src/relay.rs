//! The relay: delivers what handlers could not, until it is done.

use std::sync::Arc;
use std::time::Duration;

use hourmeter_runtime::error::Failure;
use hourmeter_runtime::telemetry::names;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::delivery::Deliveries;

/// How often it looks for work by itself.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Of how many pieces of equipment deliveries run at the same time.
const AT_ONCE: i32 = 8;

/// Runs until `stop`, and then ends what it has begun.
pub async fn run(deliveries: Arc<Deliveries>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = deliveries.left_to_relay() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        while !stop.is_cancelled() {
            match round(&deliveries).await {
                Ok(0) => break,
                Ok(_) => {}
                Err(failure) => {
                    tracing::warn!(error = ?failure.cause, "the relay can't reach its database");
                    break;
                }
            }
        }
    }
}

/// Delivers some of what is due; answers of how many pieces of equipment.
async fn round(deliveries: &Arc<Deliveries>) -> Result<usize, Failure> {
    let queues = deliveries.claim_due(AT_ONCE).await?;
    let count = queues.len();
    // A task each, so that a panic ends one queue and not the relay, and no queue is held up by
    // another's fault.
    let mut running = JoinSet::new();
    for ((company_id, _), claims) in queues {
        let deliveries = deliveries.clone();
        running.spawn(async move { deliveries.deliver_claimed(company_id, claims).await });
    }
    while let Some(ended) = running.join_next().await {
        match ended {
            Ok(Ok(())) => {}
            // The lease runs out and it is tried again.
            Ok(Err(failure)) => tracing::warn!(error = ?failure.cause, "a delivery was cut short"),
            Err(panic) => {
                names::PANICS.count(names::NONE);
                tracing::error!(%panic, "a delivery panicked");
            }
        }
    }
    Ok(count)
}

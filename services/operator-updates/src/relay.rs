//! The relay: delivers what handlers could not, until it is done.

use std::sync::Arc;
use std::time::Duration;

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::telemetry::names;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::delivery::Deliveries;

/// How often it looks for work by itself.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Of how many pieces of equipment deliveries run at the same time.
const AT_ONCE: i32 = 8;
/// How many times as many it looks for: other replicas see the same ones, and whoever comes first to
/// one has it.
const ROUNDS: i32 = 4;

/// Runs until `stop`, and then ends what it has begun.
pub async fn run(deliveries: Arc<Deliveries>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = deliveries.left_to_relay() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        while !stop.is_cancelled() {
            match round(&deliveries, &stop).await {
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

/// Delivers some of what is due; answers of how many pieces of equipment. Begins no more once it is
/// to stop.
async fn round(
    deliveries: &Arc<Deliveries>,
    stop: &CancellationToken,
) -> Result<usize, ServiceError> {
    let mut due = deliveries.due(AT_ONCE * ROUNDS).await?.into_iter();
    // A task each, so that a panic ends one queue and not the relay, and no queue is held up by
    // another's fault.
    let mut running = JoinSet::new();
    let mut begin = |running: &mut JoinSet<_>| {
        if !stop.is_cancelled()
            && let Some(queue) = due.next()
        {
            let deliveries = deliveries.clone();
            running.spawn(async move { deliveries.deliver_due(queue).await });
        }
    };
    for _ in 0..AT_ONCE {
        begin(&mut running);
    }
    let mut count = 0;
    while let Some(ended) = running.join_next().await {
        match ended {
            Ok(Ok(delivered)) => count += usize::from(delivered),
            // The lease runs out and it is tried again.
            Ok(Err(failure)) => tracing::warn!(error = ?failure.cause, "a delivery was cut short"),
            Err(panic) => {
                names::PANICS.count(names::NO_LABELS);
                tracing::error!(%panic, "a delivery panicked");
            }
        }
        begin(&mut running);
    }
    Ok(count)
}

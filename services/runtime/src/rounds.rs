//! Background work that repeats.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::error::{ServiceError, chain};

const POLL_INTERVAL: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

/// Runs rounds until `stop`, and finishes the running one. A round returns whether there may be
/// more to do; if not, or after a failure, the next one starts a second later. `what` completes the
/// log line "failed to".
pub async fn repeat<R>(stop: &CancellationToken, what: &str, round: impl Fn() -> R)
where
    R: Future<Output = Result<bool, ServiceError>>,
{
    let mut pause = POLL_INTERVAL;
    while let Some(()) = stop.run_until_cancelled(tokio::time::sleep(pause)).await {
        pause = match round().await {
            Ok(true) => Duration::ZERO,
            Ok(false) => POLL_INTERVAL,
            Err(failure) => {
                tracing::warn!(%failure, error = ?failure.cause, "failed to {what}; retrying");
                POLL_INTERVAL
            }
        };
    }
}

/// Does `work` now and every hour until `stop`, which also interrupts running work. `what` completes
/// the log line "failed to".
pub async fn hourly<R, T>(stop: CancellationToken, what: &str, work: impl Fn() -> R)
where
    R: Future<Output = Result<T, ServiceError>>,
{
    let rounds = async {
        loop {
            if let Err(failure) = work().await {
                let cause = failure.cause.as_deref();
                let error = cause.map_or_else(|| failure.to_string(), |cause| chain(cause));
                tracing::warn!(error, "failed to {what}; retrying in an hour");
            }
            tokio::time::sleep(HOUR).await;
        }
    };
    stop.run_until_cancelled(rounds).await;
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::time::{Instant, sleep, timeout};

    use super::*;

    const SOON: Duration = Duration::from_millis(100);

    #[tokio::test]
    async fn rounds_follow_immediately_while_there_is_more_to_do() {
        let stop = CancellationToken::new();
        let (rounds, begun) = (AtomicU32::new(0), Instant::now());
        repeat(&stop, "test", || async {
            match rounds.fetch_add(1, Ordering::Relaxed) {
                0 | 1 => Ok(true),
                2 => Ok(false),
                3 => Err(ServiceError::internal("broken")),
                _ => {
                    stop.cancel();
                    Ok(true)
                }
            }
        })
        .await;
        assert_eq!(rounds.into_inner(), 5);
        // One pause before the first round, one without work and one after the failure.
        let taken = begun.elapsed();
        assert!(taken >= 3 * POLL_INTERVAL && taken < 4 * POLL_INTERVAL);
    }

    #[tokio::test]
    async fn stop_finishes_a_round_and_interrupts_hourly_work() {
        let stop = CancellationToken::new();
        let finished = AtomicU32::new(0);
        let round = || async {
            stop.cancel();
            sleep(SOON).await;
            finished.fetch_add(1, Ordering::Relaxed);
            Ok(true)
        };
        repeat(&stop, "test", round).await;
        assert_eq!(finished.into_inner(), 1);

        let stop = CancellationToken::new();
        let endless = || async {
            stop.cancel();
            std::future::pending::<Result<(), ServiceError>>().await
        };
        let work = hourly(stop.clone(), "test", endless);
        timeout(SOON, work).await.expect("stopped");
    }
}

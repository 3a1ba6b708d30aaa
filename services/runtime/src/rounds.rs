//! Background work that repeats.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::error::{ServiceError, chain};

const POLL_INTERVAL: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

/// Runs rounds until `stop`, and finishes the running one. A round returns whether there may be more to
/// do; if not, the next one starts a second later. `what` completes the log line "failed to".
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

/// Does `work` now and every hour until `stop`. `what` completes the log line "failed to".
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

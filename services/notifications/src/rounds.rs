//! Background work in rounds, over the companies that have some.

use std::time::Duration;

use futures::StreamExt as _;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Companies in one round.
pub const COMPANIES: i32 = 100;
/// Companies served concurrently.
const CONCURRENCY: usize = 4;

/// Runs rounds until `stop`, and finishes the running one. A round returns whether there may be more to do.
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

/// Works for these companies. Returns whether others may have work.
pub async fn for_each<W>(
    companies: Vec<Uuid>,
    work: impl Fn(Tenant) -> W,
) -> Result<bool, ServiceError>
where
    W: Future<Output = Result<(), ServiceError>>,
{
    let is_full = i32::try_from(companies.len()) == Ok(COMPANIES);
    let all = companies
        .into_iter()
        .map(|id| work(Tenant::from_lookup(id)));
    let mut results = futures::stream::iter(all).buffer_unordered(CONCURRENCY);
    let mut total = Ok(is_full);
    while let Some(result) = results.next().await {
        total = result.and(total);
    }
    total
}

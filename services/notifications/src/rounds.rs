//! Rounds over the companies that have work.

use futures::StreamExt as _;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

/// Companies in one round.
pub const COMPANIES: i32 = 100;
/// Companies served concurrently.
const CONCURRENCY: usize = 4;

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

//! Events of the provider are kept for 90 days, so that none counts twice; then they go.

use std::time::Duration;

use hourmeter_runtime::error::{ServiceError, chain};
use tokio_util::sync::CancellationToken;

use crate::Billing;
use crate::store::due;

/// How often events that are old enough are looked for.
const EVERY: Duration = Duration::from_hours(1);
/// How many are forgotten in one statement.
const AT_ONCE: i64 = 1000;

/// Forgets old events, until `stop`. Several processes may do it.
pub(crate) async fn run(billing: Billing, stop: CancellationToken) {
    loop {
        if let Err(failure) = billing.forget_events().await {
            let cause = failure.cause.as_deref();
            let error = cause.map_or_else(String::new, |cause| chain(cause));
            tracing::warn!(error, "old events were not forgotten");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

impl Billing {
    /// Forgets the events that are old enough; answers how many.
    pub async fn forget_events(&self) -> Result<i64, ServiceError> {
        let mut forgotten = 0;
        loop {
            let mut lookup = self.database.lookup().await?;
            let some = due::forget(&mut lookup, AT_ONCE).await?;
            forgotten += some;
            if some < AT_ONCE {
                return Ok(forgotten);
            }
        }
    }
}

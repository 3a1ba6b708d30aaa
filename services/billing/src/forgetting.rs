//! Deletes provider events after 90 days. Until then they prevent processing an event twice.

use std::time::Duration;

use hourmeter_runtime::error::{ServiceError, chain};
use tokio_util::sync::CancellationToken;

use crate::Billing;
use crate::store::due;

const EVERY: Duration = Duration::from_hours(1);
const AT_ONCE: i64 = 1000;

/// Deletes old events until `stop`. Safe to run in several processes.
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
    /// Deletes events older than 90 days and returns how many.
    pub async fn forget_events(&self) -> Result<i64, Failure> {
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

//! Deletes provider events after 90 days. Until then they prevent processing an event twice.

use std::time::Duration;

use hourmeter_runtime::error::ServiceError;
use tokio_util::sync::CancellationToken;

use crate::Billing;
use crate::scheduler::cause;
use crate::store::due;

const EVERY: Duration = Duration::from_hours(1);
const BATCH_SIZE: i64 = 1000;

/// Deletes old events until `stop`. Safe to run in several processes.
pub(crate) async fn run(billing: Billing, stop: CancellationToken) {
    loop {
        if let Err(failure) = billing.delete_old_events().await {
            tracing::warn!(
                error = cause(&failure),
                "failed to delete old provider events; retrying in an hour"
            );
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

impl Billing {
    /// Deletes events older than 90 days and returns how many.
    pub async fn delete_old_events(&self) -> Result<i64, ServiceError> {
        let mut deleted = 0;
        loop {
            let mut lookup = self.database.lookup().await?;
            let some = due::delete_old_events(&mut lookup, BATCH_SIZE).await?;
            deleted += some;
            if some < BATCH_SIZE {
                return Ok(deleted);
            }
        }
    }
}

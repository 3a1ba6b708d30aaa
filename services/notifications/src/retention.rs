//! Deletes notifications and messages after 90 days.

use std::time::Duration;

use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::{ServiceError, chain};
use tokio_util::sync::CancellationToken;

use crate::store::{self, messages};

const EVERY: Duration = Duration::from_hours(1);
const BATCH_SIZE: i64 = 1000;

/// Deletes old rows until `stop`. Safe to run in several processes.
pub async fn run(database: Database, stop: CancellationToken) {
    let deletions = async {
        loop {
            if let Err(failure) = delete_old(&database).await {
                let cause = failure.cause.as_deref();
                let error = cause.map_or_else(String::new, |cause| chain(cause));
                tracing::warn!(
                    error,
                    "failed to delete old notifications and messages; retrying in an hour"
                );
            }
            tokio::time::sleep(EVERY).await;
        }
    };
    stop.run_until_cancelled(deletions).await;
}

async fn delete_old(database: &Database) -> Result<(), ServiceError> {
    loop {
        let mut lookup = database.lookup().await?;
        let deleted = store::delete_old(&mut lookup, BATCH_SIZE).await?
            + messages::delete_old(&mut lookup, BATCH_SIZE).await?;
        lookup.done();
        if deleted < BATCH_SIZE {
            return Ok(());
        }
    }
}

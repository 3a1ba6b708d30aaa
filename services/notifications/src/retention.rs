//! Deletes notifications and messages after 90 days.

use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::rounds::hourly;
use tokio_util::sync::CancellationToken;

use crate::store::{self, messages};

const BATCH_SIZE: i64 = 1000;

/// Deletes old rows until `stop`. Safe to run in several processes.
pub async fn run(database: Database, stop: CancellationToken) {
    let what = "delete old notifications and messages";
    hourly(stop, what, || delete_old(&database)).await;
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

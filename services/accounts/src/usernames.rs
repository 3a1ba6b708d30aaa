//! Hashes the usernames of removed operators: they stay reserved, but no longer contain a name.

use std::time::Duration;

use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::shutdown::BackgroundTasks;

use crate::secrets::Secrets;
use crate::store::usernames;

const HASH_INTERVAL: Duration = Duration::from_hours(1);
const BATCH: i64 = 100;

/// Hashes released usernames every hour.
pub fn start_username_hashing(database: Database, secrets: &Secrets, background: &BackgroundTasks) {
    let secrets = secrets.clone();
    background.spawn(|stop| async move {
        loop {
            if let Err(failure) = hash_released_usernames(&database, &secrets).await {
                tracing::warn!(error = ?failure.cause, "failed to hash released usernames; retrying in an hour");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(HASH_INTERVAL) => {}
            }
        }
    });
}

/// Replaces all released usernames by their hashes.
pub async fn hash_released_usernames(
    database: &Database,
    secrets: &Secrets,
) -> Result<(), ServiceError> {
    loop {
        let mut lookup = database.lookup().await?;
        let hashed = usernames::hash_released(&mut lookup, &secrets.decoy_secret, BATCH).await?;
        lookup.done();
        if hashed == 0 {
            return Ok(());
        }
    }
}

//! Usernames of operators who are gone, which stay taken without saying whose they were.

use std::time::Duration;

use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::shutdown::BackgroundTasks;

use crate::secrets::Secrets;
use crate::store::usernames;

/// How often they are looked for.
const EVERY: Duration = Duration::from_hours(1);
/// How many are hashed before the connection is given back.
const AT_ONCE: i64 = 100;

/// Hashes them every hour.
pub fn hash_gone_hourly(database: Database, secrets: &Secrets, background: &BackgroundTasks) {
    let secrets = secrets.clone();
    background.spawn(|stop| async move {
        loop {
            if let Err(failure) = hash_gone_usernames(&database, &secrets).await {
                tracing::warn!(error = ?failure.cause, "usernames of the gone were not hashed");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    });
}

/// Replaces all usernames that nobody has any more by their hashes.
pub async fn hash_gone_usernames(
    database: &Database,
    secrets: &Secrets,
) -> Result<(), ServiceError> {
    loop {
        let mut lookup = database.lookup().await?;
        let hashed = usernames::hash_gone(&mut lookup, &secrets.decoy_secret, AT_ONCE).await?;
        lookup.done();
        if hashed == 0 {
            return Ok(());
        }
    }
}

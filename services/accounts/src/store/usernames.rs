//! Operator usernames, which are unique over the whole platform and never reused.

use hourmeter_runtime::error::ServiceError;
use sqlx::PgConnection;

use crate::domain::username::{COUNT_BOUND, candidate, digits, stem};
use crate::secrets::DecoySecret;

/// At least nine of ten candidates are free, so 100 failures in a row are not chance.
const TRIES: usize = 100;

/// Reserves a free username for this first name; released only if the transaction rolls back.
pub async fn take(
    connection: &mut PgConnection,
    secret: &DecoySecret,
    first_name: &str,
) -> Result<String, ServiceError> {
    let stem = stem(first_name);
    let holders: i64 = sqlx::query_scalar("SELECT count_usernames($1, $2, $3)")
        .bind(&stem)
        .bind(secret.hash_username(&stem)?)
        .bind(COUNT_BOUND)
        .fetch_one(&mut *connection)
        .await?;
    let digits = digits(holders);
    for _ in 0..TRIES {
        let username = candidate(&stem, digits)?;
        let taken: bool = sqlx::query_scalar("SELECT take_username($1, $2, $3)")
            .bind(&username)
            .bind(&stem)
            .bind(secret.hash_username(&username)?)
            .fetch_one(&mut *connection)
            .await?;
        if taken {
            return Ok(username);
        }
    }
    Err(ServiceError::unavailable("no free operator username found"))
}

/// Replaces up to `limit` released usernames by their hashes; returns their number.
pub async fn hash_released(
    connection: &mut PgConnection,
    secret: &DecoySecret,
    limit: i64,
) -> Result<usize, ServiceError> {
    let gone: Vec<(String, String)> =
        sqlx::query_as("SELECT username, stem FROM gone_operator_usernames($1)")
            .bind(limit)
            .fetch_all(&mut *connection)
            .await?;
    for (username, stem) in &gone {
        sqlx::query("SELECT hash_operator_username($1, $2, $3)")
            .bind(username)
            .bind(secret.hash_username(username)?)
            .bind(secret.hash_username(stem)?)
            .execute(&mut *connection)
            .await?;
    }
    Ok(gone.len())
}

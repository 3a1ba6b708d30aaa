//! Operator usernames, which are unique over the whole platform and never given out twice.

use hourmeter_runtime::error::Failure;
use sqlx::PgConnection;

use crate::domain::username::{COUNT_BOUND, candidate, digits, stem};

/// With nine in ten names free, a hundred failures in a row do not happen by chance.
const TRIES: usize = 100;

/// Takes a free username for somebody with this first name; given back only if the transaction
/// does not commit.
pub async fn take(connection: &mut PgConnection, first_name: &str) -> Result<String, Failure> {
    let stem = stem(first_name);
    let holders: i64 = sqlx::query_scalar("SELECT count_operator_usernames($1, $2)")
        .bind(&stem)
        .bind(COUNT_BOUND)
        .fetch_one(&mut *connection)
        .await?;
    let digits = digits(holders);
    for _ in 0..TRIES {
        let username = candidate(&stem, digits)?;
        let taken: bool = sqlx::query_scalar("SELECT take_operator_username($1, $2)")
            .bind(&username)
            .bind(&stem)
            .fetch_one(&mut *connection)
            .await?;
        if taken {
            return Ok(username);
        }
    }
    Err(Failure::unavailable("no free operator username found"))
}

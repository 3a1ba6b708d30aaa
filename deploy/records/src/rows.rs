//! Whose rows a transaction sees, and the lines it writes about what was done at a terminal.

use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use uuid::Uuid;

use crate::databases::RecordsError;

/// Row-level security hides every row from the owner of the tables, too, unless the company is set.
pub async fn see(connection: &mut PgConnection, company: Uuid) -> Result<(), RecordsError> {
    // A statement, because a distributed database passes that on, and a call of a function not. It
    // takes no parameter; a UUID has no quotes.
    let set = format!("SET LOCAL app.company_id = '{}'", company.as_hyphenated());
    connection.execute(AssertSqlSafe(set)).await?;
    Ok(())
}

/// Writes a line about `target` into the log of a company, or of the platform.
pub async fn see_and_note(
    connection: &mut PgConnection,
    log: Uuid,
    event: &str,
    target: Uuid,
    reason: &str,
) -> Result<(), RecordsError> {
    see(connection, log).await?;
    sqlx::query(
        "INSERT INTO audit_events (
             company_id, id, event, outcome, actor_name, request_id, target_id, detail
         )
         VALUES ($1, $2, $3, 'success', 'command line', $2, $4, $5)",
    )
    .bind(log)
    .bind(Uuid::now_v7())
    .bind(event)
    .bind(target)
    .bind(reason)
    .execute(connection)
    .await?;
    Ok(())
}

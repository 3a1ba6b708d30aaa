//! Whose rows a transaction sees, and the lines it writes about what was done at a terminal.

use hourmeter_runtime::audit::{AuditContext, AuditEntry, record};
use hourmeter_runtime::identity::Tenant;
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
    let trail = AuditContext::command_line();
    let line = AuditEntry::success(event).target(target, "").detail(reason);
    record(connection, Tenant::from_lookup(log), &trail, &line).await?;
    Ok(())
}

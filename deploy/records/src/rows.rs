//! Row visibility of a transaction, and audit entries for commands.

use hourmeter_runtime::audit::{AuditContext, AuditEntry, AuditEventType, record};
use hourmeter_runtime::identity::Tenant;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use uuid::Uuid;

use crate::databases::RecordsError;

/// Row-level security applies to table owners too, so the company must be set.
pub async fn set_company(connection: &mut PgConnection, company: Uuid) -> Result<(), RecordsError> {
    // A statement, since Citus propagates SET LOCAL but not a function call. A UUID needs no
    // quoting.
    let set = format!("SET LOCAL app.company_id = '{}'", company.as_hyphenated());
    connection.execute(AssertSqlSafe(set)).await?;
    Ok(())
}

/// Writes an audit entry about `target` for a company or the platform.
pub async fn set_company_and_record(
    connection: &mut PgConnection,
    log: Uuid,
    event: AuditEventType,
    target: Uuid,
    reason: &str,
) -> Result<(), RecordsError> {
    set_company(connection, log).await?;
    let trail = AuditContext::command_line();
    let line = AuditEntry::success(event).target(target, "").detail(reason);
    record(connection, Tenant::from_lookup(log), &trail, &line).await?;
    Ok(())
}

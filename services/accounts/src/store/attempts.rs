//! What tells an attack from a forgotten password: addresses that signed in before, and failed
//! operator sign-ins. By the database's clock.

use hourmeter_proto::accounts::v1::Scope;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use super::scope_name;

/// How many failed operator sign-ins a company may have in an hour.
const MOST_FAILED: i64 = 100;

/// What the audit log says of a failed sign-in at the operator login; an index counts by it.
pub const OPERATOR_LOGIN: &str = "operator_login";

/// Notes where somebody has signed in from, and forgets addresses of more than 30 days ago.
pub async fn note_address(
    connection: &mut PgConnection,
    tenant: Tenant,
    user_id: Uuid,
    scope: Scope,
    address_prefix: &str,
) -> Result<(), Failure> {
    sqlx::query(
        "DELETE FROM sign_in_addresses
        WHERE company_id = $1 AND user_id = $2 AND last_at < now() - interval '30 days'",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .execute(&mut *connection)
    .await?;
    if address_prefix.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO sign_in_addresses (
            company_id,
            user_id,
            scope,
            address_prefix
        ) VALUES ($1, $2, $3, $4)
        ON CONFLICT (company_id, user_id, scope, address_prefix) DO UPDATE
        SET last_at = now()",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(scope_name(scope))
    .bind(address_prefix)
    .execute(connection)
    .await?;
    Ok(())
}

/// Whether somebody signed in from there within the last 30 days, with full scope or with any.
pub async fn is_known_address(
    connection: &mut PgConnection,
    tenant: Tenant,
    user_id: Uuid,
    only_full: bool,
    address_prefix: &str,
) -> Result<bool, Failure> {
    let known = sqlx::query_scalar(
        "SELECT EXISTS (
            SELECT FROM sign_in_addresses
            WHERE company_id = $1 AND user_id = $2 AND address_prefix = $3
              AND (scope = 'full' OR NOT $4) AND last_at >= now() - interval '30 days'
        )",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(address_prefix)
    .bind(only_full)
    .fetch_one(connection)
    .await?;
    Ok(known)
}

/// For how many seconds more the company has had too many failed operator sign-ins within an
/// hour; absent: it has not.
pub async fn operator_login_blocked(
    connection: &mut PgConnection,
    tenant: Tenant,
) -> Result<Option<i64>, Failure> {
    let seconds = sqlx::query_scalar(
        "SELECT ceil(extract(epoch FROM min(at) + interval '1 hour' - now()))::bigint
        FROM (
            SELECT at
            FROM audit_events
            WHERE company_id = $1 AND event = 'sign_in' AND outcome = 'failed'
              AND detail = 'operator_login' AND at > now() - interval '1 hour'
            ORDER BY at DESC
            LIMIT $2
        ) failed
        HAVING count(*) >= $2",
    )
    .bind(tenant.company_id())
    .bind(MOST_FAILED)
    .fetch_optional(connection)
    .await?;
    Ok(seconds.flatten())
}

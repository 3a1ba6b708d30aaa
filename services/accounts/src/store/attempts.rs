//! What tells an attack from a forgotten password: addresses that signed in before, and failed
//! operator sign-ins. By the database's clock.

use hourmeter_proto::accounts::v1::Scope;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use super::scope_name;

/// How many failed operator sign-ins a company may have in an hour, by username and by business
/// name each.
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
) -> Result<(), ServiceError> {
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

/// How an address is known for a person.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The person signed in from there within the last 30 days.
    pub at_all: bool,
    /// The session had full scope.
    pub in_full: bool,
}

/// How an address is known for a person.
pub async fn known_address(
    connection: &mut PgConnection,
    tenant: Tenant,
    user_id: Uuid,
    address_prefix: &str,
) -> Result<Known, ServiceError> {
    let (at_all, in_full) = sqlx::query_as(
        "SELECT count(*) > 0, count(*) FILTER (WHERE scope = 'full') > 0
        FROM sign_in_addresses
        WHERE company_id = $1 AND user_id = $2 AND address_prefix = $3
          AND last_at >= now() - interval '30 days'",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(address_prefix)
    .fetch_one(connection)
    .await?;
    Ok(Known { at_all, in_full })
}

/// How many seconds more the operator login is closed to unknown addresses because of too many
/// failed sign-ins within an hour; absent: it is open. Sign-ins by business name, which is public,
/// are counted apart from those by username.
pub async fn operator_login_blocked(
    connection: &mut PgConnection,
    tenant: Tenant,
    by_business_name: bool,
) -> Result<Option<i64>, ServiceError> {
    // Who signs in by business name is the owner.
    let seconds = sqlx::query_scalar(
        "SELECT ceil(extract(epoch FROM min(at) + interval '1 hour' - now()))::bigint
        FROM (
            SELECT e.at
            FROM audit_events e
            JOIN companies c ON c.company_id = e.company_id
            WHERE e.company_id = $1 AND e.event = 'sign_in' AND e.outcome = 'failed'
              AND e.detail = 'operator_login' AND e.at > now() - interval '1 hour'
              AND (e.target_id = c.owner_id) = $3
            ORDER BY e.at DESC
            LIMIT $2
        ) failed
        HAVING count(*) >= $2",
    )
    .bind(tenant.company_id())
    .bind(MOST_FAILED)
    .bind(by_business_name)
    .fetch_optional(connection)
    .await?;
    Ok(seconds.flatten())
}

//! Data to distinguish attacks from forgotten passwords: known addresses and failed operator
//! sign-ins, by the database's clock.

use hourmeter_proto::accounts::v1::Scope;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

use super::scope_name;

/// Failed operator sign-ins per company and hour, counted separately by username and by business
/// name.
const MAX_FAILED: i64 = 100;

/// Audit detail of a failed sign-in at the operator login; an index uses it.
pub const OPERATOR_LOGIN: &str = "operator_login";

/// Records the address of a sign-in, and deletes the person's addresses older than 30 days.
pub async fn record_address(
    tx: &mut TenantTx,
    user_id: Uuid,
    scope: Scope,
    address_prefix: &str,
) -> Result<(), ServiceError> {
    tx.query(
        "DELETE FROM sign_in_addresses
        WHERE company_id = $1 AND user_id = $2 AND last_at < now() - interval '30 days'",
    )
    .bind(user_id)
    .execute(&mut **tx)
    .await?;
    if address_prefix.is_empty() {
        return Ok(());
    }
    let statement = tx
        .query(
            "INSERT INTO sign_in_addresses (
                company_id,
                user_id,
                scope,
                address_prefix
            ) VALUES ($1, $2, $3, $4)
            ON CONFLICT (company_id, user_id, scope, address_prefix) DO UPDATE
            SET last_at = now()",
        )
        .bind(user_id)
        .bind(scope_name(scope))
        .bind(address_prefix);
    tx.run(statement).await
}

/// Sign-ins of a person from an address within 30 days.
#[derive(Clone, Copy, Debug, sqlx_macros::FromRow)]
pub struct AddressHistory {
    pub signed_in: bool,
    pub with_full_scope: bool,
}

pub async fn known_address(
    tx: &mut TenantTx,
    user_id: Uuid,
    address_prefix: &str,
) -> Result<AddressHistory, ServiceError> {
    let history = tx
        .query_as(
            "SELECT
                count(*) > 0 AS signed_in,
                count(*) FILTER (WHERE scope = 'full') > 0 AS with_full_scope
            FROM sign_in_addresses
            WHERE company_id = $1 AND user_id = $2 AND address_prefix = $3
              AND last_at >= now() - interval '30 days'",
        )
        .bind(user_id)
        .bind(address_prefix);
    Ok(history.fetch_one(&mut **tx).await?)
}

/// Remaining seconds for which the operator login is closed to unknown addresses after too many
/// failed sign-ins in an hour; None: it is open. Sign-ins by business name, which is public, are
/// counted separately from those by username.
pub async fn operator_login_blocked(
    tx: &mut TenantTx,
    by_business_name: bool,
) -> Result<Option<i64>, ServiceError> {
    // Only owners sign in by business name.
    let seconds = tx
        .query_scalar(
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
        .bind(MAX_FAILED)
        .bind(by_business_name)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(seconds.flatten())
}

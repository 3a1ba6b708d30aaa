//! The table `sandbox_accounts`, and what of `subscriptions` only the sandbox moves.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::provider::sandbox::account::Account;

/// The farthest a billing clock can be ahead, days.
pub const MOST_DAYS_AHEAD: i32 = 3660;

/// A company's customer.
pub async fn find(
    connection: &mut PgConnection,
    tenant: Tenant,
) -> Result<Option<Account>, ServiceError> {
    let account: Option<Json<Account>> = sqlx::query_scalar(
        "SELECT account
        FROM sandbox_accounts
        WHERE company_id = $1",
    )
    .bind(tenant.company_id())
    .fetch_optional(connection)
    .await?;
    Ok(account.map(|Json(account)| account))
}

/// A company's customer, locked until the transaction ends.
pub async fn lock(
    connection: &mut PgConnection,
    tenant: Tenant,
) -> Result<Option<Account>, ServiceError> {
    let account: Option<Json<Account>> = sqlx::query_scalar(
        "SELECT account
        FROM sandbox_accounts
        WHERE company_id = $1
        FOR UPDATE",
    )
    .bind(tenant.company_id())
    .fetch_optional(connection)
    .await?;
    Ok(account.map(|Json(account)| account))
}

/// Makes a customer, unless the company is one.
pub async fn insert(
    connection: &mut PgConnection,
    tenant: Tenant,
    account: &Account,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO sandbox_accounts (company_id, account, updated_at)
        VALUES ($1, $2, $3)
        ON CONFLICT (company_id) DO NOTHING",
    )
    .bind(tenant.company_id())
    .bind(Json(account))
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores a customer that was locked. Where events wait, the company is due at once.
pub async fn save(
    connection: &mut PgConnection,
    tenant: Tenant,
    account: &Account,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE sandbox_accounts
        SET account = $2, updated_at = $3
        WHERE company_id = $1",
    )
    .bind(tenant.company_id())
    .bind(Json(account))
    .bind(now)
    .execute(&mut *connection)
    .await?;
    if account.outbox.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE subscriptions
        SET next_due_at = least(next_due_at, $2)
        WHERE company_id = $1",
    )
    .bind(tenant.company_id())
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Moves a company's billing clock forward, so that it is due at once; false: that would be too far.
pub async fn move_clock(
    connection: &mut PgConnection,
    tenant: Tenant,
    days: i32,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let moved = sqlx::query(
        "UPDATE subscriptions
        SET clock_days_ahead = clock_days_ahead + $2,
            next_due_at = $4,
            updated_at = $4
        WHERE company_id = $1 AND clock_days_ahead + $2 <= $3",
    )
    .bind(tenant.company_id())
    .bind(days)
    .bind(MOST_DAYS_AHEAD)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(moved.rows_affected() > 0)
}

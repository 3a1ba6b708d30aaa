//! The table `sandbox_accounts`, and the clock column of `subscriptions`.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::types::Json;

use crate::provider::sandbox::account::Account;

/// Maximum of `clock_days_ahead`.
pub const MAX_DAYS_AHEAD: u32 = 3660;

pub async fn find(tx: &mut TenantTx) -> Result<Option<Account>, ServiceError> {
    let find = "SELECT account FROM sandbox_accounts WHERE company_id = $1";
    read(tx, find).await
}

/// Locks the account until the transaction ends.
pub async fn lock(tx: &mut TenantTx) -> Result<Option<Account>, ServiceError> {
    let lock = "SELECT account FROM sandbox_accounts WHERE company_id = $1 FOR UPDATE";
    read(tx, lock).await
}

async fn read(tx: &mut TenantTx, statement: &'static str) -> Result<Option<Account>, ServiceError> {
    let account: Option<Json<Account>> =
        tx.query_scalar(statement).fetch_optional(&mut **tx).await?;
    Ok(account.map(|Json(account)| account))
}

/// Inserts the account unless the company has one.
pub async fn insert(
    tx: &mut TenantTx,
    account: &Account,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "INSERT INTO sandbox_accounts (company_id, account, updated_at)
            VALUES ($1, $2, $3)
            ON CONFLICT (company_id) DO NOTHING",
        )
        .bind(Json(account))
        .bind(now);
    tx.run(statement).await
}

/// Stores a locked account. With queued events the company becomes due now.
pub async fn save(
    tx: &mut TenantTx,
    account: &Account,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    tx.query(
        "UPDATE sandbox_accounts
        SET account = $2, updated_at = $3
        WHERE company_id = $1",
    )
    .bind(Json(account))
    .bind(now)
    .execute(&mut **tx)
    .await?;
    if account.outbox.is_empty() {
        return Ok(());
    }
    let statement = tx
        .query(
            "UPDATE subscriptions
            SET next_due_at = least(next_due_at, $2)
            WHERE company_id = $1",
        )
        .bind(now);
    tx.run(statement).await
}

/// Moves the billing clock forward and makes the company due now. Returns false beyond the maximum.
pub async fn move_clock(
    tx: &mut TenantTx,
    days: i32,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let moved = tx
        .query(
            "UPDATE subscriptions
            SET clock_days_ahead = clock_days_ahead + $2,
                next_due_at = $4,
                updated_at = $4
            WHERE company_id = $1 AND clock_days_ahead + $2 <= $3",
        )
        .bind(days)
        .bind(i64::from(MAX_DAYS_AHEAD))
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(moved.rows_affected() > 0)
}

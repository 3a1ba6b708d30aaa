//! The table `companies`: what background work needs to know of a company.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;

/// How often an unchanged setting is stored.
const STORE_EVERY: TimeDelta = TimeDelta::hours(1);
/// How long a setting counts that no request has confirmed.
const KNOWN_FOR: TimeDelta = TimeDelta::days(1);

/// Stores whether updates are applied automatically, as a request had it.
pub async fn remember(
    connection: &mut PgConnection,
    tenant: Tenant,
    auto_apply: bool,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO companies AS known (company_id, auto_apply, seen_at)
        VALUES ($1, $2, $3)
        ON CONFLICT (company_id) DO UPDATE
        SET auto_apply = excluded.auto_apply, seen_at = excluded.seen_at
        WHERE known.seen_at IS NULL
           OR known.auto_apply <> excluded.auto_apply
           OR known.seen_at < $4",
    )
    .bind(tenant.company_id())
    .bind(auto_apply)
    .bind(now)
    .bind(now - STORE_EVERY)
    .execute(connection)
    .await?;
    Ok(())
}

/// Whether updates are applied automatically, by the last request; false without one in a day,
/// because the subscription may have ended.
pub async fn auto_applies(
    connection: &mut PgConnection,
    tenant: Tenant,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let known: Option<bool> = sqlx::query_scalar(
        "SELECT auto_apply
        FROM companies
        WHERE company_id = $1 AND seen_at > $2",
    )
    .bind(tenant.company_id())
    .bind(now - KNOWN_FOR)
    .fetch_optional(connection)
    .await?;
    Ok(known.unwrap_or_default())
}

/// The cursor of voided updates; empty: from the beginning. None: the company has no updates.
pub async fn voided_cursor(
    connection: &mut PgConnection,
    tenant: Tenant,
) -> Result<Option<String>, ServiceError> {
    let cursor = sqlx::query_scalar(
        "SELECT coalesce((SELECT voided_cursor FROM companies WHERE company_id = $1), '')
        FROM updates
        WHERE company_id = $1
        LIMIT 1",
    )
    .bind(tenant.company_id())
    .fetch_optional(connection)
    .await?;
    Ok(cursor)
}

pub async fn set_voided_cursor(
    connection: &mut PgConnection,
    tenant: Tenant,
    cursor: &str,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO companies AS known (company_id, voided_cursor)
        VALUES ($1, $2)
        ON CONFLICT (company_id) DO UPDATE
        SET voided_cursor = excluded.voided_cursor
        WHERE known.voided_cursor <> excluded.voided_cursor",
    )
    .bind(tenant.company_id())
    .bind(cursor)
    .execute(connection)
    .await?;
    Ok(())
}

//! Due checks, and events that were handled.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::webhook::ProviderEvent;

/// Companies with due checks, longest overdue first.
pub async fn due(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    at_most: i32,
) -> Result<Vec<Uuid>, ServiceError> {
    Ok(sqlx::query_scalar("SELECT due_subscriptions($1, $2)")
        .bind(now)
        .bind(at_most)
        .fetch_all(connection)
        .await?)
}

/// Claims a due company until `until`. Returns false if another process has.
pub async fn claim(
    tx: &mut TenantTx,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let claimed = tx
        .query(
            "UPDATE subscriptions
            SET next_due_at = $3
            WHERE company_id = $1 AND next_due_at <= $2",
        )
        .bind(now)
        .bind(until)
        .execute(&mut **tx)
        .await?;
    Ok(claimed.rows_affected() > 0)
}

pub async fn set_next_check(
    tx: &mut TenantTx,
    at: Option<DateTime<Utc>>,
    quiet_looks: u32,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE subscriptions
            SET next_due_at = $2, quiet_looks = $3
            WHERE company_id = $1",
        )
        .bind(at)
        .bind(i32::try_from(quiet_looks).unwrap_or(i32::MAX));
    tx.run(statement).await
}

/// Moves the next check forward to `at`.
pub async fn check_by(tx: &mut TenantTx, at: DateTime<Utc>) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE subscriptions
            SET next_due_at = least(next_due_at, $2), quiet_looks = 0
            WHERE company_id = $1",
        )
        .bind(at);
    tx.run(statement).await
}

pub async fn find_company(
    connection: &mut PgConnection,
    customer_id: &str,
) -> Result<Option<Tenant>, ServiceError> {
    let company: Option<Uuid> = sqlx::query_scalar("SELECT company_of_customer($1)")
        .bind(customer_id)
        .fetch_one(connection)
        .await?;
    Ok(company.map(Tenant::from_lookup))
}

pub async fn is_recorded(tx: &mut TenantTx, event_id: &str) -> Result<bool, ServiceError> {
    let exists = "SELECT EXISTS (SELECT 1 FROM stripe_events WHERE company_id = $1 AND id = $2)";
    Ok(tx
        .query_scalar(exists)
        .bind(event_id)
        .fetch_one(&mut **tx)
        .await?)
}

/// Deletes up to `at_most` events of any company older than 90 days and returns how many. Needs a
/// lookup connection.
pub async fn delete_old_events(
    connection: &mut PgConnection,
    at_most: i64,
) -> Result<i64, ServiceError> {
    Ok(sqlx::query_scalar("SELECT forget_stripe_events($1)")
        .bind(at_most)
        .fetch_one(connection)
        .await?)
}

/// Records an event. Returns false if it was recorded before.
pub async fn record_event(
    tx: &mut TenantTx,
    event: &ProviderEvent,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let taken = tx
        .query(
            "INSERT INTO stripe_events (company_id, id, kind, made_at, received_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (company_id, id) DO NOTHING",
        )
        .bind(&event.id)
        .bind(&event.kind)
        .bind(event.made_at)
        .bind(now)
        .execute(&mut **tx)
        .await?;
    if taken.rows_affected() == 0 {
        return Ok(false);
    }
    tx.query(
        "UPDATE subscriptions
        SET provider_event_at = greatest(provider_event_at, $2)
        WHERE company_id = $1",
    )
    .bind(event.made_at)
    .execute(&mut **tx)
    .await?;
    Ok(true)
}

//! What support staff read and set, through functions of the lookup role.

use chrono::{DateTime, Utc};
use hourmeter_runtime::audit::{AuditContext, AuditEntry, scope_name};
use hourmeter_runtime::error::ServiceError;
use sqlx::PgConnection;
use uuid::Uuid;

use super::subscriptions::{Row, columns};
use crate::domain::subscription::Subscription;

#[derive(sqlx_macros::FromRow)]
struct Found {
    company_id: Uuid,
    #[sqlx(flatten)]
    row: Row,
}

/// Subscriptions of the companies that billing knows.
pub async fn list(
    connection: &mut PgConnection,
    company_ids: &[Uuid],
    provider: &str,
) -> Result<Vec<(Uuid, Subscription)>, ServiceError> {
    let found: Vec<Found> = sqlx::query_as(concat!(
        "SELECT company_id, ",
        columns!(),
        " FROM list_subscriptions($1)"
    ))
    .bind(company_ids)
    .fetch_all(connection)
    .await?;
    read(found, provider)
}

/// Subscriptions in a state before this start of the trial and company, latest start first.
pub async fn list_in_state(
    connection: &mut PgConnection,
    state: &str,
    provider: &str,
    now: DateTime<Utc>,
    (before, before_id): (DateTime<Utc>, Uuid),
    limit: i64,
) -> Result<Vec<(Uuid, Subscription)>, ServiceError> {
    let found: Vec<Found> = sqlx::query_as(concat!(
        "SELECT company_id, ",
        columns!(),
        " FROM list_subscriptions_in_state($1, $2, $3, $4, $5, $6)"
    ))
    .bind(state)
    .bind(provider)
    .bind(now)
    .bind(before)
    .bind(before_id)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    read(found, provider)
}

fn read(found: Vec<Found>, provider: &str) -> Result<Vec<(Uuid, Subscription)>, ServiceError> {
    let found = found.into_iter();
    found
        .map(|found| Ok((found.company_id, found.row.read(provider)?)))
        .collect()
}

/// Records an entry in the platform's audit log.
pub async fn record(
    connection: &mut PgConnection,
    company_id: Option<Uuid>,
    context: &AuditContext,
    entry: &AuditEntry<'_>,
) -> Result<(), ServiceError> {
    sqlx::query("SELECT note_for_platform($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)")
        .bind(Uuid::now_v7())
        .bind(entry.event.name())
        .bind(entry.outcome.name())
        .bind(context.actor_id)
        .bind(&context.actor_name)
        .bind(scope_name(context.scope))
        .bind(&context.address_prefix)
        .bind(context.request_id)
        .bind(company_id)
        .bind(entry.target_name)
        .bind(entry.detail)
        .execute(connection)
        .await?;
    Ok(())
}

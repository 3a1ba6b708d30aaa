//! The table `subscriptions`.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;

use crate::domain::plan::Tier;
use crate::domain::subscription::{Status, Subscription};

/// A row as stored.
#[derive(sqlx::FromRow)]
pub(super) struct Row {
    tier: String,
    status: String,
    trial_start: DateTime<Utc>,
    trial_end: DateTime<Utc>,
    current_period_end: Option<DateTime<Utc>>,
    cancel_at_period_end: bool,
    pause_end: Option<DateTime<Utc>>,
    billing_interval: Option<String>,
    equipment_limit_override: Option<i32>,
    updated_at: DateTime<Utc>,
}

impl TryFrom<Row> for Subscription {
    type Error = Failure;

    fn try_from(row: Row) -> Result<Self, Failure> {
        let unknown = || Failure::internal("a stored tier or status is unknown");
        Ok(Self {
            tier: Tier::from_name(&row.tier).ok_or_else(unknown)?,
            status: Status::from_name(&row.status).ok_or_else(unknown)?,
            trial_start: row.trial_start,
            trial_end: row.trial_end,
            current_period_end: row.current_period_end,
            cancel_at_period_end: row.cancel_at_period_end,
            pause_end: row.pause_end,
            billing_interval: row.billing_interval,
            equipment_limit_override: row.equipment_limit_override,
            updated_at: row.updated_at,
        })
    }
}

/// The company's subscription, if billing has met it.
pub async fn find(
    connection: &mut PgConnection,
    tenant: Tenant,
) -> Result<Option<Subscription>, Failure> {
    let row = sqlx::query_as::<_, Row>(
        "SELECT
            tier,
            status,
            trial_start,
            trial_end,
            current_period_end,
            cancel_at_period_end,
            pause_end,
            billing_interval,
            equipment_limit_override,
            updated_at
        FROM subscriptions
        WHERE company_id = $1",
    )
    .bind(tenant.company_id())
    .fetch_optional(connection)
    .await?;
    row.map(Subscription::try_from).transpose()
}

/// Begins a company's trial, unless it has a subscription already.
pub async fn insert_trial(
    connection: &mut PgConnection,
    tenant: Tenant,
    trial: &Subscription,
) -> Result<(), Failure> {
    sqlx::query(
        "INSERT INTO subscriptions
            (company_id, tier, status, trial_start, trial_end, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $6)
        ON CONFLICT (company_id) DO NOTHING",
    )
    .bind(tenant.company_id())
    .bind(trial.tier.name())
    .bind(trial.status.name())
    .bind(trial.trial_start)
    .bind(trial.trial_end)
    .bind(trial.updated_at)
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores that `read` has expired, unless somebody changed it since it was read.
pub async fn set_expired(
    connection: &mut PgConnection,
    tenant: Tenant,
    read: &Subscription,
    now: DateTime<Utc>,
) -> Result<(), Failure> {
    sqlx::query(
        "UPDATE subscriptions
        SET status = 'expired', updated_at = $4
        WHERE company_id = $1 AND status = $2 AND updated_at = $3",
    )
    .bind(tenant.company_id())
    .bind(read.status.name())
    .bind(read.updated_at)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores the limit agreed with the company; none: its plan's own.
pub async fn set_limit(
    connection: &mut PgConnection,
    tenant: Tenant,
    limit: Option<i32>,
    now: DateTime<Utc>,
) -> Result<(), Failure> {
    sqlx::query(
        "UPDATE subscriptions
        SET equipment_limit_override = $2, updated_at = $3
        WHERE company_id = $1",
    )
    .bind(tenant.company_id())
    .bind(limit)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores that a plan is paid for by the year; false: billing has not met the company.
pub async fn set_paid(
    connection: &mut PgConnection,
    tenant: Tenant,
    tier: Tier,
    paid_until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool, Failure> {
    let updated = sqlx::query(
        "UPDATE subscriptions
        SET tier = $2,
            status = 'active',
            current_period_end = $3,
            cancel_at_period_end = false,
            pause_end = NULL,
            billing_interval = 'year',
            updated_at = $4
        WHERE company_id = $1",
    )
    .bind(tenant.company_id())
    .bind(tier.name())
    .bind(paid_until)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(updated.rows_affected() > 0)
}

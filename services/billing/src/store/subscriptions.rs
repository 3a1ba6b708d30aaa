//! The table `subscriptions`.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;

use crate::domain::plan::Tier;
use crate::domain::subscription::{Interval, Status, Subscription};

/// Columns of [`Row`].
macro_rules! columns {
    () => {
        "tier,
            status,
            trial_start,
            trial_end,
            current_period_end,
            cancel_at_period_end,
            pause_end,
            billing_interval,
            equipment_limit_override,
            provider,
            provider_customer_id,
            provider_subscription_id,
            payment_failed,
            clock_days_ahead,
            updated_at"
    };
}
pub(super) use columns;

#[derive(sqlx_macros::FromRow)]
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
    provider: Option<String>,
    provider_customer_id: Option<String>,
    provider_subscription_id: Option<String>,
    payment_failed: bool,
    clock_days_ahead: i32,
    updated_at: DateTime<Utc>,
}

impl Row {
    /// Converts to the domain type. Data of another provider than `provider` does not count.
    pub(super) fn read(self, provider: &str) -> Result<Subscription, ServiceError> {
        let unknown = || {
            ServiceError::internal("stored subscription has an unknown tier, status or interval")
        };
        let is_here = self.provider.as_deref() == Some(provider);
        // A subscription at another provider gives no access.
        let is_elsewhere = !is_here && self.provider_subscription_id.is_some();
        let interval = self.billing_interval.as_deref();
        let interval = interval.map(|name| Interval::from_name(name).ok_or_else(unknown));
        Ok(Subscription {
            tier: Tier::from_name(&self.tier).ok_or_else(unknown)?,
            status: match Status::from_name(&self.status).ok_or_else(unknown)? {
                _ if is_elsewhere => Status::Expired,
                status => status,
            },
            trial_start: self.trial_start,
            trial_end: self.trial_end,
            current_period_end: self.current_period_end.filter(|_| !is_elsewhere),
            cancel_at_period_end: self.cancel_at_period_end && !is_elsewhere,
            pause_end: self.pause_end.filter(|_| !is_elsewhere),
            billing_interval: interval.transpose()?,
            equipment_limit_override: self.equipment_limit_override,
            customer_id: self.provider_customer_id.filter(|_| is_here),
            provider_subscription_id: self.provider_subscription_id.filter(|_| is_here),
            payment_failed: self.payment_failed && is_here,
            clock_days_ahead: match provider {
                crate::provider::sandbox::NAME => u32::try_from(self.clock_days_ahead).unwrap_or(0),
                _ => 0,
            },
            updated_at: self.updated_at,
        })
    }
}

const FIND: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM subscriptions WHERE company_id = $1"
);
const LOCK: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM subscriptions WHERE company_id = $1 FOR UPDATE"
);

pub async fn find(tx: &mut TenantTx, provider: &str) -> Result<Option<Subscription>, ServiceError> {
    read(tx, FIND, provider).await
}

/// Locks the row until the transaction ends.
pub async fn lock(tx: &mut TenantTx, provider: &str) -> Result<Option<Subscription>, ServiceError> {
    read(tx, LOCK, provider).await
}

async fn read(
    tx: &mut TenantTx,
    statement: &'static str,
    provider: &str,
) -> Result<Option<Subscription>, ServiceError> {
    let row: Option<Row> = tx.query_as(statement).fetch_optional(&mut **tx).await?;
    row.map(|row| row.read(provider)).transpose()
}

/// Inserts a trial unless the company has a subscription.
pub async fn insert_trial(tx: &mut TenantTx, trial: &Subscription) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "INSERT INTO subscriptions (
                company_id,
                tier,
                status,
                trial_start,
                trial_end,
                next_due_at,
                created_at,
                updated_at
            )
            VALUES ($1, $2, $3, $4, $5, $5, $6, $6)
            ON CONFLICT (company_id) DO NOTHING",
        )
        .bind(trial.tier.name())
        .bind(trial.status.name())
        .bind(trial.trial_start)
        .bind(trial.trial_end)
        .bind(trial.updated_at);
    tx.run(statement).await
}

pub async fn save(tx: &mut TenantTx, row: &Subscription) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE subscriptions
            SET tier = $2,
                status = $3,
                trial_end = $4,
                current_period_end = $5,
                cancel_at_period_end = $6,
                pause_end = $7,
                billing_interval = $8,
                provider_subscription_id = $9,
                payment_failed = $10,
                updated_at = $11
            WHERE company_id = $1",
        )
        .bind(row.tier.name())
        .bind(row.status.name())
        .bind(row.trial_end)
        .bind(row.current_period_end)
        .bind(row.cancel_at_period_end)
        .bind(row.pause_end)
        .bind(row.billing_interval.map(Interval::name))
        .bind(&row.provider_subscription_id)
        .bind(row.payment_failed)
        .bind(row.updated_at);
    tx.run(statement).await
}

/// `None` resets to the plan's limit.
pub async fn set_limit(
    tx: &mut TenantTx,
    limit: Option<i32>,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE subscriptions
            SET equipment_limit_override = $2, updated_at = $3
            WHERE company_id = $1",
        )
        .bind(limit)
        .bind(now);
    tx.run(statement).await
}

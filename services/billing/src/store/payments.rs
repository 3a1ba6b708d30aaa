//! Payment state in the table `subscriptions`.

use chrono::{DateTime, Utc};
use hourmeter_proto::accounts::v1::Scope;
use hourmeter_runtime::audit::{AuditContext, scope_name};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use uuid::Uuid;

use crate::domain::plan::Tier;
use crate::domain::subscription::Interval;
use crate::provider::{Checkout, Offer};

/// A requested change and who requested it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingChange {
    /// Names of the changes it may cause, see [`crate::domain::changes`].
    pub words: Vec<String>,
    pub at: DateTime<Utc>,
    request_id: Uuid,
    address_prefix: String,
    actor_id: Option<Uuid>,
    actor_name: String,
    scope: String,
}

impl PendingChange {
    pub fn new(words: &[&str], context: &AuditContext, at: DateTime<Utc>) -> Self {
        Self {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            at,
            request_id: context.request_id,
            address_prefix: context.address_prefix.clone(),
            actor_id: context.actor_id,
            actor_name: context.actor_name.clone(),
            scope: scope_name(context.scope).to_owned(),
        }
    }

    pub fn audit_context(&self) -> AuditContext {
        let scopes = [Scope::Full, Scope::Operator, Scope::Staff];
        let scope = scopes
            .into_iter()
            .find(|scope| scope_name(*scope) == self.scope);
        AuditContext {
            request_id: self.request_id,
            address_prefix: self.address_prefix.clone(),
            actor_id: self.actor_id,
            actor_name: self.actor_name.clone(),
            scope: scope.unwrap_or(Scope::Unspecified),
            browser: String::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    pub offer: Offer,
    pub checkout: Checkout,
}

#[derive(Debug, Default)]
pub struct PaymentState {
    /// When the newest handled event was created.
    pub event_at: Option<DateTime<Utc>>,
    /// The ticket of the newest stored read.
    pub followed_ticket: i64,
    /// Consecutive checks without a change.
    pub quiet_looks: u32,
    /// Until then a change is running at the provider.
    pub busy_until: Option<DateTime<Utc>>,
    pub pending_change: Option<PendingChange>,
    pub opened: Option<Opened>,
}

#[derive(sqlx_macros::FromRow)]
struct Row {
    provider: Option<String>,
    provider_event_at: Option<DateTime<Utc>>,
    followed_ticket: i64,
    quiet_looks: i32,
    busy_until: Option<DateTime<Utc>>,
    #[sqlx(rename = "wish", json(nullable))]
    pending_change: Option<PendingChange>,
    checkout_id: Option<String>,
    checkout_url: Option<String>,
    checkout_tier: Option<String>,
    checkout_interval: Option<String>,
    checkout_expires_at: Option<DateTime<Utc>>,
}

impl Row {
    fn opened(&self) -> Option<Opened> {
        Some(Opened {
            offer: Offer {
                tier: Tier::from_name(self.checkout_tier.as_deref()?)?,
                interval: Interval::from_name(self.checkout_interval.as_deref()?)?,
            },
            checkout: Checkout {
                id: self.checkout_id.clone()?,
                url: self.checkout_url.clone()?,
                expires_at: self.checkout_expires_at?,
            },
        })
    }
}

pub async fn payment_state(
    tx: &mut TenantTx,
    provider: &str,
) -> Result<PaymentState, ServiceError> {
    let row: Option<Row> = tx
        .query_as(
            "SELECT
                provider,
                provider_event_at,
                followed_ticket,
                quiet_looks,
                busy_until,
                wish,
                checkout_id,
                checkout_url,
                checkout_tier,
                checkout_interval,
                checkout_expires_at
            FROM subscriptions
            WHERE company_id = $1",
        )
        .fetch_optional(&mut **tx)
        .await?;
    let Some(row) = row else {
        return Ok(PaymentState::default());
    };
    let is_here = row.provider.as_deref() == Some(provider);
    Ok(PaymentState {
        event_at: row.provider_event_at.filter(|_| is_here),
        followed_ticket: row.followed_ticket,
        quiet_looks: u32::try_from(row.quiet_looks).unwrap_or(0),
        busy_until: row.busy_until,
        opened: row.opened().filter(|_| is_here),
        pending_change: row.pending_change,
    })
}

/// Takes the ticket of a new read; `None` if billing has no row for the company.
pub async fn next_ticket(tx: &mut TenantTx) -> Result<Option<i64>, ServiceError> {
    let ticket = tx
        .query_scalar(
            "UPDATE subscriptions
            SET read_ticket = read_ticket + 1
            WHERE company_id = $1
            RETURNING read_ticket",
        )
        .fetch_optional(&mut **tx)
        .await?;
    Ok(ticket)
}

pub async fn set_stored_ticket(tx: &mut TenantTx, ticket: i64) -> Result<(), ServiceError> {
    let statement = tx
        .query("UPDATE subscriptions SET followed_ticket = $2 WHERE company_id = $1")
        .bind(ticket);
    tx.run(statement).await
}

/// Stores the requested change and blocks others until `busy_until`.
pub async fn set_pending_change(
    tx: &mut TenantTx,
    pending_change: &PendingChange,
    busy_until: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query("UPDATE subscriptions SET wish = $2, busy_until = $3 WHERE company_id = $1")
        .bind(Json(pending_change))
        .bind(busy_until);
    tx.run(statement).await
}

/// Unblocks other changes if `request_id` blocked them. The requested change stays, since its
/// outcome may be seen later.
pub async fn release_pending_change(
    tx: &mut TenantTx,
    request_id: Uuid,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE subscriptions
            SET busy_until = NULL
            WHERE company_id = $1 AND wish ->> 'request_id' = $2",
        )
        .bind(request_id.to_string());
    tx.run(statement).await
}

pub async fn clear_pending_change(tx: &mut TenantTx) -> Result<(), ServiceError> {
    let statement =
        tx.query("UPDATE subscriptions SET wish = NULL, busy_until = NULL WHERE company_id = $1");
    tx.run(statement).await
}

/// Stores the company's customer id, unless it has another one than `gone`. Data of another
/// provider or of the customer `gone` is cleared.
pub async fn set_customer(
    tx: &mut TenantTx,
    provider: &str,
    customer_id: &str,
    gone: Option<&str>,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE subscriptions
        SET provider = $2,
            provider_customer_id = $3,
            status = CASE WHEN provider_subscription_id IS NULL THEN status ELSE 'expired' END,
            current_period_end = CASE WHEN provider_subscription_id IS NULL THEN current_period_end END,
            pause_end = CASE WHEN provider_subscription_id IS NULL THEN pause_end END,
            provider_subscription_id = NULL,
            payment_failed = false,
            provider_event_at = NULL,
            busy_until = NULL,
            wish = NULL,
            checkout_id = NULL,
            checkout_url = NULL,
            checkout_tier = NULL,
            checkout_interval = NULL,
            checkout_expires_at = NULL,
            updated_at = $4
        WHERE company_id = $1
          AND (
            provider_customer_id IS NULL
            OR provider IS DISTINCT FROM $2
            OR provider_customer_id = $5
          )",
    )
    .bind(provider)
    .bind(customer_id)
    .bind(now)
    .bind(gone);
    tx.run(statement).await
}

/// Stores the open checkout if the current one is still `before`. Returns false if a concurrent
/// call has stored another one.
pub async fn set_checkout(
    tx: &mut TenantTx,
    before: Option<&str>,
    opened: &Opened,
) -> Result<bool, ServiceError> {
    let stored = tx
        .query(
            "UPDATE subscriptions
            SET checkout_id = $3,
                checkout_url = $4,
                checkout_tier = $5,
                checkout_interval = $6,
                checkout_expires_at = $7
            WHERE company_id = $1 AND checkout_id IS NOT DISTINCT FROM $2",
        )
        .bind(before)
        .bind(&opened.checkout.id)
        .bind(&opened.checkout.url)
        .bind(opened.offer.tier.name())
        .bind(opened.offer.interval.name())
        .bind(opened.checkout.expires_at)
        .execute(&mut **tx)
        .await?;
    Ok(stored.rows_affected() > 0)
}

/// Clears the URL, so that the checkout is not returned again.
pub async fn clear_checkout_url(tx: &mut TenantTx, checkout_id: &str) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE subscriptions
            SET checkout_url = ''
            WHERE company_id = $1 AND checkout_id = $2",
        )
        .bind(checkout_id);
    tx.run(statement).await
}

/// Clears a checkout that is paid or closed.
pub async fn clear_checkout(tx: &mut TenantTx, checkout_id: &str) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE subscriptions
            SET checkout_id = NULL,
                checkout_url = NULL,
                checkout_tier = NULL,
                checkout_interval = NULL,
                checkout_expires_at = NULL
            WHERE company_id = $1 AND checkout_id = $2",
        )
        .bind(checkout_id);
    tx.run(statement).await
}

//! Entitlements and subscription of a company.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::billing::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Tenant};
use tonic::Request;

use super::{Billing, convert};
use crate::domain::subscription::Subscription;
use crate::store::subscriptions;

/// Returns the entitlements. One query for a known company, plus an update when time has changed its
/// status.
pub async fn get_entitlements(
    api: &Billing,
    request: Request<v1::GetEntitlementsRequest>,
) -> Result<v1::GetEntitlementsResponse, ServiceError> {
    let (company_id, signed_up) = convert::company(request.get_ref())?;
    // Only the gateway may call this, with the company of a resolved session.
    let tenant = Tenant::from_lookup(company_id);
    let real = api.clock.now();
    let mut tx = api.database.tenant(tenant).await?;
    let found = subscriptions::find(&mut tx, tenant, api.payments.name()).await?;
    let mut row = match found {
        Some(known) => known,
        None => api.begin_trial(&mut tx, signed_up, real).await?,
    };
    tx.commit().await?;
    let access_state = row.access_state(row.now(real));
    // With a customer, the provider decides what the time means.
    if access_state.status != row.status && row.customer_id.is_none() {
        row = api.refresh_status(tenant).await?;
    }
    let shown = api.message(&row);
    Ok(v1::GetEntitlementsResponse {
        entitlements: shown.entitlements,
        marker: convert::marker(shown),
    })
}

/// Returns the subscription without changing it.
pub async fn get(
    api: &Billing,
    request: Request<v1::GetSubscriptionRequest>,
) -> Result<v1::GetSubscriptionResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let subscription = Some(api.message(&api.current(tenant).await?));
    Ok(v1::GetSubscriptionResponse { subscription })
}

impl Billing {
    pub(crate) fn message(&self, row: &Subscription) -> v1::Subscription {
        let provider = match self.sandbox {
            Some(_) => v1::PaymentProvider::Sandbox,
            None => v1::PaymentProvider::Stripe,
        };
        convert::subscription(row, provider, self.clock.now())
    }

    async fn begin_trial(
        &self,
        tx: &mut TenantTx,
        signed_up: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Subscription, ServiceError> {
        let tenant = tx.tenant();
        // The clock of another machine may be ahead of ours.
        let start = signed_up.min(now);
        let end = start + TimeDelta::days(i64::from(self.settings.trial_days));
        let trial = Subscription::trial(start, end, now);
        subscriptions::insert_trial(tx, tenant, &trial).await?;
        // Read again: a concurrent call may have inserted it first.
        self.find(tx).await
    }
}

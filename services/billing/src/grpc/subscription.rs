//! Entitlements and subscription of a company.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::billing::v1::{
    self as proto, GetEntitlementsRequest, GetEntitlementsResponse, GetSubscriptionResponse,
};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Tenant};

use super::change::RequestedChange;
use super::{Billing, convert};
use crate::domain::subscription::Subscription;
use crate::store::subscriptions;

impl Billing {
    /// Returns the entitlements. One query for a known company, plus an update when time has
    /// changed its status.
    pub(super) async fn entitlements(
        &self,
        request: GetEntitlementsRequest,
    ) -> Result<GetEntitlementsResponse, ServiceError> {
        let (company_id, signed_up) = convert::company(&request)?;
        // Only the gateway may call this, with the company of a resolved session.
        let tenant = Tenant::from_lookup(company_id);
        let real = self.clock.now();
        let mut tx = self.database.tenant(tenant).await?;
        let found = subscriptions::find(&mut tx, tenant, self.payments.name()).await?;
        let mut row = match found {
            Some(known) => known,
            None => self.begin_trial(&mut tx, signed_up, real).await?,
        };
        tx.commit().await?;
        let access_state = row.access_state(row.now(real));
        // With a customer, the provider decides what the time means.
        if access_state.status != row.status && row.customer_id.is_none() {
            row = self.refresh_status(tenant).await?;
        }
        let shown = self.message(&row);
        Ok(GetEntitlementsResponse {
            entitlements: shown.entitlements,
            marker: convert::marker(shown),
        })
    }

    /// Returns the subscription without changing it.
    pub(super) async fn subscription(
        &self,
        tenant: Tenant,
    ) -> Result<GetSubscriptionResponse, ServiceError> {
        let row = self.current(tenant).await?;
        Ok(GetSubscriptionResponse {
            subscription: Some(self.message(&row)),
        })
    }

    pub(super) async fn changed(
        &self,
        identity: Identity,
        change: RequestedChange,
    ) -> Result<proto::Subscription, ServiceError> {
        let row = self.change(identity, change).await?;
        Ok(self.message(&row))
    }

    pub(crate) fn message(&self, row: &Subscription) -> proto::Subscription {
        let provider = match self.sandbox {
            Some(_) => proto::PaymentProvider::Sandbox,
            None => proto::PaymentProvider::Stripe,
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

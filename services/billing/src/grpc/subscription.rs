//! What a company may do, and its subscription.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::billing::v1::{
    self as proto, GetEntitlementsRequest, GetEntitlementsResponse, GetSubscriptionResponse,
};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Tenant};

use super::change::Wanted;
use super::{Billing, convert};
use crate::domain::subscription::Subscription;
use crate::store::subscriptions;

impl Billing {
    /// What a company may do now. For a known company it is a single query, save the once when time
    /// has ended what it had.
    pub(super) async fn entitlements(
        &self,
        request: GetEntitlementsRequest,
    ) -> Result<GetEntitlementsResponse, ServiceError> {
        let (company_id, signed_up) = convert::company(&request)?;
        // Only the gateway may call this, with the company its session look-up answered.
        let tenant = Tenant::from_lookup(company_id);
        let real = self.clock.now();
        let mut tx = self.database.tenant(tenant).await?;
        let found = subscriptions::find(&mut tx, tenant, self.payments.name()).await?;
        let mut row = match found {
            Some(known) => known,
            None => self.begin_trial(&mut tx, signed_up, real).await?,
        };
        tx.commit().await?;
        let standing = row.standing(row.now(real));
        // Where a provider is concerned, it says first what has become of the time.
        if standing.status != row.status && row.customer_id.is_none() {
            row = self.settle(tenant).await?;
        }
        let shown = self.shown(&row);
        Ok(GetEntitlementsResponse {
            entitlements: shown.entitlements,
            marker: convert::marker(shown),
        })
    }

    /// The subscription of a company billing has met; reading changes nothing.
    pub(super) async fn subscription(
        &self,
        tenant: Tenant,
    ) -> Result<GetSubscriptionResponse, ServiceError> {
        let row = self.current(tenant).await?;
        Ok(GetSubscriptionResponse {
            subscription: Some(self.shown(&row)),
        })
    }

    /// What a person wants, done; answers the subscription as it is then.
    pub(super) async fn changed(
        &self,
        identity: Identity,
        wanted: Wanted,
    ) -> Result<proto::Subscription, ServiceError> {
        let row = self.change(identity, wanted).await?;
        Ok(self.shown(&row))
    }

    /// A subscription as it is answered now.
    pub(crate) fn shown(&self, row: &Subscription) -> proto::Subscription {
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
        // Another machine's clock may be ahead of ours.
        let start = signed_up.min(now);
        let end = start + TimeDelta::days(i64::from(self.settings.trial_days));
        let trial = Subscription::trial(start, end, now);
        subscriptions::insert_trial(tx, tenant, &trial).await?;
        // Read again: another call may have begun it first.
        self.find(tx).await
    }
}

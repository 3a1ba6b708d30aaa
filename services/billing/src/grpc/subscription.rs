//! What a company may do, and its subscription.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::billing::v1::{
    GetEntitlementsRequest, GetEntitlementsResponse, GetSubscriptionResponse,
};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Tenant;

use super::{Billing, convert};
use crate::domain::subscription::{Status, Subscription};
use crate::store::subscriptions;

impl Billing {
    /// What a company may do now. For a known company it is a single query.
    pub(super) async fn entitlements(
        &self,
        request: GetEntitlementsRequest,
    ) -> Result<GetEntitlementsResponse, Failure> {
        let (company_id, signed_up) = convert::company(&request)?;
        // Only the gateway may call this, with the company its session look-up answered.
        let tenant = Tenant::found_by_lookup(company_id);
        let now = self.clock.now();
        let mut tx = self.database.tenant(tenant).await?;
        let subscription = match subscriptions::find(&mut tx, tenant).await? {
            Some(known) => known,
            None => self.begin_trial(&mut tx, signed_up, now).await?,
        };
        let standing = subscription.standing(now);
        if standing.status == Status::Expired && subscription.status != Status::Expired {
            subscriptions::set_expired(&mut tx, tenant, &subscription, now).await?;
        }
        tx.commit().await?;
        Ok(GetEntitlementsResponse {
            entitlements: Some(convert::entitlements(&subscription, standing)),
        })
    }

    /// The subscription of a company billing has met; reading changes nothing.
    pub(super) async fn subscription(
        &self,
        tenant: Tenant,
    ) -> Result<GetSubscriptionResponse, Failure> {
        let mut tx = self.database.tenant(tenant).await?;
        let subscription = subscriptions::find(&mut tx, tenant).await?;
        tx.commit().await?;
        let subscription = subscription.ok_or_else(Failure::not_found)?;
        Ok(GetSubscriptionResponse {
            subscription: Some(convert::subscription(subscription, self.clock.now())),
        })
    }

    async fn begin_trial(
        &self,
        tx: &mut TenantTx,
        signed_up: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Subscription, Failure> {
        let tenant = tx.tenant();
        // Another machine's clock may be ahead of ours.
        let start = signed_up.min(now);
        let end = start + TimeDelta::days(i64::from(self.settings.trial_days));
        let trial = Subscription::trial(start, end, now);
        subscriptions::insert_trial(tx, tenant, &trial).await?;
        // Read again: another call may have begun it first.
        let stored = subscriptions::find(tx, tenant).await?;
        stored.ok_or_else(|| Failure::internal("a subscription just stored is not there"))
    }
}

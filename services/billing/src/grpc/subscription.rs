//! Plans, and entitlements, subscription and audit log of a company.

use std::future::{Ready, ready};

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::billing::v1;
use hourmeter_runtime::audit;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Tenant};
use tonic::Request;

use super::{Billing, convert};
use crate::domain::plan::{LAUNCH_DISCOUNT_PERCENT, PLANS, YEARLY_DISCOUNT_PERCENT};
use crate::domain::subscription::Subscription;
use crate::store::subscriptions;

pub fn list_plans(
    api: &Billing,
    _: Request<v1::ListPlansRequest>,
) -> Ready<Result<v1::ListPlansResponse, ServiceError>> {
    ready(Ok(v1::ListPlansResponse {
        plans: PLANS.iter().map(Into::into).collect(),
        trial_days: api.settings.trial_days,
        yearly_discount_percent: YEARLY_DISCOUNT_PERCENT,
        launch_discount_percent: LAUNCH_DISCOUNT_PERCENT,
    }))
}

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
    let found = subscriptions::find(&mut tx, api.payments.name()).await?;
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
pub async fn get_subscription(
    api: &Billing,
    request: Request<v1::GetSubscriptionRequest>,
) -> Result<v1::GetSubscriptionResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let subscription = Some(api.message(&api.current(tenant).await?));
    Ok(v1::GetSubscriptionResponse { subscription })
}

/// Returns the subscription for the digest, without starting a trial.
pub async fn find_subscription(
    api: &Billing,
    request: Request<v1::FindSubscriptionRequest>,
) -> Result<v1::FindSubscriptionResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let mut tx = api.database.tenant(tenant).await?;
    let found = subscriptions::find(&mut tx, api.payments.name()).await?;
    tx.commit().await?;
    Ok(v1::FindSubscriptionResponse {
        subscription: found.map(|row| api.message(&row)),
    })
}

pub async fn list_audit_events(
    api: &Billing,
    request: Request<v1::ListAuditEventsRequest>,
) -> Result<v1::ListAuditEventsResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let query = request.get_ref().query.as_ref();
    let (events, page) = audit::list(&api.database, tenant, query).await?;
    Ok(v1::ListAuditEventsResponse {
        events,
        page: Some(page),
    })
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
        // The clock of another machine may be ahead of ours.
        let start = signed_up.min(now);
        let end = start + TimeDelta::days(i64::from(self.settings.trial_days));
        let trial = Subscription::trial(start, end, now);
        subscriptions::insert_trial(tx, &trial).await?;
        // Read again: a concurrent call may have inserted it first.
        self.find(tx).await
    }
}

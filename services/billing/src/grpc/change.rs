//! Changes, pauses, resumes and cancels a subscription.
//!
//! The provider makes the change, then the row is reconciled with it. Before the provider is
//! called, the requested change and a check within a minute are stored, so that a killed process
//! loses nothing.

use chrono::{DateTime, Months, TimeDelta, Utc};
use hourmeter_proto::billing::v1;
use hourmeter_runtime::audit::AuditContext;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Key;
use hourmeter_runtime::identity::{Caller, Identity, Tenant};
use tonic::Request;

use super::error::{payment_error, state_conflict};
use super::reconcile::{payer, record_change};
use super::{Billing, convert, detached, person};
use crate::domain::actions::State;
use crate::domain::changes::diff;
use crate::domain::requested_change::RequestedChange;
use crate::domain::subscription::{Interval, Subscription};
use crate::provider::{Offer, Payer, PaymentError};
use crate::refusals;
use crate::store::due as due_store;
use crate::store::payments::{self, PendingChange};

/// Longer than the provider calls of one change may take.
const BUSY: TimeDelta = TimeDelta::seconds(40);
/// The scheduler checks the outcome then unless the request has completed.
const CHECK_AFTER: TimeDelta = TimeDelta::seconds(45);

/// A validated change that the provider must make.
struct PreparedChange {
    payer: Payer,
    subscription_id: String,
    row: Subscription,
    state: State,
    now: DateTime<Utc>,
    key: String,
}

enum Preparation {
    Done(Subscription),
    CallProvider(Box<PreparedChange>),
}

pub async fn change_plan(
    api: &Billing,
    request: Request<v1::ChangePlanRequest>,
) -> Result<v1::ChangePlanResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "ChangePlan")?;
    let change = convert::plan_change(request.into_inner())?;
    let (sender, billing) = (person(&identity), api.clone());
    let work = async move {
        let subscription = Some(billing.change(identity, change).await?);
        Ok(v1::ChangePlanResponse { subscription })
    };
    api.run_once(sender, key, work).await
}

pub async fn pause(
    api: &Billing,
    request: Request<v1::PauseSubscriptionRequest>,
) -> Result<v1::PauseSubscriptionResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "PauseSubscription")?;
    let change = convert::pause(request.into_inner())?;
    let (sender, billing) = (person(&identity), api.clone());
    let work = async move {
        let subscription = Some(billing.change(identity, change).await?);
        Ok(v1::PauseSubscriptionResponse { subscription })
    };
    api.run_once(sender, key, work).await
}

pub async fn reactivate(
    api: &Billing,
    request: Request<v1::ReactivateSubscriptionRequest>,
) -> Result<v1::ReactivateSubscriptionResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "ReactivateSubscription")?;
    let (sender, billing) = (person(&identity), api.clone());
    let work = async move {
        let subscription = Some(
            billing
                .change(identity, RequestedChange::Reactivate)
                .await?,
        );
        Ok(v1::ReactivateSubscriptionResponse { subscription })
    };
    api.run_once(sender, key, work).await
}

pub async fn cancel(
    api: &Billing,
    request: Request<v1::CancelSubscriptionRequest>,
) -> Result<v1::CancelSubscriptionResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "CancelSubscription")?;
    let (sender, billing) = (person(&identity), api.clone());
    let work = async move {
        let subscription = Some(billing.change(identity, RequestedChange::Cancel).await?);
        Ok(v1::CancelSubscriptionResponse { subscription })
    };
    api.run_once(sender, key, work).await
}

impl Billing {
    /// Makes the change in its own task, so that a client that disconnects does not leave it half
    /// done.
    async fn change(
        &self,
        identity: Identity,
        change: RequestedChange,
    ) -> Result<v1::Subscription, ServiceError> {
        let billing = self.clone();
        let row = detached(async move { billing.make_change(&identity, change).await }).await?;
        Ok(self.message(&row))
    }

    async fn make_change(
        &self,
        identity: &Identity,
        change: RequestedChange,
    ) -> Result<Subscription, ServiceError> {
        let tenant = identity.tenant();
        self.reconcile_open_checkout(tenant).await?;
        let prepared = match self.prepare_change(identity, change).await? {
            Preparation::Done(row) => return Ok(row),
            Preparation::CallProvider(prepared) => prepared,
        };
        let result = self.call_provider(&prepared, change).await;
        // Without a response the provider may still be working on it: block other changes until
        // `BUSY` is over.
        let is_known = !matches!(result, Err(PaymentError::Unavailable(_)));
        let outcome = match result {
            Ok(()) => self.reconcile(tenant, None).await,
            Err(refused @ (PaymentError::Refused(_) | PaymentError::Declined(_))) => {
                // The provider's state differs from the stored one.
                let read = self.reconcile(tenant, None).await;
                read.and_then(|_| Err(payment_error(refused)))
            }
            Err(error) => Err(payment_error(error)),
        };
        if is_known && let Err(error) = self.end_change(tenant, identity).await {
            tracing::warn!(%error, "failed to release the pending change");
        }
        // The sandbox reports changes by events, like Stripe.
        if let Err(error) = self.deliver_sandbox(tenant).await {
            tracing::warn!(%error, "failed to deliver sandbox event; will retry");
        }
        outcome
    }

    /// Reconciles if a checkout is open: it may have been paid a moment ago.
    async fn reconcile_open_checkout(&self, tenant: Tenant) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let row = self.find(&mut tx).await?;
        let payment_state = payments::payment_state(&mut tx, tenant, self.payments.name()).await?;
        tx.commit().await?;
        if row.customer_id.is_some() && payment_state.opened.is_some() {
            self.reconcile(tenant, None).await?;
        }
        Ok(())
    }

    async fn prepare_change(
        &self,
        identity: &Identity,
        change: RequestedChange,
    ) -> Result<Preparation, ServiceError> {
        let (tenant, context) = (identity.tenant(), AuditContext::from_identity(identity));
        let real = self.clock.now();
        let mut tx = self.database.tenant(tenant).await?;
        let mut row = self.lock(&mut tx).await?;
        let now = row.now(real);
        let state_now = State::of(&row, now);
        state_now.check(change.action())?;
        if change.is_current(&row) {
            return Ok(Preparation::Done(row));
        }
        let at_provider = payer(tenant, &row).zip(row.provider_subscription_id.clone());
        let Some((payer, subscription_id)) = at_provider else {
            let before = row.clone();
            row.cancel_locally(now);
            self.save(&mut tx, &mut row).await?;
            for name in diff(&before, &row) {
                let name = if name == "expired" { "canceled" } else { name };
                record_change(&mut tx, &context, &row, name).await?;
            }
            tx.commit().await?;
            self.publish_change(tenant);
            return Ok(Preparation::Done(row));
        };
        let payment_state = payments::payment_state(&mut tx, tenant, self.payments.name()).await?;
        if payment_state.busy_until.is_some_and(|until| real < until) {
            return Err(state_conflict(refusals::SUBSCRIPTION_CHANGE_IN_PROGRESS));
        }
        let pending_change = PendingChange::new(change.change_names(), &context, real);
        payments::set_pending_change(&mut tx, tenant, &pending_change, real + BUSY).await?;
        due_store::check_by(&mut tx, tenant, real + CHECK_AFTER).await?;
        tx.commit().await?;
        let key = key(identity, change);
        Ok(Preparation::CallProvider(Box::new(PreparedChange {
            payer,
            subscription_id,
            row,
            state: state_now,
            now,
            key,
        })))
    }

    async fn call_provider(
        &self,
        prepared: &PreparedChange,
        change: RequestedChange,
    ) -> Result<(), PaymentError> {
        let PreparedChange {
            payer, now, key, ..
        } = prepared;
        let (id, now) = (prepared.subscription_id.as_str(), *now);
        match change {
            RequestedChange::Plan(tier, interval) => {
                let interval = interval.or(prepared.row.billing_interval);
                let interval = interval.unwrap_or(Interval::Month);
                let offer = Offer { tier, interval };
                self.payments.change_plan(payer, id, offer, now, key).await
            }
            RequestedChange::Pause(months) => {
                let until = now.checked_add_months(Months::new(months)).unwrap_or(now);
                self.payments.pause(payer, id, until, now, key).await
            }
            RequestedChange::Reactivate => self.payments.resume(payer, id, now, key).await,
            // The running period is unpaid, so there is no paid time to keep.
            RequestedChange::Cancel if prepared.state == State::Grace => {
                self.payments.cancel_now(payer, id, false, now, key).await
            }
            RequestedChange::Cancel => {
                self.payments
                    .cancel_at_period_end(payer, id, now, key)
                    .await
            }
        }
    }

    async fn end_change(&self, tenant: Tenant, identity: &Identity) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        payments::release_pending_change(&mut tx, tenant, identity.request_id).await?;
        tx.commit().await
    }
}

/// Idempotency key for the provider: one operation per request.
fn key(identity: &Identity, change: RequestedChange) -> String {
    let operation = match change {
        RequestedChange::Plan(..) => "change",
        RequestedChange::Pause(_) => "pause",
        RequestedChange::Reactivate => "resume",
        RequestedChange::Cancel => "cancel",
    };
    format!(
        "{}:{operation}:{}",
        identity.company_id, identity.request_id
    )
}

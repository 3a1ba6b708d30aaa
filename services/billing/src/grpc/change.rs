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
use prost::Message;
use tonic::Request;

use super::error::state_conflict;
use super::reconcile::{payer, record_change};
use super::{Billing, convert, person};
use crate::domain::actions::State;
use crate::domain::changes::diff;
use crate::domain::requested_change::RequestedChange;
use crate::domain::subscription::{Interval, Subscription};
use crate::provider::{Change, Offer, Payer, PaymentError};
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
    change: Change,
    now: DateTime<Utc>,
    key: String,
}

enum Preparation {
    Done(Subscription),
    CallProvider(PreparedChange),
}

pub async fn change_plan(
    api: &Billing,
    request: Request<v1::ChangePlanRequest>,
) -> Result<v1::ChangePlanResponse, ServiceError> {
    let answer = |subscription| v1::ChangePlanResponse { subscription };
    run(api, request, "ChangePlan", convert::plan_change, answer).await
}

pub async fn pause_subscription(
    api: &Billing,
    request: Request<v1::PauseSubscriptionRequest>,
) -> Result<v1::PauseSubscriptionResponse, ServiceError> {
    let answer = |subscription| v1::PauseSubscriptionResponse { subscription };
    run(api, request, "PauseSubscription", convert::pause, answer).await
}

pub async fn reactivate_subscription(
    api: &Billing,
    request: Request<v1::ReactivateSubscriptionRequest>,
) -> Result<v1::ReactivateSubscriptionResponse, ServiceError> {
    let read = |_| Ok(RequestedChange::Reactivate);
    let answer = |subscription| v1::ReactivateSubscriptionResponse { subscription };
    run(api, request, "ReactivateSubscription", read, answer).await
}

pub async fn cancel_subscription(
    api: &Billing,
    request: Request<v1::CancelSubscriptionRequest>,
) -> Result<v1::CancelSubscriptionResponse, ServiceError> {
    let read = |_| Ok(RequestedChange::Cancel);
    let answer = |subscription| v1::CancelSubscriptionResponse { subscription };
    run(api, request, "CancelSubscription", read, answer).await
}

/// Makes the change that `read` returns, once per idempotency key.
async fn run<Q: Message, A: Message + Default + 'static>(
    api: &Billing,
    request: Request<Q>,
    route: &'static str,
    read: fn(Q) -> Result<RequestedChange, ServiceError>,
    answer: fn(Option<v1::Subscription>) -> A,
) -> Result<A, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, route)?;
    let change = read(request.into_inner())?;
    let sender = person(&identity);
    let work = move |billing: Billing| async move {
        let row = billing.make_change(&identity, change).await?;
        Ok(answer(Some(billing.message(&row))))
    };
    api.run_once(sender, key, work).await
}

impl Billing {
    async fn make_change(
        &self,
        identity: &Identity,
        change: RequestedChange,
    ) -> Result<Subscription, ServiceError> {
        let tenant = identity.tenant();
        self.reconcile_open_checkout(tenant).await?;
        let call = match self.prepare_change(identity, change).await? {
            Preparation::Done(row) => return Ok(row),
            Preparation::CallProvider(call) => call,
        };
        let (payer, id) = (&call.payer, &call.subscription_id);
        let result = self
            .payments
            .change(payer, id, call.change, call.now, &call.key)
            .await;
        // Without a response the provider may still be working on it: block other changes until
        // `BUSY` is over.
        let is_known = !matches!(result, Err(PaymentError::Unavailable(_)));
        let outcome = match result {
            Ok(()) => self.reconcile(tenant, None).await,
            Err(refused @ (PaymentError::Refused(_) | PaymentError::Declined(_))) => {
                // The provider's state differs from the stored one.
                let read = self.reconcile(tenant, None).await;
                read.and_then(|_| Err(refused.into()))
            }
            Err(error) => Err(error.into()),
        };
        if is_known && let Err(error) = self.end_change(tenant, identity).await {
            tracing::warn!(%error, "failed to release the pending change");
        }
        // The sandbox reports changes by events, like Stripe.
        self.deliver_or_log(tenant).await;
        outcome
    }

    /// Reconciles if a checkout is open: it may have been paid a moment ago.
    async fn reconcile_open_checkout(&self, tenant: Tenant) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let row = self.find(&mut tx).await?;
        let payment_state = payments::payment_state(&mut tx, self.payments.name()).await?;
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
        State::of(&row, now).check(change.action())?;
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
        let payment_state = payments::payment_state(&mut tx, self.payments.name()).await?;
        if payment_state.busy_until.is_some_and(|until| real < until) {
            return Err(state_conflict(refusals::SUBSCRIPTION_CHANGE_IN_PROGRESS));
        }
        let pending_change = PendingChange::new(change.change_names(), &context, real);
        payments::set_pending_change(&mut tx, &pending_change, real + BUSY).await?;
        due_store::check_by(&mut tx, real + CHECK_AFTER).await?;
        tx.commit().await?;
        let (company_id, operation) = (identity.company_id, operation(change));
        let change = change_at_provider(&row, change, now);
        Ok(Preparation::CallProvider(PreparedChange {
            payer,
            subscription_id,
            change,
            now,
            // One operation per request.
            key: format!("{company_id}:{operation}:{}", identity.request_id),
        }))
    }

    async fn end_change(&self, tenant: Tenant, identity: &Identity) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        payments::release_pending_change(&mut tx, identity.request_id).await?;
        tx.commit().await
    }
}

/// Part of the provider's idempotency key. The words stay as they were released.
const fn operation(change: RequestedChange) -> &'static str {
    match change {
        RequestedChange::Plan(..) => "change",
        RequestedChange::Pause(_) => "pause",
        RequestedChange::Reactivate => "resume",
        RequestedChange::Cancel => "cancel",
    }
}

fn change_at_provider(row: &Subscription, change: RequestedChange, now: DateTime<Utc>) -> Change {
    match change {
        RequestedChange::Plan(tier, interval) => {
            let interval = interval.or(row.billing_interval);
            let interval = interval.unwrap_or(Interval::Month);
            Change::Plan(Offer { tier, interval })
        }
        RequestedChange::Pause(months) => {
            Change::Pause(now.checked_add_months(Months::new(months)).unwrap_or(now))
        }
        RequestedChange::Reactivate => Change::Resume,
        // The running period is unpaid, so there is no paid time to keep.
        RequestedChange::Cancel if State::of(row, now) == State::Grace => {
            Change::CancelNow { credit: false }
        }
        RequestedChange::Cancel => Change::CancelAtPeriodEnd,
    }
}

//! Changes, pauses, resumes and cancels a subscription.
//!
//! The provider makes the change, then the row is reconciled with it. Before the provider is
//! called, the requested change and a check within a minute are stored, so that a killed process
//! loses nothing.

use chrono::{DateTime, Months, TimeDelta, Utc};
use hourmeter_runtime::audit::AuditContext;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Tenant};

use super::reading::{note, payer};
use super::trouble::{failure, state};
use super::{Billing, detached};
use crate::domain::actions::{Action, State};
use crate::domain::changes::{Word, between};
use crate::domain::plan::Tier;
use crate::domain::subscription::{Interval, Subscription};
use crate::provider::{Offer, Payer, PaymentError};
use crate::refusals;
use crate::store::due as due_store;
use crate::store::payments::{self, Wish};

/// Longer than the provider calls of one change may take.
const BUSY: TimeDelta = TimeDelta::seconds(40);
/// The scheduler checks the outcome then unless the request has completed.
const LOOK_AFTER: TimeDelta = TimeDelta::seconds(45);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Another plan or interval; no interval keeps the current one.
    Plan(Tier, Option<Interval>),
    /// A number of months.
    Pause(u32),
    Reactivate,
    Cancel,
}

impl Wanted {
    const fn action(self) -> Action {
        match self {
            Self::Plan(..) => Action::ChangePlan,
            Self::Pause(_) => Action::Pause,
            Self::Reactivate => Action::Reactivate,
            Self::Cancel => Action::Cancel,
        }
    }

    /// Names of the changes that this request may cause.
    const fn words(self) -> &'static [Word] {
        match self {
            Self::Plan(..) => &["tier_changed", "interval_changed"],
            Self::Pause(_) => &["paused"],
            Self::Reactivate => &["resumed", "cancel_undone"],
            Self::Cancel => &["canceled", "expired"],
        }
    }

    fn is_so(self, row: &Subscription) -> bool {
        matches!(self, Self::Plan(tier, interval)
            if tier == row.tier && interval.is_none_or(|new| Some(new) == row.billing_interval))
    }
}

/// A validated change that the provider must make.
struct Asked {
    payer: Payer,
    subscription_id: String,
    row: Subscription,
    state: State,
    now: DateTime<Utc>,
    key: String,
}

enum Begun {
    Done(Subscription),
    Ask(Box<Asked>),
}

impl Billing {
    /// Makes the change in its own task, so that a client that disconnects does not leave it half
    /// done.
    pub(super) async fn change(
        &self,
        identity: Identity,
        wanted: Wanted,
    ) -> Result<Subscription, ServiceError> {
        let billing = self.clone();
        detached(async move { billing.change_now(&identity, wanted).await }).await
    }

    async fn change_now(
        &self,
        identity: &Identity,
        wanted: Wanted,
    ) -> Result<Subscription, ServiceError> {
        let tenant = identity.tenant();
        self.look_at_checkout(tenant).await?;
        let asked = match self.begin_change(identity, wanted).await? {
            Begun::Done(row) => return Ok(row),
            Begun::Ask(asked) => asked,
        };
        let answer = self.ask_for(&asked, wanted).await;
        // Without a response the provider may still be working on it: block other changes until
        // `BUSY` is over.
        let is_known = !matches!(answer, Err(PaymentError::Away(_)));
        let outcome = match answer {
            Ok(()) => self.read(tenant, None).await,
            Err(refused @ (PaymentError::Refused(_) | PaymentError::Declined(_))) => {
                // The provider's state differs from the stored one.
                let read = self.read(tenant, None).await;
                read.and_then(|_| Err(failure(refused)))
            }
            Err(error) => Err(failure(error)),
        };
        if is_known && let Err(failure) = self.end_change(tenant, identity).await {
            tracing::warn!(error = %failure, "the next change has to wait");
        }
        // The sandbox reports changes by events, like Stripe.
        if let Err(failure) = self.deliver_sandbox(tenant).await {
            tracing::warn!(error = %failure, "an event waits for the next look");
        }
        outcome
    }

    /// Reconciles if a checkout is open: it may have been paid a moment ago.
    async fn look_at_checkout(&self, tenant: Tenant) -> Result<(), Failure> {
        let mut tx = self.database.tenant(tenant).await?;
        let row = self.find(&mut tx).await?;
        let ledger = payments::ledger(&mut tx, tenant, self.payments.name()).await?;
        tx.commit().await?;
        if row.customer_id.is_some() && ledger.opened.is_some() {
            self.read(tenant, None).await?;
        }
        Ok(())
    }

    async fn begin_change(
        &self,
        identity: &Identity,
        wanted: Wanted,
    ) -> Result<Begun, ServiceError> {
        let (tenant, trail) = (identity.tenant(), AuditContext::from_identity(identity));
        let real = self.clock.now();
        let mut tx = self.database.tenant(tenant).await?;
        let mut row = self.lock(&mut tx).await?;
        let now = row.now(real);
        let state_now = State::of(&row, now);
        state_now.check(wanted.action())?;
        if wanted.is_so(&row) {
            return Ok(Begun::Done(row));
        }
        let at_provider = payer(tenant, &row).zip(row.provider_subscription_id.clone());
        let Some((payer, subscription_id)) = at_provider else {
            let before = row.clone();
            row.cancel_locally(now);
            self.save(&mut tx, &mut row).await?;
            for word in between(&before, &row) {
                let word = if word == "expired" { "canceled" } else { word };
                note(&mut tx, &trail, &row, word).await?;
            }
            tx.commit().await?;
            self.tell(tenant);
            return Ok(Begun::Done(row));
        };
        let ledger = payments::ledger(&mut tx, tenant, self.payments.name()).await?;
        if ledger.busy_until.is_some_and(|until| real < until) {
            return Err(state(refusals::SUBSCRIPTION_CHANGE_IN_PROGRESS));
        }
        let wish = Wish::new(wanted.words(), &trail, real);
        payments::begin_wish(&mut tx, tenant, &wish, real + BUSY).await?;
        due_store::look_by(&mut tx, tenant, real + LOOK_AFTER).await?;
        tx.commit().await?;
        let key = key(identity, wanted);
        Ok(Begun::Ask(Box::new(Asked {
            payer,
            subscription_id,
            row,
            state: state_now,
            now,
            key,
        })))
    }

    async fn ask_for(&self, asked: &Asked, wanted: Wanted) -> Result<(), PaymentError> {
        let Asked {
            payer, now, key, ..
        } = asked;
        let (id, now) = (asked.subscription_id.as_str(), *now);
        match wanted {
            Wanted::Plan(tier, interval) => {
                let interval = interval.or(asked.row.billing_interval);
                let interval = interval.unwrap_or(Interval::Month);
                let offer = Offer { tier, interval };
                self.payments.change_plan(payer, id, offer, now, key).await
            }
            Wanted::Pause(months) => {
                let until = now.checked_add_months(Months::new(months)).unwrap_or(now);
                self.payments.pause(payer, id, until, now, key).await
            }
            Wanted::Reactivate => self.payments.resume(payer, id, now, key).await,
            // The running period is unpaid, so there is no paid time to keep.
            Wanted::Cancel if asked.state == State::Grace => {
                self.payments.cancel_now(payer, id, now, key).await
            }
            Wanted::Cancel => {
                self.payments
                    .cancel_at_period_end(payer, id, now, key)
                    .await
            }
        }
    }

    async fn end_change(&self, tenant: Tenant, identity: &Identity) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        payments::end_wish(&mut tx, tenant, identity.request_id).await?;
        tx.commit().await
    }
}

/// Idempotency key for the provider: one operation per request.
fn key(identity: &Identity, wanted: Wanted) -> String {
    let operation = match wanted {
        Wanted::Plan(..) => "change",
        Wanted::Pause(_) => "pause",
        Wanted::Reactivate => "resume",
        Wanted::Cancel => "cancel",
    };
    format!(
        "{}:{operation}:{}",
        identity.company_id, identity.request_id
    )
}

//! Changing, pausing, resuming and ending a subscription.
//!
//! What is paid is changed at the provider, and the row follows a reading of it. Before the provider
//! is asked it is stored who asks for what, and that somebody looks soon: so a process that is
//! killed on the way loses nothing.

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

/// Longer than the provider may take for all that is asked of it in one call.
const BUSY: TimeDelta = TimeDelta::seconds(40);
/// When somebody looks what has become of it, should nobody come back to it.
const LOOK_AFTER: TimeDelta = TimeDelta::seconds(45);

/// What a person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Another plan, or the same paid in another way; no interval: as before.
    Plan(Tier, Option<Interval>),
    /// A pause of so many months.
    Pause(u32),
    /// To go on.
    Reactivate,
    /// To end it.
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

    /// Words for what may come of it.
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

/// What is left to ask of the provider.
struct Asked {
    payer: Payer,
    subscription_id: String,
    row: Subscription,
    state: State,
    now: DateTime<Utc>,
    key: String,
}

/// What was found before the provider is asked.
enum Begun {
    /// Nothing is left to do.
    Done(Subscription),
    /// The provider must do it.
    Ask(Box<Asked>),
}

impl Billing {
    /// Does what a person wants, in a task of its own: a person who goes away stops nothing half-way.
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
        // It may still be at work there: until that is over, nobody asks for anything else.
        let is_known = !matches!(answer, Err(PaymentError::Away(_)));
        let outcome = match answer {
            Ok(()) => self.read(tenant, None).await,
            Err(refused @ (PaymentError::Refused(_) | PaymentError::Declined(_))) => {
                // It stands otherwise there than we thought.
                let read = self.read(tenant, None).await;
                read.and_then(|_| Err(failure(refused)))
            }
            Err(error) => Err(failure(error)),
        };
        if is_known && let Err(failure) = self.end_change(tenant, identity).await {
            tracing::warn!(error = %failure, "the next change has to wait");
        }
        // The built-in provider tells what it did by the way real events come.
        if let Err(failure) = self.deliver_sandbox(tenant).await {
            tracing::warn!(error = %failure, "an event waits for the next look");
        }
        outcome
    }

    /// What an open checkout sells may have been bought a moment ago, and then stands otherwise.
    async fn look_at_checkout(&self, tenant: Tenant) -> Result<(), ServiceError> {
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
            // Nothing was paid for the time that runs, so there is none to keep.
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

/// One wish of one request: asked again, the provider does it once.
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

//! How a company's row follows the payment provider and the time.
//!
//! No transaction is open while the provider is asked. A reading takes a number before it asks, and
//! is stored only if none that began later is: so whichever way answers cross, the row ends with
//! what is true. Killed anywhere, the next event or look does it again.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::accounts::v1::Scope;
use hourmeter_runtime::audit::{self, AuditContext, AuditEntry};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::{Event, Topic};
use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

use super::Billing;
use super::trouble::failure;
use crate::domain::actions::{Action, State};
use crate::domain::changes::{Word, between};
use crate::domain::due::{self, Waiting};
use crate::domain::follow::{counting, follow, given_up, settle, superfluous};
use crate::domain::subscription::Subscription;
use crate::provider::{Payer, PaymentError, Reading};
use crate::store::payments::{self, Ledger, Wish};
use crate::store::{due as due_store, subscriptions};
use crate::webhook::Told;

/// How long a change that comes of it is still put down to a wish.
const WISH_LASTS: TimeDelta = TimeDelta::hours(1);

/// Stripe repeats its first answer to a key for a day or longer, a failure of its own too. So the
/// key of what may safely be asked for again names the time as well, in steps of so many seconds.
pub(super) const HOUR: i64 = 3600;
/// Of what collects money.
const DAY: i64 = 24 * HOUR;

/// What was found at the provider.
struct Found {
    ticket: i64,
    readings: Vec<Reading>,
    now: DateTime<Utc>,
    /// The checkout that nobody can pay any more.
    checkout_over: Option<String>,
    /// Something that should have ended there may not have.
    is_unfinished: bool,
}

impl Billing {
    /// Reads the company's subscriptions at the provider and lets its row follow, once for an
    /// event; a company without a customer there follows the time alone.
    #[tracing::instrument(name = "billing.read_subscriptions", level = "debug", skip_all)]
    pub(crate) async fn read(
        &self,
        tenant: Tenant,
        told: Option<&Told>,
    ) -> Result<Subscription, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let ticket = payments::take_ticket(&mut tx, tenant).await?;
        let ticket = ticket.ok_or_else(ServiceError::not_found)?;
        let row = self.find(&mut tx).await?;
        let ledger = payments::ledger(&mut tx, tenant, self.payments.name()).await?;
        tx.commit().await?;
        let found = match payer(tenant, &row) {
            Some(payer) => {
                let found = self.ask(&payer, &row, &ledger, ticket).await;
                Some(found.map_err(failure)?)
            }
            None => None,
        };
        self.store(tenant, found, told).await
    }

    /// Lets the row of a company without a customer follow the time.
    pub(super) async fn settle(&self, tenant: Tenant) -> Result<Subscription, ServiceError> {
        self.store(tenant, None, None).await
    }

    async fn ask(
        &self,
        payer: &Payer,
        row: &Subscription,
        ledger: &Ledger,
        ticket: i64,
    ) -> Result<Found, PaymentError> {
        let now = row.now(self.clock.now());
        let mut readings = self.payments.subscriptions(payer, now).await?;
        if let Some(unpaid) = unpaid_after_pause(&readings) {
            self.pay_or_end(payer, unpaid, now).await?;
            readings = self.payments.subscriptions(payer, now).await?;
            // What nobody paid is never stored as paid: the next look tries again.
            if unpaid_after_pause(&readings).is_some() {
                let still = "a period that began in a pause is still unpaid";
                return Err(PaymentError::Away(still.into()));
            }
        }
        let mut is_unfinished = false;
        for older in superfluous(&readings) {
            let id = &older.subscription_id;
            let (company, hour) = (payer.tenant.company_id(), bucket(now, HOUR));
            let key = format!("{company}:cancel-older:{id}:{hour}");
            if let Err(error) = self.payments.cancel_now(payer, id, now, &key).await {
                tracing::warn!(error = ?error, "a second subscription still runs");
                is_unfinished = true;
            }
        }
        let followed = follow(row, &readings, now);
        if let Some(unpaid) = given_up(&followed, &readings) {
            // Access has ended: nobody is charged for it any more.
            let id = &unpaid.subscription_id;
            let begun = unpaid.period_start.timestamp();
            let (company, hour) = (payer.tenant.company_id(), bucket(now, HOUR));
            let key = format!("{company}:end-unpaid:{id}:{begun}:{hour}");
            if let Err(error) = self.payments.cancel_now(payer, id, now, &key).await {
                tracing::warn!(error = ?error, "what nobody paid still runs");
                is_unfinished = true;
            }
        }
        let mut checkout_over = None;
        if let Some(opened) = &ledger.opened {
            let id = &opened.checkout.id;
            let mut is_over = opened.checkout.expires_at <= now;
            let sold = State::of(&followed, now).check(Action::Checkout).is_err();
            if sold && !is_over {
                is_over = self.payments.close_checkout(payer, id).await.is_ok();
            }
            checkout_over = is_over.then(|| id.clone());
        }
        Ok(Found {
            ticket,
            readings,
            now,
            checkout_over,
            is_unfinished,
        })
    }

    /// A period that nobody paid does not just go on when its pause is over: it begins anew and is
    /// paid now, or ends now if it was told to end.
    async fn pay_or_end(
        &self,
        payer: &Payer,
        unpaid: &Reading,
        now: DateTime<Utc>,
    ) -> Result<(), PaymentError> {
        let (company, id) = (payer.tenant.company_id(), &unpaid.subscription_id);
        let begun = unpaid.period_start.timestamp();
        let done = if unpaid.cancel_at_period_end {
            let key = format!("{company}:end:{id}:{begun}:{}", bucket(now, HOUR));
            self.payments.cancel_now(payer, id, now, &key).await
        } else {
            let key = format!("{company}:begin:{id}:{begun}:{}", bucket(now, DAY));
            self.payments.begin_period(payer, id, now, &key).await
        };
        match done {
            // It stands otherwise there by now, as the next reading says.
            Err(PaymentError::Refused(said) | PaymentError::Declined(said)) => {
                tracing::warn!(said, "a period after a pause was not begun");
                Ok(())
            }
            other => other,
        }
    }

    async fn store(
        &self,
        tenant: Tenant,
        found: Option<Found>,
        told: Option<&Told>,
    ) -> Result<Subscription, ServiceError> {
        let real = self.clock.now();
        let mut tx = self.database.tenant(tenant).await?;
        let before = self.lock(&mut tx).await?;
        let mut ledger = payments::ledger(&mut tx, tenant, self.payments.name()).await?;
        if let Some(told) = told
            && !due_store::take(&mut tx, tenant, told, real).await?
        {
            return Ok(before);
        }
        let mut after = before.clone();
        let mut is_unfinished = false;
        match &found {
            Some(found) if found.ticket <= ledger.followed_ticket => {
                tx.commit().await?;
                return Ok(before);
            }
            Some(found) => {
                after = follow(&before, &found.readings, found.now);
                is_unfinished = found.is_unfinished;
                payments::set_followed(&mut tx, tenant, found.ticket).await?;
                if let Some(id) = &found.checkout_over {
                    payments::forget_checkout(&mut tx, tenant, id).await?;
                    // Another one may have been opened since.
                    ledger.opened = ledger.opened.filter(|opened| opened.checkout.id != *id);
                }
            }
            // Its customer was made since: what time means is for the provider to say.
            None if before.customer_id.is_some() => {}
            None => settle(&mut after, before.now(real)),
        }
        let has_changed = after != before;
        if has_changed {
            after.updated_at = real;
            subscriptions::save(&mut tx, tenant, &after).await?;
            let wish = ledger.wish.as_ref();
            if note_changes(&mut tx, wish, &before, &after, real).await? {
                payments::forget_wish(&mut tx, tenant).await?;
            }
        }
        let quiet_looks = match told {
            _ if has_changed => 0,
            // The provider tells the same in several events; that is no look of ours.
            Some(_) => ledger.quiet_looks,
            None => ledger.quiet_looks.saturating_add(1),
        };
        let waiting = Waiting {
            for_provider: is_unfinished || ledger.opened.is_some(),
            quiet_looks,
        };
        let next = due::next(&after, waiting, real);
        due_store::set_next(&mut tx, tenant, next, quiet_looks).await?;
        tx.commit().await?;
        if has_changed {
            self.tell(tenant);
        }
        Ok(after)
    }

    /// Tells whoever watches that a company's subscription has changed.
    pub(crate) fn tell(&self, tenant: Tenant) {
        self.events.publish(Event {
            company_id: tenant.company_id(),
            topic: Topic::Subscription,
            person_id: None,
        });
    }

    /// The company's subscription, or not found.
    pub(super) async fn find(&self, tx: &mut TenantTx) -> Result<Subscription, ServiceError> {
        let tenant = tx.tenant();
        let row = subscriptions::find(tx, tenant, self.payments.name()).await?;
        row.ok_or_else(ServiceError::not_found)
    }

    /// The same, and nobody else changes it until the transaction ends.
    pub(super) async fn lock(&self, tx: &mut TenantTx) -> Result<Subscription, ServiceError> {
        let tenant = tx.tenant();
        let row = subscriptions::lock(tx, tenant, self.payments.name()).await?;
        row.ok_or_else(ServiceError::not_found)
    }

    /// Stores a change made here, and when to look next.
    pub(super) async fn save(
        &self,
        tx: &mut TenantTx,
        row: &mut Subscription,
    ) -> Result<(), ServiceError> {
        let (tenant, real) = (tx.tenant(), self.clock.now());
        row.updated_at = real;
        subscriptions::save(tx, tenant, row).await?;
        let ledger = payments::ledger(tx, tenant, self.payments.name()).await?;
        let waiting = Waiting {
            for_provider: ledger.opened.is_some(),
            quiet_looks: 0,
        };
        let next = due::next(row, waiting, real);
        due_store::set_next(tx, tenant, next, 0).await
    }
}

/// The subscription that counts, if nobody paid its period and no pause excuses it any more.
fn unpaid_after_pause(readings: &[Reading]) -> Option<&Reading> {
    counting(readings).filter(|reading| reading.is_unpaid_after_pause())
}

/// The step of `seconds` that `now` falls into.
pub(super) fn bucket(now: DateTime<Utc>, seconds: i64) -> i64 {
    now.timestamp().div_euclid(seconds)
}

/// The customer a company is, if it has been to a checkout.
pub(super) fn payer(tenant: Tenant, row: &Subscription) -> Option<Payer> {
    let customer_id = row.customer_id.clone()?;
    Some(Payer {
        tenant,
        customer_id,
    })
}

/// Writes what has changed into the company's log; true: some of it was wished for.
async fn note_changes(
    tx: &mut TenantTx,
    wish: Option<&Wish>,
    before: &Subscription,
    after: &Subscription,
    real: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let wish = wish.filter(|wish| real - wish.at < WISH_LASTS);
    let mut was_wished = false;
    for word in between(before, after) {
        let asked = wish.filter(|wish| wish.words.iter().any(|wished| wished == word));
        let (trail, word) = match asked {
            // Ended at once, because the person wanted it to end.
            Some(wish) if word == "expired" => (wish.trail(), "canceled"),
            Some(wish) => (wish.trail(), word),
            None => (nobody(), word),
        };
        was_wished |= asked.is_some();
        note(tx, &trail, after, word).await?;
    }
    Ok(was_wished)
}

/// Writes a change of the plan into the company's log.
pub(super) async fn note(
    tx: &mut TenantTx,
    trail: &AuditContext,
    row: &Subscription,
    word: Word,
) -> Result<(), ServiceError> {
    let tenant = tx.tenant();
    let line = AuditEntry::success("plan_changed")
        .target(tenant.company_id(), row.tier.name())
        .detail(word);
    audit::record(tx, tenant, trail, &line).await
}

/// The provider, or time.
pub(super) fn nobody() -> AuditContext {
    AuditContext {
        request_id: Uuid::now_v7(),
        address_prefix: String::new(),
        actor_id: None,
        actor_name: String::new(),
        scope: Scope::Unspecified,
    }
}

//! Reconciles a company's row with the payment provider and the clock.
//!
//! No transaction is open during provider calls. A read takes a ticket first and is stored only if
//! no later read was stored, so answers that arrive out of order cannot overwrite newer state. If
//! the process is killed, the next event or scheduled check repeats the read.

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

/// How long a change found at the provider is attributed to the request that asked for it.
const WISH_LASTS: TimeDelta = TimeDelta::hours(1);

/// Stripe repeats its first response to a key for at least a day, even an error. Keys of calls that
/// may be repeated safely therefore contain the time, in steps of this many seconds.
pub(super) const HOUR: i64 = 3600;
/// For calls that collect money.
const DAY: i64 = 24 * HOUR;

/// Result of a read from the provider.
struct Found {
    ticket: i64,
    readings: Vec<Reading>,
    now: DateTime<Utc>,
    /// The checkout that cannot be paid any more.
    checkout_over: Option<String>,
    /// A cancellation at the provider may have failed.
    is_unfinished: bool,
}

impl Billing {
    /// Reads the company's subscriptions from the provider and updates its row; `event` is recorded
    /// in the same transaction. Without a customer only time changes the row.
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

    /// Updates the row of a company without a customer to the current time.
    pub(super) async fn settle(&self, tenant: Tenant) -> Result<Subscription, Failure> {
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
            // An unpaid period is never stored as paid: the next check tries again.
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
            // Access has ended, so it must not be collected any more.
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

    /// After a pause, an uncollected period is not continued: a new one begins and is paid now, or
    /// the subscription ends now if it was canceled.
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
            // The state there has changed; the next read shows it.
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
                    // A concurrent call may have opened another one.
                    ledger.opened = ledger.opened.filter(|opened| opened.checkout.id != *id);
                }
            }
            // The customer was created meanwhile: the provider decides what the time means.
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
            // Events repeat the same state, so they do not count as checks.
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

    /// Publishes that the company's subscription has changed.
    pub(crate) fn tell(&self, tenant: Tenant) {
        self.events.publish(Event {
            company_id: tenant.company_id(),
            topic: Topic::Subscription,
            person_id: None,
        });
    }

    /// Returns the company's subscription or fails with not found.
    pub(super) async fn find(&self, tx: &mut TenantTx) -> Result<Subscription, Failure> {
        let tenant = tx.tenant();
        let row = subscriptions::find(tx, tenant, self.payments.name()).await?;
        row.ok_or_else(ServiceError::not_found)
    }

    /// Locks the row until the transaction ends.
    pub(super) async fn lock(&self, tx: &mut TenantTx) -> Result<Subscription, Failure> {
        let tenant = tx.tenant();
        let row = subscriptions::lock(tx, tenant, self.payments.name()).await?;
        row.ok_or_else(ServiceError::not_found)
    }

    /// Stores the row and the time of its next check.
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

/// The current subscription if its period was not collected and its pause is over.
fn unpaid_after_pause(readings: &[Reading]) -> Option<&Reading> {
    counting(readings).filter(|reading| reading.is_unpaid_after_pause())
}

/// The number of the `seconds` interval that contains `now`.
pub(super) fn bucket(now: DateTime<Utc>, seconds: i64) -> i64 {
    now.timestamp().div_euclid(seconds)
}

/// The company's customer, if it has one.
pub(super) fn payer(tenant: Tenant, row: &Subscription) -> Option<Payer> {
    let customer_id = row.customer_id.clone()?;
    Some(Payer {
        tenant,
        customer_id,
    })
}

/// Writes the changes to the company's audit log. Returns true if the pending change caused one.
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
            // It ended now because the person canceled it.
            Some(wish) if word == "expired" => (wish.trail(), "canceled"),
            Some(wish) => (wish.trail(), word),
            None => (nobody(), word),
        };
        was_wished |= asked.is_some();
        note(tx, &trail, after, word).await?;
    }
    Ok(was_wished)
}

/// Writes one change to the company's audit log.
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

/// The actor of changes by the provider or by time.
pub(super) fn nobody() -> Trail {
    Trail {
        request_id: Uuid::now_v7(),
        address_prefix: String::new(),
        actor_id: None,
        actor_name: String::new(),
        scope: Scope::Unspecified,
    }
}

//! Operations on a sandbox account. Each first processes what is due, and changes nothing if it
//! fails.

use chrono::{DateTime, TimeDelta, Utc};

use super::account::{Account, CollectionStatus, Session, SessionState, Subscription};
use super::money::price;
use crate::domain::proration::prorate;
use crate::provider::{Checkout, Offer, ProviderSubscription};

const CHECKOUT_TTL: TimeDelta = TimeDelta::hours(24);
/// Number of stored checkouts.
const MAX_CHECKOUTS: usize = 50;
/// Number of stored idempotency keys.
const MAX_APPLIED_KEYS: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("checkout or subscription not found")]
    Unknown,
    /// The checkout is paid, canceled or expired.
    #[error("the checkout is closed")]
    Closed,
    #[error("the card was declined")]
    Declined,
    #[error("the subscription's state does not allow it")]
    State,
}

impl Account {
    pub fn has_applied(&self, key: &str) -> bool {
        self.granted.iter().any(|granted| granted == key)
    }

    pub fn mark_applied(&mut self, key: &str) {
        self.granted.push(key.to_owned());
        let surplus = self.granted.len().saturating_sub(MAX_APPLIED_KEYS);
        self.granted.drain(..surplus);
    }

    pub fn subscriptions(&mut self, now: DateTime<Utc>) -> Vec<ProviderSubscription> {
        self.advance(now);
        let mut subscriptions: Vec<_> = self
            .subscriptions
            .iter()
            .rev()
            .map(Subscription::to_provider_subscription)
            .collect();
        subscriptions.sort_by_key(|subscription| std::cmp::Reverse(subscription.created_at));
        subscriptions
    }

    /// Opens a checkout; the same key returns the same one.
    pub fn open_checkout(
        &mut self,
        offer: Offer,
        first_charge: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
        key: &str,
    ) -> Checkout {
        let now = self.advance(now);
        if let Some(session) = self.checkouts.iter().find(|session| session.key == key) {
            return session.page();
        }
        let session = Session {
            id: self.next_id("cs"),
            key: key.to_owned(),
            offer,
            first_charge,
            created_at: now,
            expires_at: now + CHECKOUT_TTL,
            state: SessionState::Open,
        };
        let page = session.page();
        self.checkouts.push(session);
        let surplus = self.checkouts.len().saturating_sub(MAX_CHECKOUTS);
        self.checkouts.drain(..surplus);
        page
    }

    pub fn close_checkout(&mut self, id: &str) {
        for session in &mut self.checkouts {
            if session.id == id && session.state != SessionState::Paid {
                session.state = SessionState::Closed;
            }
        }
    }

    /// Returns a checkout in any state.
    pub fn checkout(&self, id: &str) -> Result<&Session, Refusal> {
        let found = self.checkouts.iter().find(|session| session.id == id);
        found.ok_or(Refusal::Unknown)
    }

    /// Pays a checkout. Its card becomes the customer's card.
    pub fn pay(&mut self, id: &str, now: DateTime<Utc>) -> Result<(), Refusal> {
        let now = self.advance(now);
        self.decide_checkout(id, SessionState::Paid, now)?;
        let session = self.checkout(id)?;
        let (offer, first_charge) = (session.offer, session.first_charge);
        self.card_declines = false;
        let subscription = Subscription {
            id: self.next_id("sub"),
            created_at: now,
            offer,
            anchor: now,
            periods: 0,
            collected: CollectionStatus::Paid,
            cancel_at_period_end: false,
            paused_until: None,
            moved_end: first_charge,
            free: first_charge.is_some(),
            ended_at: None,
        };
        let subscription_id = subscription.id.clone();
        self.subscriptions.push(subscription);
        let index = self.subscriptions.len() - 1;
        self.push_checkout_event(id, &subscription_id, now);
        self.push_subscription_event(index, "created", now);
        if first_charge.is_none() {
            self.charge(index, price(offer), now);
        }
        Ok(())
    }

    /// Declines the card; the checkout stays open.
    pub fn decline(&mut self, id: &str, now: DateTime<Utc>) -> Result<(), Refusal> {
        let now = self.advance(now);
        self.decide_checkout(id, SessionState::Declined, now)
    }

    pub fn leave(&mut self, id: &str, now: DateTime<Utc>) -> Result<(), Refusal> {
        let now = self.advance(now);
        self.decide_checkout(id, SessionState::Closed, now)
    }

    /// Replaces the card; one that does not decline pays open invoices now.
    pub fn set_card(&mut self, declines: bool, now: DateTime<Utc>) {
        let now = self.advance(now);
        self.card_declines = declines;
        if declines {
            return;
        }
        for index in 0..self.subscriptions.len() {
            self.retry_open_invoice(index, now);
        }
    }

    /// Changes plan or interval now: credits the rest of the paid period and charges the same part
    /// of the new plan. Another interval, and a moved or an uncollected period start a new period; a
    /// trial continues.
    pub fn change_plan(
        &mut self,
        id: &str,
        offer: Offer,
        now: DateTime<Utc>,
    ) -> Result<(), Refusal> {
        let now = self.advance(now);
        let index = self.running(id)?;
        let before = self.subscriptions[index].clone();
        if before.offer == offer {
            return Ok(());
        }
        if before.paused_until.is_some() || matches!(before.collected, CollectionStatus::Due(_)) {
            return Err(Refusal::State);
        }
        let paid_time = before.paid_time();
        let same = before.moved_end.is_none() && before.offer.interval == offer.interval;
        let goes_on = before.free || (same && paid_time.is_some());
        let credit = paid_time.map_or(0, |time| prorate(price(before.offer), time, now));
        let due = match paid_time {
            _ if before.free => 0,
            Some(time) if goes_on => prorate(price(offer), time, now),
            _ => price(offer),
        };
        self.subscriptions[index].offer = offer;
        if !goes_on {
            self.subscriptions[index].restart_period(now);
        }
        if due != credit && !self.charge(index, due - credit, now) {
            self.subscriptions[index] = before;
            return Err(Refusal::Declined);
        }
        self.push_subscription_event(index, "updated", now);
        Ok(())
    }

    pub fn pause(
        &mut self,
        id: &str,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<(), Refusal> {
        let now = self.advance(now);
        let index = self.running(id)?;
        let subscription = &mut self.subscriptions[index];
        let is_past_due = matches!(subscription.collected, CollectionStatus::Due(_));
        if is_past_due || subscription.cancel_at_period_end || until <= now {
            return Err(Refusal::State);
        }
        if subscription.paused_until.is_some() {
            let is_same = subscription.paused_until == Some(until);
            return if is_same { Ok(()) } else { Err(Refusal::State) };
        }
        if subscription.collected == CollectionStatus::Paid {
            subscription.moved_end = Some(subscription.period_end() + (until - now));
        }
        subscription.paused_until = Some(until);
        self.push_subscription_event(index, "updated", now);
        Ok(())
    }

    /// See [`crate::provider::Change::Resume`].
    pub fn resume(&mut self, id: &str, now: DateTime<Utc>) -> Result<(), Refusal> {
        let now = self.advance(now);
        let index = self.running(id)?;
        let before = self.subscriptions[index].clone();
        if before.paused_until.is_none() && !before.cancel_at_period_end {
            return Ok(());
        }
        let subscription = &mut self.subscriptions[index];
        subscription.cancel_at_period_end = false;
        subscription.end_pause(now);
        if before.paused_until.is_some() && before.collected == CollectionStatus::Waived {
            subscription.restart_period(now);
            let cents = price(subscription.offer);
            if !self.charge(index, cents, now) {
                self.subscriptions[index] = before;
                return Err(Refusal::Declined);
            }
        }
        self.push_subscription_event(index, "updated", now);
        Ok(())
    }

    /// See [`crate::provider::Change::BeginPeriod`]. Returns whether a period began.
    pub fn begin_period(&mut self, id: &str, now: DateTime<Utc>) -> Result<bool, Refusal> {
        let now = self.advance(now);
        let index = self.find(id)?;
        let subscription = &mut self.subscriptions[index];
        let stays = subscription.paused_until.is_some() || subscription.cancel_at_period_end;
        let waived = subscription.collected == CollectionStatus::Waived;
        if subscription.ended_at.is_some() || stays || !waived {
            return Ok(false);
        }
        subscription.restart_period(now);
        self.collect_period(index, now);
        Ok(true)
    }

    /// See [`crate::provider::Change::CancelAtPeriodEnd`].
    pub fn cancel_at_period_end(&mut self, id: &str, now: DateTime<Utc>) -> Result<(), Refusal> {
        let now = self.advance(now);
        let index = self.running(id)?;
        let subscription = &mut self.subscriptions[index];
        let waived = subscription.collected == CollectionStatus::Waived;
        let is_past_due = matches!(subscription.collected, CollectionStatus::Due(_));
        if is_past_due || waived {
            self.end(index, now);
            return Ok(());
        }
        if subscription.cancel_at_period_end && subscription.paused_until.is_none() {
            return Ok(());
        }
        subscription.cancel_at_period_end = true;
        subscription.end_pause(now);
        self.push_subscription_event(index, "updated", now);
        Ok(())
    }

    /// Does nothing if the subscription has ended.
    pub fn cancel_now(
        &mut self,
        id: &str,
        credit: bool,
        now: DateTime<Utc>,
    ) -> Result<(), Refusal> {
        let now = self.advance(now);
        let index = self.find(id)?;
        if self.subscriptions[index].ended_at.is_some() {
            return Ok(());
        }
        self.subscriptions[index].end_pause(now);
        self.end(index, now);
        let subscription = &self.subscriptions[index];
        if let Some(time) = subscription.paid_time().filter(|_| credit) {
            let unused = prorate(price(subscription.offer), time, now);
            self.charge(index, -unused, now);
        }
        Ok(())
    }

    fn find(&self, id: &str) -> Result<usize, Refusal> {
        let mut subscriptions = self.subscriptions.iter();
        let found = subscriptions.position(|subscription| subscription.id == id);
        found.ok_or(Refusal::Unknown)
    }

    fn running(&self, id: &str) -> Result<usize, Refusal> {
        let index = self.find(id)?;
        match self.subscriptions[index].ended_at {
            None => Ok(index),
            Some(_) => Err(Refusal::State),
        }
    }

    /// Sets the state of an open checkout.
    fn decide_checkout(
        &mut self,
        id: &str,
        state: SessionState,
        now: DateTime<Utc>,
    ) -> Result<(), Refusal> {
        let mut sessions = self.checkouts.iter_mut();
        let session = sessions.find(|session| session.id == id);
        let session = session.ok_or(Refusal::Unknown)?;
        if !session.is_open(now) {
            return Err(Refusal::Closed);
        }
        session.state = state;
        Ok(())
    }
}

#[cfg(test)]
mod tests;

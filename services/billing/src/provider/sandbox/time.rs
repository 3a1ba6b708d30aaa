//! Changes by time: renewals, retries, ends of pauses and subscriptions.

use chrono::{DateTime, TimeDelta, Utc};

use super::account::{Account, CollectionStatus, InvoiceStatus, Subscription};
use super::money::price;

/// Daily retries of an unpaid renewal before the subscription ends.
const MAX_RETRIES: u32 = 14;

/// The next change of a subscription. At the same instant the order of the variants counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Resume,
    Retry,
    Renew,
}

impl Account {
    /// Processes everything due until `now` in order of time. Returns the account's time, which
    /// never decreases.
    pub fn advance(&mut self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.at = self.at.max(now);
        while let Some((at, due, index)) = self.next() {
            if at > self.at {
                break;
            }
            match due {
                Due::Resume => self.end_pause(index, at),
                Due::Retry => self.retry(index, at),
                Due::Renew => self.renew(index, at),
            }
        }
        self.at
    }

    pub fn next_due(&self) -> Option<DateTime<Utc>> {
        self.next().map(|(at, ..)| at)
    }

    fn next(&self) -> Option<(DateTime<Utc>, Due, usize)> {
        let subscriptions = self.subscriptions.iter().enumerate();
        subscriptions
            .filter_map(|(index, subscription)| {
                let (at, due) = subscription.next()?;
                Some((at, due, index))
            })
            .min()
    }

    fn end_pause(&mut self, index: usize, at: DateTime<Utc>) {
        self.subscriptions[index].paused_until = None;
        self.push_subscription_event(index, "updated", at);
    }

    fn renew(&mut self, index: usize, at: DateTime<Utc>) {
        if self.subscriptions[index].cancel_at_period_end {
            self.end(index, at);
            return;
        }
        self.subscriptions[index].next_period();
        self.collect_period(index, at);
    }

    /// Collects the period that has just begun, unless it began in a pause.
    pub(super) fn collect_period(&mut self, index: usize, at: DateTime<Utc>) {
        let subscription = &self.subscriptions[index];
        let cents = price(subscription.offer);
        let collected = if subscription.paused_until.is_some() {
            self.add_invoice(index, cents, InvoiceStatus::Void, at);
            CollectionStatus::Waived
        } else if self.charge(index, cents, at) {
            CollectionStatus::Paid
        } else {
            self.add_invoice(index, cents, InvoiceStatus::Open, at);
            CollectionStatus::Due(0)
        };
        self.subscriptions[index].collected = collected;
        self.push_subscription_event(index, "updated", at);
    }

    fn retry(&mut self, index: usize, at: DateTime<Utc>) {
        let mut last = false;
        if let CollectionStatus::Due(tries) = &mut self.subscriptions[index].collected {
            *tries += 1;
            last = *tries >= MAX_RETRIES;
        }
        if !self.retry_open_invoice(index, at) && last {
            self.end(index, at);
        }
    }

    /// Retries the open invoice. Returns false if there is none or the card declines.
    pub(super) fn retry_open_invoice(&mut self, index: usize, at: DateTime<Utc>) -> bool {
        let id = &self.subscriptions[index].id;
        let open = self.invoices.iter().position(|invoice| {
            invoice.status == InvoiceStatus::Open && &invoice.subscription_id == id
        });
        let Some(open) = open else {
            return false;
        };
        let paid = self.collect(self.invoices[open].cents);
        if let Some(card_cents) = paid {
            self.invoices[open].card_cents = card_cents;
            self.invoices[open].status = InvoiceStatus::Paid;
        }
        let invoice = self.invoices[open].clone();
        self.push_invoice_event(&invoice, at);
        if paid.is_some() {
            self.subscriptions[index].collected = CollectionStatus::Paid;
            self.push_subscription_event(index, "updated", at);
        }
        paid.is_some()
    }

    /// Ends a subscription and voids its open invoices.
    pub(super) fn end(&mut self, index: usize, at: DateTime<Utc>) {
        let subscription = &mut self.subscriptions[index];
        subscription.ended_at = Some(at);
        subscription.paused_until = None;
        let id = &subscription.id;
        for invoice in &mut self.invoices {
            if invoice.status == InvoiceStatus::Open && &invoice.subscription_id == id {
                invoice.status = InvoiceStatus::Void;
            }
        }
        self.push_subscription_event(index, "deleted", at);
    }
}

impl Subscription {
    fn next(&self) -> Option<(DateTime<Utc>, Due)> {
        if self.ended_at.is_some() {
            return None;
        }
        let retry = match self.collected {
            CollectionStatus::Due(tries) => {
                let days = i64::from(tries) + 1;
                Some(self.period_start() + TimeDelta::days(days))
            }
            CollectionStatus::Paid | CollectionStatus::Waived => None,
        };
        let due = [
            self.paused_until.map(|at| (at, Due::Resume)),
            retry.map(|at| (at, Due::Retry)),
            Some((self.period_end(), Due::Renew)),
        ];
        due.into_iter().flatten().min()
    }
}

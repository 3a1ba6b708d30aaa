//! Prices, proration and charges in whole cents.

use chrono::{DateTime, Utc};

use super::account::{Account, Invoice, InvoiceStatus};
use crate::provider::Offer;

/// Price per billing period.
pub fn price(offer: Offer) -> i64 {
    offer.interval.cents(offer.tier.plan()).into()
}

/// The share of `cents` for the rest of a period at `now`, rounded to the nearest cent.
pub fn prorate(
    cents: i64,
    (start, end): (DateTime<Utc>, DateTime<Utc>),
    now: DateTime<Utc>,
) -> i64 {
    let micros = |from: DateTime<Utc>, to: DateTime<Utc>| {
        i128::from(to.timestamp_micros() - from.timestamp_micros())
    };
    let whole = micros(start, end).max(1);
    let left = micros(now, end).clamp(0, whole);
    let rounded = (2 * i128::from(cents) * left + whole) / (2 * whole);
    i64::try_from(rounded).unwrap_or(cents)
}

impl Account {
    /// Charges the customer, or credits negative cents, and adds the invoice. Returns false if the
    /// card declined; then nothing has changed.
    pub(super) fn charge(&mut self, index: usize, cents: i64, at: DateTime<Utc>) -> bool {
        let Some(card_cents) = self.collect(cents) else {
            return false;
        };
        self.add_invoice(index, cents, InvoiceStatus::Paid, at);
        if let Some(invoice) = self.invoices.last_mut() {
            invoice.card_cents = card_cents;
        }
        true
    }

    /// Uses credit first. Returns the cents paid by card, or `None` if it declined.
    pub(super) fn collect(&mut self, cents: i64) -> Option<i64> {
        let card_cents = (cents - self.balance_cents).max(0);
        if card_cents > 0 && self.card_declines {
            return None;
        }
        self.balance_cents += card_cents - cents;
        Some(card_cents)
    }

    /// Adds an invoice. A voided one causes no event.
    pub(super) fn add_invoice(
        &mut self,
        index: usize,
        cents: i64,
        status: InvoiceStatus,
        at: DateTime<Utc>,
    ) {
        let subscription = &self.subscriptions[index];
        let invoice = Invoice {
            number: format!("SB-{:05}", self.invoices.len() + 1),
            subscription_id: subscription.id.clone(),
            created_at: at,
            offer: subscription.offer,
            cents,
            card_cents: 0,
            status,
        };
        self.invoices.push(invoice.clone());
        if status != InvoiceStatus::Void {
            self.push_invoice_event(&invoice, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn prorate_is_exact_to_the_cent() {
        let start: DateTime<Utc> = "2026-04-01T00:00:00Z".parse().expect("a time");
        let period = (start, start + TimeDelta::days(30));
        for (cents, days, expected) in [
            (5400, 0, 5400),
            (5400, 15, 2700),
            (5400, 30, 0),
            (5400, 31, 0),
            (5400, -1, 5400),
            // 100 * 29 / 30 = 96.67 and 100 * 10 / 30 = 33.33.
            (100, 1, 97),
            (100, 20, 33),
            // Half a cent rounds up.
            (1, 15, 1),
            (3, 15, 2),
            (102_000, 29, 3400),
        ] {
            let now = start + TimeDelta::days(days);
            assert_eq!(prorate(cents, period, now), expected, "{cents} {days}");
        }
    }
}

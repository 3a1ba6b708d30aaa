//! Prices, proration and charges in whole cents.

use chrono::{DateTime, Utc};

use super::account::{Account, Invoice, InvoiceStatus};
use crate::provider::Offer;

/// Price per billing period.
pub fn price(offer: Offer) -> i64 {
    offer.interval.cents(offer.tier.plan()).into()
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

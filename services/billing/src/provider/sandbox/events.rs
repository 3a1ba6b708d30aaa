//! Sandbox events in the shape of Stripe's, so that both use one handler.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::account::{Account, CollectionStatus, Event, Invoice, InvoiceStatus, Subscription};

impl Account {
    pub(super) fn push_checkout_event(
        &mut self,
        session: &str,
        subscription: &str,
        at: DateTime<Utc>,
    ) {
        let object = json!({
            "id": session,
            "object": "checkout.session",
            "customer": self.customer_id(),
            "subscription": subscription,
            "mode": "subscription",
            "payment_status": "paid",
            "status": "complete",
        });
        self.push_event("checkout.session.completed", &object, at);
    }

    /// `change` is `created`, `updated` or `deleted`.
    pub(super) fn push_subscription_event(&mut self, index: usize, what: &str, at: DateTime<Utc>) {
        let subscription = &self.subscriptions[index];
        let object = json!({
            "id": subscription.id,
            "object": "subscription",
            "customer": self.customer_id(),
            "status": status(subscription),
            "created": subscription.created_at.timestamp(),
            "cancel_at_period_end": subscription.cancel_at_period_end,
            "ended_at": subscription.ended_at.map(|at| at.timestamp()),
            "pause_collection": subscription.paused_until.map(|until| {
                json!({"behavior": "void", "resumes_at": until.timestamp()})
            }),
        });
        self.push_event(&format!("customer.subscription.{what}"), &object, at);
    }

    pub(super) fn push_invoice_event(&mut self, invoice: &Invoice, at: DateTime<Utc>) {
        let (kind, status) = match invoice.status {
            InvoiceStatus::Paid => ("invoice.paid", "paid"),
            InvoiceStatus::Open => ("invoice.payment_failed", "open"),
            InvoiceStatus::Void => ("invoice.voided", "void"),
        };
        let object = json!({
            "id": invoice.number,
            "object": "invoice",
            "customer": self.customer_id(),
            "parent": {
                "type": "subscription_details",
                "subscription_details": {"subscription": invoice.subscription_id},
            },
            "currency": "usd",
            "total": invoice.cents,
            "status": status,
        });
        self.push_event(kind, &object, at);
    }

    fn push_event(&mut self, kind: &str, object: &Value, at: DateTime<Utc>) {
        let id = self.next_id("evt");
        let body = json!({
            "id": id,
            "object": "event",
            "type": kind,
            "created": at.timestamp(),
            "livemode": false,
            "data": {"object": object},
        });
        self.outbox.push(Event { id, body });
    }
}

fn status(subscription: &Subscription) -> &'static str {
    match (subscription.ended_at, subscription.collected) {
        (Some(_), _) => "canceled",
        (None, CollectionStatus::Due(_)) => "past_due",
        (None, CollectionStatus::Paid | CollectionStatus::Waived) => "active",
    }
}

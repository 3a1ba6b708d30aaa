//! State of the fake.

use std::collections::BTreeMap;

use chrono::{DateTime, Months, Utc};
use serde_json::{Value, json};

pub type Metadata = BTreeMap<String, String>;

#[derive(Debug)]
pub struct World {
    pub now: DateTime<Utc>,
    /// Whether all cards decline.
    pub declines: bool,
    /// Customers, products and prices as JSON objects.
    pub customers: BTreeMap<String, Value>,
    pub products: BTreeMap<String, Value>,
    pub prices: BTreeMap<String, Value>,
    pub sessions: BTreeMap<String, Session>,
    /// Portal configurations as JSON objects.
    pub configurations: BTreeMap<String, Value>,
    /// The features of each opened portal session.
    pub portals: Vec<Value>,
    pub subscriptions: Vec<Subscription>,
    pub invoices: Vec<Invoice>,
    pub events: Vec<Value>,
    /// Credit of customers for ended subscriptions, in cents.
    pub credit: i64,
    last_id: u32,
}

#[derive(Clone, Debug)]
pub struct Session {
    pub id: String,
    pub customer: String,
    pub price: String,
    pub metadata: Metadata,
    pub trial_end: Option<DateTime<Utc>>,
    pub success_url: String,
    pub cancel_url: String,
    pub status: &'static str,
    pub expires_at: DateTime<Utc>,
    pub subscription: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Subscription {
    pub id: String,
    pub item: String,
    pub customer: String,
    pub price: String,
    pub metadata: Metadata,
    pub created: DateTime<Utc>,
    pub status: &'static str,
    /// Start of the first period.
    pub anchor: DateTime<Utc>,
    /// Completed periods.
    pub periods: u32,
    /// The current period is a trial until then.
    pub trial_end: Option<DateTime<Utc>>,
    pub cancel_at_period_end: bool,
    pub cancel_at: Option<DateTime<Utc>>,
    pub canceled_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    pub pause: Option<Pause>,
    pub latest_invoice: String,
    /// Proration for the next invoice in cents.
    pub pending: i64,
    /// Attempts to collect the open invoice.
    pub tries: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// `None`: without an end.
    pub until: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug)]
pub struct Invoice {
    pub id: String,
    pub subscription: String,
    pub customer: String,
    pub cents: i64,
    pub status: &'static str,
    pub created: DateTime<Utc>,
}

impl World {
    pub fn new(now: DateTime<Utc>) -> Self {
        Self {
            now,
            declines: false,
            customers: BTreeMap::new(),
            products: BTreeMap::new(),
            prices: BTreeMap::new(),
            sessions: BTreeMap::new(),
            configurations: BTreeMap::new(),
            portals: Vec::new(),
            subscriptions: Vec::new(),
            invoices: Vec::new(),
            events: Vec::new(),
            credit: 0,
            last_id: 0,
        }
    }

    pub fn new_id(&mut self, prefix: &str) -> String {
        self.last_id += 1;
        format!("{prefix}_{:06}", self.last_id)
    }

    /// Queues an event.
    pub fn push_event(&mut self, kind: &str, object: &Value) {
        let id = self.new_id("evt");
        self.events.push(json!({
            "id": id,
            "object": "event",
            "api_version": "2026-09-30.endive",
            "created": self.now.timestamp(),
            "livemode": false,
            "pending_webhooks": 1,
            "request": {"id": null, "idempotency_key": null},
            "type": kind,
            "data": {"object": object},
        }));
    }

    pub fn push_subscription_event(&mut self, index: usize, what: &str) {
        let object = self.subscription(&self.subscriptions[index]);
        self.push_event(&format!("customer.subscription.{what}"), &object);
    }

    pub fn amount(&self, price: &str) -> i64 {
        self.prices[price]["unit_amount"].as_i64().unwrap()
    }

    fn months(&self, price: &str) -> u32 {
        match self.prices[price]["recurring"]["interval"].as_str() {
            Some("month") => 1,
            Some("year") => 12,
            other => panic!("{other:?}"),
        }
    }

    /// Start and end of the current period.
    pub fn period(&self, of: &Subscription) -> (DateTime<Utc>, DateTime<Utc>) {
        let months = self.months(&of.price);
        let after = |periods: u32| of.anchor + Months::new(months * periods);
        let end = of.trial_end.unwrap_or_else(|| after(of.periods + 1));
        (after(of.periods), end)
    }

    /// Bills a subscription; negative cents become credit.
    pub fn bill(&mut self, index: usize, cents: i64, status: &'static str) {
        let id = self.new_id("in");
        let subscription = &mut self.subscriptions[index];
        let total = cents + subscription.pending;
        subscription.pending = total.min(0);
        subscription.latest_invoice.clone_from(&id);
        let invoice = Invoice {
            id,
            subscription: subscription.id.clone(),
            customer: subscription.customer.clone(),
            cents: total.max(0),
            status,
            created: self.now,
        };
        let kind = match status {
            "paid" => "invoice.paid",
            "void" => "invoice.voided",
            _ => "invoice.payment_failed",
        };
        self.push_event(kind, &invoice.object());
        self.invoices.push(invoice);
    }

    /// Collected cents.
    pub fn paid(&self) -> i64 {
        let paid = self.invoices.iter().filter(|one| one.status == "paid");
        paid.map(|invoice| invoice.cents).sum()
    }

    pub fn subscription(&self, of: &Subscription) -> Value {
        let (begin, end) = self.period(of);
        let seconds = |at: Option<DateTime<Utc>>| at.map(|at| at.timestamp());
        let price = &self.prices[&of.price];
        let item = json!({
            "id": of.item,
            "object": "subscription_item",
            "created": of.created.timestamp(),
            "current_period_start": begin.timestamp(),
            "current_period_end": end.timestamp(),
            "metadata": {},
            "price": price,
            "plan": {"id": of.price, "object": "plan", "active": price["active"]},
            "quantity": 1,
            "subscription": of.id,
        });
        let mut object = json!({
            "id": of.id,
            "object": "subscription",
            "livemode": false,
            "customer": of.customer,
            "metadata": of.metadata,
            "status": of.status,
            "created": of.created.timestamp(),
            "start_date": of.created.timestamp(),
            "trial_end": seconds(of.trial_end),
            "billing_cycle_anchor": of.anchor.timestamp(),
            "cancel_at_period_end": of.cancel_at_period_end,
            "cancel_at": seconds(of.cancel_at),
            "canceled_at": seconds(of.canceled_at),
            "ended_at": seconds(of.ended_at),
        });
        object["items"] = json!({"object": "list", "has_more": false, "data": [item]});
        object["latest_invoice"] = json!(of.latest_invoice);
        object["pause_collection"] = of.pause.map_or(
            Value::Null,
            |pause| json!({"behavior": "void", "resumes_at": seconds(pause.until)}),
        );
        object
    }
}

impl Invoice {
    pub fn object(&self) -> Value {
        json!({
            "id": self.id,
            "object": "invoice",
            "livemode": false,
            "customer": self.customer,
            "parent": {
                "type": "subscription_details",
                "subscription_details": {"subscription": self.subscription},
            },
            "status": self.status,
            "attempt_count": i32::from(self.status != "void"),
            "currency": "usd",
            "total": self.cents,
            "created": self.created.timestamp(),
        })
    }
}

impl Session {
    pub fn object(&self) -> Value {
        let url = format!("https://checkout.stripe.com/c/pay/{}", self.id);
        json!({
            "id": self.id,
            "object": "checkout.session",
            "livemode": false,
            "mode": "subscription",
            "customer": self.customer,
            "status": self.status,
            "payment_status": if self.status == "complete" { "paid" } else { "unpaid" },
            "subscription": self.subscription,
            "success_url": self.success_url,
            "cancel_url": self.cancel_url,
            "expires_at": self.expires_at.timestamp(),
            "url": (self.status == "open").then_some(url),
        })
    }
}

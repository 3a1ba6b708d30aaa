//! What the sandbox keeps of a customer.

use chrono::{DateTime, Months, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::domain::subscription::Interval;
use crate::provider::{Checkout, Offer, Progress, Reading};

/// A customer: card, checkouts, subscriptions, invoices, and events not yet delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The company; part of every id, so that no two customers share one.
    pub company: Uuid,
    /// Everything due until then has happened; never goes back.
    pub at: DateTime<Utc>,
    /// The card declines.
    pub card_declines: bool,
    /// Credit that the next charges use up, US cents.
    pub balance_cents: i64,
    /// Numbers what is made.
    pub serial: u32,
    /// Oldest first; the oldest are forgotten.
    pub checkouts: Vec<Session>,
    /// Oldest first.
    pub subscriptions: Vec<Subscription>,
    /// Oldest first.
    pub invoices: Vec<Invoice>,
    /// Events not yet delivered, oldest first.
    pub outbox: Vec<Event>,
    /// Keys of the last wishes that were granted.
    pub granted: Vec<String>,
}

/// A checkout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// The key it was asked for with.
    pub key: String,
    /// What it sells.
    #[serde(with = "offer_words")]
    pub offer: Offer,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// Until then it can be paid.
    pub expires_at: DateTime<Utc>,
    /// What became of it.
    pub state: SessionState,
}

/// What became of a checkout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// Nothing yet.
    Open,
    /// The card was declined; it can be tried again.
    Declined,
    /// Paid.
    Paid,
    /// Left, or closed by us.
    Closed,
}

/// A subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// Its id.
    pub id: String,
    /// When it was paid first.
    pub created_at: DateTime<Utc>,
    /// What is bought.
    #[serde(with = "offer_words")]
    pub offer: Offer,
    /// Where periods are counted from, so that a short month moves no later one.
    pub anchor: DateTime<Utc>,
    /// Periods since the anchor that are over.
    pub periods: u32,
    /// Whether the running period was collected.
    pub collected: Collected,
    /// Does not renew.
    pub cancel_at_period_end: bool,
    /// Nothing is collected until then.
    pub paused_until: Option<DateTime<Utc>>,
    /// Over since then.
    pub ended_at: Option<DateTime<Utc>>,
}

/// Whether a period was collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collected {
    /// Paid.
    Paid,
    /// Began in a pause: nothing is asked for it.
    Waived,
    /// The card declined so many times since the period began.
    Due(u32),
}

/// An invoice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invoice {
    /// Its number.
    pub number: String,
    /// The subscription it is for.
    pub subscription_id: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// What is bought.
    #[serde(with = "offer_words")]
    pub offer: Offer,
    /// US cents; negative: credit of a plan change.
    pub cents: i64,
    /// Of that, what the card paid.
    pub card_cents: i64,
    /// Where it stands.
    pub status: InvoiceStatus,
}

/// Where an invoice stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvoiceStatus {
    /// Paid.
    Paid,
    /// The card declined; it is tried again.
    Open,
    /// Not collected: paused or given up.
    Void,
}

/// An event, as it will be delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its id.
    pub id: String,
    /// Its JSON.
    pub body: Value,
}

impl Account {
    /// A customer that has bought nothing.
    pub fn new(company: Uuid, now: DateTime<Utc>) -> Self {
        Self {
            company,
            at: now,
            card_declines: false,
            balance_cents: 0,
            serial: 0,
            checkouts: Vec::new(),
            subscriptions: Vec::new(),
            invoices: Vec::new(),
            outbox: Vec::new(),
            granted: Vec::new(),
        }
    }

    /// Its id.
    pub fn customer_id(&self) -> String {
        customer_id(self.company)
    }

    /// Another id.
    pub fn next_id(&mut self, kind: &str) -> String {
        self.serial += 1;
        format!(
            "{kind}_sandbox_{}_{:06}",
            self.company.as_simple(),
            self.serial
        )
    }
}

/// The id of a company's customer.
pub fn customer_id(company: Uuid) -> String {
    format!("cus_sandbox_{}", company.as_simple())
}

impl Session {
    /// Whether it can be paid at `now`.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        matches!(self.state, SessionState::Open | SessionState::Declined) && now < self.expires_at
    }

    /// As the product sees it.
    pub fn page(&self) -> Checkout {
        Checkout {
            id: self.id.clone(),
            url: format!("/sandbox/checkout/{}", self.id),
            expires_at: self.expires_at,
        }
    }
}

impl Subscription {
    /// When the running period began.
    pub fn period_start(&self) -> DateTime<Utc> {
        self.begin_of(self.periods)
    }

    /// When the running period ends.
    pub fn period_end(&self) -> DateTime<Utc> {
        self.begin_of(self.periods + 1)
    }

    fn begin_of(&self, period: u32) -> DateTime<Utc> {
        let months = match self.offer.interval {
            Interval::Month => period,
            Interval::Year => period * 12,
        };
        // Clamps to the end of a short month; no clock gets where this would overflow.
        self.anchor
            .checked_add_months(Months::new(months))
            .unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Begins a period now, from which later ones are counted.
    pub fn begin_anew(&mut self, now: DateTime<Utc>) {
        self.anchor = now;
        self.periods = 0;
        self.collected = Collected::Paid;
    }

    /// As the product reads it.
    pub fn reading(&self) -> Reading {
        Reading {
            subscription_id: self.id.clone(),
            created_at: self.created_at,
            offer: self.offer,
            progress: match (self.ended_at, self.collected) {
                (Some(at), _) => Progress::Ended(at),
                (None, Collected::Due(_)) => Progress::PastDue,
                (None, Collected::Paid | Collected::Waived) => Progress::Paid,
            },
            period_start: self.period_start(),
            period_end: self.period_end(),
            cancel_at_period_end: self.cancel_at_period_end,
            paused_until: self.paused_until,
            waived: self.collected == Collected::Waived,
        }
    }
}

/// An offer as two words.
mod offer_words {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de};

    use crate::domain::plan::Tier;
    use crate::domain::subscription::Interval;
    use crate::provider::Offer;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    pub fn serialize<S: Serializer>(offer: &Offer, out: S) -> Result<S::Ok, S::Error> {
        (offer.tier.name(), offer.interval.name()).serialize(out)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Offer, D::Error> {
        let (tier, interval) = <(String, String)>::deserialize(input)?;
        let unknown = || de::Error::custom("an offer is unknown");
        Ok(Offer {
            tier: Tier::from_name(&tier).ok_or_else(unknown)?,
            interval: Interval::from_name(&interval).ok_or_else(unknown)?,
        })
    }
}

//! Stored state of a sandbox customer.

use chrono::{DateTime, Months, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::provider::{Checkout, Offer, PaymentStatus, ProviderSubscription};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Part of every id, so that ids of customers never collide.
    pub company: Uuid,
    /// Everything due until then has been processed; never decreases.
    pub at: DateTime<Utc>,
    pub card_declines: bool,
    /// Credit for the next charges in US cents.
    pub balance_cents: i64,
    /// Counter for ids.
    pub serial: u32,
    /// Oldest first; limited to the last 50.
    pub checkouts: Vec<Session>,
    /// Oldest first.
    pub subscriptions: Vec<Subscription>,
    /// Oldest first.
    pub invoices: Vec<Invoice>,
    /// Events not yet delivered, oldest first.
    pub outbox: Vec<Event>,
    /// Idempotency keys of the last applied operations.
    pub granted: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: String,
    /// Idempotency key of the call that opened it.
    pub key: String,
    pub offer: Offer,
    /// When it begins to charge; `None`: at once.
    #[serde(default)]
    pub first_charge: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub state: SessionState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    Open,
    Declined,
    Paid,
    /// Canceled by the person or closed by billing.
    Closed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    pub id: String,
    /// When it was first paid.
    pub created_at: DateTime<Utc>,
    pub offer: Offer,
    /// Periods are counted from here, so that a short month does not shift later ones.
    pub anchor: DateTime<Utc>,
    /// Completed periods since the anchor.
    pub periods: u32,
    pub collected: CollectionStatus,
    pub cancel_at_period_end: bool,
    /// Nothing is collected until then.
    pub paused_until: Option<DateTime<Utc>>,
    /// End of the current period if it is not counted from the anchor: of a trial, or of a paid
    /// period that a pause has moved.
    #[serde(default)]
    pub moved_end: Option<DateTime<Utc>>,
    /// The current period is a trial.
    #[serde(default)]
    pub free: bool,
    pub ended_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollectionStatus {
    Paid,
    /// Began in a pause and is not collected.
    Waived,
    /// Failed attempts since the period began.
    Due(u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invoice {
    pub number: String,
    pub subscription_id: String,
    pub created_at: DateTime<Utc>,
    pub offer: Offer,
    /// US cents; negative: credit of a plan change.
    pub cents: i64,
    /// The part of `cents` that the card paid.
    pub card_cents: i64,
    pub status: InvoiceStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvoiceStatus {
    Paid,
    /// The card was declined; the charge is retried.
    Open,
    /// Not collected because of a pause, or given up.
    Void,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub id: String,
    pub body: Value,
}

impl Account {
    pub fn new(company: Uuid, now: DateTime<Utc>) -> Self {
        Self {
            company,
            at: now,
            ..Self::default()
        }
    }

    pub fn customer_id(&self) -> String {
        customer_id(self.company)
    }

    pub fn next_id(&mut self, kind: &str) -> String {
        self.serial += 1;
        format!(
            "{kind}_sandbox_{}_{:06}",
            self.company.as_simple(),
            self.serial
        )
    }
}

pub fn customer_id(company: Uuid) -> String {
    format!("cus_sandbox_{}", company.as_simple())
}

impl Session {
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        matches!(self.state, SessionState::Open | SessionState::Declined) && now < self.expires_at
    }

    pub fn page(&self) -> Checkout {
        Checkout {
            id: self.id.clone(),
            url: format!("/sandbox/checkout/{}", self.id),
            expires_at: self.expires_at,
        }
    }
}

impl Subscription {
    pub fn period_start(&self) -> DateTime<Utc> {
        self.start_of(self.periods)
    }

    pub fn period_end(&self) -> DateTime<Utc> {
        self.moved_end
            .unwrap_or_else(|| self.start_of(self.periods + 1))
    }

    /// The time that the current period's price pays for; `None` if it was not paid.
    pub fn paid_time(&self) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        let end = self.period_end();
        let begin = match self.moved_end {
            Some(end) => self.offer.interval.before(end),
            None => self.period_start(),
        };
        (self.collected == CollectionStatus::Paid && !self.free).then_some((begin, end))
    }

    /// Begins the next period at the end of the current one.
    pub fn next_period(&mut self) {
        match self.moved_end.take() {
            Some(end) => self.restart_period(end),
            None => self.periods += 1,
        }
    }

    /// Ends a pause. The period's end, which the whole pause has moved, comes earlier by the rest.
    pub fn end_pause(&mut self, now: DateTime<Utc>) {
        if let (Some(until), Some(end)) = (self.paused_until.take(), &mut self.moved_end) {
            *end -= until - now;
        }
    }

    fn start_of(&self, period: u32) -> DateTime<Utc> {
        let months = Months::new(period * self.offer.interval.months());
        // Clamps to the end of a short month; no clock gets where this would overflow.
        self.anchor
            .checked_add_months(months)
            .unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Starts a new period now; later ones are counted from it.
    pub fn restart_period(&mut self, now: DateTime<Utc>) {
        self.anchor = now;
        self.periods = 0;
        self.moved_end = None;
        self.free = false;
        self.collected = CollectionStatus::Paid;
    }

    pub fn to_provider_subscription(&self) -> ProviderSubscription {
        ProviderSubscription {
            subscription_id: self.id.clone(),
            created_at: self.created_at,
            offer: self.offer,
            payment_status: match (self.ended_at, self.collected) {
                (Some(at), _) => PaymentStatus::Ended(at),
                (None, CollectionStatus::Due(_)) => PaymentStatus::PastDue,
                (None, CollectionStatus::Paid | CollectionStatus::Waived) => PaymentStatus::Paid,
            },
            period_start: self.period_start(),
            period_end: self.period_end(),
            cancel_at_period_end: self.cancel_at_period_end,
            paused_until: self.paused_until,
            waived: self.collected == CollectionStatus::Waived,
            in_trial: self.free,
        }
    }
}

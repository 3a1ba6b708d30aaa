//! What is read of Stripe's answers, and what it means.

use chrono::{DateTime, Utc};
use miniserde::Deserialize;
use miniserde::json::{Number, Value};

use crate::provider::{Offer, PaymentError, Progress, Reading};

/// A page of a list.
#[derive(Debug, Deserialize)]
pub struct List<T> {
    /// What is on it.
    pub data: Vec<T>,
    /// Whether another follows.
    pub has_more: bool,
}

/// Anything with an id.
#[derive(Debug, Deserialize)]
pub struct Named {
    /// Its id.
    pub id: String,
}

/// A page for a person.
#[derive(Debug, Deserialize)]
pub struct Page {
    /// Where it is.
    pub url: String,
}

/// A checkout.
#[derive(Debug, Deserialize)]
pub struct CheckoutSession {
    /// Its id.
    pub id: String,
    /// `open`, `complete` or `expired`.
    pub status: Option<String>,
    /// Where it is, while it is open.
    pub url: Option<String>,
    /// Until then it can be paid.
    pub expires_at: i64,
}

/// A subscription.
#[derive(Debug, Deserialize)]
pub struct Subscription {
    /// Its id.
    pub id: String,
    /// Stripe's word.
    pub status: String,
    /// When it was made.
    pub created: i64,
    /// Does not renew.
    pub cancel_at_period_end: bool,
    /// Ends then, by whatever was chosen in the portal.
    pub cancel_at: Option<i64>,
    /// When it was told to end.
    pub canceled_at: Option<i64>,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// In older versions of the API.
    pub current_period_start: Option<i64>,
    /// In older versions of the API.
    pub current_period_end: Option<i64>,
    /// Present while nothing is collected.
    pub pause_collection: Option<Pause>,
    /// What is bought: one thing.
    pub items: List<Item>,
    /// Its id, or itself where it was asked for.
    pub latest_invoice: Option<Value>,
}

/// Nothing is collected.
#[derive(Debug, Deserialize)]
pub struct Pause {
    /// Until then.
    pub resumes_at: Option<i64>,
}

/// What is bought.
#[derive(Debug, Deserialize)]
pub struct Item {
    /// Its id.
    pub id: String,
    /// At which price.
    pub price: Named,
    /// In newer versions of the API.
    pub current_period_start: Option<i64>,
    /// In newer versions of the API.
    pub current_period_end: Option<i64>,
}

impl Subscription {
    /// What is bought.
    pub fn item(&self) -> Result<&Item, PaymentError> {
        let item = self.items.data.first();
        item.ok_or_else(|| unreadable(&self.id, "buys nothing"))
    }

    /// False when the first payment never came: nothing was ever bought.
    pub fn was_paid(&self) -> bool {
        !matches!(self.status.as_str(), "incomplete" | "incomplete_expired")
    }

    /// Whether the running period was not collected because it began in a pause. Needs the invoice.
    /// One that was tried and then voided was let off by hand.
    pub fn period_began_in_pause(&self) -> bool {
        let Some(Value::Object(invoice)) = &self.latest_invoice else {
            return false;
        };
        let is_void =
            matches!(invoice.get("status"), Some(Value::String(status)) if status == "void");
        let was_tried = matches!(
            invoice.get("attempt_count"),
            Some(Value::Number(Number::U64(1..)))
        );
        is_void && !was_tried
    }

    /// Told to end.
    pub fn ends(&self) -> bool {
        self.cancel_at_period_end || self.cancel_at.is_some()
    }

    /// Something due was not collected.
    pub fn owes(&self) -> bool {
        matches!(self.status.as_str(), "past_due" | "unpaid" | "paused")
    }

    /// Ended.
    pub fn is_over(&self) -> bool {
        self.status == "canceled"
    }

    /// The reading at `now` of what buys `offer`.
    pub fn reading(&self, offer: Offer, now: DateTime<Utc>) -> Result<Reading, PaymentError> {
        let item = self.item()?;
        let begin = item.current_period_start.or(self.current_period_start);
        let end = item.current_period_end.or(self.current_period_end);
        let period_end = match self.cancel_at {
            Some(at) => end.map(|end| end.min(at)),
            None => end,
        };
        Ok(Reading {
            subscription_id: self.id.clone(),
            created_at: self.time(Some(self.created), "created")?,
            offer,
            progress: self.progress(end)?,
            period_start: self.time(begin, "current_period_start")?,
            period_end: self.time(period_end, "current_period_end")?,
            cancel_at_period_end: self.ends(),
            paused_until: self.paused_until(now)?,
            waived: self.period_began_in_pause(),
        })
    }

    fn progress(&self, period_end: Option<i64>) -> Result<Progress, PaymentError> {
        match self.status.as_str() {
            "active" | "trialing" => Ok(Progress::Paid),
            "past_due" | "unpaid" | "paused" => Ok(Progress::PastDue),
            "canceled" => {
                let ended = self.ended_at.or(self.canceled_at).or(period_end);
                Ok(Progress::Ended(self.time(ended, "ended_at")?))
            }
            other => Err(unreadable(&self.id, &format!("has the status {other:?}"))),
        }
    }

    /// A pause that has no end was made by hand at Stripe; it counts as very long.
    pub fn paused_until(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, PaymentError> {
        let Some(pause) = &self.pause_collection else {
            return Ok(None);
        };
        let until = match pause.resumes_at {
            None => self.time(Some(self.created), "created")? + chrono::Days::new(36_525),
            at => self.time(at, "resumes_at")?,
        };
        Ok(Some(until).filter(|until| *until > now))
    }

    fn time(&self, seconds: Option<i64>, field: &str) -> Result<DateTime<Utc>, PaymentError> {
        let time = seconds.and_then(time);
        time.ok_or_else(|| unreadable(&self.id, &format!("has no usable {field}")))
    }
}

/// A time of Stripe's.
pub fn time(seconds: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(seconds, 0)
}

/// Stripe answered something this program can't make sense of.
fn unreadable(id: &str, what: &str) -> PaymentError {
    PaymentError::Setup(format!("subscription {id} at Stripe {what}"))
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;

//! Parsed fields of Stripe's answers and their conversion.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use miniserde::Deserialize;
use miniserde::json::{Number, Value};

use crate::provider::{Offer, PaymentError, PaymentStatus, ProviderSubscription};

/// Metadata of a subscription: the end of the pause that has moved the period's end.
pub const PAUSED_UNTIL: &str = "paused_until";
/// Metadata of a subscription whose moved period was paid, in seconds since the epoch.
pub const PAID_UNTIL: &str = "paid_until";

#[derive(Debug, Deserialize)]
pub struct List<T> {
    pub data: Vec<T>,
    pub has_more: bool,
}

#[derive(Debug, Deserialize)]
pub struct Named {
    pub id: String,
}

#[derive(Debug, Deserialize)]
pub struct Page {
    pub url: String,
}

#[derive(Debug, Deserialize)]
pub struct CheckoutSession {
    pub id: String,
    /// `open`, `complete` or `expired`.
    pub status: Option<String>,
    /// Only while it is open.
    pub url: Option<String>,
    pub expires_at: i64,
}

#[derive(Debug, Deserialize)]
pub struct Subscription {
    pub id: String,
    pub status: String,
    pub created: i64,
    pub cancel_at_period_end: bool,
    /// Set if canceled with an end date, e.g. in the portal.
    pub cancel_at: Option<i64>,
    pub canceled_at: Option<i64>,
    pub ended_at: Option<i64>,
    /// In older API versions.
    pub current_period_start: Option<i64>,
    /// In older API versions.
    pub current_period_end: Option<i64>,
    /// Set during a pause.
    pub pause_collection: Option<Pause>,
    pub metadata: Option<HashMap<String, String>>,
    /// One item.
    pub items: List<Item>,
    /// An id, or the object if expanded.
    pub latest_invoice: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub struct Pause {
    pub resumes_at: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub struct Item {
    pub id: String,
    pub price: Named,
    /// In newer API versions.
    pub current_period_start: Option<i64>,
    /// In newer API versions.
    pub current_period_end: Option<i64>,
}

impl Subscription {
    pub fn item(&self) -> Result<&Item, PaymentError> {
        let item = self.items.data.first();
        item.ok_or_else(|| unreadable(&self.id, "has no items"))
    }

    /// False while the first payment is missing.
    pub fn was_paid(&self) -> bool {
        !matches!(self.status.as_str(), "incomplete" | "incomplete_expired")
    }

    /// Whether the current period is a trial or a paid period that a pause has moved: Stripe moves
    /// the end of a period by a trial.
    pub fn is_trialing(&self) -> bool {
        self.status == "trialing"
    }

    /// Whether the current period was paid and a pause has moved its end.
    pub fn is_moved(&self) -> bool {
        let end = self.period_end().map(|end| end.to_string());
        self.is_trialing() && end.is_some() && self.note(PAID_UNTIL) == end.as_deref()
    }

    fn note(&self, name: &str) -> Option<&str> {
        self.metadata.as_ref()?.get(name).map(String::as_str)
    }

    pub fn period_end(&self) -> Option<i64> {
        let item = self.items.data.first();
        let of_item = item.and_then(|item| item.current_period_end);
        of_item.or(self.current_period_end)
    }

    /// The end of the period if the pause that has moved it ends now.
    pub fn end_without_pause(&self, now: DateTime<Utc>) -> Option<i64> {
        let until = self.pause_collection.as_ref()?.resumes_at?;
        let has_moved = self.is_trialing() && self.note(PAUSED_UNTIL) == Some(&until.to_string());
        let rest = until - now.timestamp();
        let end = self.period_end()?;
        (has_moved && rest > 0).then_some(end - rest)
    }

    /// Whether the current period was not collected because it began in a pause. Needs the expanded
    /// invoice. An invoice that was tried and then voided was waived by hand.
    pub fn period_began_in_pause(&self) -> bool {
        if self.is_trialing() {
            return false;
        }
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

    pub fn is_canceling(&self) -> bool {
        self.cancel_at_period_end || self.cancel_at.is_some()
    }

    pub fn is_past_due(&self) -> bool {
        matches!(self.status.as_str(), "past_due" | "unpaid" | "paused")
    }

    pub fn is_ended(&self) -> bool {
        self.status == "canceled"
    }

    pub fn to_provider_subscription(
        &self,
        offer: Offer,
        now: DateTime<Utc>,
    ) -> Result<ProviderSubscription, PaymentError> {
        let item = self.item()?;
        let begin = item.current_period_start.or(self.current_period_start);
        let end = self.period_end();
        let period_end = match self.cancel_at {
            Some(at) => end.map(|end| end.min(at)),
            None => end,
        };
        Ok(ProviderSubscription {
            subscription_id: self.id.clone(),
            created_at: self.time(Some(self.created), "created")?,
            offer,
            payment_status: self.payment_status(end)?,
            period_start: self.time(begin, "current_period_start")?,
            period_end: self.time(period_end, "current_period_end")?,
            cancel_at_period_end: self.is_canceling(),
            paused_until: self.paused_until(now)?,
            waived: self.period_began_in_pause(),
            in_trial: self.is_trialing() && !self.is_moved(),
        })
    }

    fn payment_status(&self, period_end: Option<i64>) -> Result<PaymentStatus, PaymentError> {
        match self.status.as_str() {
            "active" | "trialing" => Ok(PaymentStatus::Paid),
            "past_due" | "unpaid" | "paused" => Ok(PaymentStatus::PastDue),
            "canceled" => {
                let ended = self.ended_at.or(self.canceled_at).or(period_end);
                Ok(PaymentStatus::Ended(self.time(ended, "ended_at")?))
            }
            other => Err(unreadable(&self.id, &format!("has the status {other:?}"))),
        }
    }

    /// A pause without an end was made by hand at Stripe and counts as 100 years.
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

pub fn time(seconds: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(seconds, 0)
}

fn unreadable(id: &str, what: &str) -> PaymentError {
    PaymentError::NotConfigured(format!("subscription {id} at Stripe {what}"))
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;

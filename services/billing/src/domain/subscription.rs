//! What a subscription entitles a company to at a given time.

use chrono::{DateTime, Months, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::plan::Tier;

/// Stripe begins no trial that ends within 48 hours of the call's arrival.
const MIN_TRIAL: TimeDelta = TimeDelta::hours(49);

/// Access continues this long after a failed renewal.
pub const GRACE: TimeDelta = TimeDelta::days(7);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Free until the trial ends.
    Trial,
    Active,
    /// Resumes automatically.
    Paused,
    /// Ended by the customer.
    Canceled,
    Expired,
}

impl Status {
    pub const ALL: [Self; 5] = [
        Self::Trial,
        Self::Active,
        Self::Paused,
        Self::Canceled,
        Self::Expired,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interval {
    Month,
    /// Twelve months in advance.
    Year,
}

impl Interval {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Month, Self::Year]
            .into_iter()
            .find(|interval| interval.name() == name)
    }

    pub const fn months(self) -> u32 {
        match self {
            Self::Month => 1,
            Self::Year => 12,
        }
    }

    /// The start of a period that ends at `end`.
    pub fn before(self, end: DateTime<Utc>) -> DateTime<Utc> {
        let months = Months::new(self.months());
        end.checked_sub_months(months).unwrap_or(end)
    }

    /// Price per billing period in US cents.
    pub const fn cents(self, plan: &super::plan::Plan) -> u32 {
        match self {
            Self::Month => plan.monthly_cents,
            Self::Year => plan.yearly_cents * 12,
        }
    }
}

/// A company's subscription as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    pub tier: Tier,
    pub status: Status,
    pub trial_start: DateTime<Utc>,
    /// Exclusive.
    pub trial_end: DateTime<Utc>,
    /// End of the paid period.
    pub current_period_end: Option<DateTime<Utc>>,
    pub cancel_at_period_end: bool,
    /// End of the current or last pause.
    pub pause_end: Option<DateTime<Utc>>,
    /// `None` if nothing is paid.
    pub billing_interval: Option<Interval>,
    /// Agreed limit. Counts if it is larger than that of a paid plan, or if nothing was paid.
    pub equipment_limit_override: Option<i32>,
    /// The customer id at the payment provider; `None` before the first checkout.
    pub customer_id: Option<String>,
    /// The provider's subscription that counts; `None` for a trial or an agreed plan.
    pub provider_subscription_id: Option<String>,
    /// The last renewal was not collected; `current_period_end` is the end of the paid time.
    pub payment_failed: bool,
    /// How many days the company's billing clock is ahead of the real one.
    pub clock_days_ahead: u32,
    pub updated_at: DateTime<Utc>,
}

/// What a subscription entitles to at a given time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessState {
    pub status: Status,
    pub active: bool,
    pub premium: bool,
    /// Number of machines; -1: unlimited.
    pub equipment_limit: i32,
}

impl Subscription {
    /// A trial of the smallest plan.
    pub fn trial(start: DateTime<Utc>, end: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        Self {
            tier: Tier::Basic,
            status: Status::Trial,
            trial_start: start,
            trial_end: end,
            current_period_end: None,
            cancel_at_period_end: false,
            pause_end: None,
            billing_interval: None,
            equipment_limit_override: None,
            customer_id: None,
            provider_subscription_id: None,
            payment_failed: false,
            clock_days_ahead: 0,
            updated_at: now,
        }
    }

    pub fn access_state(&self, now: DateTime<Utc>) -> AccessState {
        let (status, active) = self.access(now);
        let paid = active && status != Status::Trial;
        let plan = self.tier.plan();
        let equipment_limit = match self.equipment_limit_override {
            None => plan.equipment_limit,
            Some(agreed) if self.never_paid() => agreed,
            // An agreed limit never lowers what is paid for; -1 is unlimited.
            Some(agreed) if agreed < 0 || plan.equipment_limit < 0 => -1,
            Some(agreed) => agreed.max(plan.equipment_limit),
        };
        AccessState {
            status,
            active,
            premium: paid && plan.premium,
            equipment_limit,
        }
    }

    /// When a checkout at `now` begins to charge; `None`: at once.
    pub fn first_charge(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let in_trial = self.access(now).0 == Status::Trial;
        in_trial.then(|| self.trial_end.max(now + MIN_TRIAL))
    }

    /// Days of trial left at `now`, rounded up.
    pub fn trial_days_left(&self, now: DateTime<Utc>) -> u32 {
        if self.access(now).0 != Status::Trial {
            return 0;
        }
        u32::try_from(days_rounded_up(self.trial_end - now)).unwrap_or(0)
    }

    /// The time on the company's billing clock.
    pub fn now(&self, real: DateTime<Utc>) -> DateTime<Utc> {
        real + TimeDelta::days(self.clock_days_ahead.into())
    }

    /// When access ends because a renewal failed; `None` if no renewal failed or access has ended.
    pub fn grace_end(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let failed = self.payment_failed && self.access(now) == (Status::Active, true);
        let end = self.current_period_end.filter(|_| failed)?;
        Some(end + GRACE)
    }

    /// Whether nothing was ever paid or agreed on.
    pub fn never_paid(&self) -> bool {
        self.current_period_end.is_none() && self.provider_subscription_id.is_none()
    }

    fn access(&self, now: DateTime<Utc>) -> (Status, bool) {
        match self.status {
            Status::Trial if now < self.trial_end => (Status::Trial, true),
            Status::Trial | Status::Expired => (Status::Expired, false),
            Status::Paused if self.pause_end.is_some_and(|end| now >= end) => self.renewing(now),
            Status::Paused => (Status::Paused, false),
            Status::Active => self.renewing(now),
            Status::Canceled => match self.current_period_end {
                // Never paid: a canceled trial ends now and stays canceled.
                None => (Status::Canceled, false),
                Some(end) if now < end => (Status::Canceled, true),
                Some(_) => (Status::Expired, false),
            },
        }
    }

    /// A paid subscription has access until its period ends, plus the grace period unless it was
    /// canceled. A pause moves the renewal to the end of the pause.
    fn renewing(&self, now: DateTime<Utc>) -> (Status, bool) {
        let due = self.current_period_end.max(self.pause_end);
        let last = if self.cancel_at_period_end {
            due
        } else {
            due.map(|due| due + GRACE)
        };
        match last {
            Some(last) if now >= last => (Status::Expired, false),
            _ => (Status::Active, true),
        }
    }
}

pub fn days_rounded_up(time: TimeDelta) -> i64 {
    time.num_days() + i64::from(time > TimeDelta::days(time.num_days()))
}

#[cfg(test)]
#[path = "subscription_tests.rs"]
mod tests;

//! What a subscription gives at an instant.

use chrono::{DateTime, TimeDelta, Utc};

use super::plan::Tier;

/// How long access outlasts a renewal that failed.
pub const GRACE: TimeDelta = TimeDelta::days(7);

/// Where a subscription stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Free, until the trial ends.
    Trial,
    /// Paid.
    Active,
    /// Paused; resumes by itself.
    Paused,
    /// Ended by the customer.
    Canceled,
    /// Over.
    Expired,
}

impl Status {
    /// All there are.
    pub const ALL: [Self; 5] = [
        Self::Trial,
        Self::Active,
        Self::Paused,
        Self::Canceled,
        Self::Expired,
    ];

    /// The word it is stored as.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
        }
    }

    /// The status a stored word means.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// How often a plan is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// Each month.
    Month,
    /// Twelve months up front.
    Year,
}

impl Interval {
    /// The word it is stored as.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The interval a stored word means.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Month, Self::Year]
            .into_iter()
            .find(|interval| interval.name() == name)
    }

    /// What a plan costs a period, US cents.
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
    /// Its plan.
    pub tier: Tier,
    /// As last stored.
    pub status: Status,
    /// When the trial began.
    pub trial_start: DateTime<Utc>,
    /// First instant without trial.
    pub trial_end: DateTime<Utc>,
    /// End of what is paid for.
    pub current_period_end: Option<DateTime<Utc>>,
    /// Does not renew.
    pub cancel_at_period_end: bool,
    /// When a pause ends or ended.
    pub pause_end: Option<DateTime<Utc>>,
    /// How it is paid; none: not at all.
    pub billing_interval: Option<Interval>,
    /// Limit agreed with this company instead of the plan's.
    pub equipment_limit_override: Option<i32>,
    /// The customer it is at the payment provider; none: it has never been to a checkout.
    pub customer_id: Option<String>,
    /// The subscription there that counts; none: a trial, or agreed on outside the product.
    pub provider_subscription_id: Option<String>,
    /// The last renewal could not be collected; `current_period_end` is the end of what was paid.
    pub payment_failed: bool,
    /// How far its billing clock is ahead of the real one, days.
    pub clock_days_ahead: u32,
    /// When the row last changed.
    pub updated_at: DateTime<Utc>,
}

/// What a subscription gives at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Where it stands then.
    pub status: Status,
    /// It has access.
    pub active: bool,
    /// Premium features are open.
    pub premium: bool,
    /// How many pieces of equipment; -1: no limit.
    pub equipment_limit: i32,
}

impl Subscription {
    /// A new company's: a trial of the smallest plan.
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

    /// What it gives at `now`.
    pub fn standing(&self, now: DateTime<Utc>) -> Standing {
        let (status, active) = self.access(now);
        let paid = active && status != Status::Trial;
        let plan = self.tier.plan();
        Standing {
            status,
            active,
            premium: paid && plan.premium,
            equipment_limit: self
                .equipment_limit_override
                .unwrap_or(plan.equipment_limit),
        }
    }

    /// Whole days of trial left at `now`, a begun day counting as one.
    pub fn trial_days_left(&self, now: DateTime<Utc>) -> u32 {
        if self.access(now).0 != Status::Trial {
            return 0;
        }
        let left = self.trial_end - now;
        let days = left.num_days() + i64::from(left > TimeDelta::days(left.num_days()));
        u32::try_from(days).unwrap_or(0)
    }

    /// The time on its billing clock.
    pub fn now(&self, real: DateTime<Utc>) -> DateTime<Utc> {
        real + TimeDelta::days(self.clock_days_ahead.into())
    }

    /// When access ends because a renewal failed; none: nothing failed, or it has ended.
    pub fn grace_end(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let failed = self.payment_failed && self.access(now) == (Status::Active, true);
        let end = self.current_period_end.filter(|_| failed)?;
        Some(end + GRACE)
    }

    /// Whether nothing was ever paid for it or agreed on.
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
                // Never paid: a trial that was canceled ends at once and stays canceled.
                None => (Status::Canceled, false),
                Some(end) if now < end => (Status::Canceled, true),
                Some(_) => (Status::Expired, false),
            },
        }
    }

    /// A paid subscription has access to the end of its period, and a while longer when the
    /// renewal that should follow fails. A pause moves the renewal to its own end.
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

#[cfg(test)]
#[path = "subscription_tests.rs"]
mod tests;

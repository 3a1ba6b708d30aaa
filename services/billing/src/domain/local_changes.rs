//! Changes of a subscription without the payment provider.

use chrono::{DateTime, TimeDelta, Utc};

use super::plan::Tier;
use super::reconcile::refresh_status;
use super::subscription::{Status, Subscription};

impl Subscription {
    /// Ends a trial now, or an agreed plan with its agreed period.
    pub fn cancel_locally(&mut self, now: DateTime<Utc>) {
        self.status = Status::Canceled;
        self.cancel_at_period_end = self.current_period_end.is_some();
        refresh_status(self, now);
    }

    /// Sets a plan that was agreed on outside the product.
    pub fn agree(&mut self, tier: Tier, until: DateTime<Utc>) {
        self.tier = tier;
        self.status = Status::Active;
        self.current_period_end = Some(until);
        self.cancel_at_period_end = false;
        self.pause_end = None;
        self.billing_interval = None;
        self.provider_subscription_id = None;
        self.payment_failed = false;
    }

    /// True if the trial runs, or ran out and nothing was ever paid.
    pub fn may_extend_trial(&self, now: DateTime<Utc>) -> bool {
        let status = self.access_state(now).status;
        self.never_paid() && matches!(status, Status::Trial | Status::Expired)
    }

    /// Extends the trial to `days` from `now`. Returns false if it already ends later.
    pub fn extend_trial(&mut self, days: u32, now: DateTime<Utc>) -> bool {
        let end = now + TimeDelta::days(days.into());
        if end <= self.trial_end {
            return false;
        }
        self.trial_end = end;
        self.status = Status::Trial;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(day)
    }

    fn trial() -> Subscription {
        Subscription::trial(day(0), day(28), day(0))
    }

    #[test]
    fn cancel_locally_ends_trial_now_and_agreed_plan_later() {
        let mut row = trial();
        row.cancel_locally(day(3));
        assert_eq!(
            (row.status, row.access_state(day(3)).active),
            (Status::Canceled, false)
        );
        assert!(!row.cancel_at_period_end);

        let mut row = trial();
        row.agree(Tier::Enterprise, day(60));
        assert!(row.access_state(day(59)).premium);
        row.cancel_locally(day(40));
        assert_eq!(
            (row.status, row.access_state(day(59)).active),
            (Status::Canceled, true)
        );
        assert_eq!(row.access_state(day(60)).status, Status::Expired);
        // After the agreed end nothing is left to keep.
        row.agree(Tier::Basic, day(60));
        row.cancel_locally(day(62));
        assert_eq!(row.status, Status::Expired);
    }

    #[test]
    fn extend_trial_only_extends_unpaid_trials() {
        let mut row = trial();
        assert!(!row.extend_trial(25, day(3)), "to the same day");
        assert!(row.extend_trial(26, day(3)));
        assert_eq!(row.trial_end, day(29));
        row.status = Status::Expired;
        assert!(row.may_extend_trial(day(40)) && row.extend_trial(1, day(40)));
        assert_eq!((row.status, row.trial_end), (Status::Trial, day(41)));
        row.status = Status::Canceled;
        assert!(!row.may_extend_trial(day(40)));
        row.agree(Tier::Basic, day(60));
        assert!(!row.may_extend_trial(day(50)) && !row.may_extend_trial(day(99)));
    }
}

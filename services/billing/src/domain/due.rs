//! When to check a company next because time alone changes its subscription.

use chrono::{DateTime, TimeDelta, Utc};

use super::subscription::{GRACE, Status, Subscription};

/// Back-off while the provider has not reported the next state.
const MIN_WAIT: TimeDelta = TimeDelta::minutes(1);
const MAX_WAIT: TimeDelta = TimeDelta::hours(6);

/// Input of [`next`] beside the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckContext {
    /// A checkout is open, or the provider was unavailable: something may have changed there.
    pub awaits_provider: bool,
    /// Consecutive checks without a change.
    pub quiet_looks: u32,
}

/// Time of the next check by the real clock; `None` if time changes nothing.
pub fn next(
    row: &Subscription,
    waiting: CheckContext,
    real: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let now = row.now(real);
    let end = row.current_period_end;
    let on_the_way = [
        (row.status == Status::Trial).then_some(row.trial_end),
        end.filter(|_| row.status != Status::Expired),
        end.filter(|_| row.status == Status::Active)
            .map(|end| end + GRACE),
        row.pause_end,
        row.pause_end.map(|end| end + GRACE),
    ];
    let next = on_the_way
        .into_iter()
        .flatten()
        .filter(|at| *at > now)
        .min();
    let next = next.map(|at| at - (now - real));
    // A renewal that is neither paid nor failed yet, or may still be collected.
    let unsettled = row.provider_subscription_id.is_some()
        && (row.payment_failed
            || row.status == Status::Active && end.is_some_and(|end| end <= now));
    let check_company =
        (waiting.awaits_provider || unsettled).then(|| real + wait(waiting.quiet_looks));
    [next, check_company].into_iter().flatten().min()
}

/// Exponential back-off.
fn wait(quiet_looks: u32) -> TimeDelta {
    let factor = 1 << quiet_looks.min(10);
    (MIN_WAIT * factor).min(MAX_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::plan::Tier;
    use crate::domain::subscription::Interval;

    const NOTHING: CheckContext = CheckContext {
        awaits_provider: false,
        quiet_looks: 0,
    };

    fn day(day: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(day)
    }

    fn paid(status: Status) -> Subscription {
        Subscription {
            tier: Tier::Basic,
            status,
            current_period_end: Some(day(30)),
            billing_interval: Some(Interval::Month),
            provider_subscription_id: Some("sub_1".to_owned()),
            ..Subscription::trial(day(0), day(28), day(0))
        }
    }

    #[test]
    fn next_is_the_earliest_change() {
        let trial = Subscription::trial(day(0), day(28), day(0));
        assert_eq!(next(&trial, NOTHING, day(3)), Some(day(28)));
        let mut expired = trial.clone();
        expired.status = Status::Expired;
        assert_eq!(next(&expired, NOTHING, day(28)), None);
        let mut canceled = trial;
        canceled.status = Status::Canceled;
        assert_eq!(next(&canceled, NOTHING, day(3)), None);

        assert_eq!(next(&paid(Status::Active), NOTHING, day(3)), Some(day(30)));
        assert_eq!(
            next(&paid(Status::Canceled), NOTHING, day(3)),
            Some(day(30))
        );
        assert_eq!(next(&paid(Status::Expired), NOTHING, day(3)), None);
        let mut paused = paid(Status::Paused);
        paused.pause_end = Some(day(90));
        assert_eq!(next(&paused, NOTHING, day(3)), Some(day(30)));
        assert_eq!(next(&paused, NOTHING, day(30)), Some(day(90)));
    }

    #[test]
    fn next_respects_billing_clock() {
        let mut paid = paid(Status::Active);
        paid.clock_days_ahead = 20;
        assert_eq!(next(&paid, NOTHING, day(3)), Some(day(10)));
    }

    #[test]
    fn next_backs_off_while_provider_is_silent() {
        let paid = paid(Status::Active);
        for (quiet_looks, minutes) in [(0, 1), (1, 2), (5, 32), (8, 256), (9, 360), (4000, 360)] {
            let waiting = CheckContext {
                awaits_provider: false,
                quiet_looks,
            };
            let wait = TimeDelta::minutes(minutes);
            assert_eq!(next(&paid, waiting, day(31)), Some(day(31) + wait));
            let down = CheckContext {
                awaits_provider: true,
                quiet_looks,
            };
            assert_eq!(next(&paid, down, day(3)), Some(day(3) + wait));
        }
    }

    #[test]
    fn next_of_unpaid_is_grace_end() {
        let mut unpaid = paid(Status::Active);
        unpaid.payment_failed = true;
        let almost = day(37) - TimeDelta::seconds(1);
        assert_eq!(next(&unpaid, NOTHING, almost), Some(day(37)));
        let mut agreed = paid(Status::Active);
        agreed.provider_subscription_id = None;
        assert_eq!(next(&agreed, NOTHING, day(31)), Some(day(37)));
        assert_eq!(next(&agreed, NOTHING, day(37)), None);
    }
}

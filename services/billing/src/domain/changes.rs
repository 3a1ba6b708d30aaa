//! Names of subscription changes in the company's audit log.

use super::subscription::{Status, Subscription};

pub type ChangeName = &'static str;

/// Names of the changes between two states of a row.
pub fn diff(before: &Subscription, after: &Subscription) -> Vec<ChangeName> {
    let mut words = Vec::new();
    let id = after.provider_subscription_id.as_ref();
    if id.is_some() && id != before.provider_subscription_id.as_ref() {
        words.push("subscribed");
    } else {
        if before.tier != after.tier {
            words.push("tier_changed");
        }
        let intervals = (before.billing_interval, after.billing_interval);
        if matches!(intervals, (Some(old), Some(new)) if old != new) {
            words.push("interval_changed");
        }
        words.extend(status_change(before.status, after.status));
    }
    if after.payment_failed && !before.payment_failed {
        words.push("renewal_failed");
    }
    words
}

const fn status_change(before: Status, after: Status) -> Option<ChangeName> {
    match (before, after) {
        (Status::Trial, Status::Expired) => Some("trial_ended"),
        (Status::Trial, Status::Canceled) => Some("trial_canceled"),
        (Status::Canceled, Status::Active) => Some("cancel_undone"),
        (Status::Paused | Status::Expired, Status::Active) => Some("resumed"),
        (Status::Expired, Status::Expired)
        | (Status::Canceled, Status::Canceled)
        | (Status::Paused, Status::Paused)
        | (_, Status::Trial)
        | (Status::Trial | Status::Active, Status::Active) => None,
        (_, Status::Expired) => Some("expired"),
        (_, Status::Canceled) => Some("canceled"),
        (_, Status::Paused) => Some("paused"),
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::domain::plan::Tier;
    use crate::domain::subscription::Interval;

    fn paid() -> Subscription {
        let epoch = DateTime::UNIX_EPOCH;
        Subscription {
            status: Status::Active,
            billing_interval: Some(Interval::Month),
            provider_subscription_id: Some("sub_1".to_owned()),
            ..Subscription::trial(epoch, epoch, epoch)
        }
    }

    #[test]
    fn diff_of_equal_rows_is_empty() {
        let failed = Subscription {
            payment_failed: true,
            ..paid()
        };
        assert!(diff(&paid(), &paid()).is_empty());
        assert!(diff(&failed, &failed).is_empty());
        assert!(diff(&failed, &paid()).is_empty());
    }

    #[test]
    fn diff_names_each_change() {
        let changed = Subscription {
            tier: Tier::Professional,
            billing_interval: Some(Interval::Year),
            payment_failed: true,
            ..paid()
        };
        assert_eq!(
            diff(&paid(), &changed),
            ["tier_changed", "interval_changed", "renewal_failed"]
        );
    }

    #[test]
    fn diff_names_new_subscription_once() {
        let unpaid = Subscription {
            billing_interval: None,
            provider_subscription_id: None,
            ..paid()
        };
        let other = Subscription {
            provider_subscription_id: Some("sub_2".to_owned()),
            ..paid()
        };
        assert_eq!(diff(&unpaid, &paid()), ["subscribed"]);
        assert_eq!(diff(&paid(), &other), ["subscribed"]);
        assert!(diff(&paid(), &unpaid).is_empty());
    }

    #[test]
    fn status_change_names() {
        use Status::{Active, Canceled, Expired, Paused, Trial};
        let table = [
            (
                Trial,
                [
                    None,
                    None,
                    Some("paused"),
                    Some("trial_canceled"),
                    Some("trial_ended"),
                ],
            ),
            (
                Active,
                [
                    None,
                    None,
                    Some("paused"),
                    Some("canceled"),
                    Some("expired"),
                ],
            ),
            (
                Paused,
                [
                    None,
                    Some("resumed"),
                    None,
                    Some("canceled"),
                    Some("expired"),
                ],
            ),
            (
                Canceled,
                [
                    None,
                    Some("cancel_undone"),
                    Some("paused"),
                    None,
                    Some("expired"),
                ],
            ),
            (
                Expired,
                [
                    None,
                    Some("resumed"),
                    Some("paused"),
                    Some("canceled"),
                    None,
                ],
            ),
        ];
        for (before, words) in table {
            for (after, word) in [Trial, Active, Paused, Canceled, Expired]
                .into_iter()
                .zip(words)
            {
                assert_eq!(
                    status_change(before, after),
                    word,
                    "{before:?} to {after:?}"
                );
            }
        }
    }
}

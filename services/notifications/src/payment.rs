//! What payments or the trial need from a company.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use hourmeter_proto::billing::v1::{Subscription, SubscriptionStatus};
use hourmeter_runtime::clock::read_timestamp;
use prost_types::Timestamp;

/// Of other times the digest says nothing.
const WITHIN: TimeDelta = TimeDelta::days(7);

/// With the day in the company's time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payment {
    /// A renewal failed; access ends on this day.
    Failed(NaiveDate),
    TrialEnds(NaiveDate),
    TrialEnded(NaiveDate),
    /// A canceled plan ends.
    PlanEnds(NaiveDate),
    PlanEnded(NaiveDate),
}

impl Payment {
    /// None: it needs nothing now.
    pub fn of(found: &Subscription, zone: Tz) -> Option<Self> {
        let entitlements = found.entitlements?;
        let now = time(found.now)?;
        let day = |at: DateTime<Utc>| at.with_timezone(&zone).date_naive();
        if let Some(end) = time(found.grace_end) {
            return Some(Self::Failed(day(end)));
        }
        // Nothing was paid yet.
        let is_trial = found.current_period_end.is_none() && found.billing_interval.is_empty();
        let end = if is_trial {
            time(found.trial_end)
        } else {
            time(found.current_period_end)
        };
        let end = day(end.filter(|end| (*end - now).abs() <= WITHIN)?);
        match entitlements.status() {
            SubscriptionStatus::Trial if is_trial => Some(Self::TrialEnds(end)),
            SubscriptionStatus::Expired | SubscriptionStatus::Canceled if !entitlements.active => {
                Some(if is_trial {
                    Self::TrialEnded(end)
                } else {
                    Self::PlanEnded(end)
                })
            }
            _ if found.cancel_at_period_end => Some(Self::PlanEnds(end)),
            _ => None,
        }
    }
}

fn time(at: Option<Timestamp>) -> Option<DateTime<Utc>> {
    at.and_then(read_timestamp)
}

#[cfg(test)]
mod tests {
    use hourmeter_proto::billing::v1::Entitlements;
    use hourmeter_runtime::clock::timestamp;

    use super::*;

    const ZONE: Tz = chrono_tz::America::Chicago;

    fn at(text: &str) -> Timestamp {
        timestamp(text.parse().unwrap())
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn subscription(status: SubscriptionStatus, active: bool) -> Subscription {
        Subscription {
            entitlements: Some(Entitlements {
                status: status.into(),
                active,
                ..Entitlements::default()
            }),
            now: Some(at("2026-11-20T14:00:00Z")),
            ..Subscription::default()
        }
    }

    #[test]
    fn payment_of_a_trial_is_near_its_end() {
        let trial = |status, active, end| {
            let found = Subscription {
                trial_end: Some(at(end)),
                ..subscription(status, active)
            };
            Payment::of(&found, ZONE)
        };
        let (running, over) = (SubscriptionStatus::Trial, SubscriptionStatus::Expired);
        // The evening before, in Chicago.
        let ends = Payment::TrialEnds(day("2026-11-26"));
        assert_eq!(trial(running, true, "2026-11-27T04:00:00Z"), Some(ends));
        assert_eq!(trial(running, true, "2026-11-27T14:00:01Z"), None);
        let ended = Payment::TrialEnded(day("2026-11-13"));
        assert_eq!(trial(over, false, "2026-11-13T14:00:00Z"), Some(ended));
        assert_eq!(trial(over, false, "2026-11-13T13:59:59Z"), None);
        let canceled = SubscriptionStatus::Canceled;
        assert!(trial(canceled, false, "2026-11-20T13:00:00Z").is_some());
    }

    #[test]
    fn payment_of_a_plan_is_a_failed_one_or_its_end() {
        let paid = |status, active| Subscription {
            // The trial was short.
            trial_end: Some(at("2026-11-19T14:00:00Z")),
            current_period_end: Some(at("2026-11-24T14:00:00Z")),
            billing_interval: "month".to_owned(),
            ..subscription(status, active)
        };
        let active = paid(SubscriptionStatus::Active, true);
        assert_eq!(Payment::of(&active, ZONE), None, "it renews");
        let failed = Subscription {
            grace_end: Some(at("2026-12-04T14:00:00Z")),
            ..active.clone()
        };
        let expected = Payment::Failed(day("2026-12-04"));
        assert_eq!(Payment::of(&failed, ZONE), Some(expected));
        let canceled = Subscription {
            cancel_at_period_end: true,
            ..active
        };
        let expected = Payment::PlanEnds(day("2026-11-24"));
        assert_eq!(Payment::of(&canceled, ZONE), Some(expected));
        let ended = paid(SubscriptionStatus::Expired, false);
        let expected = Payment::PlanEnded(day("2026-11-24"));
        assert_eq!(Payment::of(&ended, ZONE), Some(expected));
        let paused = paid(SubscriptionStatus::Paused, false);
        assert_eq!(Payment::of(&paused, ZONE), None);
    }
}

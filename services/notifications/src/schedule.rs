//! When a digest is due.

use chrono::{DateTime, Datelike as _, Days, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;

use crate::settings::local_time;

/// How late a digest may be sent. Later ones are dropped: nobody wants the morning's at night.
pub const MAX_DELAY: TimeDelta = TimeDelta::hours(3);

/// When a person gets the digest, in the company's time zone.
#[derive(Clone, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct Schedule {
    /// Of the day.
    pub minute: i32,
    /// Monday is 1; empty: never.
    pub weekdays: Vec<i32>,
}

impl Default for Schedule {
    /// 7:00 from Monday to Friday.
    fn default() -> Self {
        Self {
            minute: 7 * 60,
            weekdays: vec![1, 2, 3, 4, 5],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The day whose digest is due now.
    pub due: Option<NaiveDate>,
    /// When to decide again; None: never.
    pub next_at: Option<DateTime<Utc>>,
}

impl Schedule {
    /// Whether the digest of today is due, at most [`MAX_DELAY`] late; `last_day` is the day of the last
    /// one.
    pub fn decide(&self, zone: Tz, last_day: Option<NaiveDate>, now: DateTime<Utc>) -> Decision {
        let today = now.with_timezone(&zone).date_naive();
        // A later one is of a clock that was set back.
        let is_sent = last_day.is_some_and(|last| last >= today);
        let slots = (u64::from(is_sent)..=7)
            .filter_map(|ahead| today.checked_add_days(Days::new(ahead)))
            .filter(|day| self.has(*day))
            .filter_map(|day| Some((day, local_time(zone, day, self.minute)?)));
        let slots: Vec<_> = slots.collect();
        let due = slots
            .iter()
            .find(|(day, at)| *day == today && (*at..*at + MAX_DELAY).contains(&now));
        Decision {
            due: due.map(|(day, _)| *day),
            next_at: slots.iter().map(|(_, at)| *at).find(|at| *at > now),
        }
    }

    fn has(&self, day: NaiveDate) -> bool {
        let weekday = day.weekday().number_from_monday();
        self.weekdays.contains(&weekday.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHICAGO: Tz = chrono_tz::America::Chicago;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn decide(now: &str, last: Option<&str>) -> (Option<NaiveDate>, Option<DateTime<Utc>>) {
        let decision = Schedule::default().decide(CHICAGO, last.map(day), at(now));
        (decision.due, decision.next_at)
    }

    #[test]
    fn decide_is_due_from_the_minute_for_three_hours() {
        // 7:00 in Chicago is 13:00 UTC in winter; 2026-12-01 is a Tuesday.
        let (today, next) = (at("2026-12-01T13:00:00Z"), at("2026-12-02T13:00:00Z"));
        assert_eq!(decide("2026-12-01T12:59:59Z", None), (None, Some(today)));
        let due = Some(day("2026-12-01"));
        assert_eq!(decide("2026-12-01T13:00:00Z", None), (due, Some(next)));
        assert_eq!(decide("2026-12-01T15:59:59Z", None), (due, Some(next)));
        assert_eq!(decide("2026-12-01T16:00:00Z", None), (None, Some(next)));
    }

    #[test]
    fn decide_is_due_once_a_day() {
        let next = Some(at("2026-12-02T13:00:00Z"));
        let again = decide("2026-12-01T13:00:01Z", Some("2026-12-01"));
        assert_eq!(again, (None, next));
        // The clock was set back.
        let earlier = decide("2026-12-01T12:00:00Z", Some("2026-12-01"));
        assert_eq!(earlier, (None, next));
        let far = decide("2026-12-01T13:00:00Z", Some("2027-12-01"));
        assert_eq!(far, (None, next));
    }

    #[test]
    fn decide_skips_days_without_a_digest() {
        // Friday.
        let monday = Some(at("2026-12-07T13:00:00Z"));
        let friday = decide("2026-12-04T13:00:00Z", None);
        assert_eq!(friday, (Some(day("2026-12-04")), monday));
        assert_eq!(decide("2026-12-05T13:00:00Z", None), (None, monday));
    }

    #[test]
    fn decide_without_weekdays_is_never_due() {
        let never = Schedule {
            weekdays: Vec::new(),
            ..Schedule::default()
        };
        for last in [None, Some(day("2026-11-30"))] {
            let decision = never.decide(CHICAGO, last, at("2026-12-01T13:00:00Z"));
            assert_eq!((decision.due, decision.next_at), (None, None));
        }
    }

    #[test]
    fn decide_has_one_time_on_days_that_change_the_clock() {
        let night = Schedule {
            minute: 90,
            weekdays: vec![7],
        };
        // 1:30 occurs twice on 2026-11-01, first in summer time.
        let due = Some(day("2026-11-01"));
        let first = night.decide(CHICAGO, None, at("2026-11-01T06:30:00Z"));
        assert_eq!(first.due, due);
        let second = night.decide(CHICAGO, due, at("2026-11-01T07:30:00Z"));
        assert_eq!(second.due, None);
        // 2:30 does not occur on 2026-03-08; it is 3:00 then.
        let missing = Schedule {
            minute: 150,
            weekdays: vec![7],
        };
        let decision = missing.decide(CHICAGO, None, at("2026-03-08T00:00:00Z"));
        assert_eq!(decision.next_at, Some(at("2026-03-08T08:00:00Z")));
    }

    #[test]
    fn decide_leaves_out_a_day_that_the_zone_leaves_out() {
        let apia = chrono_tz::Pacific::Apia;
        let daily = Schedule {
            minute: 420,
            weekdays: (1..=7).collect(),
        };
        // Samoa had no December 30, 2011.
        let decision = daily.decide(apia, None, at("2011-12-29T17:00:00Z"));
        assert_eq!(decision.due, Some(day("2011-12-29")));
        assert_eq!(decision.next_at, Some(at("2011-12-30T17:00:00Z")));
    }
}

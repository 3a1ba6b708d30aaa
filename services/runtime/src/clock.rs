//! Time as a parameter, so that rules about days can be tested on their boundaries.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

/// No report is older than this: whatever was captured before was so by a clock that lost its time,
/// and began again with 1970 or another year of its own.
const BEFORE_ANY_REPORT: DateTime<Utc> =
    DateTime::from_timestamp(946_684_800, 0).expect("the year 2000");

/// When something was captured, as far as the clock of a phone can be believed. What it can't know,
/// the future and what lies before any report, counts as now, like what it does not say.
pub fn plausible_time(at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> DateTime<Utc> {
    at.filter(|at| (BEFORE_ANY_REPORT..now).contains(at))
        .unwrap_or(now)
}

/// Tells the time: the system's, or one a test sets. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Microseconds since the epoch; absent: the system's time.
    fixed: Option<Arc<AtomicI64>>,
}

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self::default()
    }

    /// A clock that stands still at `now` until it is set.
    pub fn fixed(now: DateTime<Utc>) -> Self {
        Self {
            fixed: Some(Arc::new(AtomicI64::new(now.timestamp_micros()))),
        }
    }

    /// Moves a fixed clock, and every clone of it; a system clock stays as it is.
    pub fn set(&self, now: DateTime<Utc>) {
        if let Some(fixed) = &self.fixed {
            fixed.store(now.timestamp_micros(), Ordering::Relaxed);
        }
    }

    /// The time, in whole microseconds as PostgreSQL keeps it.
    pub fn now(&self) -> DateTime<Utc> {
        let micros = self
            .fixed
            .as_ref()
            .map(|fixed| fixed.load(Ordering::Relaxed));
        let micros = micros.unwrap_or_else(system_micros);
        DateTime::from_timestamp_micros(micros).unwrap_or_default()
    }

    /// The calendar day it is in `zone` now.
    pub fn today_in(&self, zone: Tz) -> NaiveDate {
        self.now().with_timezone(&zone).date_naive()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the system's clock"
)]
fn system_micros() -> i64 {
    Utc::now().timestamp_micros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_time_that_can_be_is_believed() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().expect("a time");
        let now = at("2026-03-01T03:00:00Z");
        for (given, believed) in [
            ("2026-03-01T02:59:59.999999Z", true),
            ("2026-03-01T03:00:00Z", true),
            ("2026-03-01T03:00:00.000001Z", false),
            ("2000-01-01T00:00:00Z", true),
            ("1999-12-31T23:59:59.999999Z", false),
            ("1970-01-01T00:00:00Z", false),
        ] {
            let expected = if believed { at(given) } else { now };
            assert_eq!(plausible_time(Some(at(given)), now), expected, "{given}");
        }
        assert_eq!(plausible_time(None, now), now);
    }

    #[test]
    fn the_day_depends_on_the_zone() {
        let clock = Clock::fixed("2026-03-01T03:00:00Z".parse().expect("a time"));
        assert_eq!(clock.today_in(Tz::UTC).to_string(), "2026-03-01");
        assert_eq!(
            clock.today_in(chrono_tz::America::Mexico_City).to_string(),
            "2026-02-28"
        );
    }
}

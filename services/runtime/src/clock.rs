//! The clock as a parameter, so that tests can set the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use prost_types::Timestamp;

/// A capture time before this comes from a clock that was reset, for example to 1970.
const EARLIEST_CAPTURE: DateTime<Utc> =
    DateTime::from_timestamp(946_684_800, 0).expect("the year 2000");

/// The capture time that a phone reported; `now` if it is missing, future or before the year 2000.
pub fn plausible_time(at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> DateTime<Utc> {
    at.filter(|at| (EARLIEST_CAPTURE..now).contains(at))
        .unwrap_or(now)
}

/// Converts a time for a protobuf message.
pub fn timestamp(time: DateTime<Utc>) -> Timestamp {
    Timestamp {
        seconds: time.timestamp(),
        // Below 2 billion, also in a leap second.
        nanos: i32::try_from(time.timestamp_subsec_nanos()).unwrap_or_default(),
    }
}

/// Reads a time of a protobuf message. None: out of range.
pub fn read_timestamp(at: Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(at.seconds, u32::try_from(at.nanos).ok()?)
}

/// The system's clock, or a fixed one for tests. Clones share the fixed time.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Microseconds since the epoch; None: the system's time.
    fixed: Option<Arc<AtomicI64>>,
}

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self::default()
    }

    /// A clock that shows `now` until [`Clock::set`] changes it.
    pub fn fixed(now: DateTime<Utc>) -> Self {
        Self {
            fixed: Some(Arc::new(AtomicI64::new(now.timestamp_micros()))),
        }
    }

    /// Sets a fixed clock and its clones; has no effect on the system's clock.
    pub fn set(&self, now: DateTime<Utc>) {
        if let Some(fixed) = &self.fixed {
            fixed.store(now.timestamp_micros(), Ordering::Relaxed);
        }
    }

    /// The current time in whole microseconds, the precision of PostgreSQL.
    pub fn now(&self) -> DateTime<Utc> {
        let micros = match &self.fixed {
            Some(fixed) => fixed.load(Ordering::Relaxed),
            None => system_micros(),
        };
        DateTime::from_timestamp_micros(micros).unwrap_or_default()
    }

    /// The current calendar day in `zone`.
    pub fn today_in(&self, zone: Tz) -> NaiveDate {
        self.now().with_timezone(&zone).date_naive()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the only place that reads the system's clock"
)]
fn system_micros() -> i64 {
    Utc::now().timestamp_micros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plausible_time_replaces_future_and_reset_clocks() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().expect("a time");
        let now = at("2026-03-01T03:00:00Z");
        for (given, plausible) in [
            ("2026-03-01T02:59:59.999999Z", true),
            ("2026-03-01T03:00:00Z", true),
            ("2026-03-01T03:00:00.000001Z", false),
            ("2000-01-01T00:00:00Z", true),
            ("1999-12-31T23:59:59.999999Z", false),
            ("1970-01-01T00:00:00Z", false),
        ] {
            let expected = if plausible { at(given) } else { now };
            assert_eq!(plausible_time(Some(at(given)), now), expected, "{given}");
        }
        assert_eq!(plausible_time(None, now), now);
    }

    #[test]
    fn today_in_depends_on_the_zone() {
        let clock = Clock::fixed("2026-03-01T03:00:00Z".parse().expect("a time"));
        assert_eq!(clock.today_in(Tz::UTC).to_string(), "2026-03-01");
        assert_eq!(
            clock.today_in(chrono_tz::America::Mexico_City).to_string(),
            "2026-02-28"
        );
    }
}

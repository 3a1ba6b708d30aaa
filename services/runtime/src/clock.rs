//! Time as a parameter, so that rules about days can be tested on their boundaries.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

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
    fn the_day_depends_on_the_zone() {
        let clock = Clock::fixed("2026-03-01T03:00:00Z".parse().expect("a time"));
        assert_eq!(clock.today_in(Tz::UTC).to_string(), "2026-03-01");
        assert_eq!(
            clock.today_in(chrono_tz::America::Mexico_City).to_string(),
            "2026-02-28"
        );
    }
}

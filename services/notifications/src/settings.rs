//! How people are notified.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, TimeZone as _, Timelike as _, Utc};
use chrono_tz::Tz;

use crate::fact::What;

/// How a person is notified outside of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub flagged_mail: bool,
    pub flagged_push: bool,
    pub returned_push: bool,
    /// None: as usual, for operators only.
    pub status_push: Option<bool>,
    /// None: as before, at first off; the same of the next two.
    pub flagged_sms: Option<bool>,
    pub returned_sms: Option<bool>,
    pub status_sms: Option<bool>,
    /// None: never.
    pub quiet_hours: Option<QuietHours>,
}

impl Settings {
    pub fn wants_push(&self, what: &What, is_manager: bool) -> bool {
        match what {
            What::FlaggedUpdate { .. } => self.flagged_push,
            What::ReturnedUpdate { .. } => self.returned_push,
            What::StatusChange { .. } => self.status_push.unwrap_or(!is_manager),
            What::SecurityEvent { .. } | What::FailedPayment { .. } | What::LimitReached { .. } => {
                false
            }
        }
    }

    pub fn wants_sms(&self, what: &What) -> bool {
        let chosen = match what {
            What::FlaggedUpdate { .. } => self.flagged_sms,
            What::ReturnedUpdate { .. } => self.returned_sms,
            What::StatusChange { .. } => self.status_sms,
            What::SecurityEvent { .. } | What::FailedPayment { .. } | What::LimitReached { .. } => {
                None
            }
        };
        chosen.unwrap_or_default()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            flagged_mail: false,
            flagged_push: true,
            returned_push: true,
            status_push: None,
            flagged_sms: None,
            returned_sms: None,
            status_sms: None,
            quiet_hours: None,
        }
    }
}

/// Minutes of the day in the company's time zone. They may pass midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    pub start: i32,
    /// The first minute after them.
    pub end: i32,
}

impl QuietHours {
    /// When the quiet hours of now end. None: it is none of them.
    pub fn end_at(self, now: DateTime<Utc>, zone: Tz) -> Option<DateTime<Utc>> {
        let local = now.with_timezone(&zone);
        let minute = (local.hour() * 60 + local.minute()).cast_signed();
        let (before_end, from_start) = (minute < self.end, minute >= self.start);
        let is_quiet = if self.start < self.end {
            from_start && before_end
        } else {
            from_start || before_end
        };
        let days = Days::new(u64::from(!before_end));
        let day = local.date_naive().checked_add_days(days)?;
        is_quiet.then(|| local_time(zone, day, self.end)).flatten()
    }
}

/// A minute of a day: the first of two where a clock is set back, and up to three hours later where it is
/// set forward. None: the zone leaves that day out.
pub fn local_time(zone: Tz, day: NaiveDate, minute: i32) -> Option<DateTime<Utc>> {
    let at = NaiveTime::MIN + TimeDelta::minutes(minute.into());
    (0..=6).find_map(|half_hours| {
        let local = day.and_time(at) + TimeDelta::minutes(30 * half_hours);
        let local = zone.from_local_datetime(&local).earliest()?;
        Some(local.with_timezone(&Utc))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHICAGO: Tz = chrono_tz::America::Chicago;

    fn end(start: i32, end: i32, now: &str) -> Option<String> {
        let hours = QuietHours { start, end };
        let end = hours.end_at(now.parse().unwrap(), CHICAGO);
        end.map(|at| at.format("%dT%H:%MZ").to_string())
    }

    #[test]
    fn end_at_within_a_day() {
        // 12:00 to 13:00 in Chicago is 18:00 to 19:00 UTC in winter.
        assert_eq!(end(720, 780, "2026-12-01T17:59:59Z"), None);
        assert_eq!(end(720, 780, "2026-12-01T18:00:00Z").unwrap(), "01T19:00Z");
        assert_eq!(end(720, 780, "2026-12-01T18:59:59Z").unwrap(), "01T19:00Z");
        assert_eq!(end(720, 780, "2026-12-01T19:00:00Z"), None);
    }

    #[test]
    fn end_at_passes_midnight() {
        let (start, until) = (21 * 60, 6 * 60);
        assert_eq!(end(start, until, "2026-12-02T02:59:59Z"), None);
        assert_eq!(
            end(start, until, "2026-12-02T03:00:00Z").unwrap(),
            "02T12:00Z"
        );
        assert_eq!(
            end(start, until, "2026-12-02T11:59:59Z").unwrap(),
            "02T12:00Z"
        );
        assert_eq!(end(start, until, "2026-12-02T12:00:00Z"), None);
    }

    #[test]
    fn end_at_a_minute_that_the_clock_skips_or_repeats() {
        // 2:30 does not exist on 2027-03-14, and 1:30 is twice on 2026-11-01.
        assert_eq!(end(60, 150, "2027-03-14T07:30:00Z").unwrap(), "14T08:00Z");
        assert_eq!(end(30, 90, "2026-11-01T05:40:00Z").unwrap(), "01T06:30Z");
    }
}

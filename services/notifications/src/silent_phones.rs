//! Phones of operators that do not reach the server. They may have unsent updates.

use std::ops::Range;

use chrono::{DateTime, Datelike as _, Days, NaiveDate, Utc, Weekday};
use chrono_tz::Tz;
use hourmeter_proto::accounts::v1::SilentDevice;
use hourmeter_runtime::clock::read_timestamp;

use crate::settings::local_time;

/// A phone that is silent for longer is not in use any more.
const LISTED_DAYS: u64 = 14;

/// With the day of the last contact in the company's time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilentPhone {
    pub label: String,
    pub people: Vec<String>,
    pub last_contact: NaiveDate,
}

impl SilentPhone {
    /// None: malformed.
    pub fn read(device: SilentDevice, zone: Tz) -> Option<Self> {
        let at = read_timestamp(device.last_contact?)?;
        Some(Self {
            label: device.label,
            people: device.people,
            last_contact: at.with_timezone(&zone).date_naive(),
        })
    }
}

/// When silent phones had their last contact: before the last workday, so that a phone that rests on a
/// weekend is not silent.
pub fn silent_period(today: NaiveDate, zone: Tz) -> Range<DateTime<Utc>> {
    let workday = today
        .iter_days()
        .rev()
        .skip(1)
        .find(|day| !matches!(day.weekday(), Weekday::Sat | Weekday::Sun))
        .unwrap_or(today);
    let start = workday
        .checked_sub_days(Days::new(LISTED_DAYS))
        .unwrap_or(workday);
    let midnight = |day| local_time(zone, day, 0).unwrap_or_default();
    midnight(start)..midnight(workday)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_period_ends_before_the_last_workday() {
        let zone = chrono_tz::America::Chicago;
        for (today, start, end) in [
            // Monday to Friday.
            ("2026-12-07", "2026-11-20T06:00:00Z", "2026-12-04T06:00:00Z"),
            // Tuesday.
            ("2026-12-08", "2026-11-23T06:00:00Z", "2026-12-07T06:00:00Z"),
            // Saturday and Sunday.
            ("2026-12-12", "2026-11-27T06:00:00Z", "2026-12-11T06:00:00Z"),
            ("2026-12-13", "2026-11-27T06:00:00Z", "2026-12-11T06:00:00Z"),
            // The clock was set back on November 1.
            ("2026-11-10", "2026-10-26T05:00:00Z", "2026-11-09T06:00:00Z"),
        ] {
            let period = silent_period(today.parse().unwrap(), zone);
            let expected: [DateTime<Utc>; 2] = [start, end].map(|at| at.parse().unwrap());
            assert_eq!([period.start, period.end], expected, "{today}");
        }
    }
}

//! Date parsing and due dates.

use chrono::{DateTime, Days, Months, NaiveDate, NaiveDateTime};

use super::kinds::CalendarUnit;

const FIRST_YEAR: i32 = 1900;
const LAST_YEAR: i32 = 2200;

pub const LAST_DAY: NaiveDate = NaiveDate::from_ymd_opt(LAST_YEAR, 12, 31).expect("a real day");

/// Parses a date or the date part of a date-time, ignoring its offset.
pub fn read_date(text: &str) -> Option<NaiveDate> {
    use chrono::Datelike as _;

    let date = text.get(..10)?;
    let shaped = date.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    if !shaped || (text.len() > 10 && !is_date_time(text)) {
        return None;
    }
    let day = NaiveDate::parse_from_str(date, "%Y-%m-%d").ok()?;
    (FIRST_YEAR..=LAST_YEAR)
        .contains(&day.year())
        .then_some(day)
}

fn is_date_time(text: &str) -> bool {
    let local = text.strip_suffix('Z').unwrap_or(text);
    DateTime::parse_from_rfc3339(text).is_ok()
        || ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
            .iter()
            .any(|format| NaiveDateTime::parse_from_str(local, format).is_ok())
}

/// Clamps to month ends. None after [`LAST_DAY`].
pub fn next_date(start: NaiveDate, interval: u32, unit: CalendarUnit) -> Option<NaiveDate> {
    let next = match unit {
        CalendarUnit::Days => start.checked_add_days(Days::new(interval.into())),
        CalendarUnit::Months => start.checked_add_months(Months::new(interval)),
        CalendarUnit::Years => start.checked_add_months(Months::new(interval.checked_mul(12)?)),
    };
    next.filter(|day| *day <= LAST_DAY)
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;
    use hourmeter_runtime::clock::Clock;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Vectors {
        next_date: Vec<NextDate>,
        read_date: Vec<ReadDate>,
        today: Vec<Today>,
    }

    #[derive(Deserialize)]
    struct NextDate {
        start: NaiveDate,
        interval: u32,
        unit: String,
        expected: Option<NaiveDate>,
    }

    #[derive(Deserialize)]
    struct ReadDate {
        input: String,
        expected: Option<NaiveDate>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Today {
        instant: DateTime<chrono::Utc>,
        time_zone: Tz,
        expected: NaiveDate,
    }

    fn vectors() -> Vectors {
        serde_json::from_str(include_str!("../../../../proto/testdata/calendar.json")).unwrap()
    }

    #[test]
    fn next_date_follows_the_test_vectors() {
        for case in vectors().next_date {
            let unit = CalendarUnit::parse(&case.unit).unwrap();
            let next = next_date(case.start, case.interval, unit);
            assert_eq!(
                next, case.expected,
                "{} + {} {}",
                case.start, case.interval, case.unit
            );
        }
    }

    #[test]
    fn read_date_follows_the_test_vectors() {
        for case in vectors().read_date {
            assert_eq!(read_date(&case.input), case.expected, "{:?}", case.input);
        }
        assert_eq!(read_date(""), None);
        assert_eq!(read_date("ñññññññññññ"), None);
    }

    #[test]
    fn today_is_in_the_company_time_zone() {
        for case in vectors().today {
            let clock = Clock::fixed(case.instant);
            assert_eq!(clock.today_in(case.time_zone), case.expected);
        }
    }
}

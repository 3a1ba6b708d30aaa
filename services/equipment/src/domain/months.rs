//! Days and months as instants in a company's time zone.

use chrono::{
    DateTime, Datelike as _, Days, Months, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc,
};

/// Start of a day. Where clocks skip midnight, the first time that exists.
pub fn day_begins<Z: TimeZone>(day: NaiveDate, zone: &Z) -> DateTime<Utc> {
    let midnight = day.and_time(NaiveTime::MIN);
    // Clocks are never set forward by more than a day.
    (0..=48)
        .filter_map(|half_hours| midnight.checked_add_signed(TimeDelta::minutes(30 * half_hours)))
        .find_map(|local| zone.from_local_datetime(&local).earliest())
        .map_or_else(|| midnight.and_utc(), |begins| begins.with_timezone(&Utc))
}

pub fn day_ends<Z: TimeZone>(day: NaiveDate, zone: &Z) -> DateTime<Utc> {
    let next = day.checked_add_days(Days::new(1));
    next.map_or(DateTime::<Utc>::MAX_UTC, |next| day_begins(next, zone))
}

/// Figures cover at most this many months.
pub const MAX_MONTHS: usize = 120;

/// First days of all months between two instants; the last [`MAX_MONTHS`] of them.
pub fn months<Z: TimeZone>(first: DateTime<Utc>, last: DateTime<Utc>, zone: &Z) -> Vec<NaiveDate> {
    let month = |at: DateTime<Utc>| at.with_timezone(zone).date_naive().with_day(1);
    let first = month(first);
    let earlier = |month: &NaiveDate| month.checked_sub_months(Months::new(1));
    let mut months: Vec<_> = std::iter::successors(month(last), earlier)
        .take_while(|month| Some(*month) >= first)
        .take(MAX_MONTHS)
        .collect();
    months.reverse();
    months
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn day_begins_and_ends_in_the_company_time_zone() {
        for (zone, date, begins, ends) in [
            (
                Tz::UTC,
                "2026-03-10",
                "2026-03-10T00:00:00Z",
                "2026-03-11T00:00:00Z",
            ),
            // Clocks go forward on 8 March and back on 1 November.
            (
                Tz::America__Chicago,
                "2026-03-08",
                "2026-03-08T06:00:00Z",
                "2026-03-09T05:00:00Z",
            ),
            (
                Tz::America__Chicago,
                "2026-11-01",
                "2026-11-01T05:00:00Z",
                "2026-11-02T06:00:00Z",
            ),
            // Clocks go forward at midnight.
            (
                Tz::Africa__Cairo,
                "2025-04-25",
                "2025-04-24T22:00:00Z",
                "2025-04-25T21:00:00Z",
            ),
            // This day was skipped.
            (
                Tz::Pacific__Apia,
                "2011-12-30",
                "2011-12-30T10:00:00Z",
                "2011-12-30T10:00:00Z",
            ),
        ] {
            assert_eq!(day_begins(day(date), &zone), at(begins), "{zone} {date}");
            assert_eq!(day_ends(day(date), &zone), at(ends), "{zone} {date}");
        }
    }

    #[test]
    fn months_have_no_gaps() {
        let of = |first, last, zone: Tz| {
            let months = months(at(first), at(last), &zone);
            months.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let found = of("2025-11-30T23:00:00Z", "2026-02-01T00:00:00Z", Tz::UTC);
        let expected = ["2025-11-01", "2025-12-01", "2026-01-01", "2026-02-01"];
        assert_eq!(found, expected);
        let found = of(
            "2026-02-01T05:59:59Z",
            "2026-02-01T06:00:00Z",
            Tz::America__Chicago,
        );
        assert_eq!(found, ["2026-01-01", "2026-02-01"]);
        let found = of("2026-02-01T00:00:00Z", "2026-01-01T00:00:00Z", Tz::UTC);
        assert_eq!(found.len(), 0);
    }

    #[test]
    fn months_keep_the_last_120() {
        let last = at("2026-03-31T00:00:00Z");
        for (first, from) in [
            ("0001-01-01T00:00:00Z", "2016-04-01"),
            ("2016-03-31T23:59:59Z", "2016-04-01"),
            ("2016-04-01T00:00:00Z", "2016-04-01"),
            ("2016-05-01T00:00:00Z", "2016-05-01"),
        ] {
            let months = months(at(first), last, &Tz::UTC);
            let ends = (months[0], months[months.len() - 1]);
            assert_eq!(ends, (day(from), day("2026-03-01")), "{first}");
        }
    }
}

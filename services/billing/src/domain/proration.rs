//! Shares of prices.

use chrono::{DateTime, Utc};

/// The share of `cents` for the rest of a period at `now`, rounded to the nearest cent.
pub fn prorate(
    cents: i64,
    (start, end): (DateTime<Utc>, DateTime<Utc>),
    now: DateTime<Utc>,
) -> i64 {
    let micros = |from: DateTime<Utc>, to: DateTime<Utc>| {
        i128::from(to.timestamp_micros() - from.timestamp_micros())
    };
    let whole = micros(start, end).max(1);
    let left = micros(now, end).clamp(0, whole);
    let rounded = (2 * i128::from(cents) * left + whole) / (2 * whole);
    i64::try_from(rounded).unwrap_or(cents)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn prorate_is_exact_to_the_cent() {
        let start: DateTime<Utc> = "2026-04-01T00:00:00Z".parse().expect("a time");
        let period = (start, start + TimeDelta::days(30));
        for (cents, days, expected) in [
            (5400, 0, 5400),
            (5400, 15, 2700),
            (5400, 30, 0),
            (5400, 31, 0),
            (5400, -1, 5400),
            // 100 * 29 / 30 = 96.67 and 100 * 10 / 30 = 33.33.
            (100, 1, 97),
            (100, 20, 33),
            // Half a cent rounds up.
            (1, 15, 1),
            (3, 15, 2),
            (102_000, 29, 3400),
        ] {
            let now = start + TimeDelta::days(days);
            assert_eq!(prorate(cents, period, now), expected, "{cents} {days}");
        }
    }
}

//! What is said about a submission when it arrives.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::quantity::Quantity;

/// The reading is below the meter at the time it was captured.
pub const BELOW_METER: &str = "below_meter";
/// The same figures from the same person a moment ago.
pub const REPEATED: &str = "repeated";

/// How long the same figures from the same person look like a mistake.
pub const REPEATED_WITHIN: TimeDelta = TimeDelta::minutes(10);

/// Whether a reading is below the meter. A late one, captured before the meter was last read, is
/// not: the meter has moved on since.
pub fn is_below(
    reading: Option<Quantity>,
    captured_at: DateTime<Utc>,
    meter: Quantity,
    read_at: Option<DateTime<Utc>>,
) -> bool {
    let late = read_at.is_some_and(|read_at| captured_at < read_at);
    !late && reading.is_some_and(|reading| reading < meter)
}

/// Reasons to look twice.
pub fn flags(below_meter: bool, repeated: bool) -> Vec<String> {
    [(below_meter, BELOW_METER), (repeated, REPEATED)]
        .into_iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, flag)| flag.to_owned())
        .collect()
}

/// Whether a submission takes effect without review.
pub fn takes_effect_at_once(auto_apply: bool, subscribed: bool, flags: &[String]) -> bool {
    auto_apply && subscribed && flags.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_itself_is_not_below() {
        let meter = Quantity::from_hundredths(10_000);
        let at = |hundredths| Some(Quantity::from_hundredths(hundredths));
        let now = DateTime::UNIX_EPOCH;
        for read_at in [None, Some(now)] {
            assert!(is_below(at(9_999), now, meter, read_at));
            assert!(!is_below(at(10_000), now, meter, read_at));
            assert!(!is_below(at(10_001), now, meter, read_at));
            assert!(!is_below(None, now, meter, read_at));
        }
    }

    #[test]
    fn a_late_reading_is_not_below() {
        let meter = Quantity::from_hundredths(10_000);
        let reading = Some(Quantity::from_hundredths(1));
        let captured = DateTime::UNIX_EPOCH;
        let read_at = Some(captured + TimeDelta::microseconds(1));
        assert!(!is_below(reading, captured, meter, read_at));
    }

    #[test]
    fn a_flag_or_a_missing_subscription_keeps_it_for_review() {
        assert!(takes_effect_at_once(true, true, &flags(false, false)));
        assert!(!takes_effect_at_once(false, true, &[]));
        assert!(!takes_effect_at_once(true, false, &[]));
        assert!(!takes_effect_at_once(true, true, &flags(true, false)));
        assert!(!takes_effect_at_once(true, true, &flags(false, true)));
        assert_eq!(flags(true, true), [BELOW_METER, REPEATED]);
    }
}

//! What is said about a submission when it arrives.

use chrono::TimeDelta;
use hourmeter_runtime::quantity::Quantity;

/// The reading is below the meter.
pub const BELOW_METER: &str = "below_meter";
/// The same figures from the same person a moment ago.
pub const REPEATED: &str = "repeated";

/// How long the same figures from the same person look like a mistake.
pub const REPEATED_WITHIN: TimeDelta = TimeDelta::minutes(10);

/// Whether a reading is below the meter.
pub fn is_below(reading: Option<Quantity>, meter: Quantity) -> bool {
    reading.is_some_and(|reading| reading < meter)
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
        assert!(is_below(at(9_999), meter));
        assert!(!is_below(at(10_000), meter));
        assert!(!is_below(at(10_001), meter));
        assert!(!is_below(None, meter));
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

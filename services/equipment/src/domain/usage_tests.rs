use super::*;
use crate::domain::meter::MeterState;
use crate::domain::timeline::Dial;
use chrono::DateTime;

const fn quantity(hundredths: i64) -> Quantity {
    Quantity::from_hundredths(hundredths)
}

fn meter(shown: i64, offset: i64, next: Option<i64>) -> MeterAt {
    let at = Some(DateTime::UNIX_EPOCH);
    let (usage, offset) = (quantity(shown + offset), quantity(offset));
    MeterAt {
        dial: Dial {
            state: MeterState { usage, offset },
            read_at: at,
        },
        known_at: at,
        next: next.map(quantity),
    }
}

#[test]
fn check_reading_is_between_its_neighbours() {
    let reading = |value| MeterFact::Reading(quantity(value));
    let service = |value| MeterFact::ServiceReading(quantity(value));
    // Without an earlier meter, after others that counted 40, and after a used meter.
    for offset in [0, 4000, -4000] {
        let meter = meter(10_000, offset, Some(10_500));
        let below = UsageError::BelowMeter(quantity(10_000));
        let above = UsageError::AboveNext(quantity(10_500));
        for (fact, expected) in [
            (reading(9_999), Err(below)),
            (reading(10_000), Ok(())),
            (reading(10_500), Ok(())),
            (reading(10_501), Err(above)),
            (service(9_999), Ok(())),
            (service(10_501), Err(above)),
            (MeterFact::Increase(quantity(600)), Ok(())),
        ] {
            assert_eq!(check(&meter, fact), expected, "{fact:?} {offset}");
        }
    }
}

#[test]
fn check_refuses_values_out_of_range() {
    for offset in [0, 4000, -4000] {
        let meter = meter(10_000, offset, None);
        let most = quantity(10_000).max(quantity(10_000 + offset));
        let room = Quantity::MAX_INPUT.minus(most);
        let more = room.plus(quantity(1));
        assert_eq!(check(&meter, MeterFact::Increase(room)), Ok(()));
        let found = check(&meter, MeterFact::Increase(more));
        assert_eq!(found, Err(UsageError::TooLarge));
        let shown = quantity(10_000);
        assert_eq!(check(&meter, MeterFact::Reading(shown.plus(room))), Ok(()));
        let found = check(&meter, MeterFact::Reading(shown.plus(more)));
        assert_eq!(found, Err(UsageError::TooLarge));
    }
}

#[test]
fn check_first_reading_has_no_lower_limit() {
    let meter = MeterAt {
        dial: Dial::default(),
        known_at: None,
        next: None,
    };
    assert_eq!(check(&meter, MeterFact::Reading(Quantity::ZERO)), Ok(()));
}

use super::*;
use crate::domain::kinds::CalendarUnit;
use crate::domain::meter::MeterChange;

fn quantity(value: f64) -> Quantity {
    Quantity::from_input(value).unwrap()
}

const fn hundredths(value: i64) -> Quantity {
    Quantity::from_hundredths(value)
}

fn state(usage: f64, offset: i64) -> MeterState {
    MeterState {
        usage: quantity(usage),
        offset: hundredths(offset),
    }
}

#[test]
fn usage_increase_adds_and_refuses_lower_readings() {
    // The same reading without an earlier meter, after others that counted 40, and after a used
    // meter.
    for offset in [0, 4000, -4000] {
        let old = state(100.0, offset);
        let shown = old.reading();
        let by = |usage| usage_increase(old, usage);
        let above = |more: i64| Usage::Reading(shown.plus(hundredths(more)));
        assert_eq!(by(Usage::Increase(quantity(0.1))), Ok(quantity(0.1)));
        assert_eq!(by(above(0)), Ok(Quantity::ZERO));
        assert_eq!(by(above(1)), Ok(quantity(0.01)));
        assert_eq!(by(above(-1)), Err(UsageError::BelowMeter(shown)));
        let most = shown.max(old.usage);
        let room = Quantity::MAX_INPUT.minus(most);
        assert_eq!(by(Usage::Increase(room)), Ok(room));
        let more = room.plus(quantity(0.01));
        assert_eq!(by(Usage::Increase(more)), Err(UsageError::TooLarge));
        assert_eq!(by(above(room.hundredths())), Ok(room));
        assert_eq!(by(above(room.hundredths() + 1)), Err(UsageError::TooLarge));
    }
}

fn known(state: MeterState, read_at: Option<DateTime<Utc>>) -> CurrentMeter {
    CurrentMeter {
        unit: MeterUnit::Hours,
        state,
        read_at,
    }
}

#[test]
fn reading_effect_at_every_boundary() {
    let last: DateTime<Utc> = "2026-03-10T08:00:00Z".parse().unwrap();
    let earlier = last - chrono::TimeDelta::microseconds(1);
    for (reading, captured_at, replace, expected) in [
        (101.0, last, false, Ok(Some(101.0))),
        (100.0, last, false, Ok(Some(100.0))),
        (99.99, last, false, Err(FieldReadingError::BelowCurrent)),
        (99.99, last, true, Ok(Some(99.99))),
        (101.0, earlier, false, Ok(None)),
        (101.0, earlier, true, Ok(None)),
        (100.0, earlier, false, Ok(None)),
        (99.99, earlier, false, Ok(None)),
        (99.99, earlier, true, Ok(None)),
    ] {
        for offset in [0, 25_000] {
            let state = MeterState {
                usage: hundredths(10_000 + offset),
                offset: hundredths(offset),
            };
            let field = FieldReading {
                reading: quantity(reading),
                captured_at,
                replace,
                new_meter: None,
            };
            let found = reading_effect(known(state, Some(last)), field);
            let expected = expected.map(|shows: Option<f64>| {
                shows.map(|shows| (state.with_reading(quantity(shows)), MeterEffect::Reading))
            });
            assert_eq!(found, expected, "{reading} {captured_at} {replace}");
        }
    }
}

#[test]
fn reading_effect_first_reading_is_never_late() {
    let first = |reading: f64, replace| FieldReading {
        reading: quantity(reading),
        captured_at: DateTime::UNIX_EPOCH,
        replace,
        new_meter: None,
    };
    let none = MeterState::default();
    let found = reading_effect(known(none, None), first(7.0, false));
    assert_eq!(
        found,
        Ok(Some((none.with_usage(quantity(7.0)), MeterEffect::Reading)))
    );
    // A used meter on a new machine can't read less than its start reading.
    let used = state(5.0, -100_000);
    let found = |reading| reading_effect(known(used, None), first(reading, true));
    assert_eq!(
        found(1000.0),
        Ok(Some((
            used.with_usage(Quantity::ZERO),
            MeterEffect::Reading
        )))
    );
    assert_eq!(found(999.99), Err(FieldReadingError::OutOfRange));
    let old = state(5.0, 500);
    let found = reading_effect(known(old, None), first(1e9, false));
    assert_eq!(found, Err(FieldReadingError::OutOfRange));
}

#[test]
fn reading_effect_new_meter_is_refused_after_a_later_reading() {
    let read_at: Option<DateTime<Utc>> = "2026-03-10T08:00:00Z".parse().ok();
    let field = FieldReading {
        reading: quantity(3.0),
        captured_at: read_at.unwrap(),
        replace: false,
        new_meter: Some(NewMeter {
            change: MeterChange::Replaced,
            last: Some(quantity(101.0)),
            first: quantity(1.0),
        }),
    };
    let found = reading_effect(known(state(100.0, 0), read_at), field);
    let (after, by) = found.unwrap().unwrap();
    assert_eq!(
        (after.usage, after.reading()),
        (quantity(103.0), quantity(3.0))
    );
    assert_eq!(by.as_str(), "replacement");
    for replace in [false, true] {
        let late = FieldReading {
            captured_at: field.captured_at - chrono::TimeDelta::microseconds(1),
            replace,
            ..field
        };
        let found = reading_effect(known(state(100.0, 0), read_at), late);
        assert_eq!(found, Err(FieldReadingError::ReadSince));
        assert!(reading_effect(known(state(100.0, 0), None), late).is_ok());
    }
    let none = CurrentMeter {
        unit: MeterUnit::NotApplicable,
        ..known(state(100.0, 0), read_at)
    };
    assert_eq!(
        reading_effect(none, field),
        Err(FieldReadingError::NotReplaced(ReplaceError::NoMeter))
    );
}

#[test]
fn serviced_restarts_interval_and_schedule() {
    let day: NaiveDate = "2026-01-31".parse().unwrap();
    let task = ServiceTask {
        interval: quantity(250.0),
        last_usage: None,
        schedule: Some(Schedule {
            start: "2025-01-01".parse().unwrap(),
            interval: 1,
            unit: CalendarUnit::Months,
            next: "2025-02-01".parse().unwrap(),
        }),
    };
    let after = serviced(task, quantity(12.0), day);
    assert_eq!(after.last_usage, Some(quantity(12.0)));
    let schedule = after.schedule.unwrap();
    assert_eq!(schedule.start, day);
    assert_eq!(schedule.next.to_string(), "2026-02-28");
}

use super::*;

const fn quantity(hundredths: i64) -> Quantity {
    Quantity::from_hundredths(hundredths)
}

const fn state(usage: i64, reading: i64) -> MeterState {
    MeterState {
        usage: quantity(usage),
        offset: quantity(usage - reading),
    }
}

fn new(last: Option<i64>, first: i64) -> NewMeter {
    NewMeter {
        change: MeterChange::Replaced,
        last: last.map(quantity),
        first: quantity(first),
    }
}

fn at(hour: u32) -> DateTime<Utc> {
    format!("2026-03-10T{hour:02}:00:00Z").parse().unwrap()
}

#[test]
fn new_meter_continues_usage() {
    // (usage, reading) before; final, start and current reading; (usage, reading) after.
    for (before, last, first, reading, after) in [
        ((10_000, 10_000), None, 0, 0, (10_000, 0)),
        ((10_000, 10_000), Some(10_050), 0, 250, (10_300, 250)),
        ((10_000, 10_000), None, 500_000, 500_010, (10_010, 500_010)),
        ((10_300, 250), Some(300), 7, 9, (10_352, 9)),
        (
            (9_999_990, 9_999_990),
            Some(10_000_000),
            0,
            35,
            (10_000_035, 35),
        ),
        ((0, 0), None, 0, 0, (0, 0)),
    ] {
        let found = new(last, first).after(state(before.0, before.1), quantity(reading));
        assert_eq!(found, state(after.0, after.1), "{before:?} {last:?}");
    }
}

#[test]
fn check_refuses_a_final_reading_below_the_meter_and_no_meter() {
    let before = state(10_300, 250);
    let check = |last| new(last, 0).check(MeterUnit::Hours, before);
    assert_eq!(check(Some(250)), Ok(()));
    assert_eq!(check(None), Ok(()));
    let below = Err(ReplaceError::EndsBelow(quantity(250)));
    assert_eq!(check(Some(249)), below);
    let found = new(None, 0).check(MeterUnit::NotApplicable, before);
    assert_eq!(found, Err(ReplaceError::NoMeter));
}

#[test]
fn is_in_range_checks_usage_and_reading() {
    let most = Quantity::MAX_INPUT.hundredths();
    for (usage, reading, expected) in [
        (0, 0, true),
        (-1, 0, false),
        (0, -1, false),
        (most, most, true),
        (most + 1, 0, false),
        (0, most + 1, false),
    ] {
        let found = state(usage, reading).is_in_range();
        assert_eq!(found, expected, "{usage} {reading}");
    }
}

#[test]
fn replacement_text_names_readings_and_notes() {
    let replacement = |change, first| Replacement {
        change,
        last: quantity(481_250),
        first: quantity(first),
    };
    let text = |replacement, reading, notes| {
        replacement_text(&replacement, quantity(reading), MeterUnit::Hours, notes)
    };
    let fitted = replacement(MeterChange::Replaced, 20);
    assert_eq!(
        text(fitted, 20, ""),
        "Meter replaced: the old one ended at 4812.5 hours, the new one began at 0.2 hours."
    );
    assert_eq!(
        text(fitted, 150, "Glass broken"),
        "Meter replaced: the old one ended at 4812.5 hours, the new one began at 0.2 hours. \
         It shows 1.5 hours.\nGlass broken"
    );
    assert_eq!(
        text(replacement(MeterChange::RolledOver, 0), 100, ""),
        "Meter began again after 4812.5 hours. It shows 1 hour."
    );
    assert_eq!(
        text(replacement(MeterChange::RolledOver, 0), 0, ""),
        "Meter began again after 4812.5 hours."
    );
}

fn ending(hour: u32, last: i64, first: i64) -> MeterEnd {
    MeterEnd {
        replacement: Replacement {
            change: MeterChange::Replaced,
            last: quantity(last),
            first: quantity(first),
        },
        at: at(hour),
        by: format!("Person {hour}"),
    }
}

#[test]
fn segments_are_contiguous() {
    let history = |ends, current| MeterHistory {
        started_at: at(1),
        start: state(100, 100),
        current,
        ends,
    };
    let found = history(Vec::new(), state(150, 150)).segments();
    let only = Segment {
        started_at: at(1),
        start: state(100, 100),
        end: state(150, 150),
        ending: None,
    };
    assert_eq!(found, [only]);
    let ends = vec![ending(5, 160, 0), ending(9, 30, 7)];
    let found = history(ends.clone(), state(193, 10)).segments();
    let expected = [
        (at(1), state(100, 100), state(160, 160)),
        (at(5), state(160, 0), state(190, 30)),
        (at(9), state(190, 7), state(193, 10)),
    ];
    let rows: Vec<_> = found
        .iter()
        .map(|segment| (segment.started_at, segment.start, segment.end))
        .collect();
    assert_eq!(rows, expected);
    let found_ends: Vec<_> = found.into_iter().map(|segment| segment.ending).collect();
    assert_eq!(
        found_ends[..2],
        ends.into_iter().map(Some).collect::<Vec<_>>()
    );
    assert_eq!(found_ends[2], None);
}

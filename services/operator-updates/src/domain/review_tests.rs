use chrono::DateTime;
use uuid::Uuid;

use super::*;
use crate::domain::update::{Decision, FuelKind};

fn update(status: Status, below_current: bool) -> Update {
    Update {
        id: Uuid::nil(),
        equipment_id: Uuid::nil(),
        equipment_name: String::new(),
        reported_equipment_name: String::new(),
        operator_id: Uuid::nil(),
        operator_name: String::new(),
        new_usage: Some(Quantity::from_hundredths(100)),
        fuel_added: Quantity::ZERO,
        fuel_kind: FuelKind::Gas,
        notes: String::new(),
        status,
        decision: Decision::None,
        client_id: String::new(),
        captured_at: DateTime::UNIX_EPOCH,
        previous_usage: None,
        applied_usage: None,
        late: false,
        below_current,
        flags: Vec::new(),
        reviewed_by: String::new(),
        reviewed_at: None,
        reject_reason: String::new(),
        created_at: DateTime::UNIX_EPOCH,
    }
}

const AS_REPORTED: Word = Word {
    reading: None,
    replacement: None,
    superseded: false,
};

fn reason<T: std::fmt::Debug>(result: Result<T, ServiceError>) -> String {
    let failure = result.unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    failure.reason.into_owned()
}

#[test]
fn applying_depends_on_the_state() {
    for status in [Status::Applied, Status::Recent] {
        let done = apply(&update(status, false), false, AS_REPORTED).unwrap();
        assert_eq!(done, Apply::Done);
    }
    let rejected = apply(&update(Status::Rejected, false), false, AS_REPORTED);
    assert_eq!(reason(rejected), "ALREADY_REJECTED");
    let decided = apply(&update(Status::Pending, true), true, AS_REPORTED).unwrap();
    assert_eq!(decided, Apply::Decided);
}

#[test]
fn the_reading_is_the_managers_or_the_reported_one() {
    let reported = update(Status::Pending, false);
    let terms = Terms::reported(&reported);
    assert_eq!(
        apply(&reported, false, AS_REPORTED).unwrap(),
        Apply::Decide(terms)
    );
    let given = Word {
        reading: Some(Quantity::from_hundredths(7)),
        ..AS_REPORTED
    };
    let expected = Apply::Decide(Terms {
        reading: given.reading,
        overridden: true,
        replace_meter: true,
        replacement: None,
    });
    assert_eq!(apply(&reported, false, given).unwrap(), expected);
    let below = update(Status::Pending, true);
    assert_eq!(apply(&below, false, given).unwrap(), expected);
    assert_eq!(reason(apply(&below, false, AS_REPORTED)), "BELOW_CURRENT");
    let superseded = Word {
        superseded: true,
        ..AS_REPORTED
    };
    let past = apply(&below, false, superseded).unwrap();
    assert_eq!(past, Apply::Decide(Terms::reported(&below)));
}

#[test]
fn only_what_waits_can_be_rejected() {
    assert!(reject(&update(Status::Pending, false), false).unwrap());
    assert!(!reject(&update(Status::Rejected, false), false).unwrap());
    for status in [Status::Applied, Status::Recent] {
        assert_eq!(
            reason(reject(&update(status, false), false)),
            "ALREADY_APPLIED"
        );
    }
    let decided = reject(&update(Status::Pending, false), true);
    assert_eq!(reason(decided), "BEING_APPLIED");
}

#[test]
fn only_what_took_effect_can_be_acknowledged() {
    assert!(acknowledge(&update(Status::Recent, false)).unwrap());
    assert!(!acknowledge(&update(Status::Applied, false)).unwrap());
    let pending = acknowledge(&update(Status::Pending, false));
    assert_eq!(reason(pending), "NOT_APPLIED");
    let rejected = acknowledge(&update(Status::Rejected, false));
    assert_eq!(reason(rejected), "ALREADY_REJECTED");
}

#[test]
fn a_replaced_meter_needs_a_reading_from_its_start_on() {
    let from = |start: i64| Replacement {
        change: MeterChange::Replaced,
        final_reading: None,
        start_reading: Quantity::from_hundredths(start),
    };
    let terms = |update: &Update, reading: Option<i64>, start: i64| {
        let word = Word {
            reading: reading.map(Quantity::from_hundredths),
            replacement: Some(from(start)),
            superseded: false,
        };
        apply(update, false, word)
    };
    // It reports 1.00, which is below the old meter.
    let mut reported = update(Status::Pending, true);
    for (reading, start, expected, overridden) in [
        (None, 100, 100, false),
        (Some(7), 7, 7, true),
        (Some(7), 0, 7, true),
    ] {
        let expected = Apply::Decide(Terms {
            reading: Some(Quantity::from_hundredths(expected)),
            overridden,
            // A process that knows nothing of new meters must not take it for a correction.
            replace_meter: false,
            replacement: Some(from(start)),
        });
        assert_eq!(terms(&reported, reading, start).unwrap(), expected);
    }
    for (reading, start) in [(None, 101), (Some(7), 8)] {
        let refused = terms(&reported, reading, start).unwrap_err();
        assert_eq!(refused.fields[0].0, "meterReplacement.startReading");
    }
    reported.new_usage = None;
    let refused = terms(&reported, None, 0).unwrap_err();
    assert_eq!(refused.fields[0].0, "newUsage");
    assert!(terms(&reported, Some(0), 0).is_ok());
}

#[test]
fn only_what_is_undecided_can_be_moved() {
    let (here, there) = (Uuid::nil(), Uuid::max());
    assert!(move_to(&update(Status::Pending, true), false, there).is_ok());
    for (status, decided, to, expected) in [
        (Status::Pending, false, here, "SAME_EQUIPMENT"),
        (Status::Pending, true, there, "BEING_APPLIED"),
        (Status::Applied, false, there, "ALREADY_APPLIED"),
        (Status::Recent, false, there, "ALREADY_APPLIED"),
        (Status::Rejected, false, there, "ALREADY_REJECTED"),
    ] {
        assert_eq!(
            reason(move_to(&update(status, false), decided, to)),
            expected
        );
    }
}

#[test]
fn words_of_meter_changes_survive_storing() {
    for change in [MeterChange::Replaced, MeterChange::RolledOver] {
        assert_eq!(MeterChange::from_name(change.name()), Some(change));
    }
    assert_eq!(MeterChange::from_name("stolen"), None);
}

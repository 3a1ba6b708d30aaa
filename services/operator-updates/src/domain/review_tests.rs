use chrono::DateTime;
use uuid::Uuid;

use super::*;
use crate::domain::update::FuelKind;

fn update(status: Status, below_current: bool) -> Update {
    Update {
        id: Uuid::nil(),
        equipment_id: Uuid::nil(),
        equipment_name: String::new(),
        operator_id: Uuid::nil(),
        operator_name: String::new(),
        new_usage: Some(Quantity::from_hundredths(100)),
        fuel_added: Quantity::ZERO,
        fuel_kind: FuelKind::Gas,
        notes: String::new(),
        status,
        client_id: String::new(),
        captured_at: DateTime::UNIX_EPOCH,
        previous_usage: None,
        below_current,
        flags: Vec::new(),
        reviewed_by: String::new(),
        reviewed_at: None,
        reject_reason: String::new(),
        created_at: DateTime::UNIX_EPOCH,
    }
}

fn reason<T: std::fmt::Debug>(result: Result<T, Failure>) -> String {
    let failure = result.unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    failure.reason.into_owned()
}

#[test]
fn applying_depends_on_the_state() {
    for status in [Status::Applied, Status::Recent] {
        let done = apply(&update(status, false), false, None).unwrap();
        assert_eq!(done, Apply::Done);
    }
    let rejected = apply(&update(Status::Rejected, false), false, None);
    assert_eq!(reason(rejected), "ALREADY_REJECTED");
    let decided = apply(&update(Status::Pending, true), true, None).unwrap();
    assert_eq!(decided, Apply::Decided);
}

#[test]
fn the_reading_is_the_managers_or_the_reported_one() {
    let reported = update(Status::Pending, false);
    let terms = Terms::reported(&reported);
    assert_eq!(apply(&reported, false, None).unwrap(), Apply::Decide(terms));
    let given = Some(Quantity::from_hundredths(7));
    let expected = Apply::Decide(Terms {
        reading: given,
        overridden: true,
        replace_meter: true,
    });
    assert_eq!(apply(&reported, false, given).unwrap(), expected);
    let below = update(Status::Pending, true);
    assert_eq!(apply(&below, false, given).unwrap(), expected);
    assert_eq!(reason(apply(&below, false, None)), "BELOW_CURRENT");
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

use chrono::DateTime;
use hourmeter_runtime::error::Kind;
use uuid::Uuid;

use super::*;
use crate::domain::fuel::{Fuel, FuelKind};
use crate::domain::replacement::MeterChange;
use crate::domain::update::{Capture, Decision, WITHDRAWN};

fn update(status: Status, below_current: bool) -> Update {
    Update {
        id: Uuid::nil(),
        equipment_id: Uuid::nil(),
        equipment_name: String::new(),
        reported_equipment_name: String::new(),
        operator_id: Uuid::nil(),
        operator_name: String::new(),
        new_usage: Some(Quantity::from_hundredths(100)),
        usage_increase: None,
        unit: None,
        fuel: Fuel {
            added: Quantity::ZERO,
            kind: FuelKind::Gas,
            full: false,
        },
        notes: String::new(),
        status,
        decision: Decision::None,
        client_id: String::new(),
        captured_at: DateTime::UNIX_EPOCH,
        capture: Capture::default(),
        previous_usage: None,
        applied_usage: None,
        applied_reading: None,
        applied_fuel: None,
        applied_replacement: None,
        late: false,
        below_current,
        flags: Vec::new(),
        reviewed_by_id: None,
        reviewed_by: String::new(),
        reviewed_at: None,
        reject_reason: String::new(),
        attempt: 0,
        acknowledged: false,
        taken_back: None,
        created_at: DateTime::UNIX_EPOCH,
    }
}

fn decided(decision: Decision) -> Update {
    Update {
        decision,
        ..update(Status::Pending, false)
    }
}

const AS_REPORTED: ApplyInput = ApplyInput {
    reading: None,
    replacement: None,
    fuel: None,
};

fn reason<T: std::fmt::Debug>(result: Result<T, ServiceError>) -> String {
    let failure = result.unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    failure.reason.into_owned()
}

#[test]
fn apply_depends_on_the_status() {
    for status in [Status::Applied, Status::Recent] {
        let done = apply(&update(status, false), AS_REPORTED).unwrap();
        assert_eq!(done, ApplyAction::AlreadyApplied);
    }
    let rejected = apply(&update(Status::Rejected, false), AS_REPORTED);
    assert_eq!(reason(rejected), "ALREADY_REJECTED");
    let taken_back = update(Status::TakenBack, false);
    let again = ApplyAction::Decide(ApplyParams::as_reported(&taken_back));
    assert_eq!(apply(&taken_back, AS_REPORTED).unwrap(), again);
    let given = ApplyInput {
        reading: Some(Quantity::from_hundredths(7)),
        ..AS_REPORTED
    };
    for decision in [Decision::Queued, Decision::Parked] {
        let repeat = apply(&decided(decision), AS_REPORTED).unwrap();
        assert_eq!(repeat, ApplyAction::AlreadyDecided(None));
        let other = apply(&decided(decision), given).unwrap();
        let params = ApplyParams::overriding(Quantity::from_hundredths(7));
        assert_eq!(other, ApplyAction::AlreadyDecided(Some(params)));
    }
}

const CALLER: Uuid = Uuid::from_u128(7);

fn reviewed(status: Status, acknowledged: bool, seconds_ago: i64) -> (Update, DateTime<Utc>) {
    let now = DateTime::UNIX_EPOCH + TimeDelta::days(1);
    let update = Update {
        acknowledged,
        reviewed_by_id: Some(CALLER),
        reviewed_at: Some(now - TimeDelta::seconds(seconds_ago)),
        ..update(status, false)
    };
    (update, now)
}

#[test]
fn undo_of_the_last_decision_depends_on_status_and_time() {
    let undo = |(update, now): (Update, _)| undo(&update, None, Uuid::max(), now);
    for (status, acknowledged, action) in [
        (Status::Rejected, false, UndoAction::Reopen),
        (Status::Applied, false, UndoAction::Void),
        (Status::Applied, true, UndoAction::Unacknowledge),
    ] {
        for seconds_ago in [0, 60] {
            let update = reviewed(status, acknowledged, seconds_ago);
            assert_eq!(undo(update).unwrap(), action);
        }
        let late = undo(reviewed(status, acknowledged, 61));
        assert_eq!(reason(late), "UNDO_EXPIRED");
    }
    let now = DateTime::UNIX_EPOCH;
    let recent = undo((update(Status::Recent, false), now)).unwrap();
    assert_eq!(recent, UndoAction::Void);
    for status in [Status::Pending, Status::TakenBack] {
        let nothing = undo((update(status, false), now)).unwrap();
        assert_eq!(nothing, UndoAction::Nothing);
    }
    let queued = undo((decided(Decision::Queued), now));
    assert_eq!(reason(queued), "BEING_APPLIED");
}

#[test]
fn undo_of_a_named_decision_fails_after_another_one() {
    use UndoableDecision as Made;

    let states = [
        (Status::Pending, false),
        (Status::TakenBack, false),
        (Status::Recent, false),
        (Status::Rejected, false),
        (Status::Applied, false),
        (Status::Applied, true),
    ];
    let (none, overtaken) = (Some(UndoAction::Nothing), None);
    for (named, expected) in [
        (
            Made::Application,
            [
                none,
                overtaken,
                overtaken,
                overtaken,
                Some(UndoAction::Void),
                overtaken,
            ],
        ),
        (
            Made::Rejection,
            [
                none,
                none,
                overtaken,
                Some(UndoAction::Reopen),
                overtaken,
                overtaken,
            ],
        ),
        (
            Made::Acknowledgement,
            [
                overtaken,
                overtaken,
                none,
                overtaken,
                overtaken,
                Some(UndoAction::Unacknowledge),
            ],
        ),
        (
            Made::AutomaticApplication,
            [
                none,
                none,
                Some(UndoAction::Void),
                overtaken,
                overtaken,
                overtaken,
            ],
        ),
    ] {
        for ((status, acknowledged), expected) in states.into_iter().zip(expected) {
            let (update, now) = reviewed(status, acknowledged, 5);
            let result = undo(&update, Some(named), CALLER, now);
            match expected {
                Some(action) => assert_eq!(result.unwrap(), action, "{named:?} {status:?}"),
                None => assert_eq!(reason(result), "UNDO_OVERTAKEN", "{named:?} {status:?}"),
            }
        }
    }
    let (applied, now) = reviewed(Status::Applied, false, 5);
    let of_another = undo(&applied, Some(Made::Application), Uuid::max(), now);
    assert_eq!(reason(of_another), "UNDO_OVERTAKEN");
}

#[test]
fn apply_in_another_unit_needs_a_reading() {
    let mut update = update(Status::Pending, false);
    update.flags = vec![WRONG_UNIT.to_owned()];
    assert_eq!(reason(apply(&update, AS_REPORTED)), "WRONG_UNIT");
    let given = ApplyInput {
        reading: Some(Quantity::from_hundredths(7)),
        ..AS_REPORTED
    };
    assert!(apply(&update, given).is_ok());
}

#[test]
fn apply_uses_the_managers_or_the_reported_reading() {
    let reported = update(Status::Pending, false);
    let params = ApplyParams::as_reported(&reported);
    assert_eq!(
        apply(&reported, AS_REPORTED).unwrap(),
        ApplyAction::Decide(params)
    );
    let given = ApplyInput {
        reading: Some(Quantity::from_hundredths(7)),
        ..AS_REPORTED
    };
    let expected = ApplyAction::Decide(ApplyParams {
        reading: given.reading,
        overridden: true,
        replace_meter: true,
        replacement: None,
        fuel: None,
    });
    assert_eq!(apply(&reported, given).unwrap(), expected);
    let below = update(Status::Pending, true);
    assert_eq!(apply(&below, given).unwrap(), expected);
    assert_eq!(reason(apply(&below, AS_REPORTED)), "BELOW_CURRENT");
}

#[test]
fn may_withdraw_needs_the_authors_own_sign_in() {
    use hourmeter_proto::accounts::v1::Scope;

    let owner = hourmeter_runtime::testing::owner();
    let author = hourmeter_runtime::testing::operator_of(&owner);
    let by = |author: &Identity| Update {
        operator_id: author.user_id,
        ..update(Status::Pending, false)
    };
    may_withdraw(&by(&author), &author).unwrap();
    let of_another = may_withdraw(&by(&owner), &author).unwrap_err();
    assert_eq!(of_another.kind, Kind::NotFound);
    for (role, scope) in [
        (Role::Owner, Scope::Operator),
        (Role::Owner, Scope::Full),
        (Role::Manager, Scope::Full),
    ] {
        let other = Identity {
            role,
            scope,
            ..owner.clone()
        };
        let refused = may_withdraw(&by(&other), &other);
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind, Kind::Forbidden, "{role:?}");
        assert_eq!(refused.reason, "OWN_SIGN_IN_REQUIRED", "{role:?}");
    }
}

#[test]
fn withdraw_needs_a_pending_update() {
    assert!(withdraw(&update(Status::Pending, false)).unwrap());
    for decision in [Decision::Queued, Decision::Parked] {
        let decided = Update {
            decision,
            ..update(Status::Pending, false)
        };
        assert_eq!(reason(withdraw(&decided)), "BEING_APPLIED");
    }
    for (status, code) in [
        (Status::Applied, "ALREADY_APPLIED"),
        (Status::Recent, "ALREADY_APPLIED"),
        (Status::Rejected, "ALREADY_REJECTED"),
        (Status::TakenBack, "ALREADY_REJECTED"),
    ] {
        let refused = withdraw(&update(status, false));
        assert_eq!(reason(refused), code, "{status:?}");
    }
}

#[test]
fn withdrawn_updates_are_only_those_of_their_author() {
    let withdrawn = Update {
        operator_id: CALLER,
        reject_reason: WITHDRAWN.to_owned(),
        ..reviewed(Status::Rejected, false, 5).0
    };
    assert!(withdrawn.is_withdrawn());
    for other in [
        Update {
            reviewed_by_id: Some(Uuid::max()),
            ..withdrawn.clone()
        },
        Update {
            reject_reason: "Duplicate".to_owned(),
            ..withdrawn.clone()
        },
        Update {
            status: Status::TakenBack,
            ..withdrawn.clone()
        },
    ] {
        assert!(!other.is_withdrawn());
    }
    for named in [None, Some(UndoableDecision::Rejection)] {
        let now = withdrawn.reviewed_at.unwrap();
        let undone = undo(&withdrawn, named, CALLER, now);
        assert_eq!(reason(undone), "UNDO_OVERTAKEN");
    }
}

#[test]
fn reject_needs_a_pending_update() {
    assert!(reject(&update(Status::Pending, false)).unwrap());
    assert!(reject(&update(Status::TakenBack, false)).unwrap());
    assert!(!reject(&update(Status::Rejected, false)).unwrap());
    for status in [Status::Applied, Status::Recent] {
        assert_eq!(reason(reject(&update(status, false))), "ALREADY_APPLIED");
    }
    assert_eq!(reason(reject(&decided(Decision::Queued))), "BEING_APPLIED");
}

#[test]
fn acknowledge_needs_an_applied_update() {
    assert!(acknowledge(&update(Status::Recent, false)).unwrap());
    assert!(!acknowledge(&update(Status::Applied, false)).unwrap());
    for status in [Status::Pending, Status::TakenBack] {
        let pending = acknowledge(&update(status, false));
        assert_eq!(reason(pending), "NOT_APPLIED");
    }
    let rejected = acknowledge(&update(Status::Rejected, false));
    assert_eq!(reason(rejected), "ALREADY_REJECTED");
}

#[test]
fn apply_replacement_needs_a_reading_above_its_start() {
    let from = |start: i64| Replacement {
        change: MeterChange::Replaced,
        final_reading: None,
        start_reading: Quantity::from_hundredths(start),
    };
    let params = |update: &Update, reading: Option<i64>, start: i64| {
        let input = ApplyInput {
            reading: reading.map(Quantity::from_hundredths),
            replacement: Some(from(start)),
            fuel: None,
        };
        apply(update, input)
    };
    // It reports 1.00, which is below the old meter.
    let mut reported = update(Status::Pending, true);
    for (reading, start, expected, overridden) in [
        (None, 100, 100, false),
        (Some(7), 7, 7, true),
        (Some(7), 0, 7, true),
    ] {
        let expected = ApplyAction::Decide(ApplyParams {
            reading: Some(Quantity::from_hundredths(expected)),
            overridden,
            // An older process that ignores replacements must not post a correction.
            replace_meter: false,
            replacement: Some(from(start)),
            fuel: None,
        });
        assert_eq!(params(&reported, reading, start).unwrap(), expected);
    }
    for (reading, start) in [(None, 101), (Some(7), 8)] {
        let refused = params(&reported, reading, start).unwrap_err();
        assert_eq!(refused.fields[0].0, "meterReplacement.startReading");
    }
    reported.new_usage = None;
    let refused = params(&reported, None, 0).unwrap_err();
    assert_eq!(refused.fields[0].0, "newUsage");
    assert!(params(&reported, Some(0), 0).is_ok());
}

#[test]
fn move_needs_an_undecided_update() {
    let (here, there) = (Uuid::nil(), Uuid::max());
    assert!(move_to(&update(Status::Pending, true), there).is_ok());
    assert!(move_to(&update(Status::TakenBack, true), there).is_ok());
    assert_eq!(
        reason(move_to(&decided(Decision::Queued), there)),
        "BEING_APPLIED"
    );
    for (status, to, expected) in [
        (Status::Pending, here, "SAME_EQUIPMENT"),
        (Status::Applied, there, "ALREADY_APPLIED"),
        (Status::Recent, there, "ALREADY_APPLIED"),
        (Status::Rejected, there, "ALREADY_REJECTED"),
    ] {
        assert_eq!(reason(move_to(&update(status, false), to)), expected);
    }
}

#[test]
fn meter_change_round_trips_as_text() {
    for change in [MeterChange::Replaced, MeterChange::RolledOver] {
        assert_eq!(MeterChange::parse(change.as_str()), Some(change));
    }
    assert_eq!(MeterChange::parse("stolen"), None);
}

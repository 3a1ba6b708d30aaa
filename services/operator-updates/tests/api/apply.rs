//! `ApplyUpdate`.

use chrono::TimeDelta;
use hourmeter_proto::operator_updates::v1::{FuelKind, SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{operator_of, owner};
use tonic::Code;
use uuid::Uuid;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, reason, timestamp};

#[tokio::test]
async fn apply_returns_after_the_effect() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let request = SubmitUpdateRequest {
        fuel_added: Some(12.5),
        fuel_kind: FuelKind::Diesel.into(),
        notes: "half full".to_owned(),
        captured_at: Some(timestamp(now() - TimeDelta::hours(1))),
        ..reading(equipment, 110.25)
    };
    let sent = updates.submit(&operator, request).await.unwrap();
    let sent = sent.update.unwrap();
    updates
        .equipment
        .set_meter(owner.company_id, equipment, 105.0);

    let applied = updates.apply(&owner, &sent.id, None).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
    assert_eq!(
        applied.previous_usage,
        Some(105.0),
        "the meter at application"
    );
    assert_eq!(applied.reviewed_by, "Olivia Owner");
    assert_eq!(applied.reviewed_at, Some(timestamp(now())));
    assert_eq!(updates.row(&owner, &sent.id).await, applied);
    assert_eq!(updates.count("decisions").await, 0);

    let state = updates.equipment.state();
    let effect = &state.effects[0];
    assert_eq!(effect.update_id, sent.id);
    assert_eq!(effect.equipment_id, equipment.to_string());
    assert_eq!(effect.operator_id, operator.user_id.to_string());
    assert_eq!(effect.operator_name, "Oscar Operator");
    assert_eq!(effect.reading, Some(110.25));
    assert!(!effect.replace_meter);
    assert!((effect.fuel_added - 12.5).abs() < f64::EPSILON);
    assert_eq!(effect.fuel_kind, 2, "diesel");
    assert_eq!(effect.notes, "half full");
    assert_eq!(effect.captured_at, sent.captured_at);
}

#[tokio::test]
async fn apply_repeat_returns_the_stored_row() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    let first = updates.apply(&owner, &sent.id, None).await.unwrap();
    let again = updates.apply(&owner, &sent.id, Some(999.0)).await.unwrap();
    assert_eq!(first, again);
    assert_eq!(updates.equipment.effects(), 1);
}

#[tokio::test]
async fn apply_fuel_alone_keeps_the_meter() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let request = SubmitUpdateRequest {
        new_usage: None,
        fuel_added: Some(5.0),
        ..reading(equipment, 0.0)
    };
    let sent = updates.submit(&owner, request).await.unwrap().update;
    let sent = sent.unwrap();
    assert_eq!(sent.previous_usage, Some(100.0));
    updates
        .equipment
        .set_meter(owner.company_id, equipment, 105.0);
    let applied = updates.apply(&owner, &sent.id, None).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
    assert_eq!(
        (applied.previous_usage, applied.applied_usage),
        (Some(105.0), None),
        "the meter at application"
    );
    assert_eq!(updates.equipment.state().effects[0].fuel_kind, 1, "gas");
}

#[tokio::test]
async fn apply_managers_reading_overrides_the_reported_one() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 1100.0).await;
    let applied = updates.apply(&owner, &sent.id, Some(110.0)).await.unwrap();
    assert_eq!(
        applied.new_usage,
        Some(1100.0),
        "the reported reading is kept"
    );
    assert_eq!(
        (applied.applied_reading, applied.set_back),
        (Some(110.0), false)
    );
    let meter = updates.equipment.meter(owner.company_id, equipment);
    assert!((meter - 110.0).abs() < f64::EPSILON);
    assert!(updates.equipment.state().effects[0].replace_meter);
    let undone = updates.undo(&owner, &sent.id).await.unwrap();
    assert_eq!(undone.applied_reading, None);
    let again = updates.apply(&owner, &sent.id, None).await.unwrap();
    assert_eq!(
        (again.applied_usage, again.applied_reading),
        (Some(1100.0), None)
    );
}

#[tokio::test]
async fn apply_below_the_meter_needs_the_managers_reading() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 12.0).await;
    let refused = updates.apply(&owner, &sent.id, None).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(reason(&refused), "BELOW_CURRENT");
    assert_eq!(updates.count("decisions").await, 0);
    assert_eq!(updates.equipment.state().calls, 0);

    let applied = updates.apply(&owner, &sent.id, Some(12.0)).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
    assert!(applied.set_back);
    assert!(updates.equipment.state().effects[0].replace_meter);
}

#[tokio::test]
async fn apply_refused_as_below_current_is_pending_again() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    updates
        .equipment
        .set_meter(owner.company_id, equipment, 150.0);
    let refused = updates.apply(&owner, &sent.id, None).await.unwrap_err();
    assert_eq!(reason(&refused), "BELOW_CURRENT");
    let row = updates.row(&owner, &sent.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
    assert!(row.below_current);
    assert_eq!(row.flags, ["below_meter"]);
    assert_eq!(updates.count("decisions").await, 0);

    assert!(updates.apply(&owner, &sent.id, Some(110.0)).await.is_ok());
}

#[tokio::test]
async fn apply_managers_reading_below_the_meter_sets_it() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 4990.0);
    // A typo, far above the meter.
    let sent = updates.submitted(&owner, equipment, 5000.0).await;
    assert!(!sent.below_current);
    let applied = updates.apply(&owner, &sent.id, Some(4950.0)).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
    assert_eq!(applied.previous_usage, Some(4990.0));
    assert!(!applied.below_current && applied.flags.is_empty());
    let meter = updates.equipment.meter(owner.company_id, equipment);
    assert!((meter - 4950.0).abs() < f64::EPSILON);
}

#[tokio::test]
async fn apply_late_update_posts_fuel_and_keeps_the_meter() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let (first, second) = (operator_of(&owner), operator_of(&owner));
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let nine = now() + TimeDelta::hours(1);
    updates.clock.set(nine + TimeDelta::hours(1));
    let sent = updates.submitted(&second, equipment, 110.0).await;
    updates.apply(&owner, &sent.id, None).await.unwrap();

    // Captured at nine without signal, received at eleven.
    updates.clock.set(nine + TimeDelta::hours(2));
    let request = SubmitUpdateRequest {
        fuel_added: Some(8.0),
        captured_at: Some(timestamp(nine)),
        ..reading(equipment, 105.0)
    };
    let late = updates.submit(&first, request).await.unwrap();
    let late = late.update.unwrap();
    assert!(!late.below_current && late.flags.is_empty());
    assert_eq!(late.previous_usage, Some(110.0));

    let applied = updates.apply(&owner, &late.id, None).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
    assert!(!applied.below_current && applied.flags.is_empty());
    let meter = updates.equipment.meter(owner.company_id, equipment);
    assert!((meter - 110.0).abs() < f64::EPSILON);
    let state = updates.equipment.state();
    let effect = state.effects.last().unwrap();
    assert_eq!(effect.update_id, late.id);
    assert!((effect.fuel_added - 8.0).abs() < f64::EPSILON);
    assert!(!effect.replace_meter);
    assert_eq!(state.effects.len(), 2);
}

#[tokio::test]
async fn apply_stores_the_meter_at_application_also_without_a_reading_and_late() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let minutes = TimeDelta::minutes;
    let send = async |ago: TimeDelta, request: SubmitUpdateRequest| {
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(now() - ago)),
            ..request
        };
        updates
            .submit(&owner, request)
            .await
            .unwrap()
            .update
            .unwrap()
    };
    let without_usage = SubmitUpdateRequest {
        new_usage: None,
        ..reading(machine, 0.0)
    };
    let fuel = SubmitUpdateRequest {
        fuel_added: Some(8.0),
        ..without_usage.clone()
    };
    let notes = SubmitUpdateRequest {
        notes: "Leaks oil".to_owned(),
        ..without_usage
    };
    let late = send(minutes(30), reading(machine, 103.0)).await;
    let waiting = [
        send(minutes(20), fuel.clone()).await,
        send(minutes(19), notes).await,
        late.clone(),
    ];
    assert!(waiting.iter().all(|one| one.previous_usage == Some(100.0)));
    let newer = send(minutes(10), reading(machine, 110.0)).await;
    updates.apply(&owner, &newer.id, None).await.unwrap();
    for (id, previous) in [
        (&waiting[0].id, 110.0),
        (&waiting[1].id, 110.0),
        // At its place in time.
        (&late.id, 100.0),
    ] {
        let applied = updates.apply(&owner, id, None).await.unwrap();
        assert_eq!(applied.previous_usage, Some(previous));
    }
    // Captured before the reading, too.
    let late_fuel = SubmitUpdateRequest {
        fuel_added: Some(9.0),
        ..fuel
    };
    let late_fuel = send(minutes(40), late_fuel).await;
    updates
        .equipment
        .set_meter(owner.company_id, machine, 120.0);
    let applied = updates.apply(&owner, &late_fuel.id, None).await.unwrap();
    assert_eq!(applied.previous_usage, Some(120.0));
}

#[tokio::test]
async fn apply_below_the_meter_of_its_time_needs_a_reading_also_when_late() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let mut ids = Vec::new();
    for (minutes_ago, usage) in [(30, 110.0), (20, 105.0), (10, 120.0)] {
        let captured_at = now() - TimeDelta::minutes(minutes_ago);
        let request = SubmitUpdateRequest {
            fuel_added: Some(8.0),
            captured_at: Some(timestamp(captured_at)),
            ..reading(equipment, usage)
        };
        let sent = updates.submit(&owner, request).await.unwrap().update;
        ids.push(sent.unwrap().id);
    }
    updates.apply(&owner, &ids[0], None).await.unwrap();
    for _ in 0..2 {
        let refused = updates.apply(&owner, &ids[1], None).await.unwrap_err();
        assert_eq!(reason(&refused), "BELOW_CURRENT");
    }
    updates.apply(&owner, &ids[2], None).await.unwrap();
    let refused = updates.apply(&owner, &ids[1], None).await.unwrap_err();
    assert_eq!(
        reason(&refused),
        "BELOW_CURRENT",
        "a later reading changes nothing"
    );
    updates.equipment.set(Mode::Unavailable);
    let refused = updates.apply(&owner, &ids[1], None).await.unwrap_err();
    assert_eq!(reason(&refused), "BELOW_CURRENT", "as far as we know");
    updates.equipment.set(Mode::Normal);
    let past = updates.apply(&owner, &ids[1], Some(115.0)).await.unwrap();
    assert_eq!(past.status(), UpdateStatus::Applied);
    assert_eq!(
        (past.previous_usage, past.applied_usage),
        (Some(110.0), Some(115.0))
    );
    let machine = updates.equipment.state().machines[&(owner.company_id, equipment)].clone();
    assert_eq!((machine.reading, machine.fuel), (12_000, 2400));
}

#[tokio::test]
async fn apply_to_retired_equipment_discards_the_decision() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    updates.equipment.remove(owner.company_id, equipment);
    let refused = updates.apply(&owner, &sent.id, None).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(reason(&refused), "EQUIPMENT_GONE");
    let row = updates.row(&owner, &sent.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
    assert_eq!(row.equipment_name, "Excavator 7");
    assert_eq!(row.flags, ["refused"]);
    let queue = updates.review(&owner, 0).await.unwrap();
    assert_eq!((queue.pending_count, queue.flagged_count), (1, 1));
    assert_eq!(updates.count("decisions").await, 0);
    let rejected = updates.reject(&owner, &sent.id, "sold").await.unwrap();
    assert_eq!(rejected.status(), UpdateStatus::Rejected);
}

#[tokio::test]
async fn apply_invalid_readings_change_nothing() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    for bad in [-1.0, 1.001, f64::NAN, f64::NEG_INFINITY, 2e9] {
        let status = updates.apply(&owner, &sent.id, Some(bad)).await;
        let status = status.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(status.message(), "Invalid Usage");
        assert_eq!(ServiceError::from_status(&status).fields[0].0, "newUsage");
    }
    assert_eq!(updates.row(&owner, &sent.id).await, sent);
    assert_eq!(updates.equipment.state().calls, 0);
}

#[tokio::test]
async fn apply_of_unknown_and_foreign_ids_is_not_found() {
    let updates = TestUpdates::new().await;
    let (ours, theirs) = (owner(), owner());
    let equipment = updates.equipment.add(theirs.company_id, 100.0);
    let foreign = updates.submitted(&theirs, equipment, 110.0).await;
    let made_up = Uuid::now_v7().to_string();
    for id in [foreign.id.as_str(), made_up.as_str(), "", "nonsense"] {
        for status in [
            updates.apply(&ours, id, None).await.unwrap_err(),
            updates.reject(&ours, id, "").await.unwrap_err(),
            updates.acknowledge(&ours, id).await.unwrap_err(),
        ] {
            assert_eq!(status.code(), Code::NotFound, "{id}");
            assert_eq!(status.message(), "Not found.");
        }
    }
    assert_eq!(updates.row(&theirs, &foreign.id).await, foreign);
    assert_eq!(updates.equipment.state().calls, 0);
}

#[tokio::test]
async fn apply_concurrently_has_one_effect() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    let second = Identity {
        user_id: Uuid::now_v7(),
        display_name: "Mara Manager".to_owned(),
        ..owner.clone()
    };
    let calls = (0..50).map(|n| {
        let by = if n % 2 == 0 { &owner } else { &second };
        updates.apply(by, &sent.id, None)
    });
    let answers = futures::future::join_all(calls).await;
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    for answer in &answers {
        assert_eq!(answer, &answers[0], "all read the same decision");
    }
    assert_eq!(answers[0].status(), UpdateStatus::Applied);
    assert_eq!(updates.equipment.effects(), 1);
    assert_eq!(updates.count("decisions").await, 0);
}

#[tokio::test]
async fn apply_and_reject_concurrently_agree() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    for n in 0..10_u8 {
        let sent = updates
            .submitted(&owner, equipment, 200.0 + f64::from(n))
            .await;
        let (applied, rejected) = tokio::join!(
            updates.apply(&owner, &sent.id, None),
            updates.reject(&owner, &sent.id, "no"),
        );
        assert_ne!(applied.is_ok(), rejected.is_ok(), "exactly one wins");
        let happened = updates.equipment.state().applied.len();
        let row = updates.row(&owner, &sent.id).await;
        assert_eq!(row.status() == UpdateStatus::Applied, applied.is_ok());
        let id: Uuid = sent.id.parse().unwrap();
        let effect = updates.equipment.state().applied.contains_key(&id);
        assert_eq!(effect, applied.is_ok(), "{happened} effects");
    }
}

#[tokio::test]
async fn apply_stays_queued_while_equipment_is_unavailable() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    updates.equipment.set(Mode::Unavailable);
    for _ in 0..2 {
        let away = updates.apply(&owner, &sent.id, None).await.unwrap_err();
        assert_eq!(away.code(), Code::Unavailable);
    }
    let row = updates.row(&owner, &sent.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
    assert_eq!(updates.count("decisions").await, 1);
    let refused = updates.reject(&owner, &sent.id, "").await.unwrap_err();
    assert_eq!(reason(&refused), "BEING_APPLIED");

    updates.equipment.set(Mode::Normal);
    let applied = updates.apply(&owner, &sent.id, None).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
    assert_eq!(updates.equipment.effects(), 1);
}

#[tokio::test]
async fn apply_no_longer_below_the_meter_needs_no_reading() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 5000.0);
    let other = updates.equipment.add(owner.company_id, 5000.0);
    let mut ids = Vec::new();
    for (minutes_ago, machine, usage) in [
        (30, equipment, 10.0),
        (20, equipment, 12.0),
        (10, equipment, 14.0),
        (5, other, 16.0),
    ] {
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(now() - TimeDelta::minutes(minutes_ago))),
            ..reading(machine, usage)
        };
        let sent = updates.submit(&owner, request).await.unwrap().update;
        let sent = sent.unwrap();
        assert_eq!(sent.flags, ["below_meter"]);
        ids.push(sent.id);
    }
    // The meter was replaced, which is recorded after they were received.
    updates
        .equipment
        .set_meter(owner.company_id, equipment, 10.0);
    let applied = updates.apply(&owner, &ids[0], None).await.unwrap();
    assert_eq!(applied.applied_usage, Some(10.0));
    updates
        .equipment
        .set_meter(owner.company_id, equipment, 12.01);
    let results = updates.apply_many(&owner, ids.clone()).await.unwrap();
    let done: Vec<_> = results.iter().map(|result| result.ok).collect();
    assert_eq!(done, [true, false, true, false]);
    let state = updates.equipment.state();
    assert!(state.effects.iter().all(|effect| !effect.replace_meter));
    let machine = &state.machines[&(owner.company_id, equipment)];
    assert_eq!(machine.reading, 1400);
    let machine = &state.machines[&(owner.company_id, other)];
    assert_eq!(machine.reading, 500_000);
}

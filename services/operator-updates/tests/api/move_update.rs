//! `MoveUpdate`.

use chrono::TimeDelta;
use hourmeter_proto::operator_updates::v1::{MoveUpdateRequest, SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{operator_of, owner};
use tonic::Code;
use uuid::Uuid;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, reason, timestamp};

#[tokio::test]
async fn move_without_flags_applies() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let wrong = updates
        .equipment
        .add_named(owner.company_id, "Excavator 7", 5000.0);
    let right = updates
        .equipment
        .add_named(owner.company_id, "Excavator 9", 100.0);
    let request = SubmitUpdateRequest {
        fuel_added: Some(7.0),
        notes: "left track".to_owned(),
        ..reading(wrong, 110.0)
    };
    let sent = updates.submit(&operator, request).await.unwrap().update;
    let sent = sent.unwrap();
    assert_eq!(sent.flags, ["below_meter"]);

    let moved = updates.move_to(&owner, &sent.id, right).await.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Applied);
    assert_eq!(moved.equipment_id, right.to_string());
    assert_eq!(moved.equipment_name, "Excavator 9");
    assert_eq!(moved.reported_equipment_name, "Excavator 7");
    assert!(moved.flags.is_empty() && !moved.below_current && !moved.applying);
    assert_eq!(moved.previous_usage, Some(100.0));
    assert_eq!(moved.applied_usage, Some(110.0));
    assert_eq!(moved.reviewed_by, "Olivia Owner");
    assert_eq!(moved.notes, "left track");
    assert_eq!(updates.row(&operator, &sent.id).await, moved);
    let effect = updates.equipment.state().effects[0].clone();
    assert_eq!(effect.equipment_id, right.to_string());
    assert!(!effect.replace_meter);
    assert_eq!(updates.equipment.effects(), 1);
    assert_eq!(updates.count("decisions").await, 0);
}

#[tokio::test]
async fn move_with_flags_waits_for_review() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let wrong = updates.equipment.add_named(owner.company_id, "A", 1.0);
    let there = updates.equipment.add_named(owner.company_id, "B", 500.0);
    let third = updates.equipment.add_named(owner.company_id, "C", 300.0);
    let sent = updates.submitted(&owner, wrong, 400.0).await;
    assert!(sent.flags.is_empty());

    let moved = updates.move_to(&owner, &sent.id, there).await.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Pending);
    assert_eq!(moved.flags, ["below_meter"]);
    assert!(moved.below_current && !moved.applying);
    assert_eq!(moved.previous_usage, Some(500.0));
    assert_eq!(moved.reported_equipment_name, "A");
    assert_eq!(updates.count("decisions").await, 0);

    // Moved again: the original name stays.
    let earlier = now() - TimeDelta::minutes(1);
    updates.equipment.state().read_at.insert(third, earlier);
    let moved = updates.move_to(&owner, &sent.id, third).await.unwrap();
    assert_eq!(moved.flags, ["jump"]);
    assert_eq!(moved.equipment_name, "C");
    assert_eq!(moved.reported_equipment_name, "A");
    // Moved back: there is no original name.
    updates.equipment.set_meter(owner.company_id, wrong, 450.0);
    let back = updates.move_to(&owner, &sent.id, wrong).await.unwrap();
    assert_eq!(back.reported_equipment_name, "");
    assert_eq!(back.equipment_name, "A");
    assert_eq!(back.flags, ["below_meter"]);
    assert_eq!(updates.equipment.effects(), 0);
    let applied = updates.apply(&owner, &sent.id, Some(460.0)).await.unwrap();
    assert_eq!(applied.equipment_id, wrong.to_string());
}

#[tokio::test]
async fn move_that_waits_is_not_applied_without_flags() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let first = updates.equipment.add_named(owner.company_id, "A", 1.0);
    let other = updates.equipment.add_named(owner.company_id, "B", 2.0);
    let sent = updates.submitted(&owner, first, 4.0).await;
    let request = MoveUpdateRequest {
        id: sent.id,
        equipment_id: other.to_string(),
        wait: true,
    };
    let moved = updates.move_update(&owner, request).await.unwrap();
    assert_eq!(
        (moved.status(), moved.applying),
        (UpdateStatus::Pending, false)
    );
    assert!(moved.flags.is_empty());
    assert_eq!(moved.equipment_name, "B");
    assert_eq!(updates.equipment.effects(), 0);
}

#[tokio::test]
async fn move_checks_against_the_new_equipment() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let wrong = updates.equipment.add(owner.company_id, 1.0);
    let there = updates.equipment.add(owner.company_id, 10.0);
    updates
        .equipment
        .change(owner.company_id, there, |machine| {
            machine.usual_fill = Some(10.0);
            machine.initial = 100;
        });
    updates
        .equipment
        .state()
        .read_at
        .insert(there, now() - TimeDelta::minutes(5));
    let request = |machine| SubmitUpdateRequest {
        fuel_added: Some(31.0),
        captured_at: Some(timestamp(now() - TimeDelta::minutes(9))),
        ..reading(machine, 5.0)
    };
    let first = updates.submit(&operator, request(there)).await.unwrap();
    assert_eq!(first.update.unwrap().flags, ["fuel_high"]);
    let sent = updates.submit(&operator, request(wrong)).await.unwrap();
    let sent = sent.update.unwrap();
    assert!(sent.flags.is_empty() && !sent.late);
    let moved = updates.move_to(&owner, &sent.id, there).await.unwrap();
    assert_eq!(moved.flags, ["fuel_high", "repeated"]);
    assert!(moved.late);
    // Moved again, it is not a repeat of itself.
    let third = updates.equipment.add(owner.company_id, 1.0);
    let moved = updates.move_to(&owner, &sent.id, third).await.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Applied);
    assert!(!moved.late);
    let effect = updates.equipment.state().effects[0].clone();
    assert_eq!(effect.reported_equipment_name, "Excavator 7");
    assert_eq!(effect.sent.unwrap().reading, Some(5.0));
}

#[tokio::test]
async fn move_of_a_late_update_is_inserted_at_its_time() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let wrong = updates.equipment.add(owner.company_id, 1.0);
    let there = updates.equipment.add(owner.company_id, 90.0);
    updates
        .equipment
        .change(owner.company_id, there, |machine| machine.initial = 100);
    updates.equipment.state().read_at.insert(there, now());
    let request = SubmitUpdateRequest {
        fuel_added: Some(31.0),
        captured_at: Some(timestamp(now() - TimeDelta::minutes(9))),
        ..reading(wrong, 5.0)
    };
    let sent = updates.submit(&owner, request).await.unwrap().update;
    let moved = updates.move_to(&owner, &sent.unwrap().id, there).await;
    let moved = moved.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Applied);
    assert!(moved.late);
    assert_eq!(
        (moved.previous_usage, moved.applied_usage),
        (Some(1.0), Some(5.0))
    );
    let machine = updates.equipment.state().machines[&(owner.company_id, there)].clone();
    assert_eq!((machine.reading, machine.fuel), (9000, 3100));
}

#[tokio::test]
async fn move_of_a_decided_update_is_refused() {
    let updates = TestUpdates::without_relay().await;
    let owner = Identity {
        auto_apply_updates: true,
        ..owner()
    };
    let by_hand = Identity {
        auto_apply_updates: false,
        ..owner.clone()
    };
    let here = updates.equipment.add(owner.company_id, 1.0);
    let there = updates.equipment.add(owner.company_id, 1.0);
    let recent = updates.submitted(&owner, here, 5.0).await;
    let rejected = updates.submitted(&by_hand, here, 6.0).await;
    updates.reject(&owner, &rejected.id, "").await.unwrap();
    let applied = updates.submitted(&by_hand, here, 7.0).await;
    updates.apply(&owner, &applied.id, None).await.unwrap();
    let pending = updates.submitted(&by_hand, here, 8.0).await;
    let queued = updates.submitted(&by_hand, here, 9.0).await;
    updates.equipment.set(Mode::Unavailable);
    assert!(updates.apply(&owner, &queued.id, None).await.is_err());
    updates.equipment.set(Mode::Normal);
    for (id, to, expected, text) in [
        (
            &recent.id,
            there,
            "ALREADY_APPLIED",
            "This update was already applied.",
        ),
        (
            &applied.id,
            there,
            "ALREADY_APPLIED",
            "This update was already applied.",
        ),
        (
            &rejected.id,
            there,
            "ALREADY_REJECTED",
            "This update was already rejected.",
        ),
        (
            &queued.id,
            there,
            "BEING_APPLIED",
            "This update is being applied.",
        ),
        (
            &pending.id,
            here,
            "SAME_EQUIPMENT",
            "This update is already for this equipment.",
        ),
    ] {
        let before = updates.row(&owner, id).await;
        let refused = updates.move_to(&owner, id, to).await.unwrap_err();
        assert_eq!(refused.code(), Code::FailedPrecondition);
        assert_eq!(reason(&refused), expected);
        assert_eq!(refused.message(), text);
        assert_eq!(updates.row(&owner, id).await, before);
    }
}

#[tokio::test]
async fn move_of_unknown_and_foreign_updates_is_not_found() {
    let updates = TestUpdates::new().await;
    let (ours, theirs) = (owner(), owner());
    let here = updates.equipment.add(ours.company_id, 1.0);
    let foreign_machine = updates.equipment.add(theirs.company_id, 1.0);
    let sent = updates.submitted(&ours, here, 5.0).await;
    let foreign = updates.submitted(&theirs, foreign_machine, 5.0).await;
    let gone = updates.equipment.add(ours.company_id, 1.0);
    updates.equipment.remove(ours.company_id, gone);
    let unknown = Uuid::now_v7().to_string();
    for (id, to) in [
        (foreign.id.clone(), here.to_string()),
        (unknown.clone(), here.to_string()),
        ("nonsense".to_owned(), here.to_string()),
        (String::new(), here.to_string()),
        (sent.id.clone(), foreign_machine.to_string()),
        (sent.id.clone(), gone.to_string()),
        (sent.id.clone(), unknown),
        (sent.id.clone(), "nonsense".to_owned()),
    ] {
        let status = updates.move_to(&ours, &id, &to).await.unwrap_err();
        assert_eq!(status.code(), Code::NotFound, "{id} {to}");
        assert_eq!(status.message(), "Not found.");
    }
    assert_eq!(updates.row(&ours, &sent.id).await, sent);
    assert_eq!(updates.row(&theirs, &foreign.id).await, foreign);
    updates.equipment.set(Mode::Unavailable);
    let there = updates.equipment.add(ours.company_id, 1.0);
    let away = updates.move_to(&ours, &sent.id, there).await.unwrap_err();
    assert_eq!(away.code(), Code::Unavailable);
    assert_eq!(updates.row(&ours, &sent.id).await, sent);
}

#[tokio::test]
async fn move_from_retired_equipment() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let sold = updates.equipment.add(owner.company_id, 1.0);
    let there = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&owner, sold, 5.0).await;
    updates.equipment.remove(owner.company_id, sold);
    assert!(updates.apply(&owner, &sent.id, None).await.is_err());
    let moved = updates.move_to(&owner, &sent.id, there).await.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Applied);
}

#[tokio::test]
async fn move_with_a_lost_response_is_finished_by_the_relay() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let here = updates.equipment.add(owner.company_id, 1.0);
    let there = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&owner, here, 5.0).await;
    updates.equipment.set(Mode::ResponseLost);
    let moved = updates.move_to(&owner, &sent.id, there).await.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Pending);
    assert!(moved.applying);
    assert_eq!(moved.equipment_id, there.to_string());
    updates.equipment.set(Mode::Normal);
    updates
        .wait_for(&owner, &sent.id, UpdateStatus::Applied)
        .await;
    assert_eq!(updates.equipment.effects(), 1);
}

#[tokio::test]
async fn move_and_apply_concurrently_agree() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let here = updates.equipment.add(owner.company_id, 1.0);
    let there = updates.equipment.add(owner.company_id, 1.0);
    for n in 0..20_u8 {
        let sent = updates.submitted(&owner, here, 5.0 + f64::from(n)).await;
        let (applied, moved) = tokio::join!(
            updates.apply(&owner, &sent.id, None),
            updates.move_to(&owner, &sent.id, there),
        );
        // The second request sees the first: an apply finds it moved, or a move finds it decided.
        let applied = applied.unwrap();
        let row = updates.row(&owner, &sent.id).await;
        assert_eq!(row, applied);
        let place = if moved.is_ok() { there } else { here };
        assert_eq!(row.equipment_id, place.to_string());
        let effects = updates.equipment.state().effects.clone();
        assert_eq!(effects.len(), usize::from(n) + 1);
        assert_eq!(effects.last().unwrap().equipment_id, place.to_string());
    }
}

#[tokio::test]
async fn move_concurrently_succeeds_once() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let here = updates.equipment.add(owner.company_id, 1.0);
    let (left, right) = (
        updates.equipment.add(owner.company_id, 1.0),
        updates.equipment.add(owner.company_id, 1.0),
    );
    for n in 0..10_u8 {
        let sent = updates.submitted(&owner, here, 5.0 + f64::from(n)).await;
        let (one, other) = tokio::join!(
            updates.move_to(&owner, &sent.id, left),
            updates.move_to(&owner, &sent.id, right),
        );
        assert_ne!(one.is_ok(), other.is_ok());
        assert_eq!(updates.equipment.effects(), usize::from(n) + 1);
    }
}

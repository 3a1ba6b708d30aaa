//! `ListReview`, and rows that are being applied.

use chrono::TimeDelta;
use hourmeter_proto::operator_updates::v1::{
    ListReviewResponse, SubmitUpdateRequest, UpdateStatus,
};
use hourmeter_runtime::testing::{operator_of, owner};
use tonic::Code;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, timestamp};

#[tokio::test]
async fn list_review_has_flagged_machines_first() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let add = |name| updates.equipment.add_named(owner.company_id, name, 100.0);
    let (bulldozer, crane) = (add("bulldozer 2"), add("Crane 1"));
    let (auger, dumper) = (add("Auger"), add("dumper"));
    // Two of the same name are not mixed.
    let twin = add("Auger");
    let mut expected = Vec::new();
    for (place, machine, minutes_ago, usage) in [
        // Flagged machines by name, each in capture order with its unflagged ones.
        (0, bulldozer, 50, 110.0),
        (1, bulldozer, 40, 90.0),
        (2, dumper, 60, 101.0),
        (3, dumper, 10, 99.0),
        // The others by name, then by id.
        (4, auger, 30, 101.0),
        (5, auger, 20, 102.0),
        (6, twin, 70, 101.0),
        (7, crane, 5, 150.0),
    ] {
        expected.push((place, minutes_ago, machine, usage));
    }
    let mut ids = vec![String::new(); expected.len()];
    // Sent in another order.
    expected.sort_by_key(|(_, minutes_ago, ..)| minutes_ago % 7);
    for (place, minutes_ago, machine, usage) in expected {
        let captured_at = now() - TimeDelta::minutes(minutes_ago);
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(captured_at)),
            ..reading(machine, usage)
        };
        let row = updates.submit(&operator, request).await.unwrap().update;
        ids[usize::try_from(place).unwrap()] = row.unwrap().id;
    }
    let rejected = updates.submitted(&operator, auger, 1.0).await;
    updates.reject(&owner, &rejected.id, "").await.unwrap();
    let applied = updates.submitted(&operator, crane, 160.0).await;
    updates.apply(&owner, &applied.id, None).await.unwrap();

    let queue = updates.review(&owner, 0).await.unwrap();
    let listed: Vec<_> = queue.updates.iter().map(|row| row.id.clone()).collect();
    assert_eq!(listed, ids);
    assert_eq!((queue.pending_count, queue.flagged_count), (8, 2));
    for row in &queue.updates {
        assert_eq!(row, &updates.row(&owner, &row.id).await);
    }
    let first = updates.review(&owner, 3).await.unwrap();
    assert_eq!(first.updates, queue.updates[..3]);
    assert_eq!((first.pending_count, first.flagged_count), (8, 2));

    let stranger = hourmeter_runtime::testing::owner();
    let theirs = updates.review(&stranger, 0).await.unwrap();
    assert_eq!(theirs, ListReviewResponse::default());
}

#[tokio::test]
async fn list_review_keeps_renamed_machines_together() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates
        .equipment
        .add_named(owner.company_id, "Aerator", 1.0);
    let other = updates.equipment.add_named(owner.company_id, "Mixer", 1.0);
    let first = updates.submitted(&owner, machine, 2.0).await.id;
    let between = updates.submitted(&owner, other, 2.0).await.id;
    updates.equipment.change(owner.company_id, machine, |it| {
        it.name = "Zipper".to_owned();
    });
    updates.clock.set(now() + TimeDelta::minutes(1));
    let second = updates.submitted(&owner, machine, 3.0).await.id;
    let queue = updates.review(&owner, 500).await.unwrap();
    let listed: Vec<_> = queue.updates.into_iter().map(|row| row.id).collect();
    assert_eq!(listed, [between, first, second], "by the newest name");
}

#[tokio::test]
async fn list_review_limit_is_1_to_500() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&owner, machine, 5.0).await.id;
    updates
        .execute(
            "INSERT INTO updates (
                company_id, id, equipment_id, equipment_name, operator_id, operator_name,
                new_usage, fuel_added, fuel_kind, notes, status, client_id, captured_at,
                below_current, flags, created_at
            )
            SELECT
                company_id, gen_random_uuid(), equipment_id, equipment_name, operator_id,
                operator_name, new_usage, fuel_added, fuel_kind, notes, status, n::text,
                captured_at + make_interval(secs => n), below_current, flags, created_at
            FROM updates, generate_series(1, 549) n",
        )
        .await;
    for (limit, listed) in [(0, 500), (500, 500), (1, 1)] {
        let queue = updates.review(&owner, limit).await.unwrap();
        assert_eq!(queue.updates.len(), listed);
        assert_eq!(queue.pending_count, 550);
        assert_eq!(queue.updates[0].id, sent);
    }
    for bad in [501, u32::MAX] {
        let status = updates.review(&owner, bad).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(status.message(), "Must be 1 to 500.");
    }
}

#[tokio::test]
async fn list_shows_applying_and_the_result() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&operator, machine, 110.0).await;
    assert!(!sent.applying && sent.applied_usage.is_none());
    assert_eq!(sent.reported_equipment_name, "");

    updates.equipment.set(Mode::Unavailable);
    assert!(updates.apply(&owner, &sent.id, None).await.is_err());
    let row = updates.row(&operator, &sent.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
    assert!(row.applying);
    let queue = updates.review(&owner, 0).await.unwrap();
    assert_eq!(queue.updates, [row]);

    updates.equipment.set(Mode::Normal);
    let applied = updates.apply(&owner, &sent.id, None).await.unwrap();
    assert!(!applied.applying);
    assert_eq!(applied.applied_usage, Some(110.0));
    assert_eq!(updates.row(&operator, &sent.id).await, applied);
    assert_eq!(updates.review(&owner, 0).await.unwrap().pending_count, 0);
}

#[tokio::test]
async fn list_shows_late_updates_at_their_place_in_time() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let early = SubmitUpdateRequest {
        captured_at: Some(timestamp(now() - TimeDelta::hours(2))),
        fuel_added: Some(5.0),
        ..reading(machine, 105.0)
    };
    let early = updates.submit(&owner, early).await.unwrap().update.unwrap();
    let later = updates.submitted(&owner, machine, 110.0).await;
    updates.apply(&owner, &later.id, None).await.unwrap();
    assert!(!early.late);
    let applied = updates.apply(&owner, &early.id, None).await.unwrap();
    assert_eq!(applied.applied_usage, Some(105.0));
    // A manager's correction does not change the later reading either.
    let early = SubmitUpdateRequest {
        captured_at: Some(timestamp(now() - TimeDelta::hours(1))),
        ..reading(machine, 107.0)
    };
    let late = updates.submit(&owner, early).await.unwrap().update.unwrap();
    assert!(late.late);
    let applied = updates.apply(&owner, &late.id, Some(120.0)).await.unwrap();
    assert!(applied.late);
    assert_eq!(applied.applied_usage, Some(120.0));
    let meter = updates.equipment.meter(owner.company_id, machine);
    assert!((meter - 110.0).abs() < f64::EPSILON);
}

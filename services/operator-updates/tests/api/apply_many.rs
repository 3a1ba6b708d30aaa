//! `ApplyUpdates`.

use chrono::TimeDelta;
use hourmeter_proto::operator_updates::v1::{SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::testing::owner;
use tonic::Code;
use uuid::Uuid;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, timestamp};

#[tokio::test]
async fn apply_updates_are_independent_and_in_request_order() {
    let updates = TestUpdates::new().await;
    let (owner, stranger) = (owner(), owner());
    let first = updates.equipment.add(owner.company_id, 100.0);
    let second = updates.equipment.add(owner.company_id, 100.0);
    let good = updates.submitted(&owner, first, 110.0).await.id;
    let below = updates.submitted(&owner, first, 50.0).await.id;
    let rejected = updates.submitted(&owner, first, 120.0).await.id;
    updates.reject(&owner, &rejected, "").await.unwrap();
    let applied = updates.submitted(&owner, second, 130.0).await.id;
    updates.apply(&owner, &applied, None).await.unwrap();
    let theirs = updates.equipment.add(stranger.company_id, 1.0);
    let foreign = updates.submitted(&stranger, theirs, 5.0).await.id;
    let made_up = Uuid::now_v7().to_string();

    let ids = vec![
        below.clone(),
        good.clone(),
        rejected,
        applied,
        foreign,
        made_up,
        "nonsense".to_owned(),
        good.clone(),
    ];
    let results = updates.apply_many(&owner, ids.clone()).await.unwrap();
    let returned: Vec<_> = results.iter().map(|result| result.id.clone()).collect();
    assert_eq!(returned, ids);
    let ok: Vec<_> = results.iter().map(|result| result.ok).collect();
    assert_eq!(ok, [false, true, false, true, false, false, false, true]);
    for result in &results {
        assert_eq!(result.ok, result.message.is_empty());
        assert_eq!(result.ok, result.code.is_empty());
    }
    assert_eq!(results[2].message, "This update was already rejected.");
    assert_eq!(results[2].code, "ALREADY_REJECTED");
    assert_eq!(results[4].message, "Not found.");
    assert_eq!(results[4].code, "NOT_FOUND");
    assert_eq!(results[6].message, "Not found.");
    assert_eq!(updates.equipment.effects(), 2);
    let row = updates.row(&owner, &below).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
}

#[tokio::test]
async fn apply_updates_takes_1_to_500() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let mut ids = vec![updates.submitted(&owner, machine, 5.0).await.id];
    ids.resize_with(501, || Uuid::now_v7().to_string());
    for bad in [Vec::new(), ids.clone()] {
        for status in [
            updates.apply_many(&owner, bad.clone()).await.unwrap_err(),
            updates.acknowledge_many(&owner, bad).await.unwrap_err(),
        ] {
            assert_eq!(status.code(), Code::InvalidArgument);
            assert_eq!(status.message(), "Must be 1 to 500 updates.");
        }
    }
    assert_eq!(updates.equipment.effects(), 0);
    ids.truncate(500);
    let results = updates.apply_many(&owner, ids).await.unwrap();
    assert_eq!(results.len(), 500);
    assert_eq!(results.iter().filter(|result| result.ok).count(), 1);
}

#[tokio::test]
async fn apply_updates_in_capture_order() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let mut ids = Vec::new();
    for minutes_ago in [5_u8, 30, 10, 20] {
        let time = now() - TimeDelta::minutes(i64::from(minutes_ago));
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(time)),
            ..reading(machine, 100.0 - f64::from(minutes_ago))
        };
        let sent = updates.submit(&owner, request).await.unwrap().update;
        ids.push(sent.unwrap().id);
    }
    let results = updates.apply_many(&owner, ids).await.unwrap();
    assert!(results.iter().all(|result| result.ok), "{results:?}");
}

#[tokio::test]
async fn apply_updates_concurrently_have_one_effect() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let mut ids = Vec::new();
    for _ in 0..10 {
        let machine = updates.equipment.add(owner.company_id, 1.0);
        ids.push(updates.submitted(&owner, machine, 5.0).await.id);
    }
    let mut reversed = ids.clone();
    reversed.reverse();
    let (one, other) = tokio::join!(
        updates.apply_many(&owner, ids),
        updates.apply_many(&owner, reversed),
    );
    for result in one.unwrap().iter().chain(&other.unwrap()) {
        assert!(result.ok, "{result:?}");
    }
    assert_eq!(updates.equipment.effects(), 10);
}

#[tokio::test]
async fn apply_updates_stay_queued_while_equipment_is_unavailable() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let mut ids = Vec::new();
    for usage in [5.0, 6.0, 7.0] {
        ids.push(updates.submitted(&owner, machine, usage).await.id);
    }
    updates.equipment.set(Mode::Unavailable);
    let results = updates.apply_many(&owner, ids.clone()).await.unwrap();
    for result in &results {
        assert!(!result.ok);
        assert_eq!(
            result.message,
            "This update will be applied as soon as possible."
        );
    }
    updates.equipment.set(Mode::Normal);
    for id in &ids {
        updates.wait_for(&owner, id, UpdateStatus::Applied).await;
    }
    assert_eq!(updates.equipment.effects(), 3);
}

//! Updates that take effect without review.

use hourmeter_proto::operator_updates::v1::{OperatorUpdate, UpdateStatus};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{operator_of, owner};

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, timestamp};

fn auto_owner() -> Identity {
    Identity {
        auto_apply_updates: true,
        ..owner()
    }
}

fn assert_status(update: &OperatorUpdate, status: UpdateStatus) {
    assert_eq!(update.status(), status);
    assert!(update.reviewed_by.is_empty() && update.reviewed_at.is_none());
}

#[tokio::test]
async fn auto_apply_takes_effect_and_is_acknowledged() {
    let updates = TestUpdates::without_relay().await;
    let owner = auto_owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates
        .submitted(&operator_of(&owner), equipment, 110.0)
        .await;
    assert_status(&sent, UpdateStatus::Recent);
    assert_eq!(sent.previous_usage, Some(100.0));
    assert_eq!(updates.equipment.effects(), 1);

    let again = updates.apply(&owner, &sent.id, None).await.unwrap();
    assert_eq!(again, sent, "it has taken effect");
    assert!(updates.reject(&owner, &sent.id, "").await.is_err());

    let seen = updates.acknowledge(&owner, &sent.id).await.unwrap();
    assert_eq!(seen.status(), UpdateStatus::Applied);
    assert_eq!(seen.reviewed_by, "Olivia Owner");
    assert_eq!(seen.reviewed_at, Some(timestamp(now())));
    assert_eq!(updates.acknowledge(&owner, &sent.id).await.unwrap(), seen);
    assert_eq!(updates.equipment.effects(), 1);
}

#[tokio::test]
async fn auto_apply_leaves_flagged_updates_pending() {
    let updates = TestUpdates::new().await;
    let owner = auto_owner();
    let operator = operator_of(&owner);
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let below = updates.submitted(&operator, equipment, 90.0).await;
    assert_status(&below, UpdateStatus::Pending);
    updates.submitted(&operator, equipment, 110.0).await;
    let repeated = updates.submitted(&operator, equipment, 110.0).await;
    assert_eq!(repeated.flags, ["repeated"]);
    assert_status(&repeated, UpdateStatus::Pending);
    assert_eq!(updates.equipment.effects(), 1);
    assert_eq!(updates.count("decisions").await, 0);
}

#[tokio::test]
async fn auto_apply_repeat_returns_the_update() {
    let updates = TestUpdates::new().await;
    let owner = auto_owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let mut request = reading(equipment, 110.0);
    request.client_id = "abc".to_owned();
    let first = updates.submit(&owner, request.clone()).await.unwrap();
    let again = updates.submit(&owner, request).await.unwrap();
    assert!(first.created && !again.created);
    assert_eq!(first.update, again.update);
    assert_eq!(updates.equipment.effects(), 1);
}

#[tokio::test]
async fn auto_apply_is_delayed_while_equipment_is_unavailable() {
    let updates = TestUpdates::new().await;
    let owner = auto_owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    updates.equipment.set(Mode::Broken);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    assert_status(&sent, UpdateStatus::Pending);
    updates.equipment.set(Mode::Normal);
    let recent = updates
        .wait_for(&owner, &sent.id, UpdateStatus::Recent)
        .await;
    assert_status(&recent, UpdateStatus::Recent);
    assert_eq!(updates.equipment.effects(), 1);
}

#[tokio::test]
async fn auto_apply_can_be_confirmed_by_a_manager() {
    let updates = TestUpdates::without_relay().await;
    let owner = auto_owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    updates.equipment.set(Mode::ResponseLost);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    assert_status(&sent, UpdateStatus::Pending);
    updates.equipment.set(Mode::Normal);
    let applied = updates.apply(&owner, &sent.id, None).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
    assert_eq!(applied.reviewed_by, "Olivia Owner");
    assert_eq!(updates.equipment.effects(), 1);
}

#[tokio::test]
async fn auto_apply_refused_waits_for_review() {
    let updates = TestUpdates::without_relay().await;
    let owner = auto_owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let there = updates.equipment.add(owner.company_id, 100.0);
    updates.equipment.set(Mode::Broken);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    assert!(sent.flags.is_empty() && sent.applying);
    updates.equipment.remove(owner.company_id, equipment);
    updates.equipment.set(Mode::Normal);
    let relay = updates.start_relay();
    updates.drained().await;
    relay.cancel();
    let row = updates.row(&owner, &sent.id).await;
    assert_status(&row, UpdateStatus::Pending);
    assert_eq!(row.flags, ["refused"]);
    let queue = updates.review(&owner, 0).await.unwrap();
    assert_eq!((queue.pending_count, queue.flagged_count), (1, 1));
    // The flag is not added twice.
    assert!(updates.apply(&owner, &sent.id, None).await.is_err());
    assert_eq!(updates.row(&owner, &sent.id).await.flags, ["refused"]);
    let moved = updates.move_to(&owner, &sent.id, there).await.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Applied);
    assert!(moved.flags.is_empty());
}

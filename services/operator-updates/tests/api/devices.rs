//! Updates that an enrolled phone captured without a session.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::operator_updates::v1::{OperatorUpdate, SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::identity::{Identity, SigningDevice};
use hourmeter_runtime::testing::{operator_of, owner};
use uuid::Uuid;

use crate::support::{TestUpdates, now, reading, timestamp};

fn minutes_ago(minutes: i64) -> DateTime<Utc> {
    now() - TimeDelta::minutes(minutes)
}

fn auto_owner() -> Identity {
    Identity {
        auto_apply_updates: true,
        ..owner()
    }
}

/// An operator on a phone that was removed 10 minutes ago, and who left it 5 minutes ago.
fn on_removed_phone(owner: &Identity) -> Identity {
    Identity {
        device: Some(SigningDevice {
            label: "Shop phone".to_owned(),
            removed_at: Some(minutes_ago(10)),
            person_removed_at: Some(minutes_ago(5)),
        }),
        ..operator_of(owner)
    }
}

async fn captured(
    updates: &TestUpdates,
    by: &Identity,
    equipment: Uuid,
    (usage, minutes): (f64, i64),
) -> OperatorUpdate {
    let request = SubmitUpdateRequest {
        captured_at: Some(timestamp(minutes_ago(minutes))),
        ..reading(equipment, usage)
    };
    updates.submit(by, request).await.unwrap().update.unwrap()
}

#[tokio::test]
async fn submit_flags_what_was_captured_after_a_removal() {
    let updates = TestUpdates::without_relay().await;
    let owner = auto_owner();
    let operator = on_removed_phone(&owner);
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let before = captured(&updates, &operator, equipment, (101.0, 11)).await;
    assert_eq!(before.status(), UpdateStatus::Recent);
    assert_eq!(before.captured_on_device, "Shop phone");
    let after = captured(&updates, &operator, equipment, (102.0, 9)).await;
    assert_eq!(after.status(), UpdateStatus::Pending);
    assert_eq!(after.flags, ["removed_device"]);
    let both = captured(&updates, &operator, equipment, (103.0, 4)).await;
    assert_eq!(both.flags, ["removed_device", "removed_person"]);
    let online = Identity {
        device: None,
        ..operator
    };
    let online = captured(&updates, &online, equipment, (104.0, 3)).await;
    assert_eq!((&*online.captured_on_device, online.flags.len()), ("", 0));
}

#[tokio::test]
async fn flags_of_a_removal_stay_until_a_manager_decides() {
    let updates = TestUpdates::new().await;
    let owner = auto_owner();
    let operator = on_removed_phone(&owner);
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let below = captured(&updates, &operator, equipment, (90.0, 9)).await;
    assert_eq!(below.flags, ["below_meter", "removed_device"]);
    // Moved to a machine where the reading fits, it still waits.
    let other = updates.equipment.add(owner.company_id, 80.0);
    let moved = updates.move_to(&owner, &below.id, other).await.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Pending);
    assert_eq!(moved.flags, ["removed_device"]);
    let applied = updates.apply(&owner, &below.id, None).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
    assert_eq!(applied.captured_on_device, "Shop phone");
}

#[tokio::test]
async fn updates_after_a_removal_are_never_applied_automatically() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let other = updates.equipment.add(owner.company_id, 100.0);
    let after = captured(&updates, &on_removed_phone(&owner), equipment, (102.0, 9)).await;
    let usual = captured(&updates, &operator_of(&owner), other, (102.0, 9)).await;
    // As the last release leaves them, which does not know the flags of a removal.
    updates
        .execute("UPDATE updates SET flags = '{}', became_clean = true")
        .await;
    let auto = Identity {
        auto_apply_updates: true,
        ..owner
    };
    updates
        .wait_for(&auto, &usual.id, UpdateStatus::Recent)
        .await;
    let after = updates.row(&auto, &after.id).await;
    assert_eq!(after.status(), UpdateStatus::Pending);
}

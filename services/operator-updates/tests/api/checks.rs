//! `SubmitUpdate`: inputs and results of the checks. The rules themselves are tested with the
//! shared test vectors.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::equipment::v1::MeterUnit;
use hourmeter_proto::operator_updates::v1::{OperatorUpdate, SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{operator_of, owner};
use uuid::Uuid;

use crate::support::{TestUpdates, now, reading, timestamp};

/// Submits a report captured this many minutes ago and returns the stored row.
async fn sent(
    updates: &TestUpdates,
    by: &Identity,
    minutes_ago: i64,
    request: SubmitUpdateRequest,
) -> OperatorUpdate {
    captured(
        updates,
        by,
        now() - TimeDelta::minutes(minutes_ago),
        request,
    )
    .await
}

/// Submits a report captured at this time and returns the stored row.
async fn captured(
    updates: &TestUpdates,
    by: &Identity,
    at: DateTime<Utc>,
    request: SubmitUpdateRequest,
) -> OperatorUpdate {
    let request = SubmitUpdateRequest {
        captured_at: Some(timestamp(at)),
        ..request
    };
    let row = updates.submit(by, request).await.unwrap().update.unwrap();
    assert_eq!(updates.row(by, &row.id).await, row);
    row
}

fn fuel(equipment: Uuid, gallons: f64) -> SubmitUpdateRequest {
    SubmitUpdateRequest {
        new_usage: None,
        fuel_added: Some(gallons),
        ..reading(equipment, 0.0)
    }
}

#[tokio::test]
async fn jump_depends_on_unit_and_time() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    // Each has a machine of its own: waiting reports are checked again when their machine changes.
    let machine = |unit, usual| {
        let id = updates.equipment.add(owner.company_id, 100.0);
        let yesterday = now() - TimeDelta::days(1);
        updates.equipment.state().read_at.insert(id, yesterday);
        updates.equipment.change(owner.company_id, id, |row| {
            row.unit = unit;
            row.usual_daily_use = usual;
        });
        id
    };
    for (unit, usual, most) in [
        (MeterUnit::Hours, None, 24.0),
        (MeterUnit::Miles, None, 1000.0),
        (MeterUnit::Kilometers, None, 1600.0),
        (MeterUnit::Hours, Some(6.5), 19.5),
        (MeterUnit::Miles, Some(150.0), 450.0),
        (MeterUnit::NotApplicable, Some(2.0), 6.0),
    ] {
        let equipment = machine(unit, usual);
        let believed = sent(&updates, &owner, 1, reading(equipment, 100.0 + most)).await;
        assert!(believed.flags.is_empty(), "{unit:?} {usual:?}");
        updates.reject(&owner, &believed.id, "").await.unwrap();
        let jump = sent(&updates, &owner, 0, reading(equipment, 100.01 + most)).await;
        assert_eq!(jump.flags, ["jump"], "{unit:?} {usual:?}");
        assert!(!jump.below_current && !jump.late);
    }
    let equipment = machine(MeterUnit::NotApplicable, None);
    let any = sent(&updates, &owner, 0, reading(equipment, 1e6)).await;
    assert!(any.flags.is_empty(), "nothing is known of this meter");
}

#[tokio::test]
async fn fuel_high_is_above_the_typical_fill() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    for (usual, most) in [(None, 300.0), (Some(15.0), 45.0), (Some(1.0), 20.0)] {
        updates
            .equipment
            .change(owner.company_id, equipment, |machine| {
                machine.usual_fill = usual;
            });
        let believed = sent(&updates, &owner, 0, fuel(equipment, most)).await;
        assert!(believed.flags.is_empty(), "{usual:?}");
        let much = sent(&updates, &owner, 0, fuel(equipment, most + 0.01)).await;
        assert_eq!(much.flags, ["fuel_high"], "{usual:?}");
    }
}

#[tokio::test]
async fn flags_have_a_fixed_order() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let earlier = now() - TimeDelta::minutes(1);
    updates.equipment.state().read_at.insert(equipment, earlier);
    for (usage, first) in [(99.0, "below_meter"), (900.0, "jump")] {
        let request = SubmitUpdateRequest {
            fuel_added: Some(500.0),
            ..reading(equipment, usage)
        };
        let once = sent(&updates, &owner, 0, request.clone()).await;
        assert_eq!(once.flags, [first, "fuel_high"]);
        let twice = sent(&updates, &owner, 0, request).await;
        assert_eq!(twice.flags, [first, "fuel_high", "repeated"]);
        assert_eq!(twice.below_current, first == "below_meter");
    }
}

#[tokio::test]
async fn late_is_stored() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    updates
        .equipment
        .state()
        .read_at
        .insert(equipment, now() - TimeDelta::minutes(30));
    updates
        .equipment
        .change(owner.company_id, equipment, |machine| machine.initial = 0);
    let request = SubmitUpdateRequest {
        fuel_added: Some(400.0),
        ..reading(equipment, 5.0)
    };
    let late = sent(&updates, &owner, 31, request).await;
    assert!(late.late && !late.below_current);
    assert_eq!(late.flags, ["fuel_high"], "fuel counts all the same");
    assert_eq!(late.previous_usage, Some(100.0));
    let punctual = sent(&updates, &owner, 30, reading(equipment, 6.0)).await;
    assert!(!punctual.late && punctual.below_current);
}

#[tokio::test]
async fn repeated_compares_capture_times() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    // Ten gallons every two hours, sent together in the evening, in another order.
    for minutes_ago in [480, 120, 240, 360] {
        let filled = sent(&updates, &operator, minutes_ago, fuel(equipment, 10.0)).await;
        assert!(filled.flags.is_empty(), "{minutes_ago}");
    }
    for (minutes_ago, repeated) in [(490, true), (229, false), (110, true), (131, false)] {
        let again = sent(&updates, &operator, minutes_ago, fuel(equipment, 10.0)).await;
        assert_eq!(again.flags == ["repeated"], repeated, "{minutes_ago}");
    }
}

#[tokio::test]
async fn repeated_ends_after_600_seconds() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    for (seconds, repeated) in [(600, true), (601, false)] {
        for between in [seconds, -seconds] {
            // One machine for each pair, so that only these two are compared.
            let equipment = updates.equipment.add(owner.company_id, 100.0);
            let first = now() - TimeDelta::hours(1);
            captured(&updates, &owner, first, fuel(equipment, 10.0)).await;
            let second = first + TimeDelta::seconds(between);
            let second = captured(&updates, &owner, second, fuel(equipment, 10.0)).await;
            assert_eq!(second.flags == ["repeated"], repeated, "{between} s apart");
        }
    }
}

#[tokio::test]
async fn repeated_ignores_rejected_and_other_equipment() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let other = updates.equipment.add(owner.company_id, 100.0);
    let wrong = sent(&updates, &owner, 0, reading(equipment, 110.0)).await;
    let elsewhere = sent(&updates, &owner, 0, reading(other, 110.0)).await;
    assert!(elsewhere.flags.is_empty());
    updates.reject(&owner, &wrong.id, "no").await.unwrap();
    let again = sent(&updates, &owner, 0, reading(equipment, 110.0)).await;
    assert!(again.flags.is_empty());
    let third = sent(&updates, &owner, 0, reading(equipment, 110.0)).await;
    assert_eq!(third.flags, ["repeated"]);
}

#[tokio::test]
async fn checks_compare_readings_not_usage() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 12.0);
    updates
        .equipment
        .change(owner.company_id, equipment, |machine| {
            machine.usage = 900_000;
        });
    let read = sent(&updates, &owner, 1, reading(equipment, 13.0)).await;
    assert!(read.flags.is_empty());
    assert_eq!(read.previous_usage, Some(12.0));
    let below = sent(&updates, &owner, 0, reading(equipment, 11.0)).await;
    assert_eq!(below.flags, ["below_meter"]);
}

#[tokio::test]
async fn flagged_updates_are_not_auto_applied() {
    let updates = TestUpdates::new().await;
    let owner = Identity {
        auto_apply_updates: true,
        ..owner()
    };
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let earlier = now() - TimeDelta::seconds(30);
    updates.equipment.state().read_at.insert(equipment, earlier);
    for request in [
        reading(equipment, 99.0),
        reading(equipment, 200.0),
        fuel(equipment, 301.0),
    ] {
        let flagged = sent(&updates, &owner, 0, request).await;
        assert_eq!(flagged.flags.len(), 1);
        assert_eq!(flagged.status(), UpdateStatus::Pending);
        assert!(!flagged.applying);
    }
    let late = sent(&updates, &owner, 1, fuel(equipment, 5.0)).await;
    assert!(late.late);
    assert_eq!(
        late.status(),
        UpdateStatus::Recent,
        "a late update does not wait for review"
    );
    assert_eq!(updates.equipment.effects(), 1);
}

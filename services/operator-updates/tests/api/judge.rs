//! Flags of waiting updates, which are checked again when something changes.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::equipment::v1::{EquipmentFuel, MachineState, MeterUnit};
use hourmeter_proto::operator_updates::v1::{
    FuelKind, OperatorUpdate, SubmitUpdateRequest, UpdateStatus,
};
use hourmeter_runtime::events::{Event, Topic};
use hourmeter_runtime::identity::{Entitlements, Identity};
use hourmeter_runtime::testing::{operator_of, owner};
use tonic::Code;
use uuid::Uuid;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, reason, timestamp};

fn auto_owner() -> Identity {
    Identity {
        auto_apply_updates: true,
        ..owner()
    }
}

fn minutes_ago(minutes: i64) -> DateTime<Utc> {
    now() - TimeDelta::minutes(minutes)
}

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
    updates.submit(by, request).await.unwrap().update.unwrap()
}

pub fn equipment_changed(updates: &TestUpdates, company_id: Uuid) {
    updates.events.publish(Event {
        company_id,
        topic: Topic::Equipment,
        person_id: None,
        equipment_id: None,
    });
}

/// Waits until the row of an update satisfies a condition.
async fn becomes(
    updates: &TestUpdates,
    by: &Identity,
    id: &str,
    condition: impl Fn(&OperatorUpdate) -> bool,
) -> OperatorUpdate {
    for _ in 0..200 {
        let row = updates.row(by, id).await;
        if condition(&row) {
            return row;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("still {:?}", updates.row(by, id).await);
}

#[tokio::test]
async fn flags_compare_with_the_meter_at_the_capture_time() {
    let updates = TestUpdates::new().await;
    let owner = auto_owner();
    let machine = updates.equipment.add(owner.company_id, 110.0);
    updates.equipment.read(
        machine,
        &[(minutes_ago(60), 100.0), (minutes_ago(10), 110.0)],
    );
    for (value, flags) in [
        (99.99, &["below_meter"][..]),
        (110.01, &["contradicts"]),
        (5.0, &["below_meter"]),
    ] {
        let request = SubmitUpdateRequest {
            fuel_added: Some(3.0),
            ..reading(machine, value)
        };
        let late = captured(&updates, &owner, minutes_ago(30), request).await;
        assert_eq!(late.flags, flags, "{value}");
        assert_eq!(late.below_current, flags == ["below_meter"]);
        assert!(late.late);
        assert_eq!(late.status(), UpdateStatus::Pending);
        updates.reject(&owner, &late.id, "").await.unwrap();
    }
    assert_eq!(updates.equipment.effects(), 0);
    let fits = captured(&updates, &owner, minutes_ago(30), reading(machine, 105.0)).await;
    assert_eq!((fits.flags.len(), fits.status()), (0, UpdateStatus::Recent));
    assert_eq!(
        (fits.previous_usage, fits.applied_usage),
        (Some(100.0), Some(105.0))
    );
}

#[tokio::test]
async fn flags_compare_with_waiting_updates_in_any_order_of_arrival() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    for reverse in [false, true] {
        let machine = updates.equipment.add(owner.company_id, 100.0);
        let mut order = [(20, 105.0), (10, 103.0)];
        if reverse {
            order.reverse();
        }
        let mut ids = Vec::new();
        for (minutes, value) in order {
            let sent = captured(
                &updates,
                &owner,
                minutes_ago(minutes),
                reading(machine, value),
            );
            ids.push(sent.await.id);
        }
        if reverse {
            ids.reverse();
        }
        let [early, late] = [&ids[0], &ids[1]];
        becomes(&updates, &owner, late, |row| row.flags == ["below_meter"]).await;
        becomes(&updates, &owner, early, |row| row.flags == ["contradicts"]).await;
        let refused = updates.apply(&owner, late, None).await.unwrap_err();
        assert_eq!(reason(&refused), "BELOW_CURRENT");
        updates.reject(&owner, early, "typo").await.unwrap();
        becomes(&updates, &owner, late, |row| row.flags.is_empty()).await;
        let applied = updates.apply(&owner, late, None).await.unwrap();
        assert_eq!(applied.applied_usage, Some(103.0));
    }
}

#[tokio::test]
async fn apply_of_a_contradicting_update_books_it_at_its_time() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 110.0);
    updates.equipment.read(machine, &[(minutes_ago(10), 110.0)]);
    let late = captured(&updates, &owner, minutes_ago(30), reading(machine, 120.0)).await;
    assert_eq!(late.flags, ["contradicts"]);
    let applied = updates.apply(&owner, &late.id, None).await.unwrap();
    assert_eq!(applied.applied_usage, Some(120.0));
    let meter = updates.equipment.meter(owner.company_id, machine);
    assert!(
        (meter - 110.0).abs() < f64::EPSILON,
        "the later reading counts"
    );
}

#[tokio::test]
async fn update_that_loses_its_last_flag_is_applied_only_automatically() {
    let updates = TestUpdates::new().await;
    let inactive = Entitlements {
        active: false,
        ..owner().entitlements
    };
    let lapsed = Identity {
        entitlements: inactive,
        ..auto_owner()
    };
    for (owner, status) in [
        (auto_owner(), UpdateStatus::Recent),
        (owner(), UpdateStatus::Pending),
        (lapsed, UpdateStatus::Pending),
    ] {
        let machine = updates.equipment.add(owner.company_id, 100.0);
        let operator = operator_of(&owner);
        let below = updates.submitted(&operator, machine, 90.0).await;
        assert_eq!(below.flags, ["below_meter"]);
        updates.equipment.set_meter(owner.company_id, machine, 80.0);
        equipment_changed(&updates, owner.company_id);
        let settled = |row: &OperatorUpdate| row.flags.is_empty() && row.status() == status;
        let row = becomes(&updates, &owner, &below.id, settled).await;
        assert!(!row.below_current && row.reviewed_by.is_empty());
        assert!(row.previous_usage.is_some());
        // It took effect, so it is not flagged afterwards.
        updates
            .equipment
            .set_meter(owner.company_id, machine, 500.0);
        equipment_changed(&updates, owner.company_id);
        let flagged = status == UpdateStatus::Pending;
        becomes(&updates, &owner, &below.id, |row| {
            row.flags.is_empty() != flagged
        })
        .await;
    }
}

#[tokio::test]
async fn automatic_application_follows_the_setting_of_the_next_request() {
    let updates = TestUpdates::new().await;
    let owner = auto_owner();
    let by_hand = owner_without_auto(&owner);
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let below = updates.submitted(&owner, machine, 90.0).await;
    // It is switched off without another request.
    updates.equipment.set_meter(owner.company_id, machine, 80.0);
    equipment_changed(&updates, owner.company_id);
    becomes(&updates, &by_hand, &below.id, |row| row.flags.is_empty()).await;
    tokio::time::sleep(Duration::from_millis(900)).await;
    // Switched on later, it applies new ones only.
    updates.review(&owner, 0).await.unwrap();
    tokio::time::sleep(Duration::from_millis(900)).await;
    let row = updates.row(&by_hand, &below.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
    assert!(!row.applying);
}

#[tokio::test]
async fn event_of_a_machine_checks_only_its_updates() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let changed = updates.equipment.add(owner.company_id, 100.0);
    let other = updates.equipment.add(owner.company_id, 100.0);
    let of_changed = updates.submitted(&owner, changed, 90.0).await;
    let of_other = updates.submitted(&owner, other, 90.0).await;
    tokio::time::sleep(Duration::from_millis(800)).await;
    for machine in [changed, other] {
        updates.equipment.set_meter(owner.company_id, machine, 80.0);
    }
    updates.events.publish(Event {
        company_id: owner.company_id,
        topic: Topic::Equipment,
        person_id: None,
        equipment_id: Some(changed),
    });
    becomes(&updates, &owner, &of_changed.id, |row| row.flags.is_empty()).await;
    tokio::time::sleep(Duration::from_millis(900)).await;
    let row = updates.row(&owner, &of_other.id).await;
    assert_eq!(row.flags, ["below_meter"]);
}

#[tokio::test]
async fn check_of_many_machines_takes_several_passes() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let mut sent = Vec::new();
    for _ in 0..201 {
        let machine = updates.equipment.add(owner.company_id, 100.0);
        let below = updates.submitted(&owner, machine, 90.0).await;
        updates.equipment.set_meter(owner.company_id, machine, 80.0);
        sent.push(below.id);
    }
    equipment_changed(&updates, owner.company_id);
    for _ in 0..100 {
        if updates.review(&owner, 0).await.unwrap().flagged_count == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("some are still flagged");
}

#[tokio::test]
async fn flag_refused_ends_when_the_machine_is_restored() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let set = |state| {
        let change = |machine: &mut crate::fake_equipment::Machine| machine.state = state;
        updates.equipment.change(owner.company_id, machine, change);
        equipment_changed(&updates, owner.company_id);
    };
    // One arrives afterwards, and one is refused.
    let refused = updates.submitted(&owner, machine, 105.0).await;
    set(MachineState::Retired);
    let late = updates.submitted(&owner, machine, 110.0).await;
    assert_eq!(late.flags, ["refused"]);
    assert!(updates.apply(&owner, &refused.id, None).await.is_err());
    let waits = |row: &OperatorUpdate| row.flags == ["refused"];
    becomes(&updates, &owner, &refused.id, waits).await;
    set(MachineState::Active);
    for id in [&refused.id, &late.id] {
        becomes(&updates, &owner, id, |row| row.flags.is_empty()).await;
    }
    // Another refusal stays.
    updates
        .equipment
        .change(owner.company_id, machine, |machine| {
            machine.unit = MeterUnit::Miles;
        });
    assert!(updates.apply(&owner, &late.id, None).await.is_err());
    updates
        .equipment
        .change(owner.company_id, machine, |machine| {
            machine.unit = MeterUnit::Hours;
        });
    equipment_changed(&updates, owner.company_id);
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert_eq!(updates.row(&owner, &late.id).await.flags, ["refused"]);
}

#[tokio::test]
async fn flag_refused_of_the_last_release_ends_and_a_manager_decides() {
    let updates = TestUpdates::new().await;
    let owner = auto_owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let by_hand = owner_without_auto(&owner);
    let sent = updates.submitted(&by_hand, machine, 110.0).await;
    // That release stores the flag without its cause.
    updates
        .execute("UPDATE updates SET flags = '{refused}'")
        .await;
    updates.review(&owner, 0).await.unwrap();
    equipment_changed(&updates, owner.company_id);
    becomes(&updates, &owner, &sent.id, |row| row.flags.is_empty()).await;
    tokio::time::sleep(Duration::from_millis(900)).await;
    let row = updates.row(&owner, &sent.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
    let applied = updates.apply(&owner, &sent.id, None).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
}

#[tokio::test]
async fn opening_the_review_checks_again_after_a_lost_event() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let below = updates.submitted(&owner, machine, 90.0).await;
    tokio::time::sleep(Duration::from_millis(800)).await;
    updates.equipment.set_meter(owner.company_id, machine, 80.0);
    updates.review(&owner, 0).await.unwrap();
    becomes(&updates, &owner, &below.id, |row| row.flags.is_empty()).await;
}

#[tokio::test]
async fn wrong_fuel_is_flagged_also_after_a_move() {
    let updates = TestUpdates::new().await;
    let owner = auto_owner();
    let add = |fuel| {
        let machine = updates.equipment.add(owner.company_id, 100.0);
        updates
            .equipment
            .change(owner.company_id, machine, |machine| {
                machine.fuel_type = fuel;
            });
        machine
    };
    let gas = add(EquipmentFuel::Gasoline);
    let diesel = add(EquipmentFuel::Diesel);
    let any = add(EquipmentFuel::NotApplicable);
    let fuel = |machine: Uuid, kind: FuelKind| SubmitUpdateRequest {
        new_usage: None,
        fuel_added: Some(10.0),
        fuel_kind: kind.into(),
        ..reading(machine, 0.0)
    };
    for (minutes, machine, kind, flagged) in [
        (100, diesel, FuelKind::Gas, true),
        (80, diesel, FuelKind::Diesel, false),
        (60, gas, FuelKind::Diesel, true),
        (40, gas, FuelKind::Gas, false),
        (30, any, FuelKind::Gas, false),
        (15, any, FuelKind::Diesel, false),
        (5, diesel, FuelKind::Unspecified, false),
    ] {
        let sent = captured(&updates, &owner, minutes_ago(minutes), fuel(machine, kind)).await;
        let expected: &[&str] = if flagged { &["wrong_fuel"] } else { &[] };
        assert_eq!(sent.flags, expected, "{minutes}");
        assert_eq!(sent.status() == UpdateStatus::Recent, !flagged);
    }
    let more = SubmitUpdateRequest {
        fuel_added: Some(11.0),
        ..fuel(gas, FuelKind::Diesel)
    };
    let wrong = captured(&updates, &owner, minutes_ago(1), more).await;
    let moved = updates.move_to(&owner, &wrong.id, diesel).await.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Applied);
    let manual = owner_without_auto(&owner);
    let right = SubmitUpdateRequest {
        fuel_added: Some(12.0),
        ..fuel(gas, FuelKind::Gas)
    };
    let right = captured(&updates, &manual, minutes_ago(2), right).await;
    assert!(right.flags.is_empty());
    let moved = updates.move_to(&owner, &right.id, diesel).await.unwrap();
    assert_eq!(
        (moved.flags, moved.status),
        (vec!["wrong_fuel".to_owned()], 1)
    );
}

fn owner_without_auto(owner: &Identity) -> Identity {
    Identity {
        auto_apply_updates: false,
        ..owner.clone()
    }
}

#[tokio::test]
async fn waiting_update_in_another_unit_is_flagged_and_needs_a_reading() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, machine, 110.0).await;
    assert_eq!(sent.unit(), MeterUnit::Hours);
    updates
        .equipment
        .change(owner.company_id, machine, |machine| {
            machine.unit = MeterUnit::Miles;
        });
    equipment_changed(&updates, owner.company_id);
    becomes(&updates, &owner, &sent.id, |row| {
        row.flags == ["wrong_unit"]
    })
    .await;
    let refused = updates.apply(&owner, &sent.id, None).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(reason(&refused), "WRONG_UNIT");
    let applied = updates.apply(&owner, &sent.id, Some(180.0)).await.unwrap();
    assert_eq!(applied.applied_usage, Some(180.0));
    let effect = updates.equipment.state().effects[0].clone();
    assert_eq!(effect.unit(), MeterUnit::Unspecified);

    let request = SubmitUpdateRequest {
        unit: MeterUnit::Hours.into(),
        ..reading(machine, 1.0)
    };
    let old = updates
        .submit(&owner, request)
        .await
        .unwrap()
        .update
        .unwrap();
    assert_eq!(old.flags, ["wrong_unit"]);
}

#[tokio::test]
async fn updates_for_retired_and_deleted_machines_wait() {
    let updates = TestUpdates::new().await;
    let owner = auto_owner();
    let there = updates.equipment.add(owner.company_id, 100.0);
    for state in [MachineState::Retired, MachineState::Deleted] {
        let machine = updates.equipment.add(owner.company_id, 100.0);
        updates
            .equipment
            .change(owner.company_id, machine, |machine| machine.state = state);
        let sent = updates
            .submitted(&operator_of(&owner), machine, 110.0)
            .await;
        assert_eq!(sent.flags, ["refused"]);
        assert_eq!(sent.status(), UpdateStatus::Pending);
        assert_eq!(sent.equipment_name, "Excavator 7");
        let refused = updates.apply(&owner, &sent.id, None).await.unwrap_err();
        assert_eq!(reason(&refused), "EQUIPMENT_GONE");
        let back = updates
            .move_to(&owner, &sent.id, machine)
            .await
            .unwrap_err();
        assert_eq!(reason(&back), "SAME_EQUIPMENT");
        let other = updates.submitted(&owner, there, 300.0).await;
        let gone = updates.move_to(&owner, &other.id, machine).await;
        if other.status() == UpdateStatus::Pending {
            assert_eq!(gone.unwrap_err().code(), Code::NotFound);
        }
        let moved = updates.move_to(&owner, &sent.id, there).await.unwrap();
        assert!(!moved.flags.contains(&"refused".to_owned()));
    }
    let unknown = updates.submit(&owner, reading(Uuid::now_v7(), 1.0)).await;
    assert_eq!(unknown.unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn increase_stays_an_increase_until_it_is_booked() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    updates
        .equipment
        .read(machine, &[(minutes_ago(3000), 100.0)]);
    let increase = |by: f64| SubmitUpdateRequest {
        new_usage: None,
        usage_increase: Some(by),
        ..reading(machine, 0.0)
    };
    let eight = captured(&updates, &owner, minutes_ago(20), increase(8.0)).await;
    let four = captured(&updates, &owner, minutes_ago(10), increase(4.0)).await;
    for (sent, by) in [(&eight, 8.0), (&four, 4.0)] {
        assert_eq!((sent.new_usage, sent.usage_increase), (None, Some(by)));
        assert!(sent.flags.is_empty(), "{:?}", sent.flags);
    }
    let again = captured(&updates, &owner, minutes_ago(10), increase(4.0)).await;
    assert_eq!(again.flags, ["repeated"]);
    let jump = captured(&updates, &owner, minutes_ago(5), increase(500.0)).await;
    assert_eq!(jump.flags, ["jump"]);
    for id in [&four.id, &eight.id] {
        let applied = updates.apply(&owner, id, None).await.unwrap();
        assert_eq!(applied.status(), UpdateStatus::Applied);
    }
    let meter = updates.equipment.meter(owner.company_id, machine);
    assert!((meter - 104.0).abs() < f64::EPSILON || (meter - 112.0).abs() < f64::EPSILON);
    let effect = updates.equipment.state().effects[0].clone();
    assert_eq!((effect.reading, effect.usage_increase), (None, Some(4.0)));
    assert_eq!(effect.unit(), MeterUnit::Hours);
    // A manager's reading replaces the increase.
    updates.apply(&owner, &jump.id, Some(150.0)).await.unwrap();
    let effect = updates.equipment.state().effects.last().unwrap().clone();
    assert_eq!((effect.reading, effect.usage_increase), (Some(150.0), None));

    for (by, new_usage) in [(0.0, None), (-1.0, None), (0.001, None), (5.0, Some(1.0))] {
        let request = SubmitUpdateRequest {
            new_usage,
            ..increase(by)
        };
        let refused = updates.submit(&owner, request).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        let failure = hourmeter_runtime::error::ServiceError::from_status(&refused);
        assert_eq!(failure.fields[0].0, "usageIncrease");
    }
}

#[tokio::test]
async fn check_while_equipment_is_unavailable_keeps_the_flags() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let below = updates.submitted(&owner, machine, 90.0).await;
    updates.equipment.set(Mode::Unavailable);
    equipment_changed(&updates, owner.company_id);
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert_eq!(updates.row(&owner, &below.id).await.flags, ["below_meter"]);
    updates.equipment.set(Mode::Normal);
    updates.equipment.set_meter(owner.company_id, machine, 80.0);
    equipment_changed(&updates, owner.company_id);
    becomes(&updates, &owner, &below.id, |row| row.flags.is_empty()).await;
}

//! Operator updates that a manager corrected: the history has what was sent.

use chrono::TimeDelta;
use hourmeter_proto::accounts::v1::Role;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::identity::Identity;
use uuid::Uuid;

use crate::relay::reading;
use crate::support::{World, with_usage};

#[tokio::test]
async fn corrected_update_has_what_was_sent_and_by_whom_it_was_corrected() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let sent = v1::SentValues {
        reading: Some(1200.5),
        usage_increase: None,
        unit: v1::MeterUnit::Hours.into(),
        fuel_added: 400.0,
        fuel_kind: v1::FuelKind::Gas.into(),
    };
    let corrected = v1::ApplyOperatorUpdateRequest {
        replace_meter: true,
        fuel_added: 40.0,
        fuel_kind: v1::FuelKind::Diesel.into(),
        decided_by_id: world.owner.user_id.to_string(),
        decided_by: "Olivia Owner".to_owned(),
        sent: Some(sent),
        reported_equipment_name: "Loader".to_owned(),
        ..reading(id, 120.5)
    };
    world.apply(corrected.clone()).await.unwrap();
    let expected = v1::Correction {
        by: "Olivia Owner".to_owned(),
        sent: Some(sent),
        reported_equipment_name: "Loader".to_owned(),
        set_back: false,
    };
    let row = world.history(id).await.unwrap().remove(0);
    assert_eq!((row.reading, row.fuel_added), (Some(120.5), 40.0));
    assert_eq!(row.operator_name, corrected.operator_name);
    assert_eq!(row.correction, Some(expected));

    // Without a unit and a kind, the machine's own kind of fuel counts.
    let sent = v1::SentValues {
        usage_increase: Some(800.0),
        fuel_added: 5.0,
        ..Default::default()
    };
    let of_increase = v1::ApplyOperatorUpdateRequest {
        sent: Some(sent),
        ..v1::ApplyOperatorUpdateRequest {
            update_id: crate::support::unknown_id(),
            reading: Some(130.0),
            ..corrected.clone()
        }
    };
    world.apply(of_increase).await.unwrap();
    let row = world.history(id).await.unwrap().remove(0);
    let kept = row.correction.unwrap().sent.unwrap();
    assert_eq!(kept.usage_increase, Some(800.0));
    assert_eq!(kept.fuel_kind(), v1::FuelKind::Gas);
    world.check_projections().await;
}

#[tokio::test]
async fn meter_that_a_manager_replaced_ends_by_the_manager() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    world.later(TimeDelta::hours(2));
    let read_at = world.clock.now() - TimeDelta::hours(1);
    let replaced = v1::ApplyOperatorUpdateRequest {
        meter_replacement: Some(v1::MeterReplacement {
            change: v1::MeterChange::Replaced.into(),
            final_reading: Some(105.0),
            start_reading: 0.0,
        }),
        captured_at: Some(timestamp(read_at)),
        decided_by_id: world.owner.user_id.to_string(),
        decided_by: "Olivia Owner".to_owned(),
        sent: Some(v1::SentValues {
            reading: Some(2.0),
            ..Default::default()
        }),
        ..reading(id, 2.0)
    };
    world.apply(replaced.clone()).await.unwrap();
    let row = world.history(id).await.unwrap().remove(0);
    assert_eq!(row.operator_name, replaced.operator_name);
    assert_eq!(row.correction.unwrap().by, "Olivia Owner");
    let segments = world.segments(id).await.unwrap();
    let ended = segments.iter().find(|segment| segment.ended_at.is_some());
    assert_eq!(ended.unwrap().ended_by_name, "Olivia Owner");
    let note = world.notes(id).await.unwrap().remove(0);
    assert_eq!(note.author_name, "Olivia Owner");
    assert_eq!(note.reported_by, replaced.operator_name);
    assert_eq!(note.created_at, Some(timestamp(read_at)));
}

#[tokio::test]
async fn reading_of_a_manager_below_the_meter_sets_it_back() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    for (applied, set_back) in [(99.5, true), (99.5, false), (101.0, false)] {
        world.later(TimeDelta::hours(1));
        let sent = v1::SentValues {
            reading: Some(99.5),
            ..Default::default()
        };
        let decided = v1::ApplyOperatorUpdateRequest {
            update_id: crate::support::unknown_id(),
            replace_meter: true,
            captured_at: Some(timestamp(world.clock.now())),
            decided_by_id: world.owner.user_id.to_string(),
            decided_by: "Olivia Owner".to_owned(),
            sent: Some(sent),
            ..reading(id, applied)
        };
        world.apply(decided).await.unwrap();
        let row = world.history(id).await.unwrap().remove(0);
        assert_eq!(row.correction.unwrap().set_back, set_back, "{applied}");
    }
}

#[tokio::test]
async fn update_applied_as_sent_has_no_correction() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    world.apply(reading(id, 120.0)).await.unwrap();
    // Nobody decided: it was applied automatically.
    let automatic = v1::ApplyOperatorUpdateRequest {
        sent: Some(v1::SentValues::default()),
        ..reading(id, 130.0)
    };
    world.apply(automatic).await.unwrap();
    let rows = world.history(id).await.unwrap();
    assert!(rows.iter().all(|row| row.correction.is_none()));
}

#[tokio::test]
async fn history_of_a_person_has_what_they_corrected_or_voided() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let manager = Identity {
        user_id: Uuid::new_v4(),
        role: Role::Manager,
        ..world.owner.clone()
    };
    let applied = v1::ApplyOperatorUpdateRequest {
        decided_by_id: manager.user_id.to_string(),
        decided_by: "Mia Manager".to_owned(),
        ..reading(id, 110.0)
    };
    let corrected = v1::ApplyOperatorUpdateRequest {
        sent: Some(v1::SentValues {
            reading: Some(1200.0),
            ..Default::default()
        }),
        ..applied.clone()
    };
    let next = |update, reading| v1::ApplyOperatorUpdateRequest {
        update_id: crate::support::unknown_id(),
        reading: Some(reading),
        ..update
    };
    // As sent, corrected by a manager, and as sent but voided by the manager.
    for update in [
        applied.clone(),
        next(corrected, 120.0),
        next(applied, 130.0),
    ] {
        world.apply(update).await.unwrap();
    }
    let newest = world.history(id).await.unwrap().remove(0);
    let message = crate::support::void(id, &newest.id);
    world.void_as(&manager, message).await.unwrap();

    let readings = async |person_id: String| {
        let message = v1::ListHistoryRequest {
            equipment_id: id.to_owned(),
            person_id,
            ..Default::default()
        };
        let page = world.history_page(message).await.unwrap();
        let readings = page.records.iter().filter_map(|record| record.reading);
        readings.collect::<Vec<_>>()
    };
    assert_eq!(readings(manager.user_id.to_string()).await, [130.0, 120.0]);
    let operator = newest.person_id;
    assert_eq!(readings(operator).await, [130.0, 120.0, 110.0]);
    assert!(readings(crate::support::unknown_id()).await.is_empty());
}

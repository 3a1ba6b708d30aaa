use chrono::TimeDelta;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Entitlements, Identity};

use crate::create::WRONG;
use crate::support::{
    World, invalid_fields, named, not_found, parts, refused, unknown_ids, with_usage,
};

fn with_parts(owner: &Identity) -> Identity {
    Identity {
        entitlements: Entitlements {
            parts_entry: true,
            ..owner.entitlements.clone()
        },
        ..owner.clone()
    }
}

#[tokio::test]
async fn update_changes_only_present_fields() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 10.0)).await.unwrap();
    let now = world.later(TimeDelta::minutes(5));
    let edit = v1::EquipmentInput {
        name: Some("Loader 2".to_owned()),
        serial_number: Some("S1".to_owned()),
        ..Default::default()
    };
    let changed = world.update(&made.id, edit, Some(1)).await.unwrap();
    let expected = v1::Equipment {
        name: "Loader 2".to_owned(),
        serial_number: Some("S1".to_owned()),
        version: 2,
        last_updated: changed.last_updated,
        ..made.clone()
    };
    assert_eq!(changed, expected);
    assert_eq!(changed.last_updated.unwrap().seconds, now.timestamp());

    let history = world.history(&made.id).await.unwrap();
    assert_eq!(history.len(), 1);
    assert_eq!(history[0].kind(), v1::HistoryKind::Edit);
    assert_eq!(history[0].note_type(), v1::NoteType::Note);
    assert_eq!(history[0].equipment_name, "Loader 2");
    assert_eq!(history[0].operator_name, "Olivia Owner");
    assert_eq!(
        history[0].content,
        "Name: Loader → Loader 2; Serial number: none → S1"
    );
    assert_eq!((history[0].usage, history[0].usage_before), (None, None));
}

#[tokio::test]
async fn update_without_changes_adds_no_entry() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 10.0)).await.unwrap();
    world.later(TimeDelta::minutes(5));
    let same = world
        .update(&made.id, with_usage("Loader", 10.0), None)
        .await;
    assert_eq!(same.unwrap(), made);
    let same = world
        .update(&made.id, v1::EquipmentInput::default(), None)
        .await;
    assert_eq!(same.unwrap(), made);
    assert_eq!(world.history(&made.id).await.unwrap(), []);
}

#[tokio::test]
async fn update_can_clear_fields() {
    let world = World::new().await;
    let made = world
        .create(v1::EquipmentInput {
            serial_number: Some("S".to_owned()),
            threshold: Some(500.0),
            description: Some("text".to_owned()),
            ..named("A")
        })
        .await
        .unwrap();
    let edit = v1::EquipmentInput {
        serial_number: Some(String::new()),
        threshold: Some(0.0),
        description: Some(String::new()),
        ..Default::default()
    };
    let changed = world.update(&made.id, edit, None).await.unwrap();
    assert_eq!((changed.serial_number, changed.threshold), (None, None));
    assert_eq!(
        (changed.description.as_str(), changed.lifespan_percent),
        ("", None)
    );
}

#[tokio::test]
async fn update_of_usage_is_a_correction_with_an_entry() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let edit = |usage| v1::EquipmentInput {
        current_usage: Some(usage),
        ..Default::default()
    };
    let changed = world.update(&made.id, edit(90.25), None).await.unwrap();
    assert_eq!(changed.current_usage.to_bits(), 90.25_f64.to_bits());
    let changed = world.update(&made.id, edit(200.0), None).await.unwrap();
    assert_eq!(changed.version, 3);
    assert_eq!(changed.current_usage.to_bits(), 200_f64.to_bits());
    let history = world.history(&made.id).await.unwrap();
    let moves: Vec<_> = history
        .iter()
        .map(|record| (record.usage_before, record.usage, record.content.as_str()))
        .collect();
    assert_eq!(
        moves,
        [
            (Some(90.25), Some(200.0), "Current usage: 90.25 → 200"),
            (Some(100.0), Some(90.25), "Current usage: 100 → 90.25")
        ]
    );
    world.check_projections().await;
}

#[tokio::test]
async fn update_with_a_stale_version_is_refused() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let rename = |name: &str| v1::EquipmentInput {
        name: Some(name.to_owned()),
        ..Default::default()
    };
    world.update(&made.id, rename("B"), Some(1)).await.unwrap();
    let before = world.state(&made.id).await;
    for version in [0, 1, 3, u64::MAX] {
        let answer = world.update(&made.id, rename("C"), Some(version)).await;
        refused(answer, Kind::Stale, "STALE");
    }
    assert_eq!(world.state(&made.id).await, before);
    world.update(&made.id, rename("C"), Some(2)).await.unwrap();
    world.update(&made.id, rename("D"), None).await.unwrap();
}

#[tokio::test]
async fn update_concurrently_succeeds_once_per_version() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    world.warm_up().await;
    let racing = (0..6).map(|number| {
        let edit = v1::EquipmentInput {
            name: Some(format!("Name {number}")),
            ..Default::default()
        };
        world.update(&made.id, edit, Some(1))
    });
    let answers = futures::future::join_all(racing).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(world.history(&made.id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn update_can_switch_the_schedule() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let on = v1::EquipmentInput {
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-03-11".to_owned()),
        maintenance_interval: Some(2),
        maintenance_interval_unit: Some(v1::CalendarUnit::Days.into()),
        ..Default::default()
    };
    let changed = world.update(&made.id, on, None).await.unwrap();
    assert_eq!(changed.next_maintenance_date, "2026-03-13");
    assert_eq!(changed.badge(), v1::Badge::MaintenanceDueSoon);
    let longer = v1::EquipmentInput {
        maintenance_interval: Some(7),
        ..Default::default()
    };
    let changed = world.update(&made.id, longer, None).await.unwrap();
    assert_eq!(changed.next_maintenance_date, "2026-03-18");
    let cleared = v1::EquipmentInput {
        maintenance_interval: Some(0),
        ..Default::default()
    };
    invalid_fields(
        world.update(&made.id, cleared, None).await,
        &["maintenanceInterval"],
    );
    let off = v1::EquipmentInput {
        has_scheduled_maintenance: Some(false),
        ..Default::default()
    };
    let changed = world.update(&made.id, off, None).await.unwrap();
    assert!(!changed.has_scheduled_maintenance);
    assert_eq!(changed.maintenance_start_date, "");
    assert_eq!(
        (changed.maintenance_interval, changed.days_until_maintenance),
        (0, None)
    );
    let history = world.history(&made.id).await.unwrap();
    assert_eq!(
        history[0].content,
        "Scheduled maintenance: on → off; Starting date: 2026-03-11 → none; \
         Maintenance interval: 7 days → none"
    );
}

#[tokio::test]
async fn update_new_interval_counts_from_now() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 5000.0)).await.unwrap();
    let begin = v1::EquipmentInput {
        service_interval: Some(250.0),
        ..Default::default()
    };
    let changed = world.update(&made.id, begin, None).await.unwrap();
    assert_eq!(changed.last_service_usage, Some(5000.0));
    assert_eq!(changed.service_status(), v1::ServiceStatus::Good);
    let other = v1::EquipmentInput {
        service_interval: Some(500.0),
        last_service_usage: Some(4000.0),
        ..Default::default()
    };
    let changed = world.update(&made.id, other, None).await.unwrap();
    assert_eq!(changed.last_service_usage, Some(4000.0));
    assert_eq!(changed.service_status(), v1::ServiceStatus::Overdue);
}

#[tokio::test]
async fn update_replaces_parts_and_keeps_them_after_a_downgrade() {
    let world = World::new().await;
    let premium = with_parts(&world.owner);
    let made = world.create(named("A")).await.unwrap();
    let edit = |names: &[&str]| v1::EquipmentInput {
        service_parts: Some(parts(names)),
        ..Default::default()
    };
    let answer = world.update(&made.id, edit(&["Filter"]), None).await;
    refused(answer, Kind::Forbidden, "FEATURE_NOT_IN_PLAN");
    let two = edit(&["Filter", "Belt"]);
    let changed = world.update_as(&premium, &made.id, two.clone(), None).await;
    assert_eq!(
        changed.unwrap().service_parts,
        parts(&["Filter", "Belt"]).parts
    );
    let one = world
        .update_as(&premium, &made.id, edit(&["Belt"]), None)
        .await;
    assert_eq!(one.unwrap().service_parts, parts(&["Belt"]).parts);
    assert_eq!(
        world.history(&made.id).await.unwrap()[0].content,
        "Service parts changed"
    );

    // Without the feature parts may stay or be removed, but not added.
    world.update(&made.id, edit(&["Belt"]), None).await.unwrap();
    let answer = world.update(&made.id, two, None).await;
    refused(answer, Kind::Forbidden, "FEATURE_NOT_IN_PLAN");
    let emptied = world.update(&made.id, edit(&[""]), None).await.unwrap();
    assert_eq!(emptied.service_parts, []);
}

#[tokio::test]
async fn update_invalid_fields_change_nothing() {
    let world = World::new().await;
    let who = with_parts(&world.owner);
    let made = world.create(with_usage("A", 5.0)).await.unwrap();
    let before = world.state(&made.id).await;
    for (field, edit) in WRONG {
        let mut input = v1::EquipmentInput::default();
        edit(&mut input);
        invalid_fields(world.update_as(&who, &made.id, input, None).await, &[field]);
    }
    assert_eq!(world.state(&made.id).await, before);
    let several = v1::EquipmentInput {
        name: Some(String::new()),
        current_usage: Some(-1.0),
        has_scheduled_maintenance: Some(true),
        ..Default::default()
    };
    invalid_fields(
        world.update(&made.id, several, None).await,
        &[
            "name",
            "currentUsage",
            "maintenanceStartDate",
            "maintenanceInterval",
        ],
    );
}

#[tokio::test]
async fn update_of_unknown_ids_is_not_found() {
    let world = World::new().await;
    for id in unknown_ids() {
        not_found(world.update(&id, named("B"), None).await);
    }
    let made = world.create(named("A")).await.unwrap();
    world.retire(&made.id, "").await.unwrap();
    not_found(world.update(&made.id, named("B"), None).await);
}

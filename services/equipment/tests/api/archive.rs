//! `RetireEquipment`, `ListRetired`, `RestoreEquipment`.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Entitlements, Identity, Service};
use hourmeter_runtime::testing::as_person;
use uuid::Uuid;

use crate::support::{
    World, fold, invalid_fields, named, not_found, page, parts, refused, unknown_ids, with_usage,
};

#[tokio::test]
async fn retire_keeps_the_equipment_data() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        serial_number: Some("S1".to_owned()),
        threshold: Some(1000.0),
        fuel: Some(v1::EquipmentFuel::Diesel.into()),
        service_interval: Some(250.0),
        description: Some("Yard".to_owned()),
        ..with_usage("Loader", 900.5)
    };
    let made = world.create(input).await.unwrap();
    let entry = v1::RecordUsageRequest {
        id: made.id.clone(),
        fuel_added: Some(12.5),
        ..Default::default()
    };
    world.record(entry).await.unwrap();
    let now = world.later(TimeDelta::days(1));
    let retired = world.retire(&made.id, " Engine gone ").await.unwrap();
    let expected = v1::RetiredEquipment {
        id: retired.id.clone(),
        original_equipment_id: made.id.clone(),
        owner_id: made.owner_id.clone(),
        name: "Loader".to_owned(),
        r#type: made.r#type,
        serial_number: Some("S1".to_owned()),
        unit_number: None,
        group: None,
        unit: made.unit,
        final_usage: 900.5,
        threshold: Some(1000.0),
        fuel: made.fuel,
        service_interval: 250.0,
        last_service_usage: Some(900.5),
        total_fuel_used: 12.5,
        total_gas_used: 0.0,
        total_diesel_used: 12.5,
        description: "Yard".to_owned(),
        retirement_notes: "Engine gone".to_owned(),
        retired_by: "Olivia Owner".to_owned(),
        original_date_added: made.date_added,
        retired_at: retired.retired_at,
    };
    assert_eq!(retired, expected);
    assert_ne!(retired.id, made.id);
    assert_eq!(retired.retired_at.unwrap().seconds, now.timestamp());
    assert_eq!(world.archive(None).await.unwrap().retired, [retired]);
    not_found(world.retire(&made.id, "").await);
}

#[tokio::test]
async fn get_retired_finds_by_equipment_id() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 10.0)).await.unwrap();
    let active = world.retired(&made.id).await;
    refused(active, Kind::NotFound, "EQUIPMENT_NOT_RETIRED");
    let retired = world.retire(&made.id, "Sold").await.unwrap();
    assert_eq!(world.retired(&made.id).await.unwrap(), retired);
    for id in unknown_ids() {
        not_found(world.retired(&id).await);
    }
    not_found(world.retired(&retired.id).await);
    let stranger = Identity {
        company_id: Uuid::now_v7(),
        ..world.owner.clone()
    };
    let equipment_id = made.id.clone();
    let message = v1::GetRetiredRequest { equipment_id };
    let request = as_person(Service::Equipment, &stranger, message);
    not_found(fold(world.client().get_retired(request).await));
    world.restore(&retired.id).await.unwrap();
    let restored = world.retired(&made.id).await;
    refused(restored, Kind::NotFound, "EQUIPMENT_NOT_RETIRED");
}

#[tokio::test]
async fn restore_keeps_id_notes_history_and_data() {
    let world = World::new().await;
    let mut premium = world.owner.clone();
    premium.entitlements.parts_entry = true;
    let input = v1::EquipmentInput {
        service_parts: Some(parts(&["Filter"])),
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-03-01".to_owned()),
        maintenance_interval: Some(1),
        ..with_usage("Loader", 10.0)
    };
    let made = world.create_as(&premium, input).await.unwrap();
    world.note(&made.id, "kept").await.unwrap();
    let first = world.retire(&made.id, "").await.unwrap();
    let back = world.restore(&first.id).await.unwrap();
    let expected = v1::Equipment {
        version: 3,
        last_updated: back.last_updated,
        ..made.clone()
    };
    assert_eq!(back, expected);
    assert_eq!(world.notes(&made.id).await.unwrap().len(), 1);
    assert_eq!(world.archive(None).await.unwrap().retired, []);
    not_found(world.restore(&first.id).await);
    // A second retirement creates another archive row.
    let second = world.retire(&made.id, "").await.unwrap();
    assert_ne!(first.id, second.id);
    not_found(world.restore(&first.id).await);
    // Archive ids and equipment ids are not interchangeable.
    not_found(world.restore(&made.id).await);
    world.check_projections().await;
}

#[tokio::test]
async fn list_retired_is_newest_first_in_pages() {
    let world = World::new().await;
    for name in ["A", "B", "C", "D"] {
        let made = world.create(named(name)).await.unwrap();
        world.retire(&made.id, name).await.unwrap();
        if name != "B" {
            world.later(TimeDelta::seconds(1));
        }
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let part = world.archive(Some(page(1, &cursor))).await.unwrap();
        seen.extend(part.retired.into_iter().map(|row| row.name));
        cursor = part.page.unwrap().next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen, ["D", "C", "B", "A"]);
    invalid_fields(world.archive(Some(page(1, "x"))).await, &["cursor"]);
    invalid_fields(world.archive(Some(page(501, ""))).await, &["limit"]);
}

#[tokio::test]
async fn restore_counts_towards_the_limit() {
    let world = World::new().await;
    let with_limit = |equipment_limit| Identity {
        entitlements: Entitlements {
            equipment_limit,
            ..world.owner.entitlements.clone()
        },
        ..world.owner.clone()
    };
    let mut archive = Vec::new();
    for name in ["A", "B", "C"] {
        let made = world.create(named(name)).await.unwrap();
        archive.push(world.retire(&made.id, "").await.unwrap().id);
    }
    world.create(named("D")).await.unwrap();
    let answer = world.restore_as(&with_limit(1), &archive[0]).await;
    let failure = refused(answer, Kind::Forbidden, "EQUIPMENT_LIMIT_REACHED");
    assert!(failure.message.contains("limit of 1 piece of equipment"));
    assert_eq!(world.archive(None).await.unwrap().retired.len(), 3);
    // One slot left, and several concurrent requests.
    let two = with_limit(2);
    world.warm_up().await;
    let racing = archive.iter().map(|id| world.restore_as(&two, id));
    let answers = futures::future::join_all(racing).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(world.names().await.len(), 2);
}

#[tokio::test]
async fn restore_concurrently_succeeds_once() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let retired = world.retire(&made.id, "").await.unwrap();
    world.warm_up().await;
    let racing = (0..5).map(|_| world.restore(&retired.id));
    let answers = futures::future::join_all(racing).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(world.history(&made.id).await.unwrap().len(), 2);
}

#[tokio::test]
async fn archive_bad_requests_change_nothing() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let before = world.state(&made.id).await;
    for notes in ["x".repeat(5001), "a\0".to_owned()] {
        invalid_fields(world.retire(&made.id, &notes).await, &["retirementNotes"]);
    }
    for id in unknown_ids() {
        not_found(world.retire(&id, "").await);
        not_found(world.restore(&id).await);
    }
    assert_eq!(world.state(&made.id).await, before);
}

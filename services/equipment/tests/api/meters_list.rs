//! `ListMeters`, `GetEquipmentMarker`, and events.

use std::collections::HashSet;
use std::time::Instant;

use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::events::{Event, Topic};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{as_person, operator_of};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::TryRecvError;

use crate::meters::{fitted, replaced};
use crate::relay::{captured, reading};
use crate::support::{World, fold, increase, invalid_fields, named, page, void, with_usage};

#[tokio::test]
async fn list_meters_returns_active_equipment_by_name() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        serial_number: Some("S1".to_owned()),
        fuel: Some(v1::EquipmentFuel::Diesel.into()),
        service_interval: Some(100.0),
        last_service_usage: Some(0.0),
        ..with_usage("bulldozer", 85.0)
    };
    let made = world.create(input).await.unwrap();
    world
        .replace(fitted(&made.id, 90.0, 0.0, 0.0))
        .await
        .unwrap();
    let broken = v1::EquipmentInput {
        operational_status: Some(v1::OperationalStatus::OutOfService.into()),
        ..named("Axe")
    };
    let other = world.create(broken).await.unwrap();
    let gone = world.create(named("Crane")).await.unwrap();
    world.retire(&gone.id, "").await.unwrap();
    let operator = operator_of(&world.owner);
    let message = v1::ListMetersRequest { page: None };
    let request = as_person(Service::Equipment, &operator, message);
    let answer = fold(world.client().list_meters(request).await).unwrap();
    let expected = [
        v1::Meter {
            equipment_id: other.id,
            name: "Axe".to_owned(),
            r#type: v1::EquipmentType::Machinery.into(),
            unit: v1::MeterUnit::Hours.into(),
            fuel: v1::EquipmentFuel::NotApplicable.into(),
            service_status: v1::ServiceStatus::Good.into(),
            operational_status: v1::OperationalStatus::OutOfService.into(),
            ..Default::default()
        },
        v1::Meter {
            equipment_id: made.id,
            name: "bulldozer".to_owned(),
            r#type: v1::EquipmentType::Machinery.into(),
            serial_number: Some("S1".to_owned()),
            unit_number: None,
            unit: v1::MeterUnit::Hours.into(),
            fuel: v1::EquipmentFuel::Diesel.into(),
            meter_reading: 0.0,
            meter_read_at: Some(captured(
                world.clock.now() + chrono::TimeDelta::microseconds(1),
            )),
            usual_daily_use: None,
            usual_fill: None,
            service_status: v1::ServiceStatus::ApproachingService.into(),
            operational_status: v1::OperationalStatus::InUse.into(),
        },
    ];
    assert_eq!(answer.meters, expected);
}

#[tokio::test]
async fn list_meters_pages_are_contiguous() {
    let world = World::new().await;
    for name in ["b", "A", "c", "B", "a"] {
        world.create(named(name)).await.unwrap();
    }
    let mut names = Vec::new();
    let mut cursor = String::new();
    loop {
        let answer = world.meters(Some(page(2, &cursor))).await.unwrap();
        assert!(answer.meters.len() <= 2);
        names.extend(answer.meters.into_iter().map(|meter| meter.name));
        cursor = answer.page.unwrap().next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    let listed = world.names().await;
    assert_eq!(names, listed);
    let all = world.meters(None).await.unwrap().meters;
    let all: Vec<_> = all.into_iter().map(|meter| meter.name).collect();
    assert_eq!(all, listed);
    invalid_fields(world.meters(Some(page(501, ""))).await, &["limit"]);
    // An invalid cursor, one of another list, and one with an impossible name.
    let request = v1::ListEquipmentRequest {
        page: Some(page(1, "")),
        ..Default::default()
    };
    let foreign = world.list(request).await.unwrap().1;
    for cursor in [
        "x",
        "%%%",
        &foreign,
        "WyJcdTAwMDAiLCAiMDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAwIl0",
    ] {
        invalid_fields(world.meters(Some(page(1, cursor))).await, &["cursor"]);
    }
}

#[tokio::test]
async fn list_meters_status_equals_that_of_the_machine() {
    let world = World::new().await;
    for (number, usage) in [0.0, 79.99, 80.0, 99.99, 100.0, 109.99, 110.0]
        .into_iter()
        .enumerate()
    {
        let input = v1::EquipmentInput {
            service_interval: Some(100.0),
            last_service_usage: Some(0.0),
            ..with_usage(&format!("By use {number}"), usage)
        };
        world.create(input).await.unwrap();
    }
    for day in [
        "2026-02-08",
        "2026-02-10",
        "2026-02-11",
        "2026-02-12",
        "2026-02-17",
        "2026-02-18",
    ] {
        let input = v1::EquipmentInput {
            has_scheduled_maintenance: Some(true),
            maintenance_start_date: Some(day.to_owned()),
            maintenance_interval: Some(1),
            ..named(&format!("By date {day}"))
        };
        world.create(input).await.unwrap();
    }
    let mut seen = HashSet::new();
    for meter in world.meters(None).await.unwrap().meters {
        let found = world.get(&meter.equipment_id).await.unwrap();
        assert_eq!(meter.service_status, found.service_status, "{}", meter.name);
        seen.insert(meter.service_status);
    }
    assert_eq!(seen.len(), 4);
}

/// A company with this many machines, in a vacuumed table.
async fn fill(world: &World, many: i32) {
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    sqlx::query(
        "INSERT INTO equipment (
            company_id, id, name, kind, unit, initial_usage, current_usage, alert_threshold, fuel,
            description, added_at, updated_at
        )
        SELECT $1, gen_random_uuid(), 'Machine ' || number, 'tools', 'hours', 0, 0, 20, 'n/a', '',
            now(), now()
        FROM generate_series(1, $2) number
        ORDER BY random()",
    )
    .bind(world.owner.company_id)
    .bind(many)
    .execute(&mut admin)
    .await
    .unwrap();
    world.vacuum().await;
}

#[tokio::test]
async fn list_meters_returns_5000_machines() {
    let world = World::with_own_database().await;
    fill(&world, 5000).await;
    world.warm_up().await;
    let begun = Instant::now();
    let (mut count, mut cursor) = (0, String::new());
    loop {
        let answer = world.meters(Some(page(0, &cursor))).await.unwrap();
        count += answer.meters.len();
        cursor = answer.page.unwrap_or_default().next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(count, 5000);
    let list = begun.elapsed();
    let begun = Instant::now();
    let first = world.marker().await;
    let marker = begun.elapsed();
    let begun = Instant::now();
    for _ in 0..10 {
        assert_eq!(world.marker().await, first);
    }
    let again = begun.elapsed() / 10;
    let id = world.meters(Some(page(1, ""))).await.unwrap().meters[0]
        .equipment_id
        .clone();
    world.record(increase(&id, 1.0)).await.unwrap();
    assert_ne!(world.marker().await, first);
    println!("5,000 machines: meters {list:?}, marker {marker:?}, then {again:?}");
}

#[tokio::test]
async fn marker_changes_with_every_change() {
    let world = World::new().await;
    let mut seen = HashSet::from([world.marker().await]);
    let mut next = async |what: &str| {
        assert!(seen.insert(world.marker().await), "after {what}");
    };
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    next("an addition").await;
    world.record(increase(id, 1.0)).await.unwrap();
    next("usage").await;
    world.update(id, named("B"), None).await.unwrap();
    next("an edit").await;
    world.apply(reading(id, 105.0)).await.unwrap();
    next("a submission").await;
    world.apply_all(vec![reading(id, 106.0)]).await.unwrap();
    next("submissions").await;
    world.replace(replaced(id)).await.unwrap();
    next("a new meter").await;
    world.void(id, &world.newest(id).await).await.unwrap();
    next("a voiding").await;
    world.reset_fuel().await.unwrap();
    next("a fuel reset").await;
    let archived = world.retire(id, "").await.unwrap();
    next("a retirement").await;
    world.restore(&archived.id).await.unwrap();
    next("a restoration").await;
    let other = world.create(named("C")).await.unwrap();
    next("another addition").await;
    world.delete(&other.id).await.unwrap();
    let again = world.create(named("C")).await.unwrap();
    next("a deletion and an addition").await;
    // The sum of versions is the same as before.
    world.delete(&again.id).await.unwrap();
    world.record(increase(id, 1.0)).await.unwrap();
    next("a deletion and a change").await;

    let before = world.marker().await;
    world.note(id, "Text").await.unwrap();
    world
        .update(id, v1::EquipmentInput::default(), None)
        .await
        .unwrap();
    let operator = operator_of(&world.owner);
    let message = v1::GetEquipmentMarkerRequest {};
    let request = as_person(Service::Equipment, &operator, message);
    let answer = fold(world.client().get_equipment_marker(request).await).unwrap();
    assert_eq!(answer.marker, before);
}

/// Number of events; all must be about this company's equipment.
fn event_count(events: &mut Receiver<Event>, world: &World) -> usize {
    let mut count = 0;
    loop {
        match events.try_recv() {
            Ok(event) => {
                let expected = Event {
                    company_id: world.owner.company_id,
                    topic: Topic::Equipment,
                    person_id: None,
                    equipment_id: event.equipment_id,
                };
                assert_eq!(event, expected);
                count += 1;
            }
            Err(TryRecvError::Empty) => return count,
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn events_are_published_after_the_commit() {
    let world = World::new().await;
    let mut events = world.events.subscribe();
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    assert_eq!(event_count(&mut events, &world), 1);
    let entry = increase(id, 1.0);
    world
        .record_once(&world.owner, "k", entry.clone())
        .await
        .unwrap();
    assert_eq!(event_count(&mut events, &world), 1);
    world.record_once(&world.owner, "k", entry).await.unwrap();
    assert_eq!(event_count(&mut events, &world), 0, "a repeat");
    world.update(id, named("B"), None).await.unwrap();
    assert_eq!(event_count(&mut events, &world), 1);
    world.update(id, named("B"), None).await.unwrap();
    assert_eq!(event_count(&mut events, &world), 0, "nothing changed");
    world.replace(replaced(id)).await.unwrap();
    assert_eq!(event_count(&mut events, &world), 1);
    let update = reading(id, 3.0);
    world.apply(update.clone()).await.unwrap();
    assert_eq!(event_count(&mut events, &world), 1);
    world.apply(update.clone()).await.unwrap();
    world.apply(reading(id, 2.0)).await.unwrap_err();
    world
        .apply_all(vec![update, reading(id, 1.0)])
        .await
        .unwrap();
    assert_eq!(event_count(&mut events, &world), 0, "repeats and refusals");
    world
        .apply_all(vec![reading(id, 4.0), reading(id, 5.0)])
        .await
        .unwrap();
    assert_eq!(event_count(&mut events, &world), 1);
    let newest = world.newest(id).await;
    world
        .void_as(&world.owner, void(id, &newest))
        .await
        .unwrap();
    world.reset_fuel().await.unwrap();
    let archived = world.retire(id, "").await.unwrap();
    world.restore(&archived.id).await.unwrap();
    world.delete(id).await.unwrap();
    assert_eq!(event_count(&mut events, &world), 5);
    world.replace(replaced(id)).await.unwrap_err();
    world.delete(id).await.unwrap_err();
    world.meters(Some(PageRequest::default())).await.unwrap();
    world.marker().await;
    assert_eq!(event_count(&mut events, &world), 0);
}

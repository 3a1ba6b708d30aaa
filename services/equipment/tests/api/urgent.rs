//! The urgent task in equipment responses.

use std::collections::BTreeMap;

use hourmeter_proto::accounts::v1::{Role, Scope};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_person, operator_of};

use crate::support::{World, fold, named, page, refused, with_usage};
use crate::task_calls::{by_usage, with_form};

#[tokio::test]
async fn urgent_task_is_returned_next_to_the_form() {
    let world = World::new().await;
    let since = |name: &str, interval: f64, last: f64| v1::ServiceTaskInput {
        last_done_usage: Some(last),
        ..by_usage(name, interval)
    };
    // The form's task is at 20 %.
    let made = world.create(with_form("A", 100.0)).await.unwrap();
    assert_eq!((made.urgent_task.clone(), made.more_tasks), (None, 0));
    let (_, seen) = world
        .add_task(&made.id, since("79", 100.0, 21.0))
        .await
        .unwrap();
    let good = seen.urgent_task.clone().unwrap();
    assert_eq!(
        (good.name.as_str(), good.status()),
        ("79", v1::ServiceStatus::Good),
        "21 hours are left, 80 of the form's task"
    );
    let (soon, seen) = world
        .add_task(&made.id, since("80", 100.0, 20.0))
        .await
        .unwrap();
    let expected = v1::UrgentTask {
        id: soon.id.clone(),
        name: "80".to_owned(),
        status: v1::ServiceStatus::ApproachingService.into(),
        next_due_usage: Some(120.0),
        remaining_usage: Some(20.0),
        days_until_due: None,
    };
    assert_eq!(seen.urgent_task, Some(expected));
    assert_eq!(seen.service_status(), v1::ServiceStatus::ApproachingService);
    let (_, seen) = world
        .add_task(&made.id, since("94", 100.0, 6.0))
        .await
        .unwrap();
    assert_eq!(seen.urgent_task.clone().unwrap().name, "94");
    assert_eq!(
        (seen.badge(), seen.critical),
        (v1::Badge::ApproachingService, false)
    );
    let by_date = v1::ServiceTaskInput {
        name: Some("Inspection".to_owned()),
        calendar_interval: Some(1),
        calendar_unit: Some(v1::CalendarUnit::Days.into()),
        last_done_on: Some("2026-03-01".to_owned()),
        ..Default::default()
    };
    let (_, seen) = world.add_task(&made.id, by_date).await.unwrap();
    let urgent = seen.urgent_task.clone().unwrap();
    assert_eq!(
        (urgent.name.as_str(), urgent.days_until_due),
        ("Inspection", Some(-8))
    );
    assert!(seen.critical && seen.severely_critical);
    assert_eq!(
        (seen.usage_percent, seen.days_until_maintenance),
        (Some(20.0), None)
    );
    assert_eq!(seen.more_tasks, 4);

    // As overdue as the form's task, but with less progress: the form decides.
    let late = world.create(with_form("B", 1000.0)).await.unwrap();
    let (_, seen) = world
        .add_task(&late.id, since("111", 100.0, 889.0))
        .await
        .unwrap();
    assert_eq!(seen.urgent_task, None);
    let (_, seen) = world
        .add_task(&late.id, since("201", 100.0, 799.0))
        .await
        .unwrap();
    assert_eq!(seen.urgent_task.unwrap().name, "201");

    // Without a plan in the form, the others decide.
    let plain = world.create(with_usage("C", 10.0)).await.unwrap();
    let (_, seen) = world
        .add_task(&plain.id, since("good", 100.0, 10.0))
        .await
        .unwrap();
    assert_eq!(seen.urgent_task.unwrap().name, "good");
}

#[tokio::test]
async fn urgent_task_in_lists_equals_that_of_the_item() {
    let world = World::new().await;
    let mut made = BTreeMap::new();
    for (number, tasks) in [(1, 0), (2, 1), (3, 3)] {
        let item = world
            .create(with_form(&format!("M{number}"), 450.0))
            .await
            .unwrap();
        for task in 0..tasks {
            let input = v1::ServiceTaskInput {
                last_done_usage: Some(0.0),
                ..by_usage(&format!("T{task}"), 400.0 + f64::from(task))
            };
            world.add_task(&item.id, input).await.unwrap();
        }
        made.insert(item.id.clone(), world.get(&item.id).await.unwrap());
    }
    for limit in [0, 2] {
        let message = v1::ListEquipmentRequest {
            page: Some(page(limit, "")),
            ..Default::default()
        };
        let request = as_person(Service::Equipment, &world.owner, message);
        let answer = fold(world.client().list_equipment(request).await).unwrap();
        for row in answer.equipment {
            assert_eq!(made[&row.id], row);
        }
    }
}

#[tokio::test]
async fn list_equipment_returns_all_tasks_on_request_and_names_the_missed_one() {
    let world = World::new().await;
    let made = world.create(with_form("A", 600.0)).await.unwrap();
    assert_eq!((made.missed_rounds, made.missed_task.as_str()), (0, ""));
    let grease = v1::ServiceTaskInput {
        last_done_usage: Some(0.0),
        ..by_usage("Grease", 50.0)
    };
    world.add_task(&made.id, grease).await.unwrap();
    world.create(with_usage("B", 10.0)).await.unwrap();
    let list = async |with_tasks: bool| {
        let message = v1::ListEquipmentRequest {
            with_tasks,
            ..Default::default()
        };
        let request = as_person(Service::Equipment, &world.owner, message);
        let found = fold(world.client().list_equipment(request).await).unwrap();
        found.equipment
    };
    let rows = list(true).await;
    assert_eq!(rows[0].tasks, world.tasks(&made.id).await.unwrap());
    assert_eq!(rows[0].tasks.len(), 2);
    assert_eq!(rows[1].tasks, []);
    assert_eq!(rows[0].missed_task, "Grease");
    assert_eq!(rows[0].missed_rounds, 11);
    assert!(list(false).await.iter().all(|row| row.tasks.is_empty()));
}

#[tokio::test]
async fn list_equipment_with_tasks_is_for_managers_in_small_pages() {
    let mut world = World::new().await;
    world.owner.entitlements.equipment_limit = 101;
    for number in 0..101 {
        world.create(named(&format!("M{number}"))).await.unwrap();
    }
    let list = async |who: &Identity, with_tasks: bool| {
        let message = v1::ListEquipmentRequest {
            with_tasks,
            ..Default::default()
        };
        let request = as_person(Service::Equipment, who, message);
        fold(world.client().list_equipment(request).await)
    };
    let limited = Identity {
        scope: Scope::Operator,
        ..world.owner.clone()
    };
    for who in [operator_of(&world.owner), limited] {
        refused(list(&who, true).await, Kind::Forbidden, "FORBIDDEN");
        assert_eq!(list(&who, false).await.unwrap().equipment.len(), 101);
    }
    let manager = Identity {
        role: Role::Manager,
        ..world.owner.clone()
    };
    let found = list(&manager, true).await.unwrap();
    assert_eq!((found.equipment.len(), found.matching), (100, Some(101)));
    assert_ne!(found.page.unwrap().next_cursor, "");
}

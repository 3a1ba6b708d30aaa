//! What notifications say about equipment.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1::digest_service_client::DigestServiceClient;
use hourmeter_proto::equipment::v1::{self, ServiceStatus};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_notifications;
use uuid::Uuid;

use crate::support::{World, fold, invalid_fields, named, with_usage};

fn message() -> v1::GetDigestRequest {
    v1::GetDigestRequest {
        time_zone: "America/Chicago".to_owned(),
        stale_after_days: 2,
        due_within_days: 7,
        limit: 10,
        selection: None,
    }
}

async fn digest(
    world: &World,
    company_id: Uuid,
    message: v1::GetDigestRequest,
) -> Result<v1::GetDigestResponse, ServiceError> {
    let request = as_notifications(Service::Equipment, company_id, message);
    let mut client = DigestServiceClient::new(world.backend.clone());
    fold(client.get_digest(request).await)
}

fn names(list: Option<&v1::DigestMachines>) -> Vec<&str> {
    let machines = &list.unwrap().machines;
    machines.iter().map(|item| item.name.as_str()).collect()
}

/// Due on March 15.
fn scheduled(name: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        unit: Some(v1::MeterUnit::NotApplicable.into()),
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-02-15".to_owned()),
        maintenance_interval: Some(28),
        maintenance_interval_unit: Some(v1::CalendarUnit::Days.into()),
        ..named(name)
    }
}

async fn read(world: &World, id: &str, value: f64) {
    let reading = v1::RecordUsageRequest {
        id: id.to_owned(),
        reading: Some(value),
        ..v1::RecordUsageRequest::default()
    };
    world.record(reading).await.unwrap();
}

#[tokio::test]
async fn digest_has_overdue_due_and_stale_machines() {
    let world = World::new().await;
    let company_id = world.owner.company_id;
    let overdue = v1::EquipmentInput {
        service_interval: Some(100.0),
        last_service_usage: Some(100.0),
        ..with_usage("Excavator", 100.0)
    };
    let overdue = world.create(overdue).await.unwrap();
    world.create(scheduled("Loader")).await.unwrap();
    world.create(with_usage("Dozer", 5.0)).await.unwrap();
    world.later(TimeDelta::days(3));
    read(&world, &overdue.id, 260.0).await;

    let found = digest(&world, company_id, message()).await.unwrap();
    assert_eq!(names(found.overdue.as_ref()), ["Excavator"]);
    assert_eq!(names(found.due.as_ref()), ["Loader"]);
    assert_eq!(names(found.stale.as_ref()), ["Dozer"]);
    let [excavator] = found.overdue.unwrap().machines.try_into().unwrap();
    let [task] = excavator.tasks.try_into().unwrap();
    assert_eq!(task.status(), ServiceStatus::Overdue);
    assert_eq!(task.next_due_usage, Some(200.0));
    assert_eq!(
        found.due.unwrap().machines[0].tasks[0].projected_due_date,
        "2026-03-15"
    );
    assert_eq!(found.stale.unwrap().machines[0].meter_age_days, Some(3));
}

#[tokio::test]
async fn digest_has_all_overdue_tasks_of_a_machine() {
    let world = World::new().await;
    let made = world.create(with_usage("Excavator", 100.0)).await.unwrap();
    for (name, interval) in [("Oil", 100.0), ("Filter", 300.0), ("Grease", 50.0)] {
        let task = v1::ServiceTaskInput {
            name: Some(name.to_owned()),
            usage_interval: Some(interval),
            ..Default::default()
        };
        world.add_task(&made.id, task).await.unwrap();
    }
    read(&world, &made.id, 260.0).await;

    let found = digest(&world, world.owner.company_id, message())
        .await
        .unwrap();
    let machine = &found.overdue.unwrap().machines[0];
    let tasks: Vec<_> = machine.tasks.iter().map(|task| &*task.name).collect();
    assert_eq!(tasks, ["Grease", "Oil"]);
    assert_eq!(machine.overdue_tasks, 2);
}

#[tokio::test]
async fn digest_has_machines_due_on_the_last_day() {
    let world = World::new().await;
    world.create(scheduled("Loader")).await.unwrap();
    // March 15 is five days after March 10.
    for (days, expected) in [(4, 0), (5, 1)] {
        let request = v1::GetDigestRequest {
            due_within_days: days,
            ..message()
        };
        let found = digest(&world, world.owner.company_id, request)
            .await
            .unwrap();
        assert_eq!(found.due.unwrap().total, expected);
    }
}

#[tokio::test]
async fn digest_lists_up_to_the_limit_and_counts_all() {
    let world = World::new().await;
    for name in ["A", "B", "C"] {
        world.create(with_usage(name, 5.0)).await.unwrap();
    }
    world.later(TimeDelta::days(3));
    let request = v1::GetDigestRequest {
        limit: 2,
        ..message()
    };
    let found = digest(&world, world.owner.company_id, request)
        .await
        .unwrap();
    assert_eq!(names(found.stale.as_ref()), ["A", "B"]);
    assert_eq!(found.stale.unwrap().total, 3);
    let other = digest(&world, Uuid::now_v7(), message()).await.unwrap();
    assert_eq!(other.stale.unwrap().total, 0);
}

#[tokio::test]
async fn digest_of_a_wrong_request_is_refused() {
    let world = World::new().await;
    for (request, field) in [
        (
            v1::GetDigestRequest {
                time_zone: "Mars/Base".to_owned(),
                ..message()
            },
            "time_zone",
        ),
        (
            v1::GetDigestRequest {
                due_within_days: 0,
                ..message()
            },
            "due_within_days",
        ),
        (
            v1::GetDigestRequest {
                limit: 101,
                ..message()
            },
            "limit",
        ),
        (
            v1::GetDigestRequest {
                selection: Some(selection(&["EX-7"], &[])),
                ..message()
            },
            "equipment_ids",
        ),
    ] {
        let answer = digest(&world, world.owner.company_id, request).await;
        invalid_fields(answer, &[field]);
    }
}

fn selection(ids: &[&str], groups: &[&str]) -> v1::DigestSelection {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    v1::DigestSelection {
        equipment_ids: texts(ids),
        groups: texts(groups),
    }
}

fn of_group(name: &str, group: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        group: Some(group.to_owned()),
        ..with_usage(name, 5.0)
    }
}

#[tokio::test]
async fn digest_of_a_selection_has_its_machines_only() {
    let world = World::new().await;
    world.create(of_group("A", "North yard")).await.unwrap();
    world.create(of_group("B", "South yard")).await.unwrap();
    let third = world.create(with_usage("C", 5.0)).await.unwrap();
    world.later(TimeDelta::days(3));
    let other = Uuid::now_v7().to_string();
    for (selection, expected) in [
        (selection(&[&third.id], &[]), vec!["C"]),
        (selection(&[], &["North yard"]), vec!["A"]),
        (
            selection(&[&third.id], &["South yard", "A yard"]),
            vec!["B", "C"],
        ),
        (selection(&[&other], &["north yard"]), vec![]),
        (selection(&[], &[]), vec![]),
    ] {
        let request = v1::GetDigestRequest {
            selection: Some(selection),
            ..message()
        };
        let found = digest(&world, world.owner.company_id, request)
            .await
            .unwrap();
        let stale = found.stale.unwrap();
        assert_eq!(names(Some(&stale)), expected);
        assert_eq!(stale.total as usize, expected.len());
    }
}

#[tokio::test]
async fn find_groups_returns_those_of_the_company() {
    let world = World::new().await;
    let first = world.create(of_group("A", "North yard")).await.unwrap();
    let second = world.create(with_usage("B", 5.0)).await.unwrap();
    let find = async |company_id, equipment_ids: Vec<String>| {
        let message = v1::FindGroupsRequest { equipment_ids };
        let request = as_notifications(Service::Equipment, company_id, message);
        let mut client = DigestServiceClient::new(world.backend.clone());
        fold(client.find_groups(request).await)
    };
    let company_id = world.owner.company_id;
    let both = vec![first.id.clone(), second.id];
    let found = find(company_id, both.clone()).await.unwrap().groups;
    assert_eq!(found.len(), 1);
    assert_eq!(found[&first.id], "North yard");
    let other = find(Uuid::now_v7(), both).await.unwrap();
    assert!(other.groups.is_empty());
    let many = vec![first.id; 101];
    for wrong in [vec![], many, vec!["EX-7".to_owned()]] {
        invalid_fields(find(company_id, wrong).await, &["equipment_ids"]);
    }
}

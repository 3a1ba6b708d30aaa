//! Voided services: what tasks count from afterwards.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_person;

use crate::support::{World, fold, increase, with_usage};
use crate::task_calls::{done, oil, with_form};
use crate::void::{entry, meter};

fn serviced(id: &str, day: &str) -> v1::MarkServicedRequest {
    v1::MarkServicedRequest {
        id: id.to_owned(),
        performed_at: day.to_owned(),
        ..Default::default()
    }
}

/// Equipment with an interval and a schedule.
pub fn maintained(name: &str, usage: f64) -> v1::EquipmentInput {
    v1::EquipmentInput {
        service_interval: Some(250.0),
        last_service_usage: Some(40.0),
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-01-01".to_owned()),
        maintenance_interval: Some(1),
        ..with_usage(name, usage)
    }
}

/// Last usage, start and next date of the form's task.
async fn marks(world: &World, id: &str) -> (Option<f64>, String, String) {
    let found = world.get(id).await.unwrap();
    (
        found.last_service_usage,
        found.maintenance_start_date,
        found.next_maintenance_date,
    )
}

fn expected(last: f64, start: &str, next: &str) -> (Option<f64>, String, String) {
    (Some(last), start.to_owned(), next.to_owned())
}

/// Equipment with two services, and their entries.
async fn twice_serviced(world: &World) -> (String, String, String) {
    let made = world.create(maintained("Loader", 100.0)).await.unwrap();
    let id = made.id;
    world.serviced(serviced(&id, "2026-03-01")).await.unwrap();
    let first = world.newest(&id).await;
    world.record(increase(&id, 50.0)).await.unwrap();
    world.serviced(serviced(&id, "2026-03-09")).await.unwrap();
    let second = world.newest(&id).await;
    world.record(increase(&id, 5.0)).await.unwrap();
    assert_eq!(
        marks(world, &id).await,
        expected(100.0, "2026-03-09", "2026-04-09")
    );
    (id, first, second)
}

#[tokio::test]
async fn void_services_newest_first() {
    let world = World::new().await;
    let (id, first, second) = twice_serviced(&world).await;
    let answer = world.void(&id, &second).await.unwrap();
    let record = answer.record.unwrap();
    assert_eq!(record.voiding.unwrap().usage_after, None);
    assert_eq!(record.performed_on, "2026-03-09");
    assert_eq!(
        marks(&world, &id).await,
        expected(100.0, "2026-03-01", "2026-04-01")
    );
    let preview = world.preview_void(&world.owner, &id, &first).await;
    let moved = v1::MovedService {
        task_name: String::new(),
        before: Some(100.0),
        after: Some(40.0),
    };
    assert_eq!(preview.unwrap().services, [moved]);
    world.void(&id, &first).await.unwrap();
    assert_eq!(
        marks(&world, &id).await,
        expected(40.0, "2026-01-01", "2026-02-01")
    );
    let overdue = world.get(&id).await.unwrap();
    assert_eq!(overdue.service_status(), v1::ServiceStatus::Overdue);
    assert_eq!(meter(&world, &id).await, "155");
}

#[tokio::test]
async fn void_services_oldest_first() {
    let world = World::new().await;
    let (id, first, second) = twice_serviced(&world).await;
    world.void(&id, &first).await.unwrap();
    assert_eq!(
        marks(&world, &id).await,
        expected(100.0, "2026-03-09", "2026-04-09")
    );
    world.void(&id, &second).await.unwrap();
    assert_eq!(
        marks(&world, &id).await,
        expected(40.0, "2026-01-01", "2026-02-01")
    );
}

#[tokio::test]
async fn void_service_can_be_entered_again() {
    let world = World::new().await;
    let made = world.create(maintained("Loader", 100.0)).await.unwrap();
    let id = made.id.as_str();
    world.serviced(serviced(id, "")).await.unwrap();
    let wrong = world.newest(id).await;
    // Entered with the right date before the wrong one is voided: it is older, so the newer one
    // counts until then.
    world.serviced(serviced(id, "2026-03-02")).await.unwrap();
    assert_eq!(
        marks(&world, id).await,
        expected(100.0, "2026-03-10", "2026-04-10")
    );
    world.void(id, &wrong).await.unwrap();
    assert_eq!(
        marks(&world, id).await,
        expected(100.0, "2026-03-02", "2026-04-02")
    );
}

#[tokio::test]
async fn void_changes_the_usage_services_count_from() {
    let world = World::new().await;
    let made = world.create(maintained("Loader", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let wrong = entry(&world, increase(id, 900.0)).await;
    world.serviced(serviced(id, "")).await.unwrap();
    assert_eq!(marks(&world, id).await.0, Some(1000.0));
    world.void(id, &wrong).await.unwrap();
    assert_eq!(marks(&world, id).await.0, Some(100.0));
    assert_eq!(world.get(id).await.unwrap().usage_percent, Some(0.0));
}

#[tokio::test]
async fn void_keeps_values_from_the_form() {
    let world = World::new().await;
    let (id, first, second) = twice_serviced(&world).await;
    let form = v1::EquipmentInput {
        last_service_usage: Some(120.0),
        maintenance_start_date: Some("2026-03-05".to_owned()),
        ..Default::default()
    };
    world.update(&id, form, None).await.unwrap();
    let given = expected(120.0, "2026-03-05", "2026-04-05");
    for entry in [second, first] {
        world.void(&id, &entry).await.unwrap();
        assert_eq!(marks(&world, &id).await, given);
    }
    // The schedule was removed since, so voiding does not restore it.
    world.serviced(serviced(&id, "")).await.unwrap();
    let last = world.newest(&id).await;
    let off = v1::EquipmentInput {
        has_scheduled_maintenance: Some(false),
        ..Default::default()
    };
    world.update(&id, off, None).await.unwrap();
    world.void(&id, &last).await.unwrap();
    let after = world.get(&id).await.unwrap();
    assert!(!after.has_scheduled_maintenance);
}

#[tokio::test]
async fn void_of_the_entries_in_responses_undoes_usage_and_services() {
    let world = World::new().await;
    let made = world.create(maintained("A", 300.0)).await.unwrap();
    world.add_task(&made.id, oil()).await.unwrap();
    let before = (
        world.get(&made.id).await.unwrap(),
        world.tasks(&made.id).await.unwrap(),
    );
    let mut entries = Vec::new();
    // The first one is posted with the other facts of the machine, the second without.
    for _ in 0..2 {
        let request = as_person(Service::Equipment, &world.owner, increase(&made.id, 10.0));
        let answer = fold(world.client().record_usage(request).await).unwrap();
        entries.extend(answer.entry_ids);
    }
    let service = v1::MarkServicedRequest {
        task_ids: before.1.iter().map(|task| task.id.clone()).collect(),
        ..serviced(&made.id, "")
    };
    let request = as_person(Service::Equipment, &world.owner, service);
    let answer = fold(world.client().mark_serviced(request).await).unwrap();
    entries.extend(answer.entry_ids);
    assert_eq!(entries.len(), 4);
    for entry in entries.iter().rev() {
        world.void(&made.id, entry).await.unwrap();
    }
    let after = world.get(&made.id).await.unwrap();
    let figures = |item: &v1::Equipment| (item.current_usage, item.last_service_usage);
    assert_eq!(figures(&after), figures(&before.0));
    let marks = |tasks: &[v1::ServiceTask]| -> Vec<_> {
        let mark = |task: &v1::ServiceTask| (task.last_done_usage, task.last_done_on.clone());
        tasks.iter().map(mark).collect()
    };
    assert_eq!(
        marks(&world.tasks(&made.id).await.unwrap()),
        marks(&before.1)
    );
    world.check_projections().await;
}

#[tokio::test]
async fn service_that_ends_a_snooze_returns_no_entries_to_void() {
    let world = World::new().await;
    let made = world.create(with_form("A", 600.0)).await.unwrap();
    let form = world.tasks(&made.id).await.unwrap().remove(0);
    let (other, _) = world.add_task(&made.id, oil()).await.unwrap();
    let snooze = v1::SnoozeServiceTaskRequest {
        equipment_id: made.id.clone(),
        task_id: form.id.clone(),
        until_date: "2026-03-20".to_owned(),
        reason: "Parts ordered".to_owned(),
        ..Default::default()
    };
    let complete = async |task: &str| {
        let request = as_person(Service::Equipment, &world.owner, done(&made.id, task));
        let answer = fold(world.client().complete_service_task(request).await);
        answer.unwrap().entry_ids.len()
    };
    let serve = async || {
        let service = v1::MarkServicedRequest {
            task_ids: vec![form.id.clone(), other.id.clone()],
            ..serviced(&made.id, "")
        };
        let request = as_person(Service::Equipment, &world.owner, service);
        let answer = fold(world.client().mark_serviced(request).await);
        answer.unwrap().entry_ids.len()
    };
    world.snooze(snooze.clone()).await.unwrap();
    assert_eq!(complete(&other.id).await, 1, "another task is snoozed");
    assert_eq!(complete(&form.id).await, 0);
    assert_eq!(complete(&form.id).await, 1, "not snoozed any more");
    world.snooze(snooze).await.unwrap();
    assert_eq!(serve().await, 0);
    assert_eq!(serve().await, 2);
}

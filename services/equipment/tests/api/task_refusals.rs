//! Refusals and limits of service tasks.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::testing::{self};

use crate::support::{World, invalid_fields, named, not_found, refused, with_usage};
use crate::task_calls::{by_usage, done, oil, with_form};

/// Tasks with one invalid field each.
fn bad_tasks() -> Vec<(&'static str, v1::ServiceTaskInput)> {
    let mut bad = Vec::new();
    let other = || by_usage("Belts", 1.0);
    for name in [" ".to_owned(), "x".repeat(101), "a\nb".to_owned()] {
        let mut task = other();
        task.name = Some(name);
        bad.push(("name", task));
    }
    for interval in [0.5, -1.0, f64::NAN, 1_000_000_001.0] {
        let mut task = other();
        task.usage_interval = Some(interval);
        bad.push(("usageInterval", task));
    }
    for usage in [-0.01, 0.001, f64::INFINITY, 1_000_000_000.01] {
        let mut task = other();
        task.last_done_usage = Some(usage);
        bad.push(("lastDoneUsage", task));
    }
    for unit in [4, -1] {
        let mut task = other();
        task.calendar_unit = Some(unit);
        bad.push(("calendarUnit", task));
    }
    for interval in [12 * 175, u32::MAX] {
        let mut task = other();
        task.calendar_interval = Some(interval);
        bad.push(("calendarInterval", task));
    }
    for day in ["2026-03-11", "2026-02-30", "1899-12-31", "soon"] {
        let mut task = other();
        task.last_done_on = Some(day.to_owned());
        bad.push(("lastDoneOn", task));
    }
    bad
}

#[tokio::test]
async fn tasks_invalid_requests_change_nothing() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 10.0)).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let before = (
        world.state(&made.id).await,
        world.tasks(&made.id).await.unwrap(),
    );
    let other = || by_usage("Belts", 1.0);
    for (field, input) in bad_tasks() {
        invalid_fields(world.add_task(&made.id, input.clone()).await, &[field]);
        invalid_fields(world.change_task(&made.id, &task.id, input).await, &[field]);
    }
    let nothing = v1::ServiceTaskInput::default();
    invalid_fields(
        world.add_task(&made.id, nothing).await,
        &["name", "usageInterval"],
    );
    let no_interval = v1::ServiceTaskInput {
        usage_interval: Some(0.0),
        calendar_interval: Some(0),
        ..other()
    };
    let failure = invalid_fields(
        world.add_task(&made.id, no_interval.clone()).await,
        &["usageInterval"],
    );
    assert_eq!(
        failure.message,
        "Enter a usage interval, a calendar interval or both."
    );
    invalid_fields(
        world.change_task(&made.id, &task.id, no_interval).await,
        &["usageInterval"],
    );
    let after = (
        world.state(&made.id).await,
        world.tasks(&made.id).await.unwrap(),
    );
    assert_eq!(after, before);
}

#[tokio::test]
async fn tasks_accept_the_largest_values() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 1e9)).await.unwrap();
    let largest = v1::ServiceTaskInput {
        name: Some("ñ".repeat(100)),
        usage_interval: Some(1e9),
        last_done_usage: Some(1e9),
        ..Default::default()
    };
    let (task, equipment) = world.add_task(&made.id, largest).await.unwrap();
    assert_eq!(
        (task.next_due_usage, task.remaining_usage),
        (Some(2e9), Some(1e9))
    );
    assert_eq!(equipment.service_status(), v1::ServiceStatus::Good);
}

#[tokio::test]
async fn task_names_are_unique_per_machine() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let other = world.create(named("B")).await.unwrap();
    world.add_task(&made.id, oil()).await.unwrap();
    let (belts, _) = world
        .add_task(&made.id, by_usage("Belts", 5.0))
        .await
        .unwrap();
    let before = world.state(&made.id).await;
    let again = by_usage("OIL Filter", 9.0);
    let answer = world.add_task(&made.id, again.clone()).await;
    let failure = refused(answer, Kind::AlreadyExists, "TASK_NAME_TAKEN");
    assert_eq!(failure.fields[0].0, "name");
    let renamed = world.change_task(&made.id, &belts.id, again).await;
    refused(renamed, Kind::AlreadyExists, "TASK_NAME_TAKEN");
    assert_eq!(world.state(&made.id).await, before);
    let own = by_usage("BELTS", 5.0);
    let (task, _) = world.change_task(&made.id, &belts.id, own).await.unwrap();
    assert_eq!(task.name, "BELTS");
    world.add_task(&other.id, oil()).await.unwrap();
}

#[tokio::test]
async fn tasks_are_at_most_50() {
    let world = World::new().await;
    let made = world.create(with_form("A", 0.0)).await.unwrap();
    for number in 0..50 {
        let task = by_usage(&format!("Task {number}"), 10.0);
        world.add_task(&made.id, task).await.unwrap();
    }
    let before = world.state(&made.id).await;
    let answer = world.add_task(&made.id, oil()).await;
    refused(answer, Kind::Conflict, "TOO_MANY_TASKS");
    assert_eq!(world.state(&made.id).await, before);
    let tasks = world.tasks(&made.id).await.unwrap();
    assert_eq!(tasks.len(), 51);
    assert_eq!(before.0.more_tasks, 50);
    // There is room again, and the new task is the last one.
    world.delete_task(&made.id, &tasks[3].id).await.unwrap();
    world.add_task(&made.id, oil()).await.unwrap();
    assert_eq!(world.tasks(&made.id).await.unwrap()[50].name, "Oil filter");
}

#[tokio::test]
async fn form_task_is_changed_only_in_the_form() {
    let world = World::new().await;
    let made = world.create(with_form("A", 100.0)).await.unwrap();
    let form = world.tasks(&made.id).await.unwrap().remove(0);
    let before = world.state(&made.id).await;
    let changed = world.change_task(&made.id, &form.id, oil()).await;
    refused(changed, Kind::Conflict, "FORM_TASK");
    let deleted = world.delete_task(&made.id, &form.id).await;
    refused(deleted, Kind::Conflict, "FORM_TASK");
    assert_eq!(world.state(&made.id).await, before);
    let (task, equipment) = world.complete(done(&made.id, &form.id)).await.unwrap();
    assert!(task.from_form);
    assert_eq!(equipment.last_service_usage, Some(100.0));
    assert_eq!(world.latest(&made.id).await.task_name, "");

    let off = v1::EquipmentInput {
        service_interval: Some(0.0),
        ..Default::default()
    };
    world.update(&made.id, off, None).await.unwrap();
    let answer = world.complete(done(&made.id, &form.id)).await;
    refused(answer, Kind::Conflict, "NO_SERVICE_PLAN");
    world.check_projections().await;
}

#[tokio::test]
async fn tasks_of_retired_equipment_are_read_only() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let retired = world.retire(&made.id, "").await.unwrap();
    refused(
        world.tasks(&made.id).await,
        Kind::NotFound,
        "EQUIPMENT_RETIRED",
    );
    not_found(world.add_task(&made.id, by_usage("B", 1.0)).await);
    not_found(
        world
            .change_task(&made.id, &task.id, by_usage("B", 1.0))
            .await,
    );
    not_found(world.delete_task(&made.id, &task.id).await);
    not_found(world.complete(done(&made.id, &task.id)).await);
    world.restore(&retired.id).await.unwrap();
    assert_eq!(world.tasks(&made.id).await.unwrap(), [task]);
}

#[tokio::test]
async fn tasks_of_another_company_are_not_found() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let mut stranger = World::new().await;
    stranger.backend = world.backend.clone();
    stranger.owner = testing::owner();
    not_found(stranger.tasks(&made.id).await);
    not_found(stranger.add_task(&made.id, by_usage("B", 1.0)).await);
    not_found(
        stranger
            .change_task(&made.id, &task.id, by_usage("B", 1.0))
            .await,
    );
    not_found(stranger.delete_task(&made.id, &task.id).await);
    not_found(stranger.complete(done(&made.id, &task.id)).await);
    let own = stranger.create(named("Own")).await.unwrap();
    not_found(stranger.complete(done(&own.id, &task.id)).await);
    assert_eq!(world.tasks(&made.id).await.unwrap(), [task]);
    assert_eq!(world.get(&made.id).await.unwrap().version, 2);
}

//! Basis, first due points, warning distances and snoozes of service tasks.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1::{self, ServiceStatus, TaskBasis};
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_person;

use crate::support::{
    World, fold, increase, invalid_fields, keyed, named, not_found, refused, with_usage,
};
use crate::task_calls::{by_usage, done, oil, with_form};

fn on_the_mark(name: &str, interval: f64) -> v1::ServiceTaskInput {
    v1::ServiceTaskInput {
        basis: Some(TaskBasis::OnTheMark.into()),
        ..by_usage(name, interval)
    }
}

fn until_date(id: &str, task: &str, date: &str) -> v1::SnoozeServiceTaskRequest {
    v1::SnoozeServiceTaskRequest {
        equipment_id: id.to_owned(),
        task_id: task.to_owned(),
        until_date: date.to_owned(),
        reason: "Parts ordered".to_owned(),
        ..Default::default()
    }
}

fn until_usage(id: &str, task: &str, usage: f64) -> v1::SnoozeServiceTaskRequest {
    v1::SnoozeServiceTaskRequest {
        until_usage: Some(usage),
        ..until_date(id, task, "")
    }
}

#[tokio::test]
async fn task_on_the_mark_is_not_shifted_by_a_late_service() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 480.0)).await.unwrap();
    let (task, _) = world
        .add_task(&made.id, on_the_mark("Grease", 250.0))
        .await
        .unwrap();
    assert_eq!(
        (task.next_due_usage, task.last_done_usage),
        (Some(500.0), None)
    );
    assert_eq!(task.first_due_usage, Some(500.0));
    world.record(increase(&made.id, 85.0)).await.unwrap();
    let (task, _) = world.complete(done(&made.id, &task.id)).await.unwrap();
    assert_eq!(
        (task.last_done_usage, task.next_due_usage),
        (Some(565.0), Some(750.0))
    );
    // Early by half an interval.
    world.later(TimeDelta::minutes(1));
    world.record(increase(&made.id, 60.0)).await.unwrap();
    world.later(TimeDelta::minutes(1));
    let (task, _) = world.complete(done(&made.id, &task.id)).await.unwrap();
    assert_eq!(task.next_due_usage, Some(1000.0));
    let voided = world.newest(&made.id).await;
    world.void(&made.id, &voided).await.unwrap();
    assert_eq!(
        world.tasks(&made.id).await.unwrap()[0].next_due_usage,
        Some(750.0)
    );
    world.check_projections().await;
}

#[tokio::test]
async fn task_every_first_of_march_stays_there() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let inspection = v1::ServiceTaskInput {
        name: Some("Inspection".to_owned()),
        calendar_interval: Some(1),
        calendar_unit: Some(v1::CalendarUnit::Years.into()),
        basis: Some(TaskBasis::OnTheMark.into()),
        first_due_date: Some("2026-03-01".to_owned()),
        ..Default::default()
    };
    // Today is 10 March 2026.
    let (task, equipment) = world.add_task(&made.id, inspection).await.unwrap();
    assert_eq!(
        (task.next_due_date.as_str(), task.days_until_due),
        ("2026-03-01", Some(-9))
    );
    assert_eq!(equipment.service_status(), ServiceStatus::Overdue);
    let (task, _) = world.complete(done(&made.id, &task.id)).await.unwrap();
    assert_eq!(
        (task.last_done_on.as_str(), task.next_due_date.as_str()),
        ("2026-03-10", "2027-03-01")
    );
    let none = v1::ServiceTaskInput {
        basis: Some(TaskBasis::LastDone.into()),
        first_due_date: Some(String::new()),
        ..Default::default()
    };
    let (task, _) = world.change_task(&made.id, &task.id, none).await.unwrap();
    assert_eq!(
        (task.next_due_date.as_str(), task.first_due_date.as_str()),
        ("2027-03-10", "")
    );
    assert_eq!(
        world.latest(&made.id).await.content,
        "Service task \"Inspection\" changed: Counts: on the mark → from the last service; \
         First due on: 2026-03-01 → none"
    );
    world.check_projections().await;
}

#[tokio::test]
async fn first_due_point_in_the_past_is_overdue_with_missed_rounds() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 1600.0)).await.unwrap();
    let first = v1::ServiceTaskInput {
        first_due_usage: Some(500.0),
        ..by_usage("Oil", 250.0)
    };
    let (task, equipment) = world.add_task(&made.id, first).await.unwrap();
    assert_eq!(
        (task.next_due_usage, task.last_done_usage),
        (Some(500.0), None)
    );
    assert_eq!(
        (task.status(), task.missed_rounds),
        (ServiceStatus::Overdue, 4)
    );
    assert_eq!(equipment.missed_rounds, 4);
    let later = v1::ServiceTaskInput {
        first_due_usage: Some(1700.0),
        ..Default::default()
    };
    let (task, equipment) = world.change_task(&made.id, &task.id, later).await.unwrap();
    assert_eq!(
        (task.next_due_usage, task.remaining_usage),
        (Some(1700.0), Some(100.0))
    );
    assert_eq!((task.missed_rounds, equipment.missed_rounds), (0, 0));
    let (task, _) = world.complete(done(&made.id, &task.id)).await.unwrap();
    assert_eq!(task.next_due_usage, Some(1850.0));
    world.check_projections().await;
}

#[tokio::test]
async fn first_due_point_stays_when_the_meter_is_first_read() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let first = v1::ServiceTaskInput {
        first_due_usage: Some(1500.0),
        ..by_usage("Oil", 250.0)
    };
    let (task, _) = world.add_task(&made.id, first).await.unwrap();
    assert_eq!(
        (task.next_due_usage, task.usage_percent),
        (Some(1500.0), None)
    );
    let reading = v1::EquipmentInput {
        meter_reading: Some(1450.0),
        ..Default::default()
    };
    world.update(&made.id, reading, None).await.unwrap();
    let task = world.tasks(&made.id).await.unwrap().remove(0);
    assert_eq!(
        (task.next_due_usage, task.usage_percent),
        (Some(1500.0), Some(80.0))
    );
    world.check_projections().await;
}

#[tokio::test]
async fn own_warning_decides_where_approaching_begins() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 1000.0)).await.unwrap();
    let warned = v1::ServiceTaskInput {
        warning_usage: Some(25.0),
        warning_days: Some(30),
        ..oil()
    };
    let (task, _) = world.add_task(&made.id, warned).await.unwrap();
    let after = world.record(increase(&made.id, 224.99)).await.unwrap();
    assert_eq!(after.service_status(), ServiceStatus::Good);
    let after = world.record(increase(&made.id, 0.01)).await.unwrap();
    assert_eq!(after.service_status(), ServiceStatus::ApproachingService);
    let percent = v1::ServiceTaskInput {
        warning_percent: Some(5),
        ..Default::default()
    };
    let (task, after) = world
        .change_task(&made.id, &task.id, percent)
        .await
        .unwrap();
    assert_eq!((task.warning_percent, task.warning_usage), (Some(5), None));
    assert_eq!(after.service_status(), ServiceStatus::Good);
    // Due on 10 September.
    world.later(TimeDelta::days(154));
    assert_eq!(
        world.get(&made.id).await.unwrap().service_status(),
        ServiceStatus::ApproachingService
    );
    let usual = v1::ServiceTaskInput {
        warning_days: Some(0),
        warning_percent: Some(0),
        ..Default::default()
    };
    let (task, after) = world.change_task(&made.id, &task.id, usual).await.unwrap();
    assert_eq!((task.warning_days, task.warning_percent), (None, None));
    assert_eq!(after.service_status(), ServiceStatus::ApproachingService);
    world.check_projections().await;
}

#[tokio::test]
async fn task_rules_are_checked() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 1000.0)).await.unwrap();
    let wrong = v1::ServiceTaskInput {
        basis: Some(9),
        first_due_usage: Some(-1.0),
        first_due_date: Some("soon".to_owned()),
        warning_percent: Some(100),
        warning_days: Some(366),
        ..oil()
    };
    let fields = [
        "basis",
        "firstDueUsage",
        "firstDueDate",
        "warningPercent",
        "warningDays",
    ];
    invalid_fields(world.add_task(&made.id, wrong).await, &fields);
    let twice = v1::ServiceTaskInput {
        warning_percent: Some(10),
        warning_usage: Some(10.0),
        ..oil()
    };
    invalid_fields(world.add_task(&made.id, twice).await, &["warningUsage"]);
    let long = v1::ServiceTaskInput {
        warning_usage: Some(250.0),
        ..oil()
    };
    invalid_fields(world.add_task(&made.id, long).await, &["warningUsage"]);
}

#[tokio::test]
async fn snoozed_task_does_not_count_until_a_date() {
    let world = World::new().await;
    let made = world.create(with_form("A", 600.0)).await.unwrap();
    assert_eq!(made.service_status(), ServiceStatus::Overdue);
    let form = world.tasks(&made.id).await.unwrap().remove(0);
    let snooze = until_date(&made.id, &form.id, "2026-03-12");
    let (task, item) = world.snooze(snooze).await.unwrap();
    let why = task.snooze.clone().unwrap();
    assert_eq!(
        (why.until_date.as_str(), why.reason.as_str()),
        ("2026-03-12", "Parts ordered")
    );
    assert_eq!(why.by, world.owner.display_name);
    assert_eq!(item.service_status(), ServiceStatus::Good);
    assert_eq!(item.snoozed_tasks[0].snooze, task.snooze);
    assert_eq!(
        world.latest(&made.id).await.content,
        "Regular service snoozed until 2026-03-12: Parts ordered"
    );
    world.later(TimeDelta::days(1));
    let day_before = world.get(&made.id).await.unwrap();
    assert_eq!(day_before.service_status(), ServiceStatus::Good);
    assert_eq!(day_before.projected_due_date, "2026-03-12");
    world.later(TimeDelta::days(1));
    let over = world.get(&made.id).await.unwrap();
    assert_eq!(over.service_status(), ServiceStatus::Overdue);
    assert!(over.snoozed_tasks.is_empty());
    assert_eq!(world.tasks(&made.id).await.unwrap()[0].snooze, None);
    world.check_projections().await;
}

#[tokio::test]
async fn snoozed_task_counts_again_at_a_usage_when_woken_and_when_done() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 1000.0)).await.unwrap();
    let first = v1::ServiceTaskInput {
        first_due_usage: Some(900.0),
        ..by_usage("Oil", 250.0)
    };
    let (task, late) = world.add_task(&made.id, first).await.unwrap();
    assert_eq!(late.service_status(), ServiceStatus::Overdue);
    let (_, item) = world
        .snooze(until_usage(&made.id, &task.id, 1020.0))
        .await
        .unwrap();
    assert_eq!(item.service_status(), ServiceStatus::Good);
    assert_eq!(
        world.latest(&made.id).await.content,
        "Service task \"Oil\" snoozed until 1020 hours: Parts ordered"
    );
    let before = world.record(increase(&made.id, 19.99)).await.unwrap();
    assert_eq!(before.service_status(), ServiceStatus::Good);
    let over = world.record(increase(&made.id, 0.01)).await.unwrap();
    assert_eq!(over.service_status(), ServiceStatus::Overdue);

    world
        .snooze(until_usage(&made.id, &task.id, 1100.0))
        .await
        .unwrap();
    let (woken, item) = world.wake(&made.id, &task.id).await.unwrap();
    assert_eq!(
        (woken.snooze, item.service_status()),
        (None, ServiceStatus::Overdue)
    );
    assert_eq!(
        world.latest(&made.id).await.content,
        "Service task \"Oil\" no longer snoozed"
    );
    let count = world.history(&made.id).await.unwrap().len();
    world.wake(&made.id, &task.id).await.unwrap();
    assert_eq!(world.history(&made.id).await.unwrap().len(), count);

    world
        .snooze(until_usage(&made.id, &task.id, 9000.0))
        .await
        .unwrap();
    let (completed, _) = world.complete(done(&made.id, &task.id)).await.unwrap();
    assert_eq!(
        (completed.snooze, completed.next_due_usage),
        (None, Some(1270.0))
    );
    world.check_projections().await;
}

#[tokio::test]
async fn snooze_until_a_usage_ends_with_another_unit_and_needs_a_meter() {
    let world = World::new().await;
    let made = world.create(with_form("A", 600.0)).await.unwrap();
    let form = world.tasks(&made.id).await.unwrap().remove(0);
    let snooze = until_usage(&made.id, &form.id, 120_000.0);
    world.snooze(snooze.clone()).await.unwrap();
    world.later(TimeDelta::minutes(1));
    let other = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::Miles.into()),
        current_usage: Some(3000.0),
        ..Default::default()
    };
    let after = world.update(&made.id, other, None).await.unwrap();
    assert!(after.snoozed_tasks.is_empty());
    assert_eq!(after.service_status(), ServiceStatus::Overdue);
    world.later(TimeDelta::minutes(1));
    let none = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::NotApplicable.into()),
        ..Default::default()
    };
    world.update(&made.id, none, None).await.unwrap();
    invalid_fields(world.snooze(snooze).await, &["untilUsage"]);
}

#[tokio::test]
async fn service_before_the_last_one_keeps_the_snooze() {
    let world = World::new().await;
    let made = world.create(with_form("A", 600.0)).await.unwrap();
    let form = world.tasks(&made.id).await.unwrap().remove(0);
    let on = |day: &str| v1::CompleteServiceTaskRequest {
        performed_at: day.to_owned(),
        ..done(&made.id, &form.id)
    };
    world.complete(on("2026-03-09")).await.unwrap();
    let snooze = until_date(&made.id, &form.id, "2026-03-20");
    world.snooze(snooze).await.unwrap();
    let (task, _) = world.complete(on("2026-03-01")).await.unwrap();
    assert!(task.snooze.is_some());
    let (task, _) = world.complete(on("2026-03-09")).await.unwrap();
    assert_eq!(task.snooze, None);
}

#[tokio::test]
async fn task_on_the_mark_begins_at_the_point_after_the_first_reading() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let (task, _) = world
        .add_task(&made.id, on_the_mark("Grease", 250.0))
        .await
        .unwrap();
    assert_eq!(task.next_due_usage, Some(250.0));
    let reading = v1::EquipmentInput {
        meter_reading: Some(5200.0),
        ..Default::default()
    };
    world.update(&made.id, reading, None).await.unwrap();
    let task = &world.tasks(&made.id).await.unwrap()[0];
    assert_eq!(task.next_due_usage, Some(5250.0));
    world.check_projections().await;
}

#[tokio::test]
async fn snooze_is_checked_and_takes_effect_once() {
    let world = World::new().await;
    let made = world.create(with_form("A", 600.0)).await.unwrap();
    let form = world.tasks(&made.id).await.unwrap().remove(0);
    let (id, task) = (made.id.as_str(), form.id.as_str());
    for date in ["2026-03-10", "never", ""] {
        invalid_fields(
            world.snooze(until_date(id, task, date)).await,
            &["untilDate"],
        );
    }
    invalid_fields(
        world.snooze(until_usage(id, task, 600.0)).await,
        &["untilUsage"],
    );
    let both = v1::SnoozeServiceTaskRequest {
        until_date: "2026-03-12".to_owned(),
        ..until_usage(id, task, 700.0)
    };
    invalid_fields(world.snooze(both).await, &["untilDate"]);
    let silent = v1::SnoozeServiceTaskRequest {
        reason: " ".to_owned(),
        ..until_usage(id, task, 700.0)
    };
    invalid_fields(world.snooze(silent).await, &["reason"]);
    not_found(world.snooze(until_usage(id, id, 700.0)).await);
    not_found(world.wake(id, id).await);
    let plain = world.create(named("B")).await.unwrap();
    let unplanned = until_date(&plain.id, task, "2026-03-12");
    not_found(world.snooze(unplanned).await);

    let count = world.history(id).await.unwrap().len();
    for _ in 0..2 {
        let request = as_person(
            Service::Equipment,
            &world.owner,
            until_usage(id, task, 700.0),
        );
        let request = keyed("snooze", request);
        fold(world.client().snooze_service_task(request).await).unwrap();
    }
    assert_eq!(world.history(id).await.unwrap().len(), count + 1);

    let off = v1::EquipmentInput {
        service_interval: Some(0.0),
        ..Default::default()
    };
    world.update(id, off, None).await.unwrap();
    let answer = world.snooze(until_usage(id, task, 900.0)).await;
    refused(answer, Kind::Conflict, "NO_SERVICE_PLAN");
}

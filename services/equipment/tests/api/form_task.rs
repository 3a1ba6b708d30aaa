//! Rules of the form's task.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1::{self, ServiceStatus, TaskBasis};
use hourmeter_runtime::error::Kind;

use crate::meters::fitted;
use crate::rebuild::maintained;
use crate::support::{World, increase, invalid_fields, named, refused, with_usage};
use crate::task_calls::{done, with_form};

impl World {
    async fn form_task(&self, id: &str) -> v1::ServiceTask {
        self.tasks(id).await.unwrap().remove(0)
    }

    /// Changes the rule of the form's task.
    async fn rule(&self, id: &str, rule: v1::ServiceTaskInput) -> (v1::ServiceTask, v1::Equipment) {
        let form = self.form_task(id).await;
        self.change_task(id, &form.id, rule).await.unwrap()
    }
}

/// All fields of a task that was read.
fn written_back(task: &v1::ServiceTask) -> v1::ServiceTaskInput {
    v1::ServiceTaskInput {
        name: Some(task.name.clone()),
        usage_interval: Some(task.usage_interval),
        last_done_usage: task.last_done_usage,
        calendar_interval: Some(task.calendar_interval),
        calendar_unit: Some(task.calendar_unit),
        last_done_on: Some(task.last_done_on.clone()),
        basis: Some(task.basis),
        first_due_usage: task.first_due_usage,
        first_due_date: Some(task.first_due_date.clone()),
        warning_percent: task.warning_percent,
        warning_usage: task.warning_usage,
        warning_days: task.warning_days,
    }
}

fn on_the_mark() -> v1::ServiceTaskInput {
    v1::ServiceTaskInput {
        basis: Some(TaskBasis::OnTheMark.into()),
        ..Default::default()
    }
}

fn edit(field: impl FnOnce(&mut v1::EquipmentInput)) -> v1::EquipmentInput {
    let mut input = v1::EquipmentInput::default();
    field(&mut input);
    input
}

#[tokio::test]
async fn form_task_on_the_mark_is_not_shifted_by_a_late_service() {
    let world = World::new().await;
    let made = world.create(with_form("A", 480.0)).await.unwrap();
    let (task, item) = world
        .rule(
            &made.id,
            v1::ServiceTaskInput {
                warning_usage: Some(30.0),
                ..on_the_mark()
            },
        )
        .await;
    assert_eq!(
        (task.from_form, task.name.as_str(), task.next_due_usage),
        (true, "", Some(500.0))
    );
    assert_eq!(item.next_service_due_usage, Some(500.0));
    assert_eq!(item.service_status(), ServiceStatus::ApproachingService);
    assert_eq!(
        world.latest(&made.id).await.content,
        "Regular service changed: Counts: from the last service → on the mark; \
         Usage warning: usual → 30"
    );
    world.record(increase(&made.id, 85.0)).await.unwrap();
    let (task, item) = world.complete(done(&made.id, &task.id)).await.unwrap();
    assert_eq!(
        (task.last_done_usage, task.next_due_usage),
        (Some(565.0), Some(1000.0))
    );
    assert_eq!(
        (item.remaining_usage, item.service_status()),
        (Some(435.0), ServiceStatus::Good)
    );
    let voided = world.newest(&made.id).await;
    world.void(&made.id, &voided).await.unwrap();
    let after = world.get(&made.id).await.unwrap();
    assert_eq!(
        (after.next_service_due_usage, after.service_status()),
        (Some(500.0), ServiceStatus::Overdue)
    );
    world.check_projections().await;
}

#[tokio::test]
async fn form_task_first_due_point_decides_status_rounds_and_list() {
    let world = World::new().await;
    let made = world.create(with_form("A", 1600.0)).await.unwrap();
    let first = |first| v1::ServiceTaskInput {
        first_due_usage: Some(first),
        ..Default::default()
    };
    let (task, item) = world.rule(&made.id, first(2000.0)).await;
    assert_eq!((task.next_due_usage, task.missed_rounds), (Some(2000.0), 0));
    assert_eq!(
        (item.remaining_usage, item.usage_percent),
        (Some(400.0), Some(20.0))
    );
    let listed = |status: ServiceStatus| v1::ListEquipmentRequest {
        status: status.into(),
        ..Default::default()
    };
    let (good, _) = world.list(listed(ServiceStatus::Good)).await.unwrap();
    assert_eq!(good, ["A"]);
    let (task, item) = world.rule(&made.id, first(500.0)).await;
    assert_eq!((task.missed_rounds, item.missed_rounds), (2, 2));
    let (late, _) = world.list(listed(ServiceStatus::Overdue)).await.unwrap();
    assert_eq!(late, ["A"]);
    let (task, _) = world.complete(done(&made.id, &task.id)).await.unwrap();
    assert_eq!(task.next_due_usage, Some(2100.0));
    world.check_projections().await;
}

#[tokio::test]
async fn form_task_own_warnings_decide_where_approaching_begins() {
    let world = World::new().await;
    // Due on 10 June; today is 10 March.
    let input = v1::EquipmentInput {
        maintenance_start_date: Some("2026-03-10".to_owned()),
        maintenance_interval: Some(3),
        maintenance_interval_unit: Some(v1::CalendarUnit::Months.into()),
        service_interval: Some(500.0),
        last_service_usage: Some(1000.0),
        current_usage: Some(1000.0),
        ..maintained("A")
    };
    let made = world.create(input).await.unwrap();
    let warned = v1::ServiceTaskInput {
        warning_percent: Some(10),
        warning_days: Some(30),
        ..Default::default()
    };
    let (_, item) = world.rule(&made.id, warned).await;
    assert_eq!(item.service_status(), ServiceStatus::Good);
    let before = world.record(increase(&made.id, 449.99)).await.unwrap();
    assert_eq!(before.service_status(), ServiceStatus::Good);
    let after = world.record(increase(&made.id, 0.01)).await.unwrap();
    assert_eq!(after.service_status(), ServiceStatus::ApproachingService);
    let usual = v1::ServiceTaskInput {
        warning_percent: Some(1),
        ..Default::default()
    };
    let (_, item) = world.rule(&made.id, usual).await;
    assert_eq!(item.service_status(), ServiceStatus::Good);
    world.later(TimeDelta::days(62));
    let item = world.get(&made.id).await.unwrap();
    assert_eq!(item.service_status(), ServiceStatus::ApproachingService);
    world.check_projections().await;
}

#[tokio::test]
async fn form_task_row_can_be_written_back() {
    let world = World::new().await;
    let later_start = v1::EquipmentInput {
        maintenance_start_date: Some("2026-05-01".to_owned()),
        ..maintained("A")
    };
    for input in [with_form("B", 480.0), later_start] {
        let made = world.create(input).await.unwrap();
        let (task, item) = world.rule(&made.id, on_the_mark()).await;
        let back = world
            .change_task(&made.id, &task.id, written_back(&task))
            .await
            .unwrap();
        assert_eq!(back, (task, item));
    }
}

#[tokio::test]
async fn form_task_fields_of_the_form_stay_there() {
    let world = World::new().await;
    let made = world.create(maintained("A")).await.unwrap();
    let form = world.form_task(&made.id).await;
    let before = world.state(&made.id).await;
    let changes: [fn(&mut v1::ServiceTaskInput); 6] = [
        |task| task.name = Some("Oil".to_owned()),
        |task| task.usage_interval = Some(75.0),
        |task| task.usage_interval = Some(0.0),
        |task| task.last_done_usage = Some(0.01),
        |task| task.calendar_interval = Some(0),
        |task| task.last_done_on = Some("2026-01-02".to_owned()),
    ];
    for change in changes {
        let mut task = on_the_mark();
        change(&mut task);
        let failure = world.change_task(&made.id, &form.id, task).await;
        refused(failure, Kind::Conflict, "FORM_TASK");
    }
    let wrong = v1::ServiceTaskInput {
        warning_days: Some(366),
        ..Default::default()
    };
    invalid_fields(
        world.change_task(&made.id, &form.id, wrong).await,
        &["warningDays"],
    );
    assert_eq!(world.state(&made.id).await, before);

    let off = edit(|item| {
        item.service_interval = Some(0.0);
        item.has_scheduled_maintenance = Some(false);
    });
    world.update(&made.id, off, None).await.unwrap();
    let none = world.change_task(&made.id, &form.id, on_the_mark()).await;
    refused(none, Kind::Conflict, "NO_SERVICE_PLAN");
}

#[tokio::test]
async fn form_edit_follows_the_rule_of_its_task() {
    let world = World::new().await;
    let made = world.create(with_form("A", 480.0)).await.unwrap();
    world
        .rule(
            &made.id,
            v1::ServiceTaskInput {
                warning_usage: Some(100.0),
                ..on_the_mark()
            },
        )
        .await;
    let short = edit(|item| item.service_interval = Some(100.0));
    let failure = invalid_fields(
        world.update(&made.id, short, None).await,
        &["serviceInterval"],
    );
    assert_eq!(
        failure.fields[0].1.text,
        "Must be more than 100, the warning of the regular service. You can change that on the \
         Service tab."
    );
    let other = edit(|item| item.service_interval = Some(300.0));
    let item = world.update(&made.id, other, None).await.unwrap();
    assert_eq!(item.next_service_due_usage, Some(300.0));

    // A schedule on the mark begins one interval after its first day, and stays there.
    let schedule = edit(|item| {
        item.has_scheduled_maintenance = Some(true);
        item.maintenance_start_date = Some("2025-03-01".to_owned());
        item.maintenance_interval = Some(12);
    });
    let item = world.update(&made.id, schedule, None).await.unwrap();
    assert_eq!(item.next_maintenance_date, "2026-03-01");
    let form = world.form_task(&made.id).await;
    assert_eq!(form.first_due_date, "2026-03-01");
    let (task, _) = world.complete(done(&made.id, &form.id)).await.unwrap();
    assert_eq!(
        (task.last_done_on.as_str(), task.next_due_date.as_str()),
        ("2026-03-10", "2027-03-01")
    );

    let off = edit(|item| {
        item.service_interval = Some(0.0);
        item.maintenance_interval = Some(6);
    });
    let item = world.update(&made.id, off, None).await.unwrap();
    assert_eq!(item.next_maintenance_date, "2026-09-01");
    let form = world.form_task(&made.id).await;
    assert_eq!(
        (form.warning_usage, form.first_due_date.as_str()),
        (None, "2026-03-01")
    );
    world.check_projections().await;
}

#[tokio::test]
async fn form_task_first_due_point_holds_for_a_meter_read_later() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        service_interval: Some(250.0),
        ..named("A")
    };
    let made = world.create(input).await.unwrap();
    let read = edit(|item| item.meter_reading = Some(5200.0));
    let item = world.update(&made.id, read, None).await.unwrap();
    assert_eq!(item.next_service_due_usage, Some(5450.0));
    let first = v1::ServiceTaskInput {
        first_due_usage: Some(5300.0),
        ..Default::default()
    };
    let (task, item) = world.rule(&made.id, first).await;
    assert_eq!(
        (task.next_due_usage, item.next_service_due_usage),
        (Some(5300.0), Some(5300.0))
    );
    world.check_projections().await;
}

#[tokio::test]
async fn form_task_on_the_mark_stays_overdue_without_a_service() {
    let world = World::new().await;
    let made = world.create(with_form("A", 1600.0)).await.unwrap();
    let cleared = edit(|item| {
        item.service_interval = Some(250.0);
        item.last_service_usage = Some(0.0);
    });
    world.update(&made.id, cleared, None).await.unwrap();
    let before = world.form_task(&made.id).await;
    let (task, item) = world.rule(&made.id, on_the_mark()).await;
    assert_eq!(
        (task.next_due_usage, item.service_status()),
        (before.next_due_usage, ServiceStatus::Overdue)
    );
    let (task, _) = world.complete(done(&made.id, &task.id)).await.unwrap();
    assert_eq!(task.next_due_usage, Some(1750.0));
    world.check_projections().await;
}

#[tokio::test]
async fn form_task_back_from_the_mark_counts_from_the_last_service() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        maintenance_start_date: Some("2026-01-01".to_owned()),
        maintenance_interval: Some(12),
        maintenance_interval_unit: Some(v1::CalendarUnit::Months.into()),
        ..maintained("A")
    };
    let made = world.create(input).await.unwrap();
    let (task, _) = world.rule(&made.id, on_the_mark()).await;
    assert_eq!(task.first_due_date, "2027-01-01");
    let from_service = v1::ServiceTaskInput {
        basis: Some(TaskBasis::LastDone.into()),
        ..Default::default()
    };
    let (task, _) = world.rule(&made.id, from_service).await;
    assert_eq!(task.first_due_date, "");
    let shorter = edit(|item| item.maintenance_interval = Some(3));
    let item = world.update(&made.id, shorter, None).await.unwrap();
    assert_eq!(item.next_maintenance_date, "2026-04-01");
}

#[tokio::test]
async fn form_task_of_a_changed_unit_has_no_usages_of_the_old_one() {
    let world = World::new().await;
    let made = world.create(with_form("A", 480.0)).await.unwrap();
    let rule = v1::ServiceTaskInput {
        first_due_usage: Some(5300.0),
        warning_usage: Some(30.0),
        ..Default::default()
    };
    world.rule(&made.id, rule).await;
    let unit = edit(|item| item.unit = Some(v1::MeterUnit::Kilometers.into()));
    world.update(&made.id, unit, None).await.unwrap();
    let task = world.form_task(&made.id).await;
    assert_eq!((task.first_due_usage, task.warning_usage), (None, None));
    let content = world.latest(&made.id).await.content;
    assert!(content.contains("First due at: 5300 → none"), "{content}");
}

#[tokio::test]
async fn form_task_rule_survives_meter_replacement_and_archive() {
    let world = World::new().await;
    let made = world.create(with_form("A", 480.0)).await.unwrap();
    world.rule(&made.id, on_the_mark()).await;
    world.later(TimeDelta::minutes(1));
    let item = world
        .replace(fitted(&made.id, 490.0, 0.0, 5.0))
        .await
        .unwrap();
    assert_eq!(
        (item.current_usage, item.next_service_due_usage),
        (495.0, Some(500.0))
    );
    let before = world.form_task(&made.id).await;
    let retired = world.retire(&made.id, "").await.unwrap();
    world.restore(&retired.id).await.unwrap();
    let after = world.form_task(&made.id).await;
    assert_eq!(after, before);
    assert_eq!(after.next_due_usage, Some(500.0));
    world.check_projections().await;
}

#[tokio::test]
async fn form_task_without_a_rule_is_as_before() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let cleared = edit(|item| {
        item.service_interval = Some(250.0);
        item.clear_last_service_usage = true;
    });
    world.update(&made.id, cleared, None).await.unwrap();
    let usual = v1::ServiceTaskInput {
        basis: Some(TaskBasis::LastDone.into()),
        first_due_usage: Some(0.0),
        ..Default::default()
    };
    let before = world.get(&made.id).await.unwrap();
    let (task, after) = world.rule(&made.id, usual).await;
    assert_eq!(
        (task.last_done_usage, task.usage_percent),
        (None, Some(40.0))
    );
    assert_eq!(after, before);
}

//! Service tasks beyond the form's, and doing them.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{self, as_person};

use crate::support::{
    Answer, World, fold, increase, keyed, named, nameless, refused, unknown, with_usage, wrong,
};

type Done = (v1::ServiceTask, v1::Equipment);

impl World {
    pub async fn tasks(&self, id: &str) -> Answer<Vec<v1::ServiceTask>> {
        let equipment_id = id.to_owned();
        let message = v1::ListServiceTasksRequest { equipment_id };
        let request = as_person(Service::Equipment, &self.owner, message);
        Ok(fold(self.client().list_service_tasks(request).await)?.tasks)
    }

    pub async fn add_task(&self, id: &str, task: v1::ServiceTaskInput) -> Answer<Done> {
        self.add_task_as(&self.owner, id, task).await
    }

    pub async fn add_task_as(
        &self,
        who: &Identity,
        id: &str,
        task: v1::ServiceTaskInput,
    ) -> Answer<Done> {
        let message = v1::CreateServiceTaskRequest {
            equipment_id: id.to_owned(),
            task: Some(task),
        };
        let request = as_person(Service::Equipment, who, message);
        let answer = fold(self.client().create_service_task(request).await)?;
        Ok((answer.task.unwrap(), answer.equipment.unwrap()))
    }

    pub async fn change_task(
        &self,
        id: &str,
        task_id: &str,
        task: v1::ServiceTaskInput,
    ) -> Answer<Done> {
        let message = v1::UpdateServiceTaskRequest {
            equipment_id: id.to_owned(),
            task_id: task_id.to_owned(),
            task: Some(task),
        };
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().update_service_task(request).await)?;
        Ok((answer.task.unwrap(), answer.equipment.unwrap()))
    }

    pub async fn delete_task(&self, id: &str, task_id: &str) -> Answer<v1::Equipment> {
        let message = v1::DeleteServiceTaskRequest {
            equipment_id: id.to_owned(),
            task_id: task_id.to_owned(),
        };
        let request = as_person(Service::Equipment, &self.owner, message);
        let answer = fold(self.client().delete_service_task(request).await)?;
        Ok(answer.equipment.unwrap())
    }

    pub async fn complete(&self, message: v1::CompleteServiceTaskRequest) -> Answer<Done> {
        self.complete_as(&self.owner, message).await
    }

    pub async fn complete_as(
        &self,
        who: &Identity,
        message: v1::CompleteServiceTaskRequest,
    ) -> Answer<Done> {
        let request = as_person(Service::Equipment, who, message);
        let answer = fold(self.client().complete_service_task(request).await)?;
        Ok((answer.task.unwrap(), answer.equipment.unwrap()))
    }

    pub async fn latest(&self, id: &str) -> v1::HistoryRecord {
        self.history(id).await.unwrap().remove(0)
    }
}

/// Every 250 hours or 6 months.
pub fn oil() -> v1::ServiceTaskInput {
    v1::ServiceTaskInput {
        name: Some("Oil filter".to_owned()),
        usage_interval: Some(250.0),
        calendar_interval: Some(6),
        ..Default::default()
    }
}

pub fn by_usage(name: &str, interval: f64) -> v1::ServiceTaskInput {
    v1::ServiceTaskInput {
        name: Some(name.to_owned()),
        usage_interval: Some(interval),
        ..Default::default()
    }
}

pub fn done(id: &str, task_id: &str) -> v1::CompleteServiceTaskRequest {
    v1::CompleteServiceTaskRequest {
        equipment_id: id.to_owned(),
        task_id: task_id.to_owned(),
        ..Default::default()
    }
}

pub fn done_on(id: &str, task_id: &str, day: &str) -> v1::CompleteServiceTaskRequest {
    v1::CompleteServiceTaskRequest {
        performed_at: day.to_owned(),
        ..done(id, task_id)
    }
}

pub fn with_form(name: &str, usage: f64) -> v1::EquipmentInput {
    v1::EquipmentInput {
        service_interval: Some(500.0),
        last_service_usage: Some(0.0),
        ..with_usage(name, usage)
    }
}

#[tokio::test]
async fn a_task_counts_from_the_meter_and_today_unless_said_otherwise() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 1000.5)).await.unwrap();
    let (task, equipment) = world.add_task(&made.id, oil()).await.unwrap();
    let expected = v1::ServiceTask {
        id: task.id.clone(),
        name: "Oil filter".to_owned(),
        from_form: false,
        usage_interval: 250.0,
        last_done_usage: Some(1000.5),
        last_done_on: "2026-03-10".to_owned(),
        calendar_interval: 6,
        calendar_unit: v1::CalendarUnit::Months.into(),
        next_due_date: "2026-09-10".to_owned(),
        status: v1::ServiceStatus::Good.into(),
        usage_percent: Some(0.0),
        next_due_usage: Some(1250.5),
        remaining_usage: Some(250.0),
        days_until_due: Some(184),
    };
    assert_eq!(task, expected);
    assert_eq!((equipment.version, equipment.more_tasks), (2, 1));
    assert_eq!(world.get(&made.id).await.unwrap(), equipment);
    assert_eq!(world.tasks(&made.id).await.unwrap(), [task]);

    let said = v1::ServiceTaskInput {
        last_done_usage: Some(750.25),
        last_done_on: Some("2025-12-31T23:00:00Z".to_owned()),
        calendar_unit: Some(v1::CalendarUnit::Days.into()),
        name: Some(" Belts ".to_owned()),
        ..oil()
    };
    let (task, _) = world.add_task(&made.id, said).await.unwrap();
    assert_eq!(
        (task.name.as_str(), task.next_due_usage),
        ("Belts", Some(1000.25))
    );
    assert_eq!(
        (task.last_done_on.as_str(), task.next_due_date.as_str()),
        ("2025-12-31", "2026-01-06")
    );
    assert_eq!(task.status(), v1::ServiceStatus::Overdue);
    assert_eq!(
        (task.usage_percent, task.remaining_usage),
        (Some(100.1), Some(0.0))
    );

    let lines: Vec<String> = contents(&world, &made.id).await;
    assert_eq!(
        lines,
        [
            "Service task \"Belts\" added: every 250 hours or 6 days",
            "Service task \"Oil filter\" added: every 250 hours or 6 months",
        ]
    );
    assert_eq!(world.latest(&made.id).await.kind(), v1::HistoryKind::Edit);
    assert_eq!(world.notes(&made.id).await.unwrap(), []);
    world.check_projections().await;
}

async fn contents(world: &World, id: &str) -> Vec<String> {
    let records = world.history(id).await.unwrap().into_iter();
    records.map(|record| record.content).collect()
}

#[tokio::test]
async fn the_forms_task_stands_first_while_it_has_a_plan() {
    let world = World::new().await;
    let made = world.create(with_form("A", 100.0)).await.unwrap();
    let first = world.tasks(&made.id).await.unwrap();
    assert_eq!(first.len(), 1);
    assert!(first[0].from_form && first[0].name.is_empty());
    assert_eq!(first[0].usage_percent, Some(20.0));
    world.add_task(&made.id, oil()).await.unwrap();
    world
        .add_task(&made.id, by_usage("Belts", 2.0))
        .await
        .unwrap();
    let names = |tasks: Vec<v1::ServiceTask>| -> Vec<String> {
        tasks.into_iter().map(|task| task.name).collect()
    };
    let all = world.tasks(&made.id).await.unwrap();
    assert_eq!(names(all), ["", "Oil filter", "Belts"]);
    let off = v1::EquipmentInput {
        service_interval: Some(0.0),
        ..Default::default()
    };
    world.update(&made.id, off, None).await.unwrap();
    let rest = world.tasks(&made.id).await.unwrap();
    assert_eq!(names(rest), ["Oil filter", "Belts"]);
    for id in nameless() {
        unknown(world.tasks(&id).await);
    }
}

/// Tasks with one wrong field each.
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
async fn wrong_tasks_are_refused_and_change_nothing() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 10.0)).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let before = (
        world.state(&made.id).await,
        world.tasks(&made.id).await.unwrap(),
    );
    let other = || by_usage("Belts", 1.0);
    for (field, input) in bad_tasks() {
        wrong(world.add_task(&made.id, input.clone()).await, &[field]);
        wrong(world.change_task(&made.id, &task.id, input).await, &[field]);
    }
    let nothing = v1::ServiceTaskInput::default();
    wrong(
        world.add_task(&made.id, nothing).await,
        &["name", "usageInterval"],
    );
    let no_interval = v1::ServiceTaskInput {
        usage_interval: Some(0.0),
        calendar_interval: Some(0),
        ..other()
    };
    let failure = wrong(
        world.add_task(&made.id, no_interval.clone()).await,
        &["usageInterval"],
    );
    assert_eq!(
        failure.message,
        "Enter a usage interval, a calendar interval or both."
    );
    wrong(
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
async fn the_largest_values_are_taken() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let largest = v1::ServiceTaskInput {
        name: Some("ñ".repeat(100)),
        usage_interval: Some(1e9),
        last_done_usage: Some(1e9),
        ..Default::default()
    };
    let (task, equipment) = world.add_task(&made.id, largest).await.unwrap();
    assert_eq!(
        (task.next_due_usage, task.remaining_usage),
        (Some(2e9), Some(2e9))
    );
    assert_eq!(equipment.service_status(), v1::ServiceStatus::Good);
}

#[tokio::test]
async fn names_are_unique_on_one_machine() {
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
async fn fifty_tasks_are_enough() {
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
    // Room again, and the new one stands last.
    world.delete_task(&made.id, &tasks[3].id).await.unwrap();
    world.add_task(&made.id, oil()).await.unwrap();
    assert_eq!(world.tasks(&made.id).await.unwrap()[50].name, "Oil filter");
}

#[tokio::test]
async fn changes_are_partial_and_leave_one_record() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let nothing = v1::ServiceTaskInput::default();
    let (same, equipment) = world
        .change_task(&made.id, &task.id, nothing)
        .await
        .unwrap();
    assert_eq!((same, equipment.version), (task.clone(), 2));

    let change = v1::ServiceTaskInput {
        usage_interval: Some(20.0),
        last_done_usage: Some(80.0),
        last_done_on: Some("2026-02-28".to_owned()),
        ..Default::default()
    };
    let (after, equipment) = world.change_task(&made.id, &task.id, change).await.unwrap();
    assert_eq!(
        (after.next_due_usage, after.next_due_date.as_str()),
        (Some(100.0), "2026-08-28")
    );
    assert_eq!(
        equipment.service_status(),
        v1::ServiceStatus::TimeForService
    );
    assert_eq!(equipment.version, 3);
    let off = v1::ServiceTaskInput {
        calendar_interval: Some(0),
        name: Some("Oil".to_owned()),
        ..Default::default()
    };
    let (after, _) = world.change_task(&made.id, &task.id, off).await.unwrap();
    assert_eq!(
        (after.calendar_interval, after.last_done_on.as_str()),
        (0, "")
    );
    // Counting days again begins today.
    let on = v1::ServiceTaskInput {
        calendar_interval: Some(1),
        calendar_unit: Some(v1::CalendarUnit::Years.into()),
        usage_interval: Some(0.0),
        ..Default::default()
    };
    let (after, _) = world.change_task(&made.id, &task.id, on).await.unwrap();
    assert_eq!(
        (after.last_done_on.as_str(), after.next_due_date.as_str()),
        ("2026-03-10", "2027-03-10")
    );
    assert_eq!((after.usage_percent, after.next_due_usage), (None, None));
    assert_eq!(
        contents(&world, &made.id).await[..3],
        [
            "Service task \"Oil\" changed: Usage interval: 20 → 0; \
             Calendar interval: none → 1 year; Last done on: none → 2026-03-10",
            "Service task \"Oil filter\" changed: Name: Oil filter → Oil; \
             Calendar interval: 6 months → none; Last done on: 2026-02-28 → none",
            "Service task \"Oil filter\" changed: Usage interval: 250 → 20; \
             Last done at: 100 → 80; Last done on: 2026-03-10 → 2026-02-28",
        ]
    );
    world.check_projections().await;
}

#[tokio::test]
async fn a_deleted_task_counts_no_longer_and_stays_in_the_history() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let late = v1::ServiceTaskInput {
        last_done_usage: Some(0.0),
        ..by_usage("Belts", 50.0)
    };
    let (task, equipment) = world.add_task(&made.id, late).await.unwrap();
    assert_eq!(equipment.service_status(), v1::ServiceStatus::Overdue);
    world.complete(done(&made.id, &task.id)).await.unwrap();
    let after = world.delete_task(&made.id, &task.id).await.unwrap();
    assert_eq!(
        (after.service_status(), after.more_tasks),
        (v1::ServiceStatus::Good, 0)
    );
    assert_eq!((after.version, after.urgent_task.clone()), (4, None));
    let history = world.history(&made.id).await.unwrap();
    assert_eq!(history[0].content, "Service task \"Belts\" removed");
    assert_eq!(history[1].task_name, "Belts");
    unknown(world.delete_task(&made.id, &task.id).await);
    unknown(world.change_task(&made.id, &task.id, oil()).await);
    unknown(world.complete(done(&made.id, &task.id)).await);
    world.check_projections().await;
}

#[tokio::test]
async fn the_forms_task_is_changed_in_the_form() {
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
async fn retired_equipment_keeps_its_tasks_as_they_are() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let retired = world.retire(&made.id, "").await.unwrap();
    unknown(world.tasks(&made.id).await);
    unknown(world.add_task(&made.id, by_usage("B", 1.0)).await);
    unknown(
        world
            .change_task(&made.id, &task.id, by_usage("B", 1.0))
            .await,
    );
    unknown(world.delete_task(&made.id, &task.id).await);
    unknown(world.complete(done(&made.id, &task.id)).await);
    world.restore(&retired.id).await.unwrap();
    assert_eq!(world.tasks(&made.id).await.unwrap(), [task]);
}

#[tokio::test]
async fn another_companys_tasks_do_not_exist() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let mut stranger = World::new().await;
    stranger.backend = world.backend.clone();
    stranger.owner = testing::owner();
    unknown(stranger.tasks(&made.id).await);
    unknown(stranger.add_task(&made.id, by_usage("B", 1.0)).await);
    unknown(
        stranger
            .change_task(&made.id, &task.id, by_usage("B", 1.0))
            .await,
    );
    unknown(stranger.delete_task(&made.id, &task.id).await);
    unknown(stranger.complete(done(&made.id, &task.id)).await);
    let own = stranger.create(named("Own")).await.unwrap();
    unknown(stranger.complete(done(&own.id, &task.id)).await);
    assert_eq!(world.tasks(&made.id).await.unwrap(), [task]);
    assert_eq!(world.get(&made.id).await.unwrap().version, 2);
}

#[tokio::test]
async fn tasks_are_added_and_done_once_per_key() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let message = v1::CreateServiceTaskRequest {
        equipment_id: made.id.clone(),
        task: Some(oil()),
    };
    let send = |message: v1::CreateServiceTaskRequest| {
        let request = keyed("key", as_person(Service::Equipment, &world.owner, message));
        async { fold(world.client().create_service_task(request).await) }
    };
    let first = send(message.clone()).await.unwrap();
    assert_eq!(send(message).await.unwrap(), first);
    let another = v1::CreateServiceTaskRequest {
        equipment_id: made.id.clone(),
        task: Some(by_usage("Belts", 5.0)),
    };
    refused(
        send(another).await,
        Kind::KeyReused,
        "IDEMPOTENCY_KEY_REUSED",
    );

    let task_id = first.task.unwrap().id;
    let complete = || {
        let message = v1::CompleteServiceTaskRequest {
            meter: Some(12.0),
            ..done(&made.id, &task_id)
        };
        let request = keyed("key", as_person(Service::Equipment, &world.owner, message));
        async { fold(world.client().complete_service_task(request).await) }
    };
    let first = complete().await.unwrap();
    world.record(increase(&made.id, 1.0)).await.unwrap();
    assert_eq!(complete().await.unwrap(), first);
    assert_eq!(world.get(&made.id).await.unwrap().version, 4);
    assert_eq!(world.tasks(&made.id).await.unwrap().len(), 1);
}

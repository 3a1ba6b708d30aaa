//! Service tasks other than the form's.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_person;

use crate::support::{
    World, fold, increase, keyed, named, not_found, refused, unknown_ids, with_usage,
};
use crate::task_calls::{by_usage, done, oil, with_form};

#[tokio::test]
async fn create_task_counts_from_usage_and_today_by_default() {
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
        basis: v1::TaskBasis::LastDone.into(),
        projected_due_date: "2026-09-10".to_owned(),
        projected_by_calendar: true,
        // 250 hours at 8 hours a day.
        order_date: "2026-04-11".to_owned(),
        ..Default::default()
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
async fn list_tasks_has_the_form_task_first_if_it_has_a_plan() {
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
    for id in unknown_ids() {
        not_found(world.tasks(&id).await);
    }
}

#[tokio::test]
async fn update_task_is_partial_and_adds_one_entry() {
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
    // A new schedule starts today.
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
async fn delete_task_keeps_its_history() {
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
    not_found(world.delete_task(&made.id, &task.id).await);
    not_found(world.change_task(&made.id, &task.id, oil()).await);
    not_found(world.complete(done(&made.id, &task.id)).await);
    world.check_projections().await;
}

#[tokio::test]
async fn task_requests_have_one_effect_per_key() {
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

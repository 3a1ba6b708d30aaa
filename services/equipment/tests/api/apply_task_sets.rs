//! Application of task sets to machines.

use hourmeter_proto::equipment::v1::{self, TaskSetChangeKind as Kind, TaskSetMode};
use hourmeter_runtime::error::Kind as ErrorKind;

use crate::support::{World, invalid_fields, named, with_usage};
use crate::task_calls::{by_usage, with_form};
use crate::task_sets::{excavators, in_hours, item, kinds, plan};

#[tokio::test]
async fn apply_task_set_adds_its_tasks_to_each_machine() {
    let world = World::new().await;
    let set = world.create_set(excavators()).await.unwrap();
    let one = world.create(with_usage("A", 100.0)).await.unwrap();
    let two = world.create(with_usage("B", 40.0)).await.unwrap();
    let retired = world.create(named("C")).await.unwrap();
    world.retire(&retired.id, "").await.unwrap();
    let preview = v1::PreviewTaskSetRequest {
        task_set_id: set.id.clone(),
        r#type: v1::EquipmentType::Machinery.into(),
        ..Default::default()
    };
    let preview = world.preview_set(preview).await.unwrap().results;
    let message = v1::ApplyTaskSetRequest {
        task_set_id: set.id.clone(),
        equipment_ids: vec![two.id.clone(), one.id.clone(), retired.id.clone()],
        ..Default::default()
    };
    let results = world
        .apply_set_once(&world.owner, "key", message.clone())
        .await
        .unwrap();
    for result in &results {
        if result.equipment_id == retired.id {
            assert_eq!((result.ok, result.code.as_str()), (false, "NOT_FOUND"));
        } else {
            assert!(result.ok && preview.contains(result));
            assert_eq!(kinds(result), [Kind::Added, Kind::Added]);
        }
    }
    assert_eq!((results.len(), preview.len()), (3, 2));
    let repeat = world
        .apply_set_once(&world.owner, "key", message)
        .await
        .unwrap();
    assert_eq!(repeat, results);
    let expected = plan(&[("Oil", 250.0), ("Inspection", 0.0)]);
    assert_eq!(world.plan(&one.id).await, expected);
    let tasks = world.tasks(&two.id).await.unwrap();
    assert_eq!(tasks[0].next_due_usage, Some(290.0));
    assert_eq!(tasks[1].next_due_date, "2027-03-10");
    let history = world.history(&two.id).await.unwrap();
    assert_eq!(
        history[1].content,
        "Service task \"Oil\" added: every 250 hours"
    );
    let uses = world.list_sets().await;
    assert_eq!((uses[0].machines, uses[0].outdated_machines), (2, 0));
}

#[tokio::test]
async fn apply_task_set_sets_the_rules_of_its_tasks_and_keeps_those_of_the_machine() {
    let world = World::new().await;
    let on_the_mark = |left: f64| v1::TaskSetItem {
        basis: v1::TaskBasis::OnTheMark.into(),
        warning_usage: left,
        calendar_interval: 6,
        calendar_unit: v1::CalendarUnit::Months.into(),
        warning_days: 30,
        ..item("Oil", 250.0)
    };
    let set = world
        .create_set(in_hours("Marks", vec![on_the_mark(25.0)]))
        .await
        .unwrap();
    let made = world.create(with_usage("A", 1010.0)).await.unwrap();
    let machines = [made.id.as_str()];
    let apply = || world.apply_set(&set.id, &machines, TaskSetMode::Update);
    apply().await.unwrap();
    let task = world.tasks(&made.id).await.unwrap().remove(0);
    assert_eq!(task.basis(), v1::TaskBasis::OnTheMark);
    assert_eq!(task.next_due_usage, Some(1250.0), "the next mark");
    assert_eq!(
        (task.warning_usage, task.warning_days),
        (Some(25.0), Some(30))
    );
    // The first due point and the snooze are the machine's own.
    let first = v1::ServiceTaskInput {
        first_due_usage: Some(1500.0),
        ..Default::default()
    };
    world.change_task(&made.id, &task.id, first).await.unwrap();
    let snooze = v1::SnoozeServiceTaskRequest {
        equipment_id: made.id.clone(),
        task_id: task.id.clone(),
        until_usage: Some(1600.0),
        reason: "Parts are ordered".to_owned(),
        ..Default::default()
    };
    world.snooze(snooze).await.unwrap();
    let changed = v1::TaskSetInput {
        items: vec![v1::TaskSetItem {
            id: set.items[0].id.clone(),
            ..on_the_mark(50.0)
        }],
        ..in_hours("Marks", Vec::new())
    };
    world.update_set(&set.id, changed, None).await.unwrap();
    let results = apply().await.unwrap();
    assert_eq!(kinds(&results[0]), [Kind::Changed]);
    let task = world.tasks(&made.id).await.unwrap().remove(0);
    assert_eq!(
        (task.warning_usage, task.warning_days),
        (Some(50.0), Some(30))
    );
    assert_eq!(task.first_due_usage, Some(1500.0));
    assert!(task.snooze.is_some());
    world.check_projections().await;
}

#[tokio::test]
async fn apply_task_set_keeps_a_task_removed_by_hand_away() {
    let world = World::new().await;
    let set = world.create_set(excavators()).await.unwrap();
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let machines = [made.id.as_str()];
    world
        .apply_set(&set.id, &machines, TaskSetMode::Update)
        .await
        .unwrap();
    let oil = world.tasks(&made.id).await.unwrap().remove(0);
    world.delete_task(&made.id, &oil.id).await.unwrap();
    let again = world
        .apply_set(&set.id, &machines, TaskSetMode::Update)
        .await
        .unwrap();
    assert_eq!(kinds(&again[0]), [Kind::Kept, Kind::Same]);
    assert_eq!(world.plan(&made.id).await, plan(&[("Inspection", 0.0)]));
    let reset = TaskSetMode::Reset;
    world.apply_set(&set.id, &machines, reset).await.unwrap();
    let whole = plan(&[("Inspection", 0.0), ("Oil", 250.0)]);
    assert_eq!(world.plan(&made.id).await, whole);
    let remove = TaskSetMode::Remove;
    world.apply_set(&set.id, &machines, remove).await.unwrap();
    assert_eq!(world.plan(&made.id).await, plan(&[]));
    assert_eq!(world.list_sets().await[0].machines, 0);
    world.check_projections().await;
}

#[tokio::test]
async fn apply_task_set_refuses_a_machine_alone() {
    let world = World::new().await;
    let set = world.create_set(excavators()).await.unwrap();
    let mut truck = named("Truck");
    truck.unit = Some(v1::MeterUnit::Miles.into());
    let truck = world.create(truck).await.unwrap();
    let loader = world.create(named("Loader")).await.unwrap();
    let both = [truck.id.as_str(), loader.id.as_str()];
    let results = world
        .apply_set(&set.id, &both, TaskSetMode::Update)
        .await
        .unwrap();
    for result in results {
        let expected = if result.equipment_id == truck.id {
            (false, "TASK_SET_UNIT_DIFFERS")
        } else {
            (true, "")
        };
        assert_eq!((result.ok, result.code.as_str()), expected);
    }
    assert_eq!(world.plan(&truck.id).await, []);
    assert_eq!(world.get(&truck.id).await.unwrap(), truck);
    assert_eq!(world.plan(&loader.id).await.len(), 2);
    let ids = vec![truck.id; 51];
    let many = v1::ApplyTaskSetRequest {
        task_set_id: set.id,
        equipment_ids: ids,
        ..Default::default()
    };
    let many = world.apply_set_once(&world.owner, "", many).await;
    assert_eq!(many.unwrap_err().kind, ErrorKind::Invalid);
}

#[tokio::test]
async fn apply_task_set_skips_lookalikes_and_counts_from_the_last_service() {
    let world = World::new().await;
    let items = vec![item("Oil", 500.0), item("Grease", 50.0)];
    let set = world.create_set(in_hours("Loaders", items)).await.unwrap();
    let made = world.create(with_form("A", 600.0)).await.unwrap();
    let machines = vec![made.id.clone()];
    let ask = || {
        world.preview_set(v1::PreviewTaskSetRequest {
            task_set_id: set.id.clone(),
            equipment_ids: machines.clone(),
            ..Default::default()
        })
    };
    let before = ask().await.unwrap().results.remove(0);
    let like = before.changes[0].lookalike.as_ref().unwrap();
    assert_eq!((like.name.as_str(), like.usage_interval), ("", 500.0));
    assert_eq!(before.changes[1].lookalike, None);
    assert!(!before.assigned);
    let application = v1::ApplyTaskSetRequest {
        task_set_id: set.id.clone(),
        equipment_ids: machines.clone(),
        skips: vec![v1::TaskSetSkip {
            equipment_id: made.id.clone(),
            item_id: set.items[0].id.clone(),
        }],
        start: v1::TaskSetStart::LastService.into(),
        ..Default::default()
    };
    let results = world.apply_set_once(&world.owner, "", application).await;
    assert_eq!(kinds(&results.unwrap()[0]), [Kind::Kept, Kind::Added]);
    let tasks = world.tasks(&made.id).await.unwrap();
    assert_eq!(tasks.len(), 2);
    assert_eq!(tasks[1].next_due_usage, Some(50.0), "from the last service");
    let uses = world.list_sets().await.remove(0);
    assert_eq!((uses.machines, uses.outdated_machines), (1, 0));
    let after = ask().await.unwrap().results.remove(0);
    assert_eq!(kinds(&after), [Kind::Kept, Kind::Same]);
    assert!(after.assigned);
    world.check_projections().await;
}

#[tokio::test]
async fn apply_task_set_can_be_undone_without_the_machines_own_tasks() {
    let world = World::new().await;
    let set = world.create_set(excavators()).await.unwrap();
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let (own, _) = world
        .add_task(&made.id, by_usage("Oil", 250.0))
        .await
        .unwrap();
    let machines = [made.id.as_str()];
    let applied = world
        .apply_set(&set.id, &machines, TaskSetMode::Update)
        .await;
    let applied = applied.unwrap().remove(0);
    assert_eq!(kinds(&applied), [Kind::Same, Kind::Added]);
    assert_eq!(applied.changes[0].task_id, own.id);
    let undo = v1::ApplyTaskSetRequest {
        task_set_id: set.id.clone(),
        equipment_ids: vec![made.id.clone()],
        mode: TaskSetMode::Remove.into(),
        keep_task_ids: vec![own.id.clone()],
        ..Default::default()
    };
    let undone = world.apply_set_once(&world.owner, "", undo).await.unwrap();
    assert_eq!(kinds(&undone[0]), [Kind::Removed]);
    assert_eq!(world.plan(&made.id).await, plan(&[("Oil", 250.0)]));
    assert_eq!(world.list_sets().await[0].machines, 0);
    world.check_projections().await;
}

#[tokio::test]
async fn apply_task_set_counts_from_now_without_a_last_service() {
    let world = World::new().await;
    let set = world.create_set(excavators()).await.unwrap();
    let scheduled = |name: &str| v1::EquipmentInput {
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-05-01".to_owned()),
        maintenance_interval: Some(3),
        maintenance_interval_unit: Some(v1::CalendarUnit::Months.into()),
        ..named(name)
    };
    // A schedule that starts later, and machines without any service, with and without a reading.
    let inputs: [fn(&str) -> v1::EquipmentInput; 3] =
        [scheduled, named, |name| with_usage(name, 5200.0)];
    for input in inputs {
        let mut counted = Vec::new();
        for start in [v1::TaskSetStart::LastService, v1::TaskSetStart::Now] {
            let made = world.create(input(start.as_str_name())).await.unwrap();
            let application = v1::ApplyTaskSetRequest {
                task_set_id: set.id.clone(),
                equipment_ids: vec![made.id.clone()],
                start: start.into(),
                ..Default::default()
            };
            let results = world.apply_set_once(&world.owner, "", application).await;
            assert!(results.unwrap()[0].ok);
            let tasks = world.tasks(&made.id).await.unwrap().into_iter();
            let points = tasks.map(|task| (task.last_done_usage, task.last_done_on));
            counted.push(points.collect::<Vec<_>>());
        }
        assert_eq!(counted[0], counted[1]);
    }
    world.check_projections().await;
}

#[tokio::test]
async fn apply_task_set_limits_each_list_of_choices() {
    let world = World::new().await;
    let set = world.create_set(excavators()).await.unwrap();
    let made = world.create(named("A")).await.unwrap();
    let application = v1::ApplyTaskSetRequest {
        task_set_id: set.id,
        equipment_ids: vec![made.id.clone()],
        ..Default::default()
    };
    let skips = v1::ApplyTaskSetRequest {
        skips: vec![v1::TaskSetSkip::default(); 2501],
        ..application.clone()
    };
    let keeps = v1::ApplyTaskSetRequest {
        keep_task_ids: vec![made.id; 2501],
        ..application
    };
    for (message, field) in [(skips, "skips"), (keeps, "keepTaskIds")] {
        let answer = world.apply_set_once(&world.owner, "", message).await;
        invalid_fields(answer, &[field]);
    }
}

//! `CompleteServiceTask`, and what it has in common with `MarkServiced`.

use hourmeter_proto::equipment::v1;

use crate::support::{
    CONNECTIONS, World, increase, invalid_fields, named, not_found, unknown_id, unknown_ids,
    with_usage,
};
use crate::task_calls::{by_usage, done, done_on, oil, with_form};

#[tokio::test]
async fn complete_restarts_the_task() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    world.record(increase(&made.id, 240.5)).await.unwrap();
    let entry = v1::CompleteServiceTaskRequest {
        notes: "Changed both".to_owned(),
        cost: Some(89.9),
        ..done_on(&made.id, &task.id, "2026-03-09")
    };
    let (after, equipment) = world.complete(entry).await.unwrap();
    assert_eq!(
        (after.last_done_usage, after.next_due_usage),
        (Some(100.0), Some(350.0))
    );
    assert_eq!(
        (after.last_done_on.as_str(), after.next_due_date.as_str()),
        ("2026-03-09", "2026-09-09")
    );
    assert_eq!((equipment.version, equipment.current_usage), (4, 340.5));
    let record = world.latest(&made.id).await;
    assert_eq!(record.kind(), v1::HistoryKind::Service);
    assert_eq!(
        record.content,
        "Changed both\nCost: $89.90\nPerformed on 2026-03-09"
    );
    assert_eq!(
        (record.task_name.as_str(), record.performed_on.as_str()),
        ("Oil filter", "2026-03-09")
    );
    // The meter of that day is not known: it was read first on the next one.
    assert_eq!((record.cost, record.usage), (Some(89.9), None));
    assert_eq!(world.tasks(&made.id).await.unwrap(), [after]);
    world.check_projections().await;
}

#[tokio::test]
async fn complete_with_higher_usage_is_a_reading() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    for (meter, current, moved) in [
        (99.99, 100.0, 0.0),
        (100.0, 100.0, 0.0),
        (100.01, 100.01, 0.01),
        (50.0, 100.01, 0.0),
        (1e9, 1e9, 999_999_899.99),
    ] {
        let entry = v1::CompleteServiceTaskRequest {
            meter: Some(meter),
            ..done(&made.id, &task.id)
        };
        let (after, equipment) = world.complete(entry).await.unwrap();
        assert_eq!(after.last_done_usage, Some(meter), "{meter}");
        assert_eq!(Some(equipment.current_usage), Some(current), "{meter}");
        let record = world.latest(&made.id).await;
        assert_eq!((record.usage, record.reading), (Some(current), Some(meter)));
        let rise = record.usage.unwrap() - record.usage_before.unwrap();
        assert!((rise - moved).abs() < 0.001, "{meter}");
        world.check_projections().await;
    }
    let before = world.state(&made.id).await;
    for meter in [-0.01, 0.001, 1_000_000_000.01, f64::NAN, f64::INFINITY] {
        let entry = v1::CompleteServiceTaskRequest {
            meter: Some(meter),
            ..done(&made.id, &task.id)
        };
        invalid_fields(world.complete(entry).await, &["meter"]);
    }
    assert_eq!(world.state(&made.id).await, before);
}

#[tokio::test]
async fn complete_on_an_earlier_day_keeps_later_readings_valid() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let entry = v1::CompleteServiceTaskRequest {
        meter: Some(70.0),
        ..done_on(&made.id, &task.id, "2026-03-08")
    };
    world.complete(entry).await.unwrap();
    let read_at = world.meter(&made.id).await.unwrap().meter_read_at.unwrap();
    let end: chrono::DateTime<chrono::Utc> = "2026-03-08T23:59:59Z".parse().unwrap();
    assert_eq!(read_at.seconds, end.timestamp());
    let from_field = v1::ApplyOperatorUpdateRequest {
        update_id: unknown_id(),
        equipment_id: made.id.clone(),
        operator_id: unknown_id(),
        reading: Some(75.0),
        captured_at: Some(prost_types::Timestamp {
            seconds: end.timestamp() + 3600,
            nanos: 0,
        }),
        ..Default::default()
    };
    let applied = world.apply(from_field).await.unwrap();
    assert_eq!(applied.usage_after, Some(75.0));
    world.check_projections().await;
}

#[tokio::test]
async fn complete_older_work_keeps_the_marks() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    assert_eq!(
        (task.last_done_on.as_str(), task.last_serviced_on.as_str()),
        ("2026-03-10", "")
    );
    // There is no earlier service, so any day counts.
    let (first, _) = world
        .complete(done_on(&made.id, &task.id, "2026-03-01"))
        .await
        .unwrap();
    assert_eq!(first.last_done_on, "2026-03-01");
    assert_eq!(first.last_serviced_on, "2026-03-01");
    world.record(increase(&made.id, 10.0)).await.unwrap();
    let older = v1::CompleteServiceTaskRequest {
        meter: Some(20.0),
        ..done_on(&made.id, &task.id, "2026-02-28")
    };
    let (after, equipment) = world.complete(older).await.unwrap();
    assert_eq!(
        (after.last_done_on.as_str(), after.last_done_usage),
        ("2026-03-01", Some(20.0))
    );
    assert_eq!(equipment.version, 5);
    let records = world.history(&made.id).await.unwrap();
    assert_eq!(
        (
            records[1].task_name.as_str(),
            records[1].performed_on.as_str()
        ),
        ("Oil filter", "2026-02-28")
    );
    // The later service counted from the meter of its day, which is known now.
    assert_eq!(
        records[0].content,
        "Service task \"Oil filter\" changed: Last done at: 100 → 20"
    );
    // The same day counts again, and so does another task's.
    let (after, _) = world
        .complete(done_on(&made.id, &task.id, "2026-03-01"))
        .await
        .unwrap();
    assert_eq!(after.last_done_usage, Some(20.0));
    let (belts, _) = world
        .add_task(&made.id, by_usage("Belts", 5.0))
        .await
        .unwrap();
    let (after, _) = world
        .complete(done_on(&made.id, &belts.id, "2026-01-01"))
        .await
        .unwrap();
    assert_eq!(after.last_done_usage, Some(20.0));
    world.check_projections().await;
}

#[tokio::test]
async fn complete_invalid_requests_change_nothing() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 10.0)).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let before = world.state(&made.id).await;
    let ok = || done(&made.id, &task.id);
    for day in [
        "soon",
        "2026-02-30",
        "1899-12-31",
        "2026-03-11",
        "2201-01-01",
    ] {
        invalid_fields(
            world.complete(done_on(&made.id, &task.id, day)).await,
            &["performedAt"],
        );
    }
    for cost in [-0.01, 0.001, f64::NAN, 2e9] {
        let entry = v1::CompleteServiceTaskRequest {
            cost: Some(cost),
            ..ok()
        };
        invalid_fields(world.complete(entry).await, &["cost"]);
    }
    for notes in ["x".repeat(5001), "a\u{1b}b".to_owned()] {
        let entry = v1::CompleteServiceTaskRequest { notes, ..ok() };
        invalid_fields(world.complete(entry).await, &["notes"]);
    }
    for id in unknown_ids() {
        not_found(world.complete(done(&id, &task.id)).await);
        not_found(world.complete(done(&made.id, &id)).await);
        not_found(world.add_task(&id, oil()).await);
        not_found(world.change_task(&id, &task.id, oil()).await);
        not_found(world.change_task(&made.id, &id, oil()).await);
        not_found(world.delete_task(&id, &task.id).await);
        not_found(world.delete_task(&made.id, &id).await);
    }
    let other = world.create(named("B")).await.unwrap();
    not_found(world.complete(done(&other.id, &task.id)).await);
    not_found(world.change_task(&other.id, &task.id, oil()).await);
    not_found(world.delete_task(&other.id, &task.id).await);
    assert_eq!(world.state(&made.id).await, before);
}

#[tokio::test]
async fn create_task_concurrently_keeps_names_unique() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    world.warm_up().await;
    let calls = (0..CONNECTIONS).map(|_| world.add_task(&made.id, oil()));
    let answers = futures::future::join_all(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(world.tasks(&made.id).await.unwrap().len(), 1);
    let id = &world.tasks(&made.id).await.unwrap()[0].id;
    let calls = (1_u8..=6).map(|number| {
        world.complete(v1::CompleteServiceTaskRequest {
            meter: Some(f64::from(number)),
            ..done(&made.id, id)
        })
    });
    for answer in futures::future::join_all(calls).await {
        answer.unwrap();
    }
    let after = world.get(&made.id).await.unwrap();
    assert_eq!((after.current_usage, after.version), (6.0, 8));
    world.check_projections().await;
}

#[tokio::test]
async fn complete_uses_the_company_time_zone() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let mut away = world.owner.clone();
    away.time_zone = chrono_tz::Pacific::Kiritimati;
    let tomorrow = done_on(&made.id, &task.id, "2026-03-11");
    invalid_fields(world.complete(tomorrow.clone()).await, &["performedAt"]);
    let (after, _) = world.complete_as(&away, tomorrow).await.unwrap();
    assert_eq!(after.last_done_on, "2026-03-11");
}

#[tokio::test]
async fn void_of_a_completion_restores_the_marks() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let read = v1::CompleteServiceTaskRequest {
        meter: Some(150.0),
        ..done(&made.id, &task.id)
    };
    world.complete(read).await.unwrap();
    let first = world.newest(&made.id).await;
    let corrected = v1::ServiceTaskInput {
        last_done_usage: Some(120.0),
        last_done_on: Some("2026-03-02".to_owned()),
        ..Default::default()
    };
    world
        .change_task(&made.id, &task.id, corrected)
        .await
        .unwrap();
    world.complete(done(&made.id, &task.id)).await.unwrap();
    let marks = || async {
        let task = world.tasks(&made.id).await.unwrap().remove(0);
        (task.last_done_usage, task.last_done_on, task.next_due_date)
    };
    let marks_of = |usage, on: &str, next: &str| (Some(usage), on.to_owned(), next.to_owned());
    assert_eq!(marks().await, marks_of(150.0, "2026-03-10", "2026-09-10"));
    let second = world.newest(&made.id).await;
    world.void(&made.id, &second).await.unwrap();
    assert_eq!(marks().await, marks_of(120.0, "2026-03-02", "2026-09-02"));
    // Without the reading the given usage is above the meter.
    world.void(&made.id, &first).await.unwrap();
    assert_eq!(marks().await, marks_of(100.0, "2026-03-02", "2026-09-02"));
    let note = &world.history(&made.id).await.unwrap()[0];
    assert_eq!(note.kind(), v1::HistoryKind::Edit);
    assert!(
        note.content.ends_with("Last done at: 120 → 100"),
        "{}",
        note.content
    );
    let after = world.get(&made.id).await.unwrap();
    assert_eq!((after.current_usage, after.version), (100.0, 7));
    // Voided completions are ignored, so older work counts again.
    let (after, _) = world
        .complete(done_on(&made.id, &task.id, "2026-02-01"))
        .await
        .unwrap();
    assert_eq!(after.last_done_on, "2026-02-01");
    world.check_projections().await;
}

#[tokio::test]
async fn form_marks_come_from_edits_and_services() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-01-31".to_owned()),
        maintenance_interval: Some(1),
        ..with_form("A", 100.0)
    };
    let made = world.create(input).await.unwrap();
    let edit = v1::EquipmentInput {
        last_service_usage: Some(40.5),
        maintenance_start_date: Some("2026-02-15".to_owned()),
        ..Default::default()
    };
    world.update(&made.id, edit, None).await.unwrap();
    world.check_projections().await;
    let message = v1::MarkServicedRequest {
        id: made.id.clone(),
        ..Default::default()
    };
    let after = world.serviced(message).await.unwrap();
    assert_eq!(after.last_service_usage, Some(100.0));
    let service = world.newest(&made.id).await;
    world.void(&made.id, &service).await.unwrap();
    let after = world.get(&made.id).await.unwrap();
    assert_eq!(after.last_service_usage, Some(40.5));
    assert_eq!(after.maintenance_start_date, "2026-02-15");
    assert_eq!(after.next_maintenance_date, "2026-03-15");
    let off = v1::EquipmentInput {
        has_scheduled_maintenance: Some(false),
        service_interval: Some(0.0),
        ..Default::default()
    };
    let after = world.update(&made.id, off, None).await.unwrap();
    assert_eq!(after.service_status(), v1::ServiceStatus::Good);
    world.check_projections().await;
}

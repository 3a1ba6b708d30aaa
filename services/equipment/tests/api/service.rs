use chrono_tz::Tz;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::Identity;

use crate::support::{
    World, increase, invalid_fields, named, not_found, refused, unknown_ids, with_usage,
};

fn serviced(id: &str) -> v1::MarkServicedRequest {
    v1::MarkServicedRequest {
        id: id.to_owned(),
        ..Default::default()
    }
}

fn by_usage(name: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        service_interval: Some(250.0),
        last_service_usage: Some(0.0),
        ..with_usage(name, 300.5)
    }
}

fn by_calendar(name: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-01-01".to_owned()),
        maintenance_interval: Some(1),
        ..named(name)
    }
}

#[tokio::test]
async fn mark_serviced_counts_from_current_usage() {
    let world = World::new().await;
    let made = world.create(by_usage("A")).await.unwrap();
    assert_eq!(made.service_status(), v1::ServiceStatus::Overdue);
    let after = world.serviced(serviced(&made.id)).await.unwrap();
    assert_eq!(after.last_service_usage, Some(300.5));
    assert_eq!(after.service_status(), v1::ServiceStatus::Good);
    assert_eq!((after.usage_percent, after.version), (Some(0.0), 2));
    let history = world.history(&made.id).await.unwrap();
    assert_eq!(history.len(), 1);
    assert_eq!(history[0].kind(), v1::HistoryKind::Service);
    assert_eq!(history[0].note_type(), v1::NoteType::Maintenance);
    assert_eq!(
        (history[0].usage, history[0].content.as_str()),
        (Some(300.5), "")
    );
    world.check_projections().await;
}

#[tokio::test]
async fn mark_serviced_restarts_the_schedule() {
    let world = World::new().await;
    let made = world.create(by_calendar("A")).await.unwrap();
    let earlier = || v1::MarkServicedRequest {
        performed_at: "2026-01-31T10:00:00Z".to_owned(),
        ..serviced(&made.id)
    };
    let after = world.serviced(earlier()).await.unwrap();
    assert_eq!(after.maintenance_start_date, "2026-01-31");
    assert_eq!(after.next_maintenance_date, "2026-02-28");
    let after = world.serviced(serviced(&made.id)).await.unwrap();
    assert_eq!(after.maintenance_start_date, "2026-03-10");
    assert_eq!(after.next_maintenance_date, "2026-04-10");
    // A service before the last one is only recorded.
    let after = world.serviced(earlier()).await.unwrap();
    assert_eq!(after.maintenance_start_date, "2026-03-10");
    assert_eq!(world.history(&made.id).await.unwrap().len(), 3);
    world.check_projections().await;
}

#[tokio::test]
async fn mark_serviced_uses_the_company_time_zone() {
    let world = World::new().await;
    let made = world.create(by_calendar("A")).await.unwrap();
    // Noon of 10 March in UTC is 11 March on Kiritimati.
    let away = Identity {
        time_zone: Tz::Pacific__Kiritimati,
        ..world.owner.clone()
    };
    let tomorrow = v1::MarkServicedRequest {
        performed_at: "2026-03-11".to_owned(),
        ..serviced(&made.id)
    };
    let failure = invalid_fields(world.serviced(tomorrow.clone()).await, &["performedAt"]);
    assert_eq!(failure.message, "Must not be in the future.");
    let after = world.serviced_as(&away, tomorrow).await.unwrap();
    assert_eq!(after.maintenance_start_date, "2026-03-11");
    let after = world.serviced_as(&away, serviced(&made.id)).await.unwrap();
    assert_eq!(after.maintenance_start_date, "2026-03-11");
    assert_eq!(after.days_until_maintenance, Some(31));
}

#[tokio::test]
async fn mark_serviced_records_notes_cost_and_date() {
    let world = World::new().await;
    let made = world.create(by_usage("A")).await.unwrap();
    let entry = v1::MarkServicedRequest {
        notes: "Oil and filter".to_owned(),
        cost: Some(125.5),
        performed_at: "2026-03-09".to_owned(),
        ..serviced(&made.id)
    };
    world.serviced(entry).await.unwrap();
    let expected = "Oil and filter\nCost: $125.50\nPerformed on 2026-03-09";
    assert_eq!(world.history(&made.id).await.unwrap()[0].content, expected);
    let notes = world.notes(&made.id).await.unwrap();
    assert_eq!(notes[0].content, expected);
    assert_eq!(notes[0].r#type(), v1::NoteType::Maintenance);
}

#[tokio::test]
async fn mark_serviced_without_a_plan_is_refused() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 10.0)).await.unwrap();
    let before = world.state(&made.id).await;
    let answer = world.serviced(serviced(&made.id)).await;
    refused(answer, Kind::Conflict, "NO_SERVICE_PLAN");
    assert_eq!(world.state(&made.id).await, before);
}

#[tokio::test]
async fn mark_serviced_invalid_requests_change_nothing() {
    let world = World::new().await;
    let made = world.create(by_usage("A")).await.unwrap();
    let before = world.state(&made.id).await;
    for cost in [-0.01, f64::NAN, f64::INFINITY, 0.001, 2e9] {
        let entry = v1::MarkServicedRequest {
            cost: Some(cost),
            ..serviced(&made.id)
        };
        invalid_fields(world.serviced(entry).await, &["cost"]);
    }
    for day in [
        "soon",
        "2026-02-30",
        "1899-12-31",
        "2026-03-11",
        "2201-01-01",
    ] {
        let entry = v1::MarkServicedRequest {
            performed_at: day.to_owned(),
            ..serviced(&made.id)
        };
        invalid_fields(world.serviced(entry).await, &["performedAt"]);
    }
    for notes in ["x".repeat(5001), "a\u{1b}b".to_owned()] {
        let entry = v1::MarkServicedRequest {
            notes,
            ..serviced(&made.id)
        };
        invalid_fields(world.serviced(entry).await, &["notes"]);
    }
    assert_eq!(world.state(&made.id).await, before);
}

#[tokio::test]
async fn mark_serviced_of_unknown_ids_is_not_found() {
    let world = World::new().await;
    for id in unknown_ids() {
        not_found(world.serviced(serviced(&id)).await);
    }
    let made = world.create(by_usage("A")).await.unwrap();
    world.retire(&made.id, "").await.unwrap();
    not_found(world.serviced(serviced(&made.id)).await);
}

/// Usage and day of the first known reading, and the usage that the form's task counts from.
async fn first_reading(world: &World, id: &str) -> (Option<(f64, String)>, Option<f64>) {
    let response = world.list_tasks(id).await.unwrap();
    let day = response.first_read_at.map(|at| {
        let at = chrono::DateTime::from_timestamp(at.seconds, 0).unwrap();
        at.date_naive().to_string()
    });
    let first = response.first_usage.zip(day);
    (first, response.tasks[0].last_done_usage)
}

#[tokio::test]
async fn mark_serviced_before_the_first_reading_counts_from_it() {
    let world = World::new().await;
    let made = world.create(by_usage("A")).await.unwrap();
    let first = || Some((300.5, "2026-03-10".to_owned()));
    assert_eq!(first_reading(&world, &made.id).await, (first(), Some(0.0)));
    let earlier = |id: &str| v1::MarkServicedRequest {
        performed_at: "2026-03-04".to_owned(),
        ..serviced(id)
    };
    world.serviced(earlier(&made.id)).await.unwrap();
    assert_eq!(
        first_reading(&world, &made.id).await,
        (first(), Some(300.5))
    );

    let unread = v1::EquipmentInput {
        service_interval: Some(250.0),
        ..named("B")
    };
    let unread = world.create(unread).await.unwrap();
    world.serviced(earlier(&unread.id)).await.unwrap();
    assert_eq!(first_reading(&world, &unread.id).await, (None, None));
    world.record(increase(&unread.id, 7.0)).await.unwrap();
    assert_eq!(first_reading(&world, &unread.id).await, (None, None));
    let reading = |usage| v1::RecordUsageRequest {
        id: unread.id.clone(),
        reading: Some(usage),
        ..Default::default()
    };
    world.record(reading(4700.0)).await.unwrap();
    let wrong = world.newest(&unread.id).await;
    world.record(reading(4710.0)).await.unwrap();
    let found = first_reading(&world, &unread.id).await;
    assert_eq!(
        found,
        (Some((4700.0, "2026-03-10".to_owned())), Some(4700.0))
    );
    world.void(&unread.id, &wrong).await.unwrap();
    let found = first_reading(&world, &unread.id).await;
    assert_eq!(
        found,
        (Some((4710.0, "2026-03-10".to_owned())), Some(4710.0))
    );
    world.check_projections().await;
}

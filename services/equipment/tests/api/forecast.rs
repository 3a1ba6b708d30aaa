//! Operational status, age of readings and projected due dates.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1::{self, OperationalStatus};

use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_person;

use crate::support::{World, fold, increase, invalid_fields, named, page, with_usage};

fn every(name: &str, interval: f64) -> v1::EquipmentInput {
    v1::EquipmentInput {
        service_interval: Some(interval),
        last_service_usage: Some(100.0),
        ..with_usage(name, 100.0)
    }
}

fn status(status: OperationalStatus) -> v1::EquipmentInput {
    v1::EquipmentInput {
        operational_status: Some(status.into()),
        ..Default::default()
    }
}

async fn names(world: &World, message: v1::ListEquipmentRequest) -> Vec<String> {
    world.list(message).await.unwrap().0
}

/// Uses a machine on each of some days.
async fn use_daily(world: &World, id: &str, hours: &[f64]) {
    for by in hours {
        world.later(TimeDelta::days(1));
        world.record(increase(id, *by)).await.unwrap();
    }
}

#[tokio::test]
async fn operational_status_is_stored_filtered_and_in_the_history() {
    let world = World::new().await;
    let made = world.create(named("Loader")).await.unwrap();
    assert_eq!(made.operational_status(), OperationalStatus::InUse);
    let shop = world
        .update(&made.id, status(OperationalStatus::InShop), None)
        .await;
    assert_eq!(
        shop.unwrap().operational_status(),
        OperationalStatus::InShop
    );
    let record = &world.history(&made.id).await.unwrap()[0];
    assert_eq!(record.content, "Operational status: in_use → in_shop");
    let standing = v1::EquipmentInput {
        operational_status: Some(OperationalStatus::Standing.into()),
        ..named("Dozer")
    };
    world.create(standing).await.unwrap();
    let filter = |status: OperationalStatus| v1::ListEquipmentRequest {
        operational_status: status.into(),
        ..Default::default()
    };
    assert_eq!(
        names(&world, filter(OperationalStatus::InShop)).await,
        ["Loader"]
    );
    assert_eq!(
        names(&world, filter(OperationalStatus::Standing)).await,
        ["Dozer"]
    );
    assert!(
        names(&world, filter(OperationalStatus::InUse))
            .await
            .is_empty()
    );
    let unknown = v1::EquipmentInput {
        operational_status: Some(9),
        ..named("Other")
    };
    invalid_fields(world.create(unknown).await, &["operationalStatus"]);
}

#[tokio::test]
async fn stale_meters_are_marked_counted_and_filtered() {
    let mut world = World::new().await;
    let read = world.create(with_usage("Read", 10.0)).await.unwrap();
    world.create(with_usage("Unread", 10.0)).await.unwrap();
    world.create(named("Never read")).await.unwrap();
    let shop = world.create(with_usage("In shop", 10.0)).await.unwrap();
    world
        .update(&shop.id, status(OperationalStatus::InShop), None)
        .await
        .unwrap();
    let meterless = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::NotApplicable.into()),
        ..named("No meter")
    };
    world.create(meterless).await.unwrap();

    let filter = |stale| v1::ListEquipmentRequest {
        stale: Some(stale),
        ..Default::default()
    };
    world.later(TimeDelta::days(14));
    assert!(names(&world, filter(true)).await.is_empty());
    world.later(TimeDelta::days(1));
    let reading = v1::RecordUsageRequest {
        id: read.id.clone(),
        reading: Some(11.0),
        ..Default::default()
    };
    world.record(reading).await.unwrap();
    assert_eq!(names(&world, filter(true)).await, ["Never read", "Unread"]);
    assert_eq!(
        names(&world, filter(false)).await,
        ["In shop", "No meter", "Read"]
    );
    let all = v1::ListEquipmentRequest::default();
    let request = as_person(Service::Equipment, &world.owner, all);
    let rows = fold(world.client().list_equipment(request).await)
        .unwrap()
        .equipment;
    let rows: Vec<_> = rows
        .iter()
        .map(|item| (item.name.as_str(), item.meter_age_days, item.stale))
        .collect();
    assert_eq!(
        rows,
        [
            ("In shop", Some(15), false),
            ("Never read", Some(15), true),
            ("No meter", None, false),
            ("Read", Some(0), false),
            ("Unread", Some(15), true),
        ]
    );
    let request = as_person(Service::Equipment, &world.owner, v1::GetSummaryRequest {});
    let summary = fold(world.client().get_summary(request).await).unwrap();
    assert_eq!((summary.stale, summary.good), (2, 5));

    world.owner.stale_after_days = 15;
    assert!(names(&world, filter(true)).await.is_empty());
    world.owner.stale_after_days = 0;
    world.later(TimeDelta::days(400));
    assert!(names(&world, filter(true)).await.is_empty());
}

#[tokio::test]
async fn projected_due_follows_use_voids_and_edits() {
    let world = World::new().await;
    let made = world.create(every("Loader", 100.0)).await.unwrap();
    use_daily(&world, &made.id, &[8.0, 12.0]).await;
    assert_eq!(world.get(&made.id).await.unwrap().projected_due_date, "");
    use_daily(&world, &made.id, &[4.0]).await;
    // A second entry of the day: 8, 12 and 10 hours on 3 of 30 days, 1 hour a day.
    world.record(increase(&made.id, 6.0)).await.unwrap();
    let item = world.get(&made.id).await.unwrap();
    let today = world.clock.today_in(world.owner.time_zone);
    let on = |days: i64| (today + TimeDelta::days(days)).to_string();
    assert_eq!(item.projected_due_date, on(70));
    // Quartiles of 9 and 11 hours.
    assert_eq!(item.projected_due_earliest, on(64));
    assert_eq!(item.projected_due_latest, on(78));
    let task = item.projected_due_task.unwrap();
    assert_eq!(
        (task.by_calendar, task.remaining_usage),
        (false, Some(70.0))
    );

    let newest = world.newest(&made.id).await;
    world.void(&made.id, &newest).await.unwrap();
    let voided = world.get(&made.id).await.unwrap();
    // 76 hours left at 8, 12 and 4 hours.
    assert_eq!(voided.projected_due_date, on(95));

    let correction = v1::EquipmentInput {
        current_usage: Some(210.0),
        ..Default::default()
    };
    let overdue = world.update(&made.id, correction, None).await.unwrap();
    assert_eq!(overdue.projected_due_date, on(0));
}

#[tokio::test]
async fn projected_due_sorts_and_filters() {
    let world = World::new().await;
    let mut made = Vec::new();
    for (name, interval) in [("Late", 500.0), ("Soon", 60.0), ("Overdue", 20.0)] {
        made.push(world.create(every(name, interval)).await.unwrap());
    }
    let unused = world.create(every("Unused", 100.0)).await.unwrap();
    world
        .update(&unused.id, status(OperationalStatus::OutOfService), None)
        .await
        .unwrap();
    let unread = v1::EquipmentInput {
        service_interval: Some(10.0),
        ..named("Unread")
    };
    world.create(unread).await.unwrap();
    let start = world.clock.now();
    let today = (start + TimeDelta::days(3)).date_naive();
    let calendar = v1::EquipmentInput {
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some(today.to_string()),
        maintenance_interval: Some(10),
        maintenance_interval_unit: Some(v1::CalendarUnit::Days.into()),
        ..named("Calendar")
    };
    world.create(calendar).await.unwrap();
    for item in &made {
        world.clock.set(start);
        use_daily(&world, &item.id, &[10.0, 10.0, 10.0]).await;
    }
    let by_due = v1::ListEquipmentRequest {
        order: v1::EquipmentOrder::Due.into(),
        ..Default::default()
    };
    // At 8 hours a day 100 hours take 13 days.
    let expected = ["Overdue", "Calendar", "Unused", "Soon", "Late", "Unread"];
    assert_eq!(names(&world, by_due.clone()).await, expected);
    let reversed = v1::ListEquipmentRequest {
        descending: true,
        ..by_due.clone()
    };
    let mut backwards = expected;
    backwards.reverse();
    assert_eq!(names(&world, reversed).await, backwards);
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let part = v1::ListEquipmentRequest {
            page: Some(page(2, &cursor)),
            ..by_due.clone()
        };
        let names;
        (names, cursor) = world.list(part).await.unwrap();
        paged.extend(names);
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(paged, expected);
    for (days, found) in [
        (0, 1),
        (9, 1),
        (10, 2),
        (12, 2),
        (13, 3),
        (29, 3),
        (30, 4),
        (469, 4),
        (470, 5),
    ] {
        let within = v1::ListEquipmentRequest {
            due_within_days: Some(days),
            ..by_due.clone()
        };
        assert_eq!(names(&world, within).await, expected[..found], "{days}");
    }
    let request = as_person(Service::Equipment, &world.owner, v1::GetSummaryRequest {});
    let summary = fold(world.client().get_summary(request).await).unwrap();
    assert_eq!(
        (summary.due_this_week, summary.out_of_service),
        (Some(1), Some(1))
    );
}

#[tokio::test]
async fn order_by_due_date_assumes_a_working_day_while_use_is_unknown() {
    let world = World::new().await;
    let unit = |unit: v1::MeterUnit, name: &str, interval| v1::EquipmentInput {
        unit: Some(unit.into()),
        ..every(name, interval)
    };
    // 10 days at 8 hours, 5 at 100 miles, 6 at 160 km, 31 days.
    let hours = world.create(every("Hours", 80.0)).await.unwrap();
    for input in [
        unit(v1::MeterUnit::Miles, "Miles", 500.0),
        unit(v1::MeterUnit::Kilometers, "Kilometers", 801.0),
        v1::EquipmentInput {
            has_scheduled_maintenance: Some(true),
            maintenance_start_date: Some("2026-03-10".to_owned()),
            maintenance_interval: Some(1),
            ..every("Month", 2000.0)
        },
    ] {
        world.create(input).await.unwrap();
    }
    let by_due = v1::ListEquipmentRequest {
        order: v1::EquipmentOrder::Due.into(),
        with_tasks: true,
        ..Default::default()
    };
    let expected = ["Miles", "Kilometers", "Hours", "Month"];
    assert_eq!(names(&world, by_due.clone()).await, expected);

    let grease = v1::ServiceTaskInput {
        name: Some("Grease".to_owned()),
        usage_interval: Some(8.0),
        ..Default::default()
    };
    world.add_task(&hours.id, grease).await.unwrap();
    let request = as_person(Service::Equipment, &world.owner, by_due);
    let rows = fold(world.client().list_equipment(request).await)
        .unwrap()
        .equipment;
    assert_eq!(rows[0].name, "Hours");
    let today = world.clock.today_in(world.owner.time_zone);
    let on = |days: i64| (today + TimeDelta::days(days)).to_string();
    let tasks: Vec<_> = rows[0]
        .tasks
        .iter()
        .map(|task| (task.order_date.clone(), task.projected_due_date.as_str()))
        .collect();
    assert_eq!(tasks, [(on(10), ""), (on(1), "")]);
    let month = rows.iter().find(|row| row.name == "Month").unwrap();
    assert_eq!(month.tasks[0].order_date, month.projected_due_date);
}

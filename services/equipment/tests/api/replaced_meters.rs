//! What a replaced meter means for submissions, voids, services and fuel.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{as_person, operator_of, owner};

use crate::meters::{fitted, read, replaced, scales, usage_and_reading};
use crate::relay::{captured, reading};
use crate::support::{
    CallResult, World, fold, increase, invalid_fields, named, refused, with_usage,
};

#[tokio::test]
async fn replace_meter_before_a_later_reading_has_its_place() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let last = world.clock.now();
    world.later(TimeDelta::hours(5));
    let on = |at: DateTime<Utc>| v1::ReplaceMeterRequest {
        replaced_at: Some(captured(at)),
        ..replaced(&made.id)
    };
    world.record(read(&made.id, 130.0)).await.unwrap();
    // The later reading is of the new meter, which began at 0 when the old one showed 100.
    let after = world.replace(on(last + TimeDelta::hours(1))).await.unwrap();
    assert_eq!(usage_and_reading(&after), scales("230", "130"));
    let segments = world.segments(&made.id).await.unwrap();
    assert_eq!(segments[1].end_reading.to_string(), "100");
    world.check_projections().await;
    // Implausible times count as now.
    for at in [
        world.clock.now() + TimeDelta::hours(1),
        "1999-12-31T23:59:59Z".parse().unwrap(),
    ] {
        world.later(TimeDelta::minutes(1));
        let after = world.replace(on(at)).await.unwrap();
        assert_eq!(after.meter_read_at, Some(captured(world.clock.now())));
    }
    // A meter without readings can be replaced at any time.
    let fresh = world.create(named("B")).await.unwrap();
    let long_ago = v1::ReplaceMeterRequest {
        replaced_at: Some(captured("2000-01-01T00:00:00Z".parse().unwrap())),
        ..replaced(&fresh.id)
    };
    world.replace(long_ago).await.unwrap();
}

#[tokio::test]
async fn replace_meter_during_a_submission_is_serialized() {
    for _ in 0..5 {
        let world = World::new().await;
        let made = world.create(with_usage("A", 100.0)).await.unwrap();
        world.warm_up().await;
        let (replaced, applied) = tokio::join!(
            world.replace(fitted(&made.id, 104.0, 0.0, 0.0)),
            world.apply(reading(&made.id, 104.0)),
        );
        replaced.unwrap();
        // Before the replacement it was a reading of the old meter, afterwards of the new one: 104
        // more.
        let expected = match applied.unwrap().usage_before {
            Some(before) if before > 0.0 => scales("104", "0"),
            _ => scales("208", "104"),
        };
        let found = world.get(&made.id).await.unwrap();
        assert_eq!(usage_and_reading(&found), expected);
        world.check_projections().await;
    }
}

#[tokio::test]
async fn apply_submission_can_replace_the_meter() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 5000.0)).await.unwrap();
    let id = made.id.as_str();
    let read_at = world.clock.now();
    let at = read_at + TimeDelta::hours(1);
    world.later(TimeDelta::hours(4));
    let reported = |last: Option<f64>, first: f64| {
        Some(v1::MeterReplacement {
            change: v1::MeterChange::Replaced.into(),
            final_reading: last,
            start_reading: first,
        })
    };
    let before = world.state(id).await;
    let update = |reported, shows: Option<f64>| v1::ApplyOperatorUpdateRequest {
        meter_replacement: reported,
        reading: shows,
        fuel_added: 3.0,
        notes: "New meter".to_owned(),
        captured_at: Some(captured(at)),
        ..reading(id, 0.0)
    };
    let unset = Some(v1::MeterReplacement::default());
    let prefixed = |name: &str| format!("meterReplacement.{name}");
    for (reported, shows, fields) in [
        (reported(None, 0.0), None, vec!["newUsage".to_owned()]),
        (reported(None, 3.0), Some(2.99), vec!["newUsage".to_owned()]),
        (unset, Some(1.0), vec![prefixed("kind")]),
        (
            reported(Some(-1.0), 0.0),
            Some(1.0),
            vec![prefixed("finalReading")],
        ),
        (
            reported(None, -1.0),
            Some(1.0),
            vec![prefixed("startReading")],
        ),
    ] {
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        invalid_fields(world.apply(update(reported, shows)).await, &fields);
    }
    refused(
        world
            .apply(update(reported(Some(4999.99), 0.0), Some(1.0)))
            .await,
        Kind::Conflict,
        "FINAL_BELOW_METER",
    );
    refused(
        world
            .apply(update(reported(Some(1e9), 0.0), Some(1.0)))
            .await,
        Kind::Conflict,
        "METER_OUT_OF_RANGE",
    );
    assert_eq!(world.state(id).await, before);
    let request = update(reported(None, 0.5), Some(2.0));
    let done = world.apply(request.clone()).await.unwrap();
    assert_eq!(
        (done.usage_before, done.usage_after),
        (Some(5000.0), Some(2.0))
    );
    let again = world.apply(request).await.unwrap();
    assert_eq!(
        (again.usage_before, again.usage_after),
        (Some(5000.0), Some(2.0))
    );
    assert!(again.repeated);
    let found = world.get(id).await.unwrap();
    assert_eq!(usage_and_reading(&found), scales("5001.5", "2"));
    assert_eq!(found.total_fuel_used.to_string(), "3");
    let record = &world.history(id).await.unwrap()[0];
    assert_eq!(record.kind(), v1::HistoryKind::Meter);
    assert!(record.from_operator);
    assert_eq!(record.operator_name, "Oscar Operator");
    assert!(
        record.content.ends_with("\nNew meter"),
        "{}",
        record.content
    );
    let segments = world.segments(id).await.unwrap();
    assert_eq!(segments[1].ended_at, Some(captured(at)));
    assert_eq!(segments[1].ended_by_name, "Oscar Operator");
    world.void(id, &record.id).await.unwrap();
    let found = world.get(id).await.unwrap();
    assert_eq!(usage_and_reading(&found), scales("5000", "5000"));
    assert_eq!(found.total_fuel_used.to_string(), "0");
}

#[tokio::test]
async fn reading_above_the_end_of_a_replaced_meter_is_refused() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 5000.0)).await.unwrap();
    let id = made.id.as_str();
    let captured_at = world.clock.now() + TimeDelta::hours(1);
    world.later(TimeDelta::hours(2));
    let replaced = v1::ApplyOperatorUpdateRequest {
        meter_replacement: Some(v1::MeterReplacement {
            change: v1::MeterChange::Replaced.into(),
            final_reading: Some(5010.0),
            start_reading: 0.0,
        }),
        ..reading(id, 30.0)
    };
    world.apply(replaced).await.unwrap();
    let replacement = world.newest(id).await;
    world.later(TimeDelta::hours(1));
    let late = |value| v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(captured_at)),
        ..reading(id, value)
    };
    let before = world.state(id).await;
    // Also if a manager corrected it to this value.
    for replace_meter in [false, true] {
        let update = v1::ApplyOperatorUpdateRequest {
            replace_meter,
            ..late(5010.01)
        };
        let failure = refused(
            world.apply(update).await,
            Kind::Conflict,
            "READING_ABOVE_END",
        );
        assert!(failure.message.contains("ended at 5010."));
    }
    assert_eq!(world.state(id).await, before);
    world.apply(late(5010.0)).await.unwrap();
    let found = world.get(id).await.unwrap();
    assert_eq!(usage_and_reading(&found), scales("5040", "30"));
    world.void(id, &replacement).await.unwrap();
    world.apply(late(5020.0)).await.unwrap();
    world.check_projections().await;
}

#[tokio::test]
async fn void_of_a_replacement_leaves_later_entries_to_the_old_meter() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    world.replace(fitted(id, 110.0, 0.0, 2.0)).await.unwrap();
    let first = world.newest(id).await;
    world.later(TimeDelta::minutes(1));
    world.record(read(id, 8.0)).await.unwrap();
    world.record(increase(id, 5.0)).await.unwrap();
    for stranger in [owner(), operator_of(&world.owner)] {
        let preview = world.preview_void(&stranger, id, &first).await;
        assert!(preview.is_err());
    }
    let voided = world.void(id, &first).await.unwrap();
    assert_eq!(
        usage_and_reading(&voided.equipment.unwrap()),
        scales("13", "13")
    );
    let record = voided.record.unwrap();
    assert!(record.meter_replacement.is_some());
    let row = record.voiding.unwrap();
    assert_eq!(
        (row.usage_before, row.usage_after),
        (Some(123.0), Some(13.0))
    );
    refused(
        world.void(id, &first).await,
        Kind::Conflict,
        "ALREADY_VOIDED",
    );
    assert_eq!(world.segments(id).await.unwrap().len(), 1);
    world.check_projections().await;
}

#[tokio::test]
async fn update_meter_reading_is_a_reading_of_the_current_meter() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    world.replace(replaced(id)).await.unwrap();
    let edit = |usage: Option<f64>, shows: Option<f64>| v1::EquipmentInput {
        current_usage: usage,
        meter_reading: shows,
        ..Default::default()
    };
    let after = world.update(id, edit(None, Some(4.0)), None).await.unwrap();
    assert_eq!(usage_and_reading(&after), scales("104", "4"));
    let record = &world.history(id).await.unwrap()[0];
    assert_eq!(record.kind(), v1::HistoryKind::Edit);
    assert_eq!(record.reading, Some(4.0));
    assert_eq!(record.usage, Some(104.0));
    assert_eq!(
        record.content,
        "Current usage: 100 → 104; Meter reading: 0 → 4"
    );
    let after = world
        .update(id, edit(Some(101.0), None), None)
        .await
        .unwrap();
    assert_eq!(usage_and_reading(&after), scales("101", "1"));
    assert_eq!(world.history(id).await.unwrap()[0].reading, Some(1.0));
    let before = world.state(id).await;
    for (input, field) in [
        (edit(Some(99.99), None), "currentUsage"),
        (edit(None, Some(-1.0)), "meterReading"),
        (edit(None, Some(f64::NAN)), "meterReading"),
        (edit(None, Some(0.001)), "meterReading"),
        (edit(None, Some(1e9)), "meterReading"),
        (edit(Some(200.0), Some(99.0)), "meterReading"),
    ] {
        invalid_fields(world.update(id, input, None).await, &[field]);
    }
    assert_eq!(world.state(id).await, before);
    // The same values again change nothing.
    for same in [edit(None, Some(1.0)), edit(Some(101.0), Some(1.0))] {
        let same = world.update(id, same, None).await.unwrap();
        assert_eq!(same.version, after.version);
    }
}

#[tokio::test]
async fn complete_task_uses_the_meter_of_that_day() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        service_interval: Some(100.0),
        last_service_usage: Some(0.0),
        ..with_usage("A", 490.0)
    };
    let made = world.create(input).await.unwrap();
    let id = made.id.as_str();
    world.later(TimeDelta::days(3));
    world.replace(fitted(id, 500.0, 0.0, 2.0)).await.unwrap();
    let message = v1::ListServiceTasksRequest {
        equipment_id: id.to_owned(),
    };
    let request = as_person(Service::Equipment, &world.owner, message);
    let tasks = fold(world.client().list_service_tasks(request).await).unwrap();
    let task_id = tasks.tasks[0].id.clone();
    let done = async |day: &str, shows: f64| {
        let message = v1::CompleteServiceTaskRequest {
            equipment_id: id.to_owned(),
            task_id: task_id.clone(),
            performed_at: day.to_owned(),
            meter: Some(shows),
            ..Default::default()
        };
        let request = as_person(Service::Equipment, &world.owner, message);
        let answer = fold(world.client().complete_service_task(request).await)?;
        CallResult::Ok(answer.equipment.unwrap())
    };
    // Two days ago the old meter was in use, so the new one stays.
    let after = done("2026-03-11", 495.0).await.unwrap();
    assert_eq!(usage_and_reading(&after), scales("502", "2"));
    assert_eq!(after.last_service_usage, Some(495.0));
    assert_eq!(world.history(id).await.unwrap()[0].reading, Some(495.0));
    let after = done("", 1.5).await.unwrap();
    assert_eq!(after.last_service_usage, Some(501.5));
    assert_eq!(usage_and_reading(&after), scales("502", "2"));
    let after = done("", 3.0).await.unwrap();
    assert_eq!(after.last_service_usage, Some(503.0));
    assert_eq!(usage_and_reading(&after), scales("503", "3"));
    let before = world.state(id).await;
    invalid_fields(done("", 1e9).await, &["meter"]);
    assert_eq!(world.state(id).await, before);
    world.check_projections().await;
}

#[tokio::test]
async fn fuel_per_unit_uses_usage_over_all_meters() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let fuel = v1::RecordUsageRequest {
        fuel_added: Some(10.0),
        ..read(id, 110.0)
    };
    world.record(fuel).await.unwrap();
    // The old meter counted 2 more, the new one 3 since.
    world.replace(fitted(id, 112.0, 50.0, 53.0)).await.unwrap();
    let fuel = v1::RecordUsageRequest {
        fuel_added: Some(10.0),
        ..read(id, 58.0)
    };
    world.record(fuel).await.unwrap();
    let found = world.fuel(v1::GetFuelSummaryRequest::default()).await;
    let found = found.unwrap().by_equipment;
    assert_eq!(found[0].per_unit, Some(1.0));
    let request = v1::ListHistoryRequest {
        equipment_id: id.to_owned(),
        kinds: vec![v1::HistoryKind::Meter.into()],
        ..Default::default()
    };
    let records = world.history_page(request).await.unwrap().records;
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].kind(), v1::HistoryKind::Meter);
}

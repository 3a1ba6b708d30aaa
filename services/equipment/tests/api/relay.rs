//! `GetMeter` and `ApplyOperatorUpdate`.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_relay;
use uuid::Uuid;

use crate::support::{
    World, fold, invalid_fields, named, not_found, refused, unknown_id, unknown_ids, with_usage,
};

pub fn submission(equipment: &str) -> v1::ApplyOperatorUpdateRequest {
    v1::ApplyOperatorUpdateRequest {
        update_id: unknown_id(),
        equipment_id: equipment.to_owned(),
        operator_id: unknown_id(),
        operator_name: "Oscar Operator".to_owned(),
        ..Default::default()
    }
}

pub fn reading(equipment: &str, reading: f64) -> v1::ApplyOperatorUpdateRequest {
    v1::ApplyOperatorUpdateRequest {
        reading: Some(reading),
        ..submission(equipment)
    }
}

pub fn captured(at: DateTime<Utc>) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: at.timestamp(),
        nanos: i32::try_from(at.timestamp_subsec_nanos()).unwrap(),
    }
}

fn usage(world: &v1::Equipment) -> String {
    world.current_usage.to_string()
}

#[tokio::test]
async fn get_meter_returns_the_meter() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 12.5)).await.unwrap();
    let meter = world.meter(&made.id).await.unwrap();
    let expected = v1::GetMeterResponse {
        equipment_name: "Loader".to_owned(),
        current_usage: 12.5,
        unit: v1::MeterUnit::Hours.into(),
        fuel: v1::EquipmentFuel::NotApplicable.into(),
        meter_read_at: Some(captured(world.clock.now())),
        meter_reading: 12.5,
        usual_daily_use: None,
        usual_fill: None,
    };
    assert_eq!(meter, expected);
    let at = world.later(TimeDelta::hours(1));
    let update = v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(at)),
        ..reading(&made.id, 13.0)
    };
    world.later(TimeDelta::hours(1));
    world.apply(update).await.unwrap();
    let meter = world.meter(&made.id).await.unwrap();
    assert_eq!(meter.meter_read_at, Some(captured(at)));
    for id in unknown_ids() {
        not_found(world.meter(&id).await);
    }
    let message = v1::GetMeterRequest {
        equipment_id: made.id.clone(),
    };
    let foreign = as_relay(Service::Equipment, Uuid::now_v7(), message);
    not_found(fold(world.client().get_meter(foreign).await));
    world.retire(&made.id, "").await.unwrap();
    not_found(world.meter(&made.id).await);
}

#[tokio::test]
async fn apply_reading_with_fuel_and_notes() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        fuel: Some(v1::EquipmentFuel::Diesel.into()),
        ..with_usage("Loader", 100.0)
    };
    let made = world.create(input).await.unwrap();
    let at = world.clock.now() + TimeDelta::hours(1);
    world.later(TimeDelta::hours(2));
    let update = v1::ApplyOperatorUpdateRequest {
        fuel_added: 5.5,
        notes: "Hard ground".to_owned(),
        captured_at: Some(captured(at)),
        ..reading(&made.id, 108.0)
    };
    let answer = world.apply(update).await.unwrap();
    let expected = v1::ApplyOperatorUpdateResponse {
        usage_before: Some(100.0),
        usage_after: Some(108.0),
        repeated: false,
    };
    assert_eq!(answer, expected);
    let after = world.get(&made.id).await.unwrap();
    assert_eq!((usage(&after).as_str(), after.version), ("108", 2));
    assert_eq!(after.total_diesel_used.to_bits(), 5.5_f64.to_bits());
    let history = world.history(&made.id).await.unwrap();
    assert_eq!(history.len(), 1);
    assert_eq!(history[0].kind(), v1::HistoryKind::Usage);
    assert_eq!(history[0].operator_name, "Oscar Operator");
    assert_eq!(history[0].fuel_kind(), v1::FuelKind::Diesel);
    let entered = history[0].created_at.unwrap();
    assert_eq!(entered.seconds, world.clock.now().timestamp());
    let notes = world.notes(&made.id).await.unwrap();
    assert_eq!(notes[0].author_name, "Oscar Operator");
    assert_eq!(notes[0].r#type(), v1::NoteType::UsageUpdate);
    world.check_projections().await;
}

#[tokio::test]
async fn apply_fuel_or_notes_alone_keeps_the_meter() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let fuel = v1::ApplyOperatorUpdateRequest {
        fuel_added: 1.25,
        fuel_kind: v1::FuelKind::Diesel.into(),
        ..submission(&made.id)
    };
    let notes = v1::ApplyOperatorUpdateRequest {
        notes: "Mirror broken".to_owned(),
        ..submission(&made.id)
    };
    for update in [fuel, notes] {
        let answer = world.apply(update).await.unwrap();
        assert_eq!((answer.usage_before, answer.usage_after), (None, None));
    }
    let after = world.get(&made.id).await.unwrap();
    assert_eq!(usage(&after), "100");
    assert_eq!(after.total_diesel_used.to_bits(), 1.25_f64.to_bits());
    assert_eq!(world.history(&made.id).await.unwrap().len(), 2);
}

#[tokio::test]
async fn apply_reading_below_the_meter_needs_a_decision() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let below = v1::ApplyOperatorUpdateRequest {
        fuel_added: 2.0,
        ..reading(&made.id, 99.99)
    };
    let before = world.state(&made.id).await;
    let answer = world.apply(below.clone()).await;
    refused(answer, Kind::Conflict, "BELOW_CURRENT");
    assert_eq!(world.state(&made.id).await, before);
    // The refusal changed nothing, so the update can be applied after a decision.
    let decided = v1::ApplyOperatorUpdateRequest {
        replace_meter: true,
        ..below
    };
    let answer = world.apply(decided).await.unwrap();
    assert_eq!(
        (answer.usage_before, answer.usage_after),
        (Some(100.0), Some(99.99))
    );
    assert_eq!(usage(&world.get(&made.id).await.unwrap()), "99.99");
    let same = world.apply(reading(&made.id, 99.99)).await.unwrap();
    assert_eq!(
        (same.usage_before, same.usage_after),
        (Some(99.99), Some(99.99))
    );
    world.check_projections().await;
}

#[tokio::test]
async fn apply_first_reading_is_never_late() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let meter = world.meter(&made.id).await.unwrap();
    assert_eq!(meter.meter_read_at, None);
    let at = world.clock.now() - TimeDelta::days(1);
    let early = v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(at)),
        ..reading(&made.id, 5.0)
    };
    let answer = world.apply(early).await.unwrap();
    assert_eq!(answer.usage_after, Some(5.0));
    let meter = world.meter(&made.id).await.unwrap();
    assert_eq!(meter.meter_read_at, Some(captured(at)));
}

#[tokio::test]
async fn apply_late_reading_has_its_place() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let last = world.later(TimeDelta::hours(8));
    world.apply(reading(&made.id, 110.0)).await.unwrap();
    world.later(TimeDelta::hours(1));
    let late = |value: f64, before: TimeDelta| v1::ApplyOperatorUpdateRequest {
        fuel_added: 1.0,
        notes: "From the field".to_owned(),
        captured_at: Some(captured(last - before)),
        ..reading(&made.id, value)
    };
    let hour = TimeDelta::hours(1);
    for (value, before) in [(105.0, 100.0), (110.0, 105.0), (111.0, 110.0)] {
        let answer = world.apply(late(value, hour)).await.unwrap();
        let shown = (answer.usage_before, answer.usage_after);
        assert_eq!(shown, (Some(before), Some(value)));
    }
    let after = world.get(&made.id).await.unwrap();
    assert_eq!(usage(&after), "110");
    assert_eq!(after.total_gas_used.to_bits(), 3_f64.to_bits());
    let history = world.history(&made.id).await.unwrap();
    assert_eq!(
        (history[0].usage, history[0].content.as_str()),
        (Some(111.0), "From the field")
    );
    // Captured exactly at the last reading it is below it.
    let answer = world.apply(late(109.0, TimeDelta::zero())).await;
    refused(answer, Kind::Conflict, "BELOW_CURRENT");
    let below = late(108.0, TimeDelta::minutes(30));
    refused(
        world.apply(below.clone()).await,
        Kind::Conflict,
        "BELOW_CURRENT",
    );
    let given = v1::ApplyOperatorUpdateRequest {
        replace_meter: true,
        ..below
    };
    let answer = world.apply(given).await.unwrap();
    let shown = (answer.usage_before, answer.usage_after);
    assert_eq!(shown, (Some(111.0), Some(108.0)));
    let found = world.get(&made.id).await.unwrap();
    assert_eq!(
        (usage(&found).as_str(), found.meter_read_at),
        ("110", after.meter_read_at)
    );
    world.check_projections().await;
}

#[tokio::test]
async fn apply_correction_before_a_later_reading_keeps_the_meter() {
    let world = World::new().await;
    let body = v1::EquipmentInput {
        service_interval: Some(250.0),
        ..with_usage("A", 100.0)
    };
    let made = world.create(body).await.unwrap();
    let monday = world.later(TimeDelta::days(1));
    let mut week = Vec::new();
    for day in 1..=4_u8 {
        world.later(TimeDelta::days(1));
        week.push(v1::ApplyOperatorUpdateRequest {
            captured_at: Some(captured(world.clock.now())),
            ..reading(&made.id, 118.0 + 8.0 * f64::from(day))
        });
    }
    let results = world.apply_all(week).await.unwrap();
    assert_eq!(results.len(), 4);
    world.later(TimeDelta::hours(1));
    let before = world.get(&made.id).await.unwrap();
    assert_eq!(usage(&before), "150");
    // The operator's typo, 1180, corrected by the manager.
    let corrected = v1::ApplyOperatorUpdateRequest {
        replace_meter: true,
        fuel_added: 12.5,
        captured_at: Some(captured(monday)),
        ..reading(&made.id, 118.0)
    };
    let answer = world.apply(corrected).await.unwrap();
    let shown = (answer.usage_before, answer.usage_after);
    assert_eq!(shown, (Some(100.0), Some(118.0)));
    let after = world.get(&made.id).await.unwrap();
    assert_eq!(usage(&after), "150");
    assert_eq!(after.meter_read_at, before.meter_read_at);
    assert_eq!(after.next_service_due_usage, before.next_service_due_usage);
    assert_eq!(after.usage_percent, before.usage_percent);
    let fuel = after.total_fuel_used - before.total_fuel_used;
    assert_eq!(fuel.to_bits(), 12.5_f64.to_bits());
    let record = &world.history(&made.id).await.unwrap()[0];
    assert_eq!((record.reading, record.usage), (Some(118.0), Some(118.0)));
    world.check_projections().await;
}

#[tokio::test]
async fn apply_before_a_managers_increase_is_below_it() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let at = world.later(TimeDelta::hours(1));
    world.later(TimeDelta::hours(1));
    let entry = v1::RecordUsageRequest {
        id: made.id.clone(),
        usage_increase: Some(10.0),
        ..Default::default()
    };
    world.record(entry).await.unwrap();
    let earlier = v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(at)),
        ..reading(&made.id, 104.0)
    };
    let answer = world.apply(earlier).await.unwrap();
    assert_eq!(answer.usage_after, Some(104.0));
    assert_eq!(usage(&world.get(&made.id).await.unwrap()), "114");
}

#[tokio::test]
async fn apply_late_reading_keeps_a_managers_correction() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 1000.0)).await.unwrap();
    let at = world.later(TimeDelta::hours(1));
    world.later(TimeDelta::hours(1));
    let correction = v1::EquipmentInput {
        current_usage: Some(100.0),
        ..Default::default()
    };
    world.update(&made.id, correction, None).await.unwrap();
    let late = v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(at)),
        ..reading(&made.id, 1001.0)
    };
    let answer = world.apply(late).await.unwrap();
    assert_eq!(answer.usage_after, Some(1001.0));
    assert_eq!(usage(&world.get(&made.id).await.unwrap()), "100");
}

#[tokio::test]
async fn apply_implausible_capture_time_counts_as_now() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    world.later(TimeDelta::hours(1));
    // 1900, 1970, the end of 1999, and the first second of the year 1.
    for (seconds, usage) in [
        (-2_208_988_800, 105.0),
        (0, 106.0),
        (946_684_799, 107.0),
        (-62_135_596_800, 108.0),
    ] {
        let update = v1::ApplyOperatorUpdateRequest {
            fuel_added: 1.0,
            captured_at: Some(prost_types::Timestamp { seconds, nanos: 5 }),
            ..reading(&made.id, usage)
        };
        let applied = world.apply(update).await.unwrap();
        assert_eq!(applied.usage_after, Some(usage));
    }
    let (after, history) = world.state(&made.id).await;
    assert_eq!(after.total_gas_used.to_bits(), 4_f64.to_bits());
    let now = captured(world.clock.now()).seconds;
    let at_now = |entry: &v1::HistoryRecord| entry.captured_at.unwrap().seconds == now;
    assert!(history.iter().all(at_now));
    // It does not bypass the decision on a reading below the meter.
    let below = v1::ApplyOperatorUpdateRequest {
        captured_at: Some(prost_types::Timestamp::default()),
        ..reading(&made.id, 50.0)
    };
    refused(world.apply(below).await, Kind::Conflict, "BELOW_CURRENT");
}

#[tokio::test]
async fn apply_accepts_the_longest_operator_name() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let name = format!("{} {}", "a".repeat(100), "ñ".repeat(100));
    let update = v1::ApplyOperatorUpdateRequest {
        operator_name: name.clone(),
        ..reading(&made.id, 105.0)
    };
    world.apply(update).await.unwrap();
    let history = world.history(&made.id).await.unwrap();
    assert_eq!(history[0].operator_name, name);
}

#[tokio::test]
async fn apply_future_capture_time_counts_as_now() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let ahead = v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(world.clock.now() + TimeDelta::days(400))),
        ..reading(&made.id, 101.0)
    };
    world.apply(ahead).await.unwrap();
    world.later(TimeDelta::hours(1));
    // If the future time had been stored, this reading would be late.
    refused(
        world.apply(reading(&made.id, 100.5)).await,
        Kind::Conflict,
        "BELOW_CURRENT",
    );
}

#[tokio::test]
async fn apply_repeat_returns_the_first_result() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let update = v1::ApplyOperatorUpdateRequest {
        fuel_added: 1.0,
        ..reading(&made.id, 105.0)
    };
    world.apply(update.clone()).await.unwrap();
    world.apply(reading(&made.id, 120.0)).await.unwrap();
    let before = world.state(&made.id).await;
    let expected = v1::ApplyOperatorUpdateResponse {
        usage_before: Some(100.0),
        usage_after: Some(105.0),
        repeated: true,
    };
    assert_eq!(world.apply(update.clone()).await.unwrap(), expected);
    let other_body = v1::ApplyOperatorUpdateRequest {
        reading: Some(130.0),
        ..update.clone()
    };
    assert_eq!(world.apply(other_body).await.unwrap(), expected);
    assert_eq!(world.state(&made.id).await, before);
    // Also after the equipment was retired.
    let retired = world.retire(&made.id, "").await.unwrap();
    assert_eq!(world.apply(update.clone()).await.unwrap(), expected);
    world.restore(&retired.id).await.unwrap();
    world.delete(&made.id).await.unwrap();
    assert_eq!(world.apply(update).await.unwrap(), expected);
}

#[tokio::test]
async fn apply_concurrent_repeats_have_one_effect() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let update = v1::ApplyOperatorUpdateRequest {
        fuel_added: 0.1,
        ..reading(&made.id, 100.1)
    };
    world.warm_up().await;
    // Retries while all connections are busy, as the relay does.
    let with_retries = async || {
        loop {
            match world.apply(update.clone()).await {
                Err(failure) if failure.kind == Kind::Unavailable => {}
                other => return other.unwrap(),
            }
        }
    };
    let answers = futures::future::join_all((0..50).map(|_| with_retries())).await;
    assert_eq!(answers.iter().filter(|answer| !answer.repeated).count(), 1);
    assert!(
        answers
            .iter()
            .all(|answer| answer.usage_after == Some(100.1))
    );
    let after = world.get(&made.id).await.unwrap();
    assert_eq!((usage(&after).as_str(), after.version), ("100.1", 2));
    assert_eq!(after.total_fuel_used.to_bits(), 0.1_f64.to_bits());
    assert_eq!(world.history(&made.id).await.unwrap().len(), 1);
    world.check_projections().await;
}

#[tokio::test]
async fn apply_to_unknown_foreign_or_retired_equipment_is_not_found() {
    let world = World::new().await;
    for id in unknown_ids() {
        not_found(world.apply(reading(&id, 1.0)).await);
    }
    let made = world.create(named("A")).await.unwrap();
    let before = world.state(&made.id).await;
    let foreign = as_relay(Service::Equipment, Uuid::now_v7(), reading(&made.id, 1.0));
    not_found(fold(world.client().apply_operator_update(foreign).await));
    assert_eq!(world.state(&made.id).await, before);
    world.retire(&made.id, "").await.unwrap();
    not_found(world.apply(reading(&made.id, 1.0)).await);
}

#[tokio::test]
async fn apply_same_update_id_of_another_company_is_separate() {
    let world = World::new().await;
    let mut other = World::new().await;
    other.backend = world.backend.clone();
    let mine = world.create(with_usage("A", 1.0)).await.unwrap();
    let theirs = other.create(with_usage("B", 1.0)).await.unwrap();
    let update = reading(&mine.id, 2.0);
    world.apply(update.clone()).await.unwrap();
    let same_id = v1::ApplyOperatorUpdateRequest {
        equipment_id: theirs.id.clone(),
        ..update
    };
    assert!(!other.apply(same_id).await.unwrap().repeated);
}

#[tokio::test]
async fn apply_invalid_submissions_change_nothing() {
    type Edit = fn(&mut v1::ApplyOperatorUpdateRequest);
    let cases: &[(&str, Edit)] = &[
        ("updateId", |update| update.update_id = String::new()),
        ("updateId", |update| update.update_id = "7".to_owned()),
        ("operatorId", |update| update.operator_id = "me".to_owned()),
        ("operatorName", |update| {
            update.operator_name = "a\0".to_owned();
        }),
        ("operatorName", |update| {
            update.operator_name = "a".repeat(251);
        }),
        ("newUsage", |update| update.reading = Some(-1.0)),
        ("newUsage", |update| update.reading = Some(f64::NAN)),
        ("newUsage", |update| update.reading = Some(100.001)),
        ("newUsage", |update| update.reading = Some(2e9)),
        ("fuelAdded", |update| update.fuel_added = -1.0),
        ("fuelAdded", |update| update.fuel_added = f64::INFINITY),
        ("fuelAdded", |update| update.fuel_added = 0.005),
        ("fuelType", |update| update.fuel_kind = 3),
        ("notes", |update| update.notes = "x".repeat(5001)),
        ("notes", |update| update.notes = "a\u{1}".to_owned()),
        ("newUsage", |update| update.reading = None),
        ("capturedAt", |update| {
            update.captured_at = Some(prost_types::Timestamp {
                seconds: i64::MAX,
                nanos: 0,
            });
        }),
        ("capturedAt", |update| {
            update.captured_at = Some(prost_types::Timestamp {
                seconds: -62_135_596_801,
                nanos: 0,
            });
        }),
        ("capturedAt", |update| {
            update.captured_at = Some(prost_types::Timestamp {
                seconds: 253_402_300_800,
                nanos: 0,
            });
        }),
        ("capturedAt", |update| {
            update.captured_at = Some(prost_types::Timestamp {
                seconds: 0,
                nanos: -1,
            });
        }),
    ];
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let before = world.state(&made.id).await;
    for (field, edit) in cases {
        let mut update = reading(&made.id, 101.0);
        edit(&mut update);
        invalid_fields(world.apply(update).await, &[field]);
    }
    assert_eq!(world.state(&made.id).await, before);
}

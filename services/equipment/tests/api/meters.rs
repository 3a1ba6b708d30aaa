//! `ReplaceMeter`, `ListMeterSegments`, and the difference between reading and usage.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::as_person;

use crate::relay::{captured, reading};
use crate::support::{
    CallResult, World, fold, increase, invalid_fields, keyed, named, not_found, refused,
    unknown_ids, with_usage,
};

/// A new meter that starts at 0.
pub fn replaced(id: &str) -> v1::ReplaceMeterRequest {
    v1::ReplaceMeterRequest {
        id: id.to_owned(),
        replacement: Some(v1::MeterReplacement {
            change: v1::MeterChange::Replaced.into(),
            final_reading: None,
            start_reading: 0.0,
        }),
        ..Default::default()
    }
}

/// A replacement with final, start and current reading.
pub fn fitted(id: &str, last: f64, first: f64, shows: f64) -> v1::ReplaceMeterRequest {
    v1::ReplaceMeterRequest {
        replacement: Some(v1::MeterReplacement {
            change: v1::MeterChange::Replaced.into(),
            final_reading: Some(last),
            start_reading: first,
        }),
        reading: Some(shows),
        ..replaced(id)
    }
}

/// A reading that a manager enters.
pub fn read(id: &str, shows: f64) -> v1::RecordUsageRequest {
    v1::RecordUsageRequest {
        id: id.to_owned(),
        reading: Some(shows),
        ..Default::default()
    }
}

/// Life-to-date usage and reading.
pub fn usage_and_reading(item: &v1::Equipment) -> (String, String) {
    (
        item.current_usage.to_string(),
        item.meter_reading.to_string(),
    )
}

pub fn scales(usage: &str, shows: &str) -> (String, String) {
    (usage.to_owned(), shows.to_owned())
}

#[tokio::test]
async fn reading_equals_usage_without_a_replacement() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 12.5)).await.unwrap();
    assert_eq!(usage_and_reading(&made), scales("12.5", "12.5"));
    assert_eq!(made.meter_read_at, Some(captured(world.clock.now())));
    let fresh = world.create(named("B")).await.unwrap();
    assert_eq!(fresh.meter_read_at, None);
    let given = v1::EquipmentInput {
        meter_reading: Some(7.0),
        ..named("C")
    };
    assert_eq!(
        usage_and_reading(&world.create(given).await.unwrap()),
        scales("7", "7")
    );
    let found = world.segments(&made.id).await.unwrap();
    let only = v1::MeterSegment {
        number: 1,
        started_at: Some(captured(world.clock.now())),
        start_reading: 12.5,
        start_usage: 12.5,
        end_reading: 12.5,
        end_usage: 12.5,
        ..Default::default()
    };
    assert_eq!(found, [only]);
}

#[tokio::test]
async fn replace_meter_changes_the_reading_and_continues_usage() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        service_interval: Some(100.0),
        last_service_usage: Some(4800.0),
        threshold: Some(10_000.0),
        ..with_usage("Loader", 4812.5)
    };
    let made = world.create(input).await.unwrap();
    let id = made.id.as_str();
    let at = world.later(TimeDelta::hours(1));
    world.later(TimeDelta::hours(1));
    let request = v1::ReplaceMeterRequest {
        notes: "Glass broken".to_owned(),
        replaced_at: Some(captured(at)),
        expected_reading: Some(4812.5),
        ..fitted(id, 4815.0, 0.5, 2.0)
    };
    let after = world.replace(request).await.unwrap();
    assert_eq!(usage_and_reading(&after), scales("4816.5", "2"));
    assert_eq!(after.meter_read_at, Some(captured(at)));
    assert_eq!(after.version, made.version + 1);
    // Due points are in life-to-date usage.
    assert_eq!(after.next_service_due_usage, Some(4900.0));
    assert_eq!(after.remaining_usage, Some(83.5));
    assert_eq!(after.lifespan_percent, Some(48.16));
    let history = world.history(id).await.unwrap();
    assert_eq!(history.len(), 1);
    let record = &history[0];
    assert_eq!(record.kind(), v1::HistoryKind::Meter);
    assert_eq!(record.note_type(), v1::NoteType::Maintenance);
    assert_eq!(
        (record.usage_before, record.usage),
        (Some(4812.5), Some(4816.5))
    );
    assert_eq!(record.reading, Some(2.0));
    assert_eq!(record.captured_at, Some(captured(at)));
    assert_eq!(
        record.content,
        "Meter replaced: the old one ended at 4815 hours, the new one began at 0.5 hours. \
         It shows 2 hours.\nGlass broken"
    );
    let reported = v1::MeterReplacement {
        change: v1::MeterChange::Replaced.into(),
        final_reading: Some(4815.0),
        start_reading: 0.5,
    };
    assert_eq!(record.meter_replacement, Some(reported));
    assert_eq!(world.notes(id).await.unwrap()[0].content, record.content);
    let meter = world.meter(id).await.unwrap();
    assert_eq!((meter.current_usage, meter.meter_reading), (4816.5, 2.0));
    world.check_projections().await;
}

#[tokio::test]
async fn replace_meter_later_readings_are_of_the_new_meter() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    world.replace(replaced(id)).await.unwrap();
    let after = world.record(read(id, 3.0)).await.unwrap();
    assert_eq!(usage_and_reading(&after), scales("103", "3"));
    assert_eq!(world.history(id).await.unwrap()[0].reading, Some(3.0));
    let answer = world.record(read(id, 2.99)).await;
    let failure = invalid_fields(answer, &["meterReading"]);
    assert_eq!(
        failure.message,
        "The reading is below the current usage of 3."
    );
    let after = world.record(increase(id, 1.5)).await.unwrap();
    assert_eq!(usage_and_reading(&after), scales("104.5", "4.5"));
    // A reading that an operator submits.
    let done = world.apply(reading(id, 6.0)).await.unwrap();
    assert_eq!(
        (done.usage_before, done.usage_after),
        (Some(4.5), Some(6.0))
    );
    let failure = refused(
        world.apply(reading(id, 5.0)).await,
        Kind::Conflict,
        "BELOW_CURRENT",
    );
    assert_eq!(
        failure.message,
        "The reading is below the current usage of 6 hours."
    );
    let given = v1::ApplyOperatorUpdateRequest {
        replace_meter: true,
        ..reading(id, 5.0)
    };
    let done = world.apply(given).await.unwrap();
    assert_eq!(
        (done.usage_before, done.usage_after),
        (Some(6.0), Some(5.0))
    );
    let found = world.get(id).await.unwrap();
    assert_eq!(usage_and_reading(&found), scales("105", "5"));
    // A late reading of the old meter has its place before the others.
    let late = v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(world.clock.now() - TimeDelta::hours(1))),
        ..reading(id, 99.0)
    };
    assert_eq!(world.apply(late).await.unwrap().usage_after, Some(99.0));
    assert_eq!(
        usage_and_reading(&world.get(id).await.unwrap()),
        usage_and_reading(&found)
    );
    assert_eq!(world.history(id).await.unwrap()[0].reading, Some(99.0));
    world.check_projections().await;
}

#[tokio::test]
async fn replace_meter_rollover_starts_at_zero() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 99_990.5)).await.unwrap();
    let rolled = |last: Option<f64>, first: f64| v1::ReplaceMeterRequest {
        replacement: Some(v1::MeterReplacement {
            change: v1::MeterChange::RolledOver.into(),
            final_reading: last,
            start_reading: first,
        }),
        reading: Some(12.0),
        ..replaced(&made.id)
    };
    invalid_fields(
        world.replace(rolled(Some(100_000.0), 1.0)).await,
        &["startReading"],
    );
    invalid_fields(
        world.replace(rolled(Some(99_990.4), 0.0)).await,
        &["finalReading"],
    );
    let after = world.replace(rolled(Some(100_000.0), 0.0)).await.unwrap();
    assert_eq!(usage_and_reading(&after), scales("100012", "12"));
    let record = &world.history(&made.id).await.unwrap()[0];
    let text = "Meter began again after 100000 hours. It shows 12 hours.";
    assert_eq!(record.content, text);
    let segments = world.segments(&made.id).await.unwrap();
    assert_eq!(segments[1].ended_by(), v1::MeterChange::RolledOver);
    // Without a final reading, the current one is used.
    let after = world.replace(rolled(None, 0.0)).await.unwrap();
    assert_eq!(usage_and_reading(&after), scales("100024", "12"));
}

#[tokio::test]
async fn list_segments_is_newest_first() {
    let world = World::new().await;
    let began = world.clock.now();
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let first = world.later(TimeDelta::days(1));
    world.replace(fitted(id, 110.0, 0.0, 0.0)).await.unwrap();
    world.later(TimeDelta::days(1));
    world.record(increase(id, 20.0)).await.unwrap();
    let second = world.later(TimeDelta::days(1));
    world.replace(fitted(id, 25.0, 7.0, 8.5)).await.unwrap();
    world.later(TimeDelta::days(1));
    let manager = world.owner.display_name.clone();
    let expected = [
        v1::MeterSegment {
            number: 3,
            started_at: Some(captured(second)),
            start_reading: 7.0,
            start_usage: 135.0,
            end_reading: 8.5,
            end_usage: 136.5,
            ..Default::default()
        },
        v1::MeterSegment {
            number: 2,
            started_at: Some(captured(first)),
            start_reading: 0.0,
            start_usage: 110.0,
            ended_at: Some(captured(second)),
            end_reading: 25.0,
            end_usage: 135.0,
            ended_by: v1::MeterChange::Replaced.into(),
            ended_by_name: manager.clone(),
        },
        v1::MeterSegment {
            number: 1,
            started_at: Some(captured(began)),
            start_reading: 100.0,
            start_usage: 100.0,
            ended_at: Some(captured(first)),
            end_reading: 110.0,
            end_usage: 110.0,
            ended_by: v1::MeterChange::Replaced.into(),
            ended_by_name: manager,
        },
    ];
    assert_eq!(world.segments(id).await.unwrap(), expected);
    let archived = world.retire(id, "").await.unwrap();
    assert_eq!(archived.final_usage.to_string(), "136.5");
    assert_eq!(world.segments(id).await.unwrap(), expected);
    let newest = &world.history(id).await.unwrap()[0];
    assert_eq!(newest.usage, Some(136.5));
    for id in unknown_ids() {
        not_found(world.segments(&id).await);
    }
    let back = world.restore(&archived.id).await.unwrap();
    assert_eq!(usage_and_reading(&back), scales("136.5", "8.5"));
    world
        .void(id, &world.history(id).await.unwrap()[2].id)
        .await
        .unwrap();
    assert_eq!(world.segments(id).await.unwrap().len(), 2);
}

#[tokio::test]
async fn replace_meter_invalid_requests_change_nothing() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let before = world.state(id).await;
    let request = |change: i32, last: Option<f64>, first: f64, shows: Option<f64>| {
        let replacement = v1::MeterReplacement {
            change,
            final_reading: last,
            start_reading: first,
        };
        v1::ReplaceMeterRequest {
            replacement: Some(replacement),
            reading: shows,
            ..replaced(id)
        }
    };
    let (nan, most) = (f64::NAN, 1e9);
    for (message, fields) in [
        (request(0, None, 0.0, None), &["kind"][..]),
        (request(3, None, 0.0, None), &["kind"]),
        (request(1, Some(99.99), 0.0, None), &["finalReading"]),
        (request(1, Some(-1.0), 0.0, None), &["finalReading"]),
        (request(1, Some(nan), 0.0, None), &["finalReading"]),
        (request(1, Some(100.001), 0.0, None), &["finalReading"]),
        (request(1, Some(most + 1.0), 0.0, None), &["finalReading"]),
        (request(1, None, -0.01, None), &["startReading"]),
        (request(1, None, nan, None), &["startReading"]),
        (request(1, None, 0.001, None), &["startReading"]),
        (request(1, None, most * 2.0, None), &["startReading"]),
        (request(1, None, 5.0, Some(4.99)), &["reading"]),
        (request(1, None, 0.0, Some(-1.0)), &["reading"]),
        (request(1, None, 0.0, Some(0.005)), &["reading"]),
        (request(1, None, 0.0, Some(nan)), &["reading"]),
        // Each reading is in range, but life-to-date usage is not.
        (request(1, Some(most), 0.0, Some(0.01)), &["reading"]),
        (request(2, None, 1.0, None), &["startReading"]),
        (
            request(0, Some(-1.0), nan, Some(nan)),
            &["kind", "finalReading", "startReading", "reading"],
        ),
    ] {
        invalid_fields(world.replace(message).await, fields);
    }
    let none = v1::ReplaceMeterRequest {
        replacement: None,
        ..replaced(id)
    };
    invalid_fields(world.replace(none).await, &["kind"]);
    for (message, fields) in [
        (
            v1::ReplaceMeterRequest {
                notes: "x".repeat(5001),
                ..replaced(id)
            },
            &["notes"],
        ),
        (
            v1::ReplaceMeterRequest {
                expected_reading: Some(-1.0),
                ..replaced(id)
            },
            &["expectedReading"],
        ),
        (
            v1::ReplaceMeterRequest {
                replaced_at: Some(prost_types::Timestamp {
                    seconds: i64::MAX,
                    nanos: 0,
                }),
                ..replaced(id)
            },
            &["replacedAt"],
        ),
    ] {
        invalid_fields(world.replace(message).await, fields);
    }
    assert_eq!(world.state(id).await, before);
    for id in unknown_ids() {
        not_found(world.replace(replaced(&id)).await);
    }
    world.retire(id, "").await.unwrap();
    not_found(world.replace(replaced(id)).await);
}

#[tokio::test]
async fn replace_meter_accepts_the_largest_values() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 0.0)).await.unwrap();
    let most = 1e9;
    let after = world.replace(fitted(&made.id, most, most, most)).await;
    assert_eq!(
        usage_and_reading(&after.unwrap()),
        scales("1000000000", "1000000000")
    );
    let after = world.replace(fitted(&made.id, most, 0.0, 0.0)).await;
    assert_eq!(
        usage_and_reading(&after.unwrap()),
        scales("1000000000", "0")
    );
    invalid_fields(
        world.record(increase(&made.id, 0.01)).await,
        &["usageIncrease"],
    );
    invalid_fields(world.record(read(&made.id, 0.01)).await, &["meterReading"]);
    let failure = refused(
        world.apply(reading(&made.id, 0.01)).await,
        Kind::Conflict,
        "METER_OUT_OF_RANGE",
    );
    assert!(failure.message.contains("1,000,000,000"));
}

#[tokio::test]
async fn replace_meter_without_a_meter_is_refused() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::NotApplicable.into()),
        ..named("Saw")
    };
    let made = world.create(input).await.unwrap();
    let before = world.state(&made.id).await;
    let failure = refused(
        world.replace(replaced(&made.id)).await,
        Kind::Conflict,
        "NO_METER",
    );
    assert_eq!(failure.message, "This equipment has no meter.");
    let update = v1::ApplyOperatorUpdateRequest {
        meter_replacement: replaced(&made.id).replacement,
        ..reading(&made.id, 1.0)
    };
    refused(world.apply(update).await, Kind::Conflict, "NO_METER");
    assert_eq!(world.state(&made.id).await, before);
}

async fn replace_once(
    world: &World,
    who: &Identity,
    key: &str,
    id: &str,
) -> CallResult<v1::Equipment> {
    let request = as_person(Service::Equipment, who, fitted(id, 100.0, 0.0, 1.0));
    let answer = fold(world.client().replace_meter(keyed(key, request)).await)?;
    Ok(answer.equipment.unwrap())
}

#[tokio::test]
async fn replace_meter_repeat_has_one_effect() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let first = replace_once(&world, &world.owner, "k", &made.id).await;
    let first = first.unwrap();
    world.record(increase(&made.id, 1.0)).await.unwrap();
    let again = replace_once(&world, &world.owner, "k", &made.id).await;
    assert_eq!(again.unwrap(), first);
    let found = world.get(&made.id).await.unwrap();
    assert_eq!(usage_and_reading(&found), scales("102", "2"));
    assert_eq!(world.segments(&made.id).await.unwrap().len(), 2);
    let other = world.create(with_usage("B", 100.0)).await.unwrap();
    refused(
        replace_once(&world, &world.owner, "k", &other.id).await,
        Kind::KeyReused,
        "IDEMPOTENCY_KEY_REUSED",
    );
}

#[tokio::test]
async fn replace_meter_concurrently_succeeds_once() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    world.warm_up().await;
    let request = || v1::ReplaceMeterRequest {
        expected_reading: Some(100.0),
        ..fitted(&made.id, 100.0, 0.0, 2.0)
    };
    let answers = futures::future::join_all((0..6).map(|_| world.replace(request()))).await;
    let (done, failed): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(done.len(), 1);
    for answer in failed {
        refused(answer, Kind::Stale, "STALE");
    }
    let found = world.get(&made.id).await.unwrap();
    assert_eq!(usage_and_reading(&found), scales("102", "2"));
    assert_eq!(world.segments(&made.id).await.unwrap().len(), 2);
    let seen = v1::ReplaceMeterRequest {
        expected_reading: Some(102.0),
        ..replaced(&made.id)
    };
    refused(world.replace(seen).await, Kind::Stale, "STALE");
}

//! Typical usage of machines.

use chrono::TimeDelta;
use chrono_tz::Tz;
use hourmeter_equipment::maintenance::Mode;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::connect_admin;
use uuid::Uuid;

use crate::meters::replaced;
use crate::relay::{captured, reading};
use crate::support::{World, increase, new_meter, with_usage};

type Figures = (Option<f64>, Option<f64>);

async fn typical_usage(world: &World, id: &str) -> Figures {
    let found = world.get(id).await.unwrap();
    let meter = world.meter(id).await.unwrap();
    let typical_usage = (found.usual_daily_use, found.usual_fill);
    assert_eq!((meter.usual_daily_use, meter.usual_fill), typical_usage);
    let listed = world.meters(None).await.unwrap().meters;
    let listed = listed.iter().find(|meter| meter.equipment_id == id);
    let listed = listed.unwrap();
    assert_eq!((listed.usual_daily_use, listed.usual_fill), typical_usage);
    // The rebuild computes the same in another way.
    world.check_projections().await;
    typical_usage
}

async fn next_day(world: &World, id: &str, by: f64, fuel: Option<f64>) -> Figures {
    world.later(TimeDelta::days(1));
    let entry = v1::RecordUsageRequest {
        fuel_added: fuel,
        ..increase(id, by)
    };
    let answer = world.record(entry).await.unwrap();
    let found = typical_usage(world, id).await;
    assert_eq!((answer.usual_daily_use, answer.usual_fill), found);
    found
}

#[tokio::test]
async fn typical_usage_is_set_after_three_entries() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    assert_eq!(typical_usage(&world, id).await, (None, None));
    assert_eq!(next_day(&world, id, 90.0, Some(10.0)).await, (None, None));
    assert_eq!(next_day(&world, id, 8.0, Some(30.0)).await, (None, None));
    let found = next_day(&world, id, 6.0, Some(20.0)).await;
    assert_eq!(found, (Some(8.0), Some(20.0)));
    let found = next_day(&world, id, 10.0, None).await;
    assert_eq!(found, (Some(9.0), Some(20.0)));
    let found = next_day(&world, id, 7.0, Some(25.0)).await;
    assert_eq!(found, (Some(8.0), Some(22.5)));
    // Several readings of one day, and one three days later.
    world.apply(reading(id, 223.5)).await.unwrap();
    world.later(TimeDelta::days(3));
    world.apply(reading(id, 225.0)).await.unwrap();
    assert_eq!(typical_usage(&world, id).await, (Some(8.75), Some(22.5)));
    // Corrections downwards, replacements and notes are ignored.
    let input = v1::EquipmentInput {
        meter_reading: Some(200.0),
        ..Default::default()
    };
    world.update(id, input, None).await.unwrap();
    world.replace(replaced(id)).await.unwrap();
    world.note(id, "Text").await.unwrap();
    assert_eq!(typical_usage(&world, id).await, (Some(8.75), Some(22.5)));
}

#[tokio::test]
async fn typical_usage_ignores_voided_entries() {
    let world = World::new().await;
    let made = world.create(new_meter("A")).await.unwrap();
    let id = made.id.as_str();
    for by in [1.0, 4.0, 5.0, 6.0] {
        next_day(&world, id, by, Some(by)).await;
    }
    assert_eq!(typical_usage(&world, id).await, (Some(4.5), Some(4.5)));
    let newest = world.newest(id).await;
    let answer = world.void(id, &newest).await.unwrap().equipment.unwrap();
    assert_eq!(
        (answer.usual_daily_use, answer.usual_fill),
        (Some(4.0), Some(4.0))
    );
    assert_eq!(typical_usage(&world, id).await, (Some(4.0), Some(4.0)));
    let newest = &world.history(id).await.unwrap()[1].id;
    world.void(id, newest).await.unwrap();
    assert_eq!(typical_usage(&world, id).await, (None, None));
    for by in [2.0, 3.0] {
        next_day(&world, id, by, None).await;
    }
    assert_eq!(typical_usage(&world, id).await.0, Some(2.5));
}

#[tokio::test]
async fn typical_usage_is_of_the_last_twenty_entries() {
    let world = World::new().await;
    let made = world.create(new_meter("A")).await.unwrap();
    for (count, by) in [(15, 9.0), (10, 1.0)] {
        for _ in 0..count {
            world.later(TimeDelta::days(1));
            let entry = v1::RecordUsageRequest {
                fuel_added: Some(by),
                ..increase(&made.id, by)
            };
            world.record(entry).await.unwrap();
        }
    }
    assert_eq!(
        typical_usage(&world, &made.id).await,
        (Some(5.0), Some(5.0))
    );
    assert_eq!(
        next_day(&world, &made.id, 1.0, Some(1.0)).await,
        (Some(1.0), Some(1.0))
    );
}

#[tokio::test]
async fn typical_usage_survives_retirement_and_is_rebuilt() {
    let world = World::with_own_database().await;
    let made = world.create(new_meter("A")).await.unwrap();
    let id = made.id.as_str();
    for by in [1.0, 4.0, 5.0, 6.0] {
        next_day(&world, id, by, Some(by)).await;
    }
    let archived = world.retire(id, "").await.unwrap();
    let spoil = "UPDATE equipment
        SET use_usual = 1, use_sums = '{5}', usual_fill = 7, meter_offset = 5";
    world.tamper(spoil).await;
    let found = world.rebuild(Mode::Check).await;
    let what: Vec<&str> = found.iter().map(|row| row.what.as_str()).collect();
    assert_eq!(
        what,
        [
            "meter offset",
            "typical daily usage",
            "usage of these days",
            "typical fill"
        ]
    );
    assert_eq!(world.rebuild(Mode::Repair).await, found);
    world.restore(&archived.id).await.unwrap();
    assert_eq!(typical_usage(&world, id).await, (Some(4.5), Some(4.5)));
}

#[tokio::test]
async fn typical_usage_restarts_with_another_unit() {
    let world = World::new().await;
    let made = world.create(new_meter("A")).await.unwrap();
    let id = made.id.as_str();
    for by in [1.0, 4.0, 5.0, 6.0] {
        next_day(&world, id, by, Some(by)).await;
    }
    assert_eq!(typical_usage(&world, id).await, (Some(4.5), Some(4.5)));
    let input = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::Kilometers.into()),
        ..Default::default()
    };
    let after = world.update(id, input, None).await.unwrap();
    assert_eq!((after.usual_daily_use, after.usual_fill), (None, Some(4.5)));
    assert_eq!(typical_usage(&world, id).await, (None, Some(4.5)));
    for (by, expected) in [(700.0, None), (100.0, None), (120.0, Some(120.0))] {
        let (daily, _) = next_day(&world, id, by, None).await;
        assert_eq!(daily, expected);
    }
    // The first unit again is another segment.
    let input = v1::EquipmentInput {
        unit: Some(made.unit),
        ..Default::default()
    };
    world.update(id, input, None).await.unwrap();
    assert_eq!(typical_usage(&world, id).await, (None, Some(4.5)));
}

/// The stored days of use with their usage, and their time zone.
pub async fn days_of_use(world: &World, id: &str) -> String {
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let days = "SELECT concat_ws(' ', use_days, use_sums, use_zone) FROM equipment WHERE id = $1";
    sqlx::query_scalar(days)
        .bind(Uuid::try_parse(id).unwrap())
        .fetch_one(&mut admin)
        .await
        .unwrap()
}

#[tokio::test]
async fn days_of_use_are_in_the_time_zone_of_the_company() {
    let mut world = World::new().await;
    world.owner.time_zone = Tz::America__Chicago;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let other = world.create(with_usage("B", 100.0)).await.unwrap();
    for id in [&made.id, &other.id] {
        world.record(increase(id, 1.0)).await.unwrap();
    }
    // 02:00 UTC is the same day in Chicago, also of an update without a person.
    world.later(TimeDelta::hours(14));
    world.apply(reading(&made.id, 103.0)).await.unwrap();
    world.later(TimeDelta::hours(14));
    world.apply(reading(&made.id, 107.0)).await.unwrap();
    let found = days_of_use(&world, &made.id).await;
    assert_eq!(found, "{2026-03-11,2026-03-10} {400,300} America/Chicago");
    world.check_projections().await;

    // Another time zone counts from the next entry.
    world.owner.time_zone = Tz::UTC;
    let late = v1::RecordUsageRequest {
        captured_at: Some(captured(world.clock.now() - TimeDelta::hours(1))),
        ..increase(&other.id, 5.0)
    };
    world.record(late).await.unwrap();
    assert_eq!(days_of_use(&world, &made.id).await, found);
    world.check_projections().await;
    world.apply(reading(&made.id, 108.0)).await.unwrap();
    assert_eq!(
        days_of_use(&world, &made.id).await,
        "{2026-03-11,2026-03-10} {700,100} UTC"
    );
}

#[tokio::test]
async fn days_of_use_continue_after_entries_of_the_last_release() {
    let world = World::with_own_database().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    for by in [1.0, 4.0, 5.0] {
        next_day(&world, id, by, None).await;
    }
    // As the migration leaves them.
    world
        .tamper("UPDATE equipment SET use_sums = NULL, use_zone = NULL")
        .await;
    assert_eq!(world.get(id).await.unwrap().usual_daily_use, Some(4.0));
    assert_eq!(next_day(&world, id, 6.0, None).await.0, Some(4.5));
    world
        .tamper("UPDATE equipment SET use_sums = NULL, use_zone = NULL")
        .await;
    world.later(TimeDelta::days(1));
    world.apply(reading(id, 136.0)).await.unwrap();
    assert_eq!(typical_usage(&world, id).await.0, Some(5.0));
}

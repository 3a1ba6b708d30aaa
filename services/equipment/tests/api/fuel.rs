//! `GetFuelSummary`, `ResetFuel`.

use chrono::TimeDelta;
use chrono_tz::Tz;
use futures::StreamExt as _;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::as_person;
use uuid::Uuid;

use crate::relay::{captured, reading, submission};
use crate::support::{
    CONNECTIONS, World, fold, increase, invalid_fields, keyed, named, not_found, refused,
    unknown_id, with_usage,
};

pub fn gas(id: &str, amount: f64) -> v1::RecordUsageRequest {
    of_kind(id, amount, v1::FuelKind::Gas)
}

fn of_kind(id: &str, amount: f64, kind: v1::FuelKind) -> v1::RecordUsageRequest {
    v1::RecordUsageRequest {
        id: id.to_owned(),
        fuel_added: Some(amount),
        fuel_kind: kind.into(),
        ..Default::default()
    }
}

pub fn days(from: &str, to: &str) -> v1::GetFuelSummaryRequest {
    v1::GetFuelSummaryRequest {
        from: from.to_owned(),
        to: to.to_owned(),
        ..Default::default()
    }
}

fn of(id: &str) -> v1::GetFuelSummaryRequest {
    v1::GetFuelSummaryRequest {
        equipment_id: id.to_owned(),
        ..Default::default()
    }
}

async fn current(world: &World) -> v1::GetFuelSummaryResponse {
    world.fuel(days("", "")).await.unwrap()
}

fn totals(summary: &v1::GetFuelSummaryResponse) -> [String; 3] {
    [summary.total, summary.gas, summary.diesel].map(|amount| amount.to_string())
}

fn months(summary: &v1::GetFuelSummaryResponse) -> Vec<(&str, f64)> {
    let months = summary.by_month.iter();
    months
        .map(|row| (row.month.as_str(), row.gas + row.diesel))
        .collect()
}

#[tokio::test]
async fn fuel_summary_has_totals_equipment_and_months() {
    let world = World::new().await;
    assert_eq!(current(&world).await, v1::GetFuelSummaryResponse::default());
    let a = world.create(with_usage("a", 100.0)).await.unwrap();
    let b = v1::EquipmentInput {
        unit_number: Some("T-7".to_owned()),
        ..named("B")
    };
    let b = world.create(b).await.unwrap();
    let c = world.create(named("C")).await.unwrap();
    world.create(named("Never fuelled")).await.unwrap();
    world
        .record(of_kind(&b.id, 10.0, v1::FuelKind::Diesel))
        .await
        .unwrap();
    world.record(gas(&a.id, 5.25)).await.unwrap();
    world.later(TimeDelta::days(60));
    let both = v1::RecordUsageRequest {
        usage_increase: Some(12.0),
        ..of_kind(&a.id, 4.75, v1::FuelKind::Diesel)
    };
    world.record(both).await.unwrap();
    let wrong = world.record(gas(&c.id, 99.0)).await.unwrap();
    let newest = world.newest(&wrong.id).await;
    world.void(&c.id, &newest).await.unwrap();

    let found = current(&world).await;
    assert_eq!(totals(&found), ["20", "5.25", "14.75"]);
    let row = |item: &v1::Equipment, gas, diesel, per_unit| v1::EquipmentFuelUse {
        equipment_id: item.id.clone(),
        equipment_name: item.name.clone(),
        total: 10.0,
        gas,
        diesel,
        per_unit,
        unit: v1::MeterUnit::Hours.into(),
        retired: false,
        consumption: per_unit.map(|_| v1::FuelConsumption {
            fuel: 10.0,
            usage: 12.0,
            ..Default::default()
        }),
        unit_number: item.unit_number.clone(),
    };
    let expected = [row(&a, 5.25, 4.75, Some(0.8333)), row(&b, 0.0, 10.0, None)];
    assert_eq!(
        found.by_equipment, expected,
        "equal ones by name, the voided one not at all"
    );
    assert_eq!(
        months(&found),
        [("2026-03", 15.25), ("2026-04", 0.0), ("2026-05", 4.75)]
    );
    assert_eq!(found.period_began_at, None);
    let one = world.fuel(of(&b.id)).await.unwrap();
    assert_eq!(totals(&one), ["10", "0", "10"]);
    assert_eq!(one.by_equipment, &expected[1..]);
    assert_eq!(
        totals(&world.fuel(of(&c.id)).await.unwrap()),
        ["0", "0", "0"]
    );
}

#[tokio::test]
async fn fuel_per_unit_uses_the_net_usage() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let per_unit = async || current(&world).await.by_equipment[0].per_unit;
    world.record(gas(id, 10.0)).await.unwrap();
    assert_eq!(per_unit().await, None);
    world.record(increase(id, 500.0)).await.unwrap();
    let wrong = world.newest(id).await;
    world.record(increase(id, 20.0)).await.unwrap();
    world.void(id, &wrong).await.unwrap();
    assert_eq!(per_unit().await, Some(0.5));
    // A correction downwards counts too.
    world
        .update(id, with_usage("A", 104.0), None)
        .await
        .unwrap();
    assert_eq!(per_unit().await, Some(2.5));
    world.update(id, with_usage("A", 90.0), None).await.unwrap();
    assert_eq!(per_unit().await, None);
    let no_meter = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::NotApplicable.into()),
        ..with_usage("A", 200.0)
    };
    world.update(id, no_meter, None).await.unwrap();
    assert_eq!(per_unit().await, None);
}

#[tokio::test]
async fn fuel_per_unit_counts_from_the_first_reading_after_a_change_of_the_unit() {
    let world = World::new().await;
    let of_unit = |unit: v1::MeterUnit, input| v1::EquipmentInput {
        unit: Some(unit.into()),
        ..input
    };
    let filled = |id: &str, usage, fuel| v1::ApplyOperatorUpdateRequest {
        fuel_added: fuel,
        fuel_kind: v1::FuelKind::Gas.into(),
        ..reading(id, usage)
    };
    let none = of_unit(v1::MeterUnit::NotApplicable, with_usage("A", 5.0));
    let made = world.create(none).await.unwrap();
    let id = made.id.as_str();
    let per_unit = async || current(&world).await.by_equipment[0].per_unit;
    world.later(TimeDelta::hours(1));
    world.record(gas(id, 7.0)).await.unwrap();
    world.later(TimeDelta::hours(1));
    let hours = of_unit(v1::MeterUnit::Hours, named("A"));
    world.update(id, hours, None).await.unwrap();
    world.later(TimeDelta::hours(1));
    world.apply(filled(id, 1000.0, 50.0)).await.unwrap();
    world.later(TimeDelta::hours(1));
    world.apply(filled(id, 1010.0, 5.0)).await.unwrap();
    assert_eq!(per_unit().await, Some(0.5));
}

#[tokio::test]
async fn fuel_summary_keeps_the_fuel_of_deleted_equipment() {
    let world = World::new().await;
    let stays = world.create(named("A")).await.unwrap();
    let leaves = world.create(named("B")).await.unwrap();
    for id in [&stays.id, &leaves.id] {
        world.record(gas(id, 10.0)).await.unwrap();
    }
    let wrong = world.record(gas(&leaves.id, 99.0)).await.unwrap();
    world
        .void(&wrong.id, &world.newest(&leaves.id).await)
        .await
        .unwrap();
    world.reset_fuel().await.unwrap();
    world.later(TimeDelta::days(31));
    let diesel = of_kind(&leaves.id, 7.5, v1::FuelKind::Diesel);
    world.record(diesel).await.unwrap();
    let figures = async || {
        let march = world.fuel(days("2026-03-01", "2026-03-31")).await.unwrap();
        let all = world.fuel(days("2026-01-01", "")).await.unwrap();
        [current(&world).await, march, all].map(|summary| v1::GetFuelSummaryResponse {
            by_equipment: Vec::new(),
            ..summary
        })
    };
    let before = figures().await;
    assert_eq!(totals(&before[0]), ["7.5", "0", "7.5"]);
    assert_eq!(totals(&before[1]), ["20", "20", "0"]);
    assert_eq!(months(&before[2]), [("2026-03", 20.0), ("2026-04", 7.5)]);
    world.delete(&leaves.id).await.unwrap();
    assert_eq!(figures().await, before);
    let rows = current(&world).await.by_equipment;
    assert!(rows.is_empty(), "{rows:?}");
    assert_eq!(totals(&world.fuel(of(&stays.id)).await.unwrap()), ["0"; 3]);
}

#[tokio::test]
async fn fuel_summary_range_uses_the_capture_time() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    // In Chicago: 28 February 23:59:59.999999, 1 March 00:00, 31 March 23:59:59, 1 April 00:00.
    for (at, amount) in [
        ("2026-03-01T05:59:59.999999Z", 1.0),
        ("2026-03-01T06:00:00Z", 2.0),
        ("2026-04-01T04:59:59.999999Z", 4.0),
        ("2026-04-01T05:00:00Z", 8.0),
    ] {
        let update = v1::ApplyOperatorUpdateRequest {
            captured_at: Some(captured(at.parse().unwrap())),
            fuel_added: amount,
            ..submission(&made.id)
        };
        world.clock.set("2026-05-01T00:00:00Z".parse().unwrap());
        world.apply(update).await.unwrap();
    }
    let chicago = Identity {
        time_zone: Tz::America__Chicago,
        ..world.owner.clone()
    };
    for (from, to, total) in [
        ("2026-03-01", "2026-03-31", "6"),
        ("2026-02-28", "2026-02-28", "1"),
        ("2026-03-01", "2026-03-01", "2"),
        ("2026-03-31", "2026-04-01", "12"),
        ("2026-04-01", "", "8"),
        ("", "2026-03-31", "7"),
        ("2026-04-02", "", "0"),
        ("1900-01-01", "2200-12-31", "15"),
        (" 2026-03-01T23:00:00Z ", "2026-03-31T00:00", "6"),
        ("", "", "15"),
    ] {
        let found = world.fuel_as(&chicago, days(from, to)).await.unwrap();
        assert_eq!(found.total.to_string(), total, "{from} {to}");
    }
    let found = world.fuel_as(&chicago, days("", "")).await.unwrap();
    assert_eq!(
        months(&found),
        [("2026-02", 1.0), ("2026-03", 6.0), ("2026-04", 8.0)]
    );
    // The same instants are in other months elsewhere.
    let found = world.fuel(days("2026-03-01", "2026-03-31")).await.unwrap();
    assert_eq!(months(&found), [("2026-03", 3.0)]);
}

#[tokio::test]
async fn fuel_summary_accepts_wrong_clocks() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    for at in ["0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"] {
        world.apply(fuel_at(&made.id, at, 1.0)).await.unwrap();
    }
    let found = current(&world).await;
    assert_eq!(months(&found), [("2026-03", 2.0)]);
}

#[tokio::test]
async fn fuel_summary_has_at_most_120_months() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    for (at, amount) in [
        ("2000-01-01T00:00:00Z", 1.0),
        ("2016-03-31T23:59:59Z", 2.0),
        ("2016-04-01T00:00:00Z", 4.0),
        ("2026-03-01T00:00:00Z", 8.0),
    ] {
        world.apply(fuel_at(&made.id, at, amount)).await.unwrap();
    }
    for found in [
        current(&world).await,
        world.fuel(days("1900-01-01", "")).await.unwrap(),
    ] {
        assert_eq!(found.total.to_string(), "15");
        assert_eq!(found.by_equipment[0].total.to_string(), "15");
        assert_eq!(found.by_month.len(), 120);
        let [first, .., last] = months(&found)[..] else {
            panic!("no months");
        };
        assert_eq!([first, last], [("2016-04", 4.0), ("2026-03", 8.0)]);
    }
    // Earlier fuel is returned for an explicit range.
    let early = world.fuel(days("", "2016-03-31")).await.unwrap();
    assert_eq!(months(&early).last(), Some(&("2016-03", 2.0)));
}

fn fuel_at(id: &str, at: &str, amount: f64) -> v1::ApplyOperatorUpdateRequest {
    v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(at.parse().unwrap())),
        fuel_added: amount,
        ..submission(id)
    }
}

#[tokio::test]
async fn fuel_summary_refuses_invalid_ranges_and_ids() {
    let world = World::new().await;
    for bad in ["soon", "2026-02-30", "1899-12-31", "2201-01-01", "2026-3-1"] {
        invalid_fields(world.fuel(days(bad, "")).await, &["from"]);
        invalid_fields(world.fuel(days("", bad)).await, &["to"]);
        invalid_fields(world.fuel(days(bad, bad)).await, &["from", "to"]);
    }
    let failure = invalid_fields(
        world.fuel(days("2026-03-02", "2026-03-01")).await,
        &["from"],
    );
    assert_eq!(failure.message, "Must not be after the last day.");
    for id in [unknown_id(), "1".to_owned(), "x'; --".to_owned()] {
        not_found(world.fuel(of(&id)).await);
    }
    let made = world.create(named("A")).await.unwrap();
    let stranger = Identity {
        company_id: Uuid::now_v7(),
        ..world.owner.clone()
    };
    not_found(world.fuel_as(&stranger, of(&made.id)).await);
}

#[tokio::test]
async fn fuel_summary_needs_the_plan_feature() {
    let world = World::new().await;
    let request = as_person(Service::Equipment, &world.owner, days("", ""));
    let answer = fold(world.client().get_fuel_summary(request).await);
    refused(answer, Kind::Forbidden, "FEATURE_NOT_IN_PLAN");
}

#[tokio::test]
async fn fuel_summary_excludes_other_companies() {
    let world = World::new().await;
    let stranger = Identity {
        company_id: Uuid::now_v7(),
        ..world.owner.clone()
    };
    let made = world.create(named("A")).await.unwrap();
    world.record(gas(&made.id, 5.0)).await.unwrap();
    let theirs = world.fuel_as(&stranger, days("", "")).await.unwrap();
    assert_eq!(theirs, v1::GetFuelSummaryResponse::default());
    let request = as_person(Service::Equipment, &stranger, v1::ResetFuelRequest {});
    fold(world.client().reset_fuel(request).await).unwrap();
    assert_eq!(totals(&current(&world).await), ["5", "5", "0"]);
    assert_eq!(
        world
            .get(&made.id)
            .await
            .unwrap()
            .total_fuel_used
            .to_string(),
        "5"
    );
}

#[tokio::test]
async fn fuel_reset_starts_a_period_and_keeps_the_ledger() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    world.record(gas(&made.id, 5.0)).await.unwrap();
    let before = world.state(&made.id).await;
    let at = world.later(TimeDelta::hours(1));
    world.reset_fuel().await.unwrap();
    let after = v1::Equipment {
        total_fuel_used: 0.0,
        total_gas_used: 0.0,
        ..before.0
    };
    // Versions stay, so that open forms don't become stale.
    assert_eq!(world.state(&made.id).await, (after, before.1));
    let found = current(&world).await;
    assert_eq!(totals(&found), ["0", "0", "0"]);
    assert_eq!(found.period_began_at, Some(captured(at)));
    world.record(gas(&made.id, 2.0)).await.unwrap();
    assert_eq!(totals(&current(&world).await), ["2", "2", "0"]);
    let ever = world.fuel(days("2026-01-01", "")).await.unwrap();
    assert_eq!(totals(&ever), ["7", "7", "0"]);
    assert_eq!(ever.period_began_at, Some(captured(at)));
    // Again without entries in between, and in a company without fuel.
    for _ in 0..2 {
        world.reset_fuel().await.unwrap();
    }
    assert_eq!(totals(&current(&world).await), ["0", "0", "0"]);
    let who: Vec<(i32, String)> = {
        let mut tx = world
            .database
            .database
            .tenant(world.owner.tenant())
            .await
            .unwrap();
        sqlx::query_as("SELECT period, actor_name FROM fuel_periods ORDER BY period")
            .fetch_all(&mut *tx)
            .await
            .unwrap()
    };
    let owner = || "Olivia Owner".to_owned();
    assert_eq!(who, [(1, owner()), (2, owner()), (3, owner())]);
}

#[tokio::test]
async fn fuel_reset_repeat_has_one_effect() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let reset = || {
        let message = v1::ResetFuelRequest {};
        keyed("k", as_person(Service::Equipment, &world.owner, message))
    };
    fold(world.client().reset_fuel(reset()).await).unwrap();
    world.record(gas(&made.id, 2.0)).await.unwrap();
    fold(world.client().reset_fuel(reset()).await).unwrap();
    assert_eq!(totals(&current(&world).await), ["2", "2", "0"]);
}

#[tokio::test]
async fn fuel_of_retired_equipment_counts_in_its_period() {
    let world = World::new().await;
    let kept = world.create(named("Kept")).await.unwrap();
    let gone = world.create(named("Gone")).await.unwrap();
    world.record(gas(&kept.id, 1.0)).await.unwrap();
    world.record(gas(&gone.id, 2.0)).await.unwrap();
    let retired = world.retire(&gone.id, "").await.unwrap();
    let found = current(&world).await;
    assert_eq!(totals(&found), ["3", "3", "0"]);
    assert!(found.by_equipment[0].retired);
    assert!(!found.by_equipment[1].retired);
    assert_eq!(
        totals(&world.fuel(of(&gone.id)).await.unwrap()),
        ["2", "2", "0"]
    );
    world.reset_fuel().await.unwrap();
    assert_eq!(totals(&current(&world).await), ["0", "0", "0"]);
    // The archive keeps the old totals; restored equipment enters the new period.
    assert_eq!(
        world
            .retired(&gone.id)
            .await
            .unwrap()
            .total_fuel_used
            .to_string(),
        "2"
    );
    let back = world.restore(&retired.id).await.unwrap();
    assert_eq!(back.total_fuel_used.to_string(), "0");
    world.record(gas(&gone.id, 4.0)).await.unwrap();
    assert_eq!(totals(&current(&world).await), ["4", "4", "0"]);
    // Retiring and restoring within a period keeps the totals.
    let retired = world.retire(&gone.id, "").await.unwrap();
    let back = world.restore(&retired.id).await.unwrap();
    assert_eq!(back.total_fuel_used.to_string(), "4");
    let newer = world.create(named("Newer")).await.unwrap();
    world.record(gas(&newer.id, 8.0)).await.unwrap();
    assert_eq!(totals(&current(&world).await), ["12", "12", "0"]);
}

#[tokio::test]
async fn fuel_reset_during_entries_loses_no_fuel() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for name in ["A", "B", "C"] {
        ids.push(world.create(named(name)).await.unwrap().id);
    }
    let spare = world.create(named("D")).await.unwrap();
    let archived = world.retire(&spare.id, "").await.unwrap();
    world.warm_up().await;
    // Retries while the service is busy, as the gateway does.
    let with_retries = async |number: usize| {
        loop {
            let answer = match number {
                20 | 40 => world.reset_fuel().await.map(drop),
                30 => world.create(named("E")).await.map(drop),
                41 => world.restore(&archived.id).await.map(drop),
                _ => world.record(gas(&ids[number % 3], 0.1)).await.map(drop),
            };
            match answer {
                Err(failure) if failure.kind == Kind::Unavailable => {}
                other => return other.unwrap(),
            }
        }
    };
    let work = (0..60).map(with_retries);
    futures::stream::iter(work)
        .buffer_unordered(CONNECTIONS)
        .collect::<Vec<_>>()
        .await;
    world.check_projections().await;
    let ever = world.fuel(days("2026-01-01", "")).await.unwrap();
    assert_eq!(totals(&ever), ["5.6", "5.6", "0"]);
    let found = current(&world).await;
    let all = v1::ListEquipmentRequest::default();
    let request = as_person(Service::Equipment, &world.owner, all);
    let listed = fold(world.client().list_equipment(request).await).unwrap();
    let sum: f64 = listed
        .equipment
        .iter()
        .map(|item| item.total_fuel_used)
        .sum();
    assert_eq!(format!("{sum:.2}"), format!("{:.2}", found.total));
}

//! Fuel consumption of `GetFuelSummary`.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::equipment::v1;

use crate::relay::{captured, reading};
use crate::support::{World, with_usage};

/// A reading with a full fill, from the field.
fn full(id: &str, at: DateTime<Utc>, shows: f64, amount: f64) -> v1::ApplyOperatorUpdateRequest {
    v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(at)),
        fuel_added: amount,
        fuel_kind: v1::FuelKind::Diesel.into(),
        full_fill: true,
        ..reading(id, shows)
    }
}

fn diesel_machine() -> v1::EquipmentInput {
    v1::EquipmentInput {
        fuel: Some(v1::EquipmentFuel::Diesel.into()),
        ..with_usage("Loader", 100.0)
    }
}

async fn consumption(world: &World, request: v1::GetFuelSummaryRequest) -> v1::FuelConsumption {
    let found = world.fuel(request).await.unwrap();
    let row = found.by_equipment.into_iter().next().unwrap();
    row.consumption.unwrap()
}

#[tokio::test]
async fn consumption_is_measured_between_full_fills_in_any_order_of_arrival() {
    let world = World::new().await;
    let id = world.create(diesel_machine()).await.unwrap().id;
    let now = || consumption(&world, v1::GetFuelSummaryRequest::default());
    let day = |days| world.clock.now() + TimeDelta::days(days);
    let times = [day(1), day(2), day(3), day(4)];
    world.later(TimeDelta::days(9));
    // The first fill filled an unknown part of the tank.
    world.apply(full(&id, times[0], 110.0, 40.0)).await.unwrap();
    world.apply(full(&id, times[3], 130.0, 30.0)).await.unwrap();
    let estimate = now().await;
    assert_eq!((estimate.fuel, estimate.usage), (70.0, 30.0));
    assert_eq!((estimate.fills, estimate.from), (0, None));
    // Late ones: a fill, and fuel that does not fill the tank.
    world.apply(full(&id, times[1], 118.0, 20.0)).await.unwrap();
    let partial = v1::ApplyOperatorUpdateRequest {
        full_fill: false,
        ..full(&id, times[2], 120.0, 5.0)
    };
    world.apply(partial).await.unwrap();
    let wrong = v1::ApplyOperatorUpdateRequest {
        fuel_kind: v1::FuelKind::Gas.into(),
        ..full(&id, times[2], 120.0, 99.0)
    };
    world.apply(wrong).await.unwrap();
    let expected = v1::FuelConsumption {
        fuel: 55.0,
        usage: 20.0,
        fills: 2,
        excluded: 0,
        from: Some(captured(times[0])),
        to: Some(captured(times[3])),
        unusual_entry_ids: Vec::new(),
    };
    assert_eq!(now().await, expected);
    world.check_projections().await;

    let records = world.history(&id).await.unwrap();
    let fills = records.iter().filter(|record| record.fuel_added > 0.0);
    let marked: Vec<_> = fills
        .map(|fill| (fill.fuel_added, fill.full_fill))
        .collect();
    assert_eq!(
        marked,
        [
            (99.0, true),
            (5.0, false),
            (20.0, true),
            (30.0, true),
            (40.0, true)
        ]
    );
    let second = records
        .iter()
        .find(|record| record.fuel_added.to_string() == "20");
    world.void(&id, &second.unwrap().id).await.unwrap();
    assert_eq!(now().await.fills, 0, "one interval is left");
}

#[tokio::test]
async fn consumption_leaves_unusual_fills_out_and_names_them() {
    let world = World::new().await;
    let made = world.create(diesel_machine()).await.unwrap();
    let id = made.id.as_str();
    for (day, amount) in [10.0, 20.0, 22.0, 90.0, 18.0].into_iter().enumerate() {
        world.later(TimeDelta::days(1));
        let fill = v1::RecordUsageRequest {
            id: id.to_owned(),
            usage_increase: Some(if day == 0 { 1.0 } else { 10.0 }),
            fuel_added: Some(amount),
            full_fill: true,
            ..Default::default()
        };
        world.record(fill).await.unwrap();
    }
    let all = consumption(&world, v1::GetFuelSummaryRequest::default()).await;
    assert_eq!((all.fuel, all.usage), (60.0, 30.0));
    assert_eq!((all.fills, all.excluded), (3, 1));
    assert_eq!(all.unusual_entry_ids, Vec::<String>::new());

    let records = world.history(id).await.unwrap();
    let unusual = records
        .iter()
        .find(|record| record.fuel_added.to_string() == "90");
    let first_days = v1::GetFuelSummaryRequest {
        equipment_id: id.to_owned(),
        to: "2026-03-13".to_owned(),
        ..Default::default()
    };
    let part = consumption(&world, first_days).await;
    assert_eq!((part.fills, part.excluded), (2, 0));
    assert_eq!(part.unusual_entry_ids, [unusual.unwrap().id.clone()]);
}

#[tokio::test]
async fn consumption_is_that_of_the_hundred_top_consumers() {
    let mut world = World::new().await;
    world.owner.entitlements.equipment_limit = -1;
    let mut ids = Vec::new();
    for number in 0..101_i32 {
        let input = v1::EquipmentInput {
            name: Some(format!("Loader {number}")),
            ..diesel_machine()
        };
        ids.push(world.create(input).await.unwrap().id);
    }
    let at = world.later(TimeDelta::days(1));
    for (id, amount) in ids.iter().zip(1_i32..) {
        let fill = full(id, at, 110.0, amount.into());
        world.apply(fill).await.unwrap();
    }
    let found = world.fuel(v1::GetFuelSummaryRequest::default()).await;
    let found = found.unwrap().by_equipment;
    assert_eq!(found.len(), 101);
    let known: Vec<_> = found
        .iter()
        .filter(|row| row.consumption.is_some())
        .map(|row| row.equipment_id.clone())
        .collect();
    let most: Vec<_> = ids.iter().skip(1).rev().cloned().collect();
    assert_eq!(known, most);
    let least = v1::GetFuelSummaryRequest {
        equipment_id: ids[0].clone(),
        ..Default::default()
    };
    assert_eq!(consumption(&world, least).await.fuel.to_string(), "1");
}

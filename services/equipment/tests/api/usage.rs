use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::connect_admin;
use sqlx::{AssertSqlSafe, Executor as _};

use crate::support::{
    CONNECTIONS, World, increase, invalid_fields, named, not_found, unknown_ids, void, with_usage,
};

const INCREASE: &str = "Please enter a valid positive number for usage increase.";

fn reading(id: &str, reading: f64) -> v1::RecordUsageRequest {
    v1::RecordUsageRequest {
        id: id.to_owned(),
        reading: Some(reading),
        ..Default::default()
    }
}

fn fuel(id: &str, amount: f64, kind: v1::FuelKind) -> v1::RecordUsageRequest {
    v1::RecordUsageRequest {
        id: id.to_owned(),
        fuel_added: Some(amount),
        fuel_kind: kind.into(),
        ..Default::default()
    }
}

#[tokio::test]
async fn record_usage_increases_add_and_readings_set() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 100.0)).await.unwrap();
    let entry = v1::RecordUsageRequest {
        notes: " Trenching \n".to_owned(),
        ..increase(&made.id, 7.5)
    };
    let after = world.record(entry).await.unwrap();
    assert_eq!(after.current_usage.to_bits(), 107.5_f64.to_bits());
    assert_eq!(after.version, 2);
    let after = world.record(reading(&made.id, 110.25)).await.unwrap();
    assert_eq!(after.current_usage.to_bits(), 110.25_f64.to_bits());
    world.record(reading(&made.id, 110.25)).await.unwrap();

    let history = world.history(&made.id).await.unwrap();
    let moves: Vec<_> = history
        .iter()
        .map(|record| (record.usage_before, record.usage, record.content.as_str()))
        .collect();
    assert_eq!(
        moves,
        [
            (Some(110.25), Some(110.25), ""),
            (Some(107.5), Some(110.25), ""),
            (Some(100.0), Some(107.5), "Trenching")
        ]
    );
    assert!(history.iter().all(|record| {
        record.kind() == v1::HistoryKind::Usage
            && record.note_type() == v1::NoteType::UsageUpdate
            && record.unit() == v1::MeterUnit::Hours
            && record.operator_name == "Olivia Owner"
    }));
    world.check_projections().await;
}

#[tokio::test]
async fn record_usage_adds_fuel_to_its_total() {
    let world = World::new().await;
    let diesel = v1::EquipmentInput {
        fuel: Some(v1::EquipmentFuel::Diesel.into()),
        ..named("Loader")
    };
    let made = world.create(diesel).await.unwrap();
    for (kind, amount) in [
        (v1::FuelKind::Unspecified, 10.5),
        (v1::FuelKind::Gas, 2.25),
        (v1::FuelKind::Diesel, 0.01),
    ] {
        world.record(fuel(&made.id, amount, kind)).await.unwrap();
    }
    let after = world.get(&made.id).await.unwrap();
    let totals = [
        after.total_fuel_used,
        after.total_gas_used,
        after.total_diesel_used,
    ];
    assert_eq!(
        totals.map(f64::to_bits),
        [12.76, 2.25, 10.51].map(f64::to_bits)
    );
    assert_eq!(after.current_usage.to_bits(), 0_f64.to_bits());
    let history = world.history(&made.id).await.unwrap();
    assert_eq!(history[2].fuel_kind(), v1::FuelKind::Diesel);
    assert_eq!((history[2].usage, history[2].usage_before), (None, None));

    for fuel_type in [
        v1::EquipmentFuel::Gasoline,
        v1::EquipmentFuel::NotApplicable,
    ] {
        let input = v1::EquipmentInput {
            fuel: Some(fuel_type.into()),
            ..named("Other")
        };
        let other = world.create(input).await.unwrap();
        let entry = fuel(&other.id, 3.0, v1::FuelKind::Unspecified);
        let after = world.record(entry).await.unwrap();
        assert_eq!(after.total_gas_used.to_bits(), 3_f64.to_bits());
    }
    world.check_projections().await;
}

#[tokio::test]
async fn record_usage_works_without_a_meter() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::NotApplicable.into()),
        ..named("Saw")
    };
    let made = world.create(input).await.unwrap();
    let after = world.record(increase(&made.id, 1.0)).await.unwrap();
    assert_eq!(after.current_usage.to_bits(), 1_f64.to_bits());
}

#[tokio::test]
async fn record_usage_invalid_entries_change_nothing() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let before = world.state(id).await;
    for by in [0.0, -0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
        let failure = invalid_fields(world.record(increase(id, by)).await, &["usageIncrease"]);
        assert_eq!(failure.message, INCREASE, "{by}");
    }
    for by in [f64::INFINITY, 0.001, 1e9, 999_999_900.01, 2e9] {
        invalid_fields(world.record(increase(id, by)).await, &["usageIncrease"]);
    }
    for value in [99.99, 0.0, -1.0, f64::NAN, 100.001, 1_000_000_000.01] {
        invalid_fields(world.record(reading(id, value)).await, &["meterReading"]);
    }
    for amount in [-0.01, f64::NAN, f64::INFINITY, 0.123, 2e9] {
        let entry = fuel(id, amount, v1::FuelKind::Gas);
        let fields: &[&str] = &["fuelAdded", "usageIncrease"];
        invalid_fields(world.record(entry.clone()).await, fields);
        let both = v1::RecordUsageRequest {
            usage_increase: Some(1.0),
            ..entry
        };
        invalid_fields(world.record(both).await, &["fuelAdded"]);
    }
    let nothing = v1::RecordUsageRequest {
        id: id.to_owned(),
        notes: "only notes".to_owned(),
        fuel_added: Some(0.0),
        ..Default::default()
    };
    let failure = invalid_fields(world.record(nothing).await, &["usageIncrease"]);
    assert_eq!(failure.message, INCREASE);
    let both = v1::RecordUsageRequest {
        reading: Some(200.0),
        ..increase(id, 1.0)
    };
    invalid_fields(world.record(both).await, &["usageIncrease"]);
    let zero_with_fuel = v1::RecordUsageRequest {
        usage_increase: Some(0.0),
        ..fuel(id, 1.0, v1::FuelKind::Gas)
    };
    invalid_fields(world.record(zero_with_fuel).await, &["usageIncrease"]);
    let kind = v1::RecordUsageRequest {
        fuel_kind: 7,
        ..fuel(id, 1.0, v1::FuelKind::Gas)
    };
    invalid_fields(world.record(kind).await, &["fuelType", "usageIncrease"]);
    for notes in ["x".repeat(5001), "a\0b".to_owned()] {
        let entry = v1::RecordUsageRequest {
            notes,
            ..increase(id, 1.0)
        };
        invalid_fields(world.record(entry).await, &["notes"]);
    }
    assert_eq!(world.state(id).await, before);
    let full = world.record(increase(id, 999_999_900.0)).await.unwrap();
    assert_eq!(full.current_usage.to_bits(), 1e9_f64.to_bits());
    invalid_fields(world.record(increase(id, 0.01)).await, &["usageIncrease"]);
}

#[tokio::test]
async fn record_usage_of_unknown_ids_is_not_found() {
    let world = World::new().await;
    for id in unknown_ids() {
        not_found(world.record(increase(&id, 1.0)).await);
    }
    let made = world.create(named("A")).await.unwrap();
    world.retire(&made.id, "").await.unwrap();
    not_found(world.record(increase(&made.id, 1.0)).await);
}

#[tokio::test]
async fn record_usage_concurrently_is_exact() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 0.3)).await.unwrap();
    world.warm_up().await;
    let entries = (0..100).map(|_| {
        world.record(v1::RecordUsageRequest {
            fuel_added: Some(0.1),
            ..increase(&made.id, 0.1)
        })
    });
    // As many at a time as there are connections.
    let answers: Vec<_> = futures::stream::iter(entries)
        .buffer_unordered(CONNECTIONS)
        .collect()
        .await;
    let mut answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    answers.sort_by_key(|answer| answer.version);
    let versions: Vec<u64> = answers.iter().map(|answer| answer.version).collect();
    assert!(versions.into_iter().eq(2..=101), "each after its own entry");
    let after = world.get(&made.id).await.unwrap();
    assert_eq!(answers.last(), Some(&after), "the answer is the stored row");
    assert_eq!(after.current_usage.to_bits(), 10.3_f64.to_bits());
    assert_eq!(after.total_fuel_used.to_bits(), 10_f64.to_bits());
    assert_eq!(after.version, 101);
    let history = world.history(&made.id).await.unwrap();
    assert_eq!(history.len(), 100);
    // Each entry starts where another one ended.
    let mut befores: Vec<_> = history.iter().map(|record| record.usage_before).collect();
    befores.sort_by(|a, b| a.partial_cmp(b).unwrap());
    befores.dedup();
    assert_eq!(befores.len(), 100);
    world.check_projections().await;
}

#[tokio::test]
async fn record_usage_during_fuel_reset_returns_the_stored_row() {
    // A separate database, because its totals differ from the ledger at the end.
    let world = World::with_own_database().await;
    let made = world.create(named("A")).await.unwrap();
    let filled = fuel(&made.id, 500.0, v1::FuelKind::Gas);
    world.record(filled).await.unwrap();
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let company = world.owner.company_id;
    let reset = format!("BEGIN; UPDATE equipment SET total_gas = 0 WHERE company_id = '{company}'");
    admin.execute(AssertSqlSafe(reset)).await.unwrap();
    let commit = async {
        // Meanwhile the entry waits for the reset.
        tokio::time::sleep(Duration::from_millis(200)).await;
        admin.execute("COMMIT").await.unwrap();
    };
    let entry = fuel(&made.id, 10.0, v1::FuelKind::Gas);
    let (answer, ()) = tokio::join!(world.record(entry), commit);
    let stored = world.get(&made.id).await.unwrap();
    assert_eq!(answer.unwrap(), stored);
    assert_eq!(stored.total_gas_used.to_bits(), 10_f64.to_bits());
    world.allow_wrong_projections();
}

#[tokio::test]
async fn record_usage_during_edits_and_voids_loses_nothing() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 100.0)).await.unwrap();
    let mut voided = Vec::new();
    for _ in 0..5 {
        world.record(increase(&made.id, 1000.0)).await.unwrap();
        voided.push(world.newest(&made.id).await);
    }
    world.warm_up().await;
    let entries = (0..20).map(|_| world.record(increase(&made.id, 0.1)));
    let entries = futures::stream::iter(entries)
        .buffer_unordered(CONNECTIONS)
        .try_collect::<Vec<_>>();
    let edits = async {
        for round in 0..10 {
            let edited = v1::EquipmentInput {
                description: Some(format!("Edit {round}")),
                ..named("Loader")
            };
            world.update(&made.id, edited, None).await.unwrap();
        }
    };
    let voids = async {
        for entry in &voided {
            let voiding = void(&made.id, entry);
            world.void_as(&world.owner, voiding).await.unwrap();
        }
    };
    let (entries, (), ()) = tokio::join!(entries, edits, voids);
    assert_eq!(entries.unwrap().len(), 20);
    let after = world.get(&made.id).await.unwrap();
    assert_eq!(after.current_usage.to_bits(), 102_f64.to_bits());
    assert_eq!(after.description, "Edit 9");
    // 5 voided entries, 20 that count and 10 edits.
    assert_eq!(world.history(&made.id).await.unwrap().len(), 35);
    world.check_projections().await;
}

#[tokio::test]
async fn record_usage_during_retirement_or_deletion_is_counted_or_not_found() {
    let world = World::new().await;
    world.warm_up().await;
    for retire in [true, false] {
        let made = world.create(with_usage("Loader", 100.0)).await.unwrap();
        let entries = (0..20).map(|_| world.record(increase(&made.id, 1.0)));
        let entries = futures::stream::iter(entries)
            .buffer_unordered(CONNECTIONS)
            .collect::<Vec<_>>();
        let removal = async {
            if retire {
                world.retire(&made.id, "").await.unwrap();
            } else {
                world.delete(&made.id).await.unwrap();
            }
        };
        let (entries, ()) = tokio::join!(entries, removal);
        let (counted, refused): (Vec<_>, Vec<_>) = entries.into_iter().partition(Result::is_ok);
        for answer in refused {
            not_found(answer);
        }
        if retire {
            let stored = world.retired(&made.id).await.unwrap();
            let usage = stored.final_usage;
            let expected = 100.0 + f64::from(u32::try_from(counted.len()).unwrap());
            assert_eq!(usage.to_bits(), expected.to_bits());
        }
        world.check_projections().await;
    }
}

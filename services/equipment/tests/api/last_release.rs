//! Rows as the last release leaves them while it runs beside this one, and their repair.

use chrono::TimeDelta;
use hourmeter_equipment::maintenance::Mode;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use uuid::Uuid;

use crate::relay::{captured, reading, submission};
use crate::support::{World, increase, refused, with_usage};
use crate::typical_usage::days_of_use;

async fn repaired(world: &World) -> Vec<String> {
    assert_eq!(
        world.rebuild(Mode::Check).await,
        world.rebuild(Mode::Check).await
    );
    let found = world.rebuild(Mode::Repair).await;
    world.check_projections().await;
    found.into_iter().map(|row| row.what).collect()
}

#[tokio::test]
async fn voids_of_the_last_release_are_completed() {
    let world = World::with_own_database().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let update = v1::ApplyOperatorUpdateRequest {
        usage_increase: Some(10.0),
        ..submission(id)
    };
    world.apply(update.clone()).await.unwrap();
    let voided = world.newest(id).await;
    world.later(TimeDelta::days(1));
    world.record(increase(id, 5.0)).await.unwrap();
    let stale = world.newest(id).await;
    world
        .tamper(&format!(
            "INSERT INTO ledger_voids (
                company_id, entry_id, equipment_id, reason, actor_id, actor_name, voided_at,
                usage_before, usage_after
            )
            SELECT company_id, id, equipment_id, 'Twice', actor_id, 'Olivia', '2026-03-11T13:00Z',
                11500, 10500
            FROM ledger
            WHERE id = '{voided}';
            UPDATE equipment
            SET current_usage = current_usage - 1000, version = version + 1"
        ))
        .await;
    let what = repaired(&world).await;
    assert_eq!(
        what,
        [
            &format!("void of the update {}", update.update_id),
            "days of use",
            "usage of these days",
            &format!("usage of 1 entries, first of {stale}"),
        ]
    );
    let newest = &world.history(id).await.unwrap()[0];
    assert_eq!(
        (newest.usage_before, newest.usage),
        (Some(100.0), Some(105.0))
    );
    let listed = world.voided_updates("").await.unwrap().updates;
    assert_eq!(
        (listed[0].update_id.as_str(), listed[0].reason.as_str()),
        (update.update_id.as_str(), "Twice")
    );
    // It can be applied again, and its entry voided once more.
    let again = v1::ApplyOperatorUpdateRequest {
        attempt: 1,
        ..update
    };
    assert!(!world.apply(again).await.unwrap().repeated);
    let entry = world.newest(id).await;
    world.void(id, &entry).await.unwrap();
    assert_eq!(repaired(&world).await, [""; 0]);
}

#[tokio::test]
async fn changes_of_the_unit_by_the_last_release_are_marked() {
    let world = World::with_own_database().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let hours = world.later(TimeDelta::hours(1));
    world.later(TimeDelta::days(1));
    world.record(increase(id, 10.0)).await.unwrap();
    let changed = world.later(TimeDelta::days(1));
    world
        .tamper(&format!(
            "INSERT INTO ledger (
                company_id, id, equipment_id, equipment_name, unit, kind, note_type, actor_id,
                actor_name, source, captured_at, recorded_at, usage_before, usage_after, reading,
                fuel, content, sequence, meter_effect
            )
            SELECT company_id, '{}', id, name, 'miles', 'edit', 'note', id, 'Olivia', 'manager',
                '{changed}', '{changed}', 11000, 50000, 50000, 0,
                'Unit: hours → miles; Current usage: 110 → 500', version + 1, 'reading'
            FROM equipment;
            UPDATE equipment
            SET unit = 'miles', current_usage = 50000, meter_read_at = '{changed}',
                version = version + 1",
            Uuid::now_v7()
        ))
        .await;
    let what = repaired(&world).await;
    assert_eq!(what[0], "change of the unit");
    assert_eq!(days_of_use(&world, id).await, "{} {} UTC");
    let segments = world.segments(id).await.unwrap();
    assert_eq!(segments[0].start_usage.to_string(), "500");
    assert_eq!(segments[0].started_at, Some(captured(changed)));
    let late = v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(hours)),
        ..reading(id, 900.0)
    };
    refused(world.apply(late).await, Kind::Conflict, "WRONG_UNIT");
}

#[tokio::test]
async fn changes_of_the_unit_are_not_marked_again() {
    let world = World::with_own_database().await;
    for input in [with_usage("A", 100.0), crate::support::named("B")] {
        let made = world.create(input).await.unwrap();
        world.note(&made.id, "Text").await.unwrap();
        for unit in [v1::MeterUnit::Miles, v1::MeterUnit::Hours] {
            world.later(TimeDelta::hours(1));
            let input = v1::EquipmentInput {
                unit: Some(unit.into()),
                ..Default::default()
            };
            world.update(&made.id, input, None).await.unwrap();
        }
    }
    world.check_projections().await;
}

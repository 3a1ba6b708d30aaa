//! The meter as a fold of facts in the order of their capture.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;

use crate::fuel::gas;
use crate::meters::fitted;
use crate::relay::{captured, reading, submission};
use crate::support::{World, increase, invalid_fields, named, refused, with_usage};
use crate::task_calls::{by_usage, done_on, with_form};

impl World {
    pub async fn usage_of(&self, id: &str) -> String {
        self.get(id).await.unwrap().current_usage.to_string()
    }

    /// Texts of the edits of a machine, newest first.
    async fn edits(&self, id: &str) -> Vec<String> {
        let mut rows = self.history(id).await.unwrap();
        rows.retain(|row| row.kind() == v1::HistoryKind::Edit);
        rows.into_iter().map(|row| row.content).collect()
    }
}

pub fn at(
    update: v1::ApplyOperatorUpdateRequest,
    at: DateTime<Utc>,
) -> v1::ApplyOperatorUpdateRequest {
    v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(at)),
        ..update
    }
}

#[tokio::test]
async fn increase_of_a_manager_leaves_earlier_readings_valid() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 300.0)).await.unwrap();
    let noon = world.later(TimeDelta::hours(1));
    world.later(TimeDelta::hours(1));
    world.record(increase(&made.id, 1.0)).await.unwrap();
    let answer = world
        .apply(at(reading(&made.id, 512.0), noon))
        .await
        .unwrap();
    assert_eq!(
        (answer.usage_before, answer.usage_after),
        (Some(300.0), Some(512.0))
    );
    let found = world.get(&made.id).await.unwrap();
    assert_eq!(found.current_usage.to_string(), "513");
    assert_eq!(found.meter_read_at, Some(captured(noon)));
    // The history shows the figures by what is known now.
    let history = world.history(&made.id).await.unwrap();
    let moved = |nth: usize| (history[nth].usage_before, history[nth].usage);
    let rows = [moved(0), moved(1)];
    assert!(rows.contains(&(Some(512.0), Some(513.0))), "{rows:?}");
    world.check_projections().await;
}

#[tokio::test]
async fn facts_in_any_order_give_one_meter() {
    let mut seen = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
        let world = World::new().await;
        let made = world.create(with_usage("A", 100.0)).await.unwrap();
        let start = world.clock.now();
        world.later(TimeDelta::days(1));
        let added = v1::ApplyOperatorUpdateRequest {
            usage_increase: Some(4.0),
            ..submission(&made.id)
        };
        let updates = [
            at(reading(&made.id, 120.0), start + TimeDelta::hours(1)),
            at(added, start + TimeDelta::hours(2)),
            at(reading(&made.id, 130.0), start + TimeDelta::hours(3)),
        ];
        for nth in order {
            world.apply(updates[nth].clone()).await.unwrap();
        }
        let history = world.history(&made.id).await.unwrap();
        let mut moved: Vec<_> = history
            .iter()
            .map(|row| {
                (
                    row.captured_at.unwrap().seconds,
                    row.usage_before,
                    row.usage,
                )
            })
            .map(|row| format!("{row:?}"))
            .collect();
        moved.sort();
        seen.push((world.usage_of(&made.id).await, moved));
        world.check_projections().await;
    }
    assert_eq!(seen[0].0, "130");
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:?}");
}

#[tokio::test]
async fn first_reading_is_the_baseline() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        service_interval: Some(250.0),
        fuel: Some(v1::EquipmentFuel::Diesel.into()),
        ..named("A")
    };
    let made = world.create(input).await.unwrap();
    let id = made.id.as_str();
    assert_eq!((made.current_usage, made.last_service_usage), (0.0, None));
    assert_eq!((made.usage_percent, made.remaining_usage), (None, None));
    let after = world.record(increase(id, 8.0)).await.unwrap();
    assert_eq!((after.current_usage, after.meter_read_at), (0.0, None));
    let first = v1::RecordUsageRequest {
        current_usage: Some(4812.0),
        ..gas(id, 50.0)
    };
    let after = world.record(first).await.unwrap();
    assert_eq!(after.current_usage.to_string(), "4812");
    assert_eq!(after.last_service_usage, Some(4812.0));
    assert_eq!(after.service_status(), v1::ServiceStatus::Good);
    let per_unit = async || {
        let summary = world
            .fuel(v1::GetFuelSummaryRequest::default())
            .await
            .unwrap();
        summary.by_equipment[0].per_unit
    };
    assert_eq!(per_unit().await, None);
    let next = v1::RecordUsageRequest {
        usage_increase: Some(10.0),
        ..gas(id, 25.0)
    };
    let after = world.record(next).await.unwrap();
    assert_eq!(after.current_usage.to_string(), "4822");
    assert_eq!(per_unit().await, Some(2.5));
    world.check_projections().await;
}

#[tokio::test]
async fn last_service_above_the_usage_is_refused() {
    let world = World::new().await;
    let input = |usage: Option<f64>, last: f64| v1::EquipmentInput {
        current_usage: usage,
        service_interval: Some(250.0),
        last_service_usage: Some(last),
        ..named("A")
    };
    let field = ["lastServiceUsage"];
    let failure = invalid_fields(world.create(input(Some(100.0), 5000.0)).await, &field);
    assert_eq!(
        failure.message,
        "Last service cannot be above the current usage"
    );
    let made = world.create(input(Some(100.0), 100.0)).await.unwrap();
    let edit = v1::EquipmentInput {
        last_service_usage: Some(100.01),
        ..Default::default()
    };
    invalid_fields(world.update(&made.id, edit, None).await, &field);
    let task = v1::ServiceTaskInput {
        last_done_usage: Some(100.01),
        ..by_usage("Oil", 50.0)
    };
    invalid_fields(world.add_task(&made.id, task).await, &["lastDoneUsage"]);
    // Before the first reading it is not known.
    let unread = world.create(input(None, 4700.0)).await.unwrap();
    let read = world.apply(reading(&unread.id, 4650.0)).await.unwrap();
    assert_eq!(read.usage_after, Some(4650.0));
    let after = world.get(&unread.id).await.unwrap();
    assert_eq!(after.last_service_usage, Some(4650.0));
    let line = &world.history(&unread.id).await.unwrap();
    let line = line.iter().find(|row| row.kind() == v1::HistoryKind::Edit);
    assert_eq!(line.unwrap().content, "Last serviced: 4700 → 4650");
    world.check_projections().await;
}

#[tokio::test]
async fn corrections_and_voids_clamp_last_services() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 1000.0)).await.unwrap();
    let id = made.id.as_str();
    let typo = v1::RecordUsageRequest {
        reading: Some(10_000.0),
        ..gas(id, 1.0)
    };
    world.record(typo).await.unwrap();
    let typo = world.newest(id).await;
    world.later(TimeDelta::minutes(1));
    let edit = v1::EquipmentInput {
        service_interval: Some(250.0),
        ..Default::default()
    };
    let after = world.update(id, edit, None).await.unwrap();
    assert_eq!(after.last_service_usage, Some(10_000.0));
    let after = world.void(id, &typo).await.unwrap().equipment.unwrap();
    assert_eq!(
        (after.current_usage, after.last_service_usage),
        (1000.0, Some(1000.0))
    );
    world.later(TimeDelta::minutes(1));
    let correction = v1::EquipmentInput {
        current_usage: Some(900.0),
        last_service_usage: Some(1000.0),
        ..Default::default()
    };
    let after = world.update(id, correction, None).await.unwrap();
    assert_eq!(after.last_service_usage, Some(900.0));
    world.check_projections().await;
}

#[tokio::test]
async fn services_moved_by_a_manager_are_edits_of_the_manager_and_move_back() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        service_interval: Some(100.0),
        last_service_usage: Some(696.5),
        ..with_usage("A", 803.0)
    };
    let made = world.create(input).await.unwrap();
    let id = made.id.as_str();
    world.later(TimeDelta::minutes(1));
    let set_back = v1::ApplyOperatorUpdateRequest {
        replace_meter: true,
        decided_by_id: world.owner.user_id.to_string(),
        decided_by: "Olivia Owner".to_owned(),
        ..reading(id, 600.0)
    };
    world.apply(set_back).await.unwrap();
    let after = world.get(id).await.unwrap();
    assert_eq!(after.last_service_usage, Some(600.0));
    assert_eq!(world.edits(id).await, ["Last serviced: 696.5 → 600"]);
    let rows = world.history(id).await.unwrap();
    let edit = rows.iter().find(|row| row.kind() == v1::HistoryKind::Edit);
    assert_eq!(edit.unwrap().operator_name, "Olivia Owner");
    let entry = rows.iter().find(|row| row.usage == Some(600.0)).unwrap();
    world.later(TimeDelta::minutes(1));
    let preview = world.preview_void(&world.owner, id, &entry.id).await;
    let preview = preview.unwrap();
    assert_eq!(
        (preview.current_usage, preview.meter_reading),
        (803.0, 803.0)
    );
    let moved = v1::MovedService {
        task_name: String::new(),
        before: Some(600.0),
        after: Some(696.5),
    };
    assert_eq!(preview.services, [moved]);
    assert_eq!(world.usage_of(id).await, "600");
    let after = world.void(id, &entry.id).await.unwrap().equipment.unwrap();
    assert_eq!(after.last_service_usage, Some(696.5));
    assert_eq!(world.edits(id).await[0], "Last serviced: 600 → 696.5");
    let rows = world.history(id).await.unwrap();
    assert_eq!(rows[0].operator_name, world.owner.display_name);
}

#[tokio::test]
async fn service_on_a_past_day_takes_the_meter_of_that_day() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        service_interval: Some(250.0),
        ..with_usage("A", 400.0)
    };
    let made = world.create(input).await.unwrap();
    let id = made.id.as_str();
    let (task, _) = world.add_task(id, by_usage("Belts", 100.0)).await.unwrap();
    world.later(TimeDelta::days(1));
    world.record(increase(id, 60.0)).await.unwrap();
    world.later(TimeDelta::days(1));
    world.record(increase(id, 40.0)).await.unwrap();
    let on = |meter: Option<f64>| v1::MarkServicedRequest {
        id: id.to_owned(),
        performed_at: "2026-03-11".to_owned(),
        task_ids: vec![task.id.clone()],
        expected_reading: Some(500.0),
        cost: Some(80.0),
        meter,
        ..Default::default()
    };
    let after = world.serviced(on(None)).await.unwrap();
    let tasks = world.tasks(id).await.unwrap();
    assert_eq!(tasks[1].last_done_usage, Some(460.0));
    assert_eq!(tasks[1].last_done_on, "2026-03-11");
    // The form's task was not chosen.
    assert_eq!(after.last_service_usage, Some(400.0));
    world.serviced(on(Some(455.0))).await.unwrap();
    assert_eq!(
        world.tasks(id).await.unwrap()[1].last_done_usage,
        Some(455.0)
    );
    let moved = v1::MarkServicedRequest {
        expected_reading: Some(460.0),
        ..on(None)
    };
    refused(world.serviced(moved).await, Kind::Stale, "STALE");
    // A later reading of 500 contradicts a meter above it.
    let read = v1::RecordUsageRequest {
        reading: Some(500.0),
        ..gas(id, 1.0)
    };
    world.record(read).await.unwrap();
    let failure = invalid_fields(world.serviced(on(Some(9999.0))).await, &["meter"]);
    assert_eq!(failure.message, "The meter was read at 500 after this.");
    invalid_fields(
        world
            .complete(v1::CompleteServiceTaskRequest {
                meter: Some(501.0),
                ..done_on(id, &task.id, "2026-03-11")
            })
            .await,
        &["meter"],
    );
    world.check_projections().await;
}

#[tokio::test]
async fn record_usage_at_an_earlier_time_is_between_its_neighbours() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let middle = world.later(TimeDelta::hours(1));
    world.later(TimeDelta::hours(1));
    let usage = |reading: f64, at: DateTime<Utc>| v1::RecordUsageRequest {
        id: id.to_owned(),
        reading: Some(reading),
        captured_at: Some(captured(at)),
        ..Default::default()
    };
    let now = world.clock.now();
    world.record(usage(200.0, now)).await.unwrap();
    invalid_fields(world.record(usage(99.0, middle)).await, &["meterReading"]);
    let failure = invalid_fields(world.record(usage(201.0, middle)).await, &["meterReading"]);
    assert_eq!(failure.message, "The meter was read at 200 after this.");
    let future = usage(300.0, now + TimeDelta::seconds(1));
    invalid_fields(world.record(future).await, &["capturedAt"]);
    let after = world.record(usage(150.0, middle)).await.unwrap();
    assert_eq!(after.current_usage.to_string(), "200");
    let seen = v1::RecordUsageRequest {
        expected_reading: Some(100.0),
        ..increase(id, 8.0)
    };
    refused(world.record(seen).await, Kind::Stale, "STALE");
    world.check_projections().await;
}

#[tokio::test]
async fn record_usage_reads_life_to_date_and_dial() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 5000.0)).await.unwrap();
    let id = made.id.as_str();
    world.replace(fitted(id, 5000.0, 0.0, 50.0)).await.unwrap();
    let usage = |usage: Option<f64>, reading: Option<f64>| v1::RecordUsageRequest {
        id: id.to_owned(),
        current_usage: usage,
        reading,
        ..Default::default()
    };
    let after = world.record(usage(Some(5050.0), None)).await.unwrap();
    assert_eq!((after.current_usage, after.meter_reading), (5050.0, 50.0));
    let after = world.record(usage(Some(5058.0), Some(58.0))).await.unwrap();
    assert_eq!((after.current_usage, after.meter_reading), (5058.0, 58.0));
    let answer = world.record(usage(Some(5058.0), Some(5058.0))).await;
    invalid_fields(answer, &["meterReading"]);
    world.check_projections().await;
}

#[tokio::test]
async fn new_unit_begins_a_segment() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let hours = world.later(TimeDelta::hours(1));
    world.later(TimeDelta::hours(1));
    let used = v1::RecordUsageRequest {
        usage_increase: Some(10.0),
        ..gas(id, 20.0)
    };
    world.record(used.clone()).await.unwrap();
    let input = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::Miles.into()),
        current_usage: Some(500.0),
        ..Default::default()
    };
    let after = world.update(id, input, None).await.unwrap();
    assert_eq!((after.current_usage, after.meter_reading), (500.0, 500.0));
    world.later(TimeDelta::hours(1));
    world.record(used).await.unwrap();
    let summary = world
        .fuel(v1::GetFuelSummaryRequest::default())
        .await
        .unwrap();
    assert_eq!(
        (summary.total, summary.by_equipment[0].per_unit),
        (40.0, Some(2.0))
    );
    for wrong in [
        at(reading(id, 900.0), hours),
        v1::ApplyOperatorUpdateRequest {
            unit: v1::MeterUnit::Hours.into(),
            ..reading(id, 900.0)
        },
    ] {
        refused(world.apply(wrong).await, Kind::Conflict, "WRONG_UNIT");
    }
    let given = v1::ApplyOperatorUpdateRequest {
        unit: v1::MeterUnit::Hours.into(),
        replace_meter: true,
        ..reading(id, 520.0)
    };
    assert_eq!(world.apply(given).await.unwrap().usage_after, Some(520.0));
    let history = world.history(id).await.unwrap();
    let old = history.last().unwrap();
    assert_eq!((old.usage_before, old.usage), (Some(100.0), Some(110.0)));
    assert_eq!(world.segments(id).await.unwrap().len(), 1);
    world.check_projections().await;
}

#[tokio::test]
async fn new_unit_counts_without_meters_replaced_before() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 95.0)).await.unwrap();
    let id = made.id.as_str();
    world.later(TimeDelta::hours(1));
    world.replace(fitted(id, 95.0, 0.0, 0.0)).await.unwrap();
    world.later(TimeDelta::hours(1));
    let input = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::Miles.into()),
        meter_reading: Some(40.0),
        ..Default::default()
    };
    let after = world.update(id, input, None).await.unwrap();
    assert_eq!((after.current_usage, after.meter_reading), (40.0, 40.0));
    let [segment] = world.segments(id).await.unwrap().try_into().unwrap();
    assert_eq!((segment.start_reading, segment.start_usage), (40.0, 40.0));
    let edit = world.history(id).await.unwrap().remove(0);
    assert!(
        edit.content.contains("Meter reading: 0 → 40"),
        "{}",
        edit.content
    );
    world.check_projections().await;
}

#[tokio::test]
async fn reading_set_by_a_manager_counts_from_the_change_of_the_unit() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    assert_eq!(made.unit_since, None);
    let hours = world.later(TimeDelta::hours(1));
    world.later(TimeDelta::hours(1));
    let input = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::Miles.into()),
        current_usage: Some(500.0),
        ..Default::default()
    };
    let after = world.update(id, input, None).await.unwrap();
    assert_eq!(after.unit_since, after.meter_read_at);
    let corrected = |miles: f64| v1::ApplyOperatorUpdateRequest {
        unit: v1::MeterUnit::Hours.into(),
        replace_meter: true,
        ..at(reading(id, miles), hours)
    };
    world.later(TimeDelta::hours(1));
    let applied = world.apply(corrected(650.0)).await.unwrap();
    assert_eq!(
        (applied.usage_before, applied.usage_after),
        (Some(500.0), Some(650.0))
    );
    assert_eq!(world.usage_of(id).await, "650");
    world.apply(reading(id, 700.0)).await.unwrap();
    world.apply(corrected(660.0)).await.unwrap();
    assert_eq!(world.usage_of(id).await, "700");
    world.check_projections().await;
}

#[tokio::test]
async fn unit_for_equipment_without_a_meter_leaves_it_never_read() {
    let world = World::new().await;
    let meterless = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::NotApplicable.into()),
        service_interval: Some(250.0),
        ..named("A")
    };
    let made = world.create(meterless).await.unwrap();
    let id = made.id.as_str();
    world.later(TimeDelta::hours(1));
    world.record(increase(id, 300.0)).await.unwrap();
    let input = v1::EquipmentInput {
        unit: Some(v1::MeterUnit::Hours.into()),
        last_service_usage: Some(4700.0),
        ..Default::default()
    };
    let after = world.update(id, input, None).await.unwrap();
    assert_eq!((after.meter_read_at, after.current_usage), (None, 0.0));
    assert_eq!((after.usage_percent, after.remaining_usage), (None, None));
    world.later(TimeDelta::hours(1));
    world.record(increase(id, 5.0)).await.unwrap();
    assert_eq!(world.get(id).await.unwrap().current_usage.to_string(), "0");
    world.later(TimeDelta::hours(1));
    world.apply(reading(id, 4812.0)).await.unwrap();
    let found = world.get(id).await.unwrap();
    assert_eq!(
        (found.current_usage, found.usage_percent),
        (4812.0, Some(44.8))
    );
    let history = world.history(id).await.unwrap();
    let used = history.last().unwrap();
    assert_eq!((used.usage_before, used.usage), (Some(0.0), Some(300.0)));
    let segment = &world.segments(id).await.unwrap()[0];
    assert_eq!(segment.start_usage.to_string(), "0");
    world.check_projections().await;
}

#[tokio::test]
async fn fuel_counts_in_the_period_of_its_capture() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let before_reset = world.later(TimeDelta::hours(1));
    world.later(TimeDelta::hours(1));
    world.reset_fuel().await.unwrap();
    world.later(TimeDelta::hours(1));
    world.record(gas(id, 3.0)).await.unwrap();
    let late = v1::ApplyOperatorUpdateRequest {
        fuel_added: 10.0,
        ..submission(id)
    };
    world.apply(at(late, before_reset)).await.unwrap();
    let found = world.get(id).await.unwrap();
    assert_eq!(found.total_fuel_used.to_string(), "3");
    let rows = world.history(id).await.unwrap();
    let periods: Vec<_> = rows
        .iter()
        .map(|row| (row.fuel_added, row.fuel_period))
        .collect();
    assert!(periods.contains(&(10.0, 0)) && periods.contains(&(3.0, 1)));
    let retired = world.retire(id, "").await.unwrap();
    assert_eq!(retired.total_fuel_used.to_string(), "13");
    world.check_projections().await;
}

#[tokio::test]
async fn increase_of_the_instant_of_a_service_leaves_its_mark() {
    let world = World::new().await;
    let made = world.create(with_form("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    world.later(TimeDelta::hours(1));
    let serviced = v1::MarkServicedRequest {
        id: id.to_owned(),
        ..Default::default()
    };
    world.serviced(serviced).await.unwrap();
    let increase = v1::ApplyOperatorUpdateRequest {
        usage_increase: Some(5.0),
        ..submission(id)
    };
    world.apply(at(increase, world.clock.now())).await.unwrap();
    let after = world.get(id).await.unwrap();
    assert_eq!(
        (after.current_usage, after.last_service_usage),
        (105.0, Some(100.0))
    );
    world.check_projections().await;
}

#[tokio::test]
async fn reading_captured_before_a_service_that_arrives_after_it_moves_its_mark() {
    let world = World::new().await;
    let made = world.create(with_form("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    world.later(TimeDelta::hours(1));
    let noon = world.clock.now();
    world.later(TimeDelta::hours(1));
    let serviced = v1::MarkServicedRequest {
        id: id.to_owned(),
        ..Default::default()
    };
    world.serviced(serviced).await.unwrap();
    world.later(TimeDelta::hours(1));
    world.apply(at(reading(id, 105.0), noon)).await.unwrap();
    let after = world.get(id).await.unwrap();
    assert_eq!(
        (after.current_usage, after.last_service_usage),
        (105.0, Some(105.0))
    );
    world.check_projections().await;

    let late = v1::RecordUsageRequest {
        captured_at: Some(captured(noon + TimeDelta::minutes(1))),
        ..increase(id, 2.0)
    };
    world.record(late).await.unwrap();
    let after = world.get(id).await.unwrap();
    assert_eq!(
        (after.current_usage, after.last_service_usage),
        (107.0, Some(107.0))
    );
    world.check_projections().await;
    assert_eq!(
        world.edits(id).await,
        ["Last serviced: 105 → 107", "Last serviced: 100 → 105"]
    );
    let rows = world.history(id).await.unwrap();
    let entry = rows.iter().find(|row| row.reading == Some(105.0)).unwrap();
    world.later(TimeDelta::minutes(1));
    world.void(id, &entry.id).await.unwrap();
    assert_eq!(world.edits(id).await[0], "Last serviced: 107 → 102");
}

#[tokio::test]
async fn service_lowered_by_a_reading_captured_before_it_is_an_edit() {
    let world = World::new().await;
    let made = world.create(with_form("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    world.later(TimeDelta::hours(1));
    let captured_at = world.clock.now();
    world.later(TimeDelta::hours(1));
    let serviced = v1::MarkServicedRequest {
        id: id.to_owned(),
        ..Default::default()
    };
    world.serviced(serviced).await.unwrap();
    assert!(world.edits(id).await.is_empty());
    world.later(TimeDelta::hours(1));
    let set_back = v1::ApplyOperatorUpdateRequest {
        replace_meter: true,
        ..reading(id, 88.0)
    };
    world.apply(at(set_back, captured_at)).await.unwrap();
    let after = world.get(id).await.unwrap();
    assert_eq!(after.last_service_usage, Some(88.0));
    assert_eq!(world.edits(id).await, ["Last serviced: 100 → 88"]);
}

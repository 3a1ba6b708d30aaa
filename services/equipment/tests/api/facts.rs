//! The meter as a fold of facts in the order of their capture.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_relay;

use crate::fuel::gas;
use crate::meters::{fitted, replaced};
use crate::relay::{captured, reading, submission};
use crate::support::{
    CallResult, World, fold, increase, invalid_fields, named, refused, unknown_id, with_usage,
};
use crate::task_calls::{by_usage, done_on, with_form};

impl World {
    async fn meters_at(&self, queries: &[(&str, Option<DateTime<Utc>>)]) -> Vec<v1::MeterAt> {
        let queries = queries.iter().map(|(id, at)| v1::MeterQuery {
            equipment_id: (*id).to_owned(),
            captured_at: at.map(captured),
        });
        let queries = queries.collect();
        let message = v1::GetMetersRequest { queries };
        let request = as_relay(Service::Equipment, self.owner.company_id, message);
        fold(self.client().get_meters(request).await)
            .unwrap()
            .meters
    }

    pub async fn voided_updates(&self, after: &str) -> CallResult<v1::ListVoidedUpdatesResponse> {
        let message = v1::ListVoidedUpdatesRequest {
            after: after.to_owned(),
            limit: 0,
        };
        let request = as_relay(Service::Equipment, self.owner.company_id, message);
        fold(self.client().list_voided_updates(request).await)
    }

    async fn usage_of(&self, id: &str) -> String {
        self.get(id).await.unwrap().current_usage.to_string()
    }
}

fn at(update: v1::ApplyOperatorUpdateRequest, at: DateTime<Utc>) -> v1::ApplyOperatorUpdateRequest {
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
async fn meters_at_a_time_have_their_neighbours() {
    let world = World::new().await;
    let start = world.clock.now();
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let one = world.later(TimeDelta::hours(1));
    world.record(increase(id, 5.0)).await.unwrap();
    let two = world.later(TimeDelta::hours(1));
    world.apply(reading(id, 130.0)).await.unwrap();
    world.later(TimeDelta::hours(1));
    world.replace(replaced(id)).await.unwrap();
    let gone = world.create(named("Gone")).await.unwrap();
    world.delete(&gone.id).await.unwrap();
    let kept = world.create(with_usage("Kept", 7.0)).await.unwrap();
    world.retire(&kept.id, "").await.unwrap();
    let unknown = unknown_id();
    let later = two + TimeDelta::minutes(1);
    let queries = [
        (id, Some(start - TimeDelta::hours(1))),
        (id, Some(one - TimeDelta::minutes(1))),
        (id, Some(one)),
        (id, Some(later)),
        (id, None),
        (gone.id.as_str(), None),
        (kept.id.as_str(), None),
        (unknown.as_str(), None),
    ];
    let found = world.meters_at(&queries).await;
    let neighbours: Vec<_> = found
        .iter()
        .map(|meter| (meter.reading_before, meter.reading_after))
        .collect();
    assert_eq!(
        neighbours,
        [
            (None, Some(100.0)),
            (Some(100.0), Some(130.0)),
            (Some(105.0), Some(130.0)),
            (Some(130.0), None),
            (Some(0.0), None),
            (None, None),
            (Some(7.0), None),
        ]
    );
    assert_eq!(found[2].before_at, Some(captured(one)));
    let states: Vec<_> = found[4..].iter().map(v1::MeterAt::state).collect();
    let expected = [
        v1::MachineState::Active,
        v1::MachineState::Deleted,
        v1::MachineState::Retired,
    ];
    assert_eq!(states, expected);
    let deleted = found[5].meter.as_ref().unwrap();
    assert_eq!(deleted.equipment_name, "Gone");
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
}

#[tokio::test]
async fn meters_at_a_time_of_more_machines_than_one_batch() {
    let mut world = World::new().await;
    world.owner.entitlements.equipment_limit = -1;
    let early = world.clock.now();
    let mut machines = Vec::new();
    for number in 0..51_i32 {
        let usage = f64::from(100 + number);
        let name = format!("Machine {number}");
        let made = world.create(with_usage(&name, usage)).await.unwrap();
        machines.push((made.id, usage));
    }
    world.later(TimeDelta::hours(1));
    for (id, _) in &machines {
        world.record(increase(id, 5.0)).await.unwrap();
    }
    let times = [early + TimeDelta::minutes(1), early + TimeDelta::minutes(2)];
    let queries: Vec<_> = machines
        .iter()
        .flat_map(|(id, _)| times.map(|at| (id.as_str(), Some(at))))
        .collect();
    let found = world.meters_at(&queries).await;
    let before: Vec<_> = found.iter().map(|meter| meter.reading_before).collect();
    let expected: Vec<_> = machines
        .iter()
        .flat_map(|(_, usage)| [Some(*usage); 2])
        .collect();
    assert_eq!(before, expected);
}

#[tokio::test]
async fn voided_update_is_applied_again_once() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    assert_eq!(world.voided_updates("").await.unwrap().updates, []);
    let first = reading(id, 1200.0);
    world.apply(first.clone()).await.unwrap();
    let again = v1::ApplyOperatorUpdateRequest {
        reading: Some(120.0),
        attempt: 1,
        ..first.clone()
    };
    // Not before its entry was voided.
    assert!(world.apply(again.clone()).await.unwrap().repeated);
    let entry = world.newest(id).await;
    world.void(id, &entry).await.unwrap();
    let listed = world.voided_updates("").await.unwrap();
    let row = &listed.updates[0];
    assert_eq!((&row.update_id, row.attempt), (&first.update_id, 1));
    assert_eq!(
        (row.reason.as_str(), row.voided_by.is_empty()),
        ("Typing error", false)
    );
    // A delayed duplicate of the first application.
    assert!(world.apply(first.clone()).await.unwrap().repeated);
    assert_eq!(world.usage_of(id).await, "100");
    let applied = world.apply(again.clone()).await.unwrap();
    assert_eq!(
        (applied.usage_after, applied.repeated),
        (Some(120.0), false)
    );
    assert!(world.apply(again).await.unwrap().repeated);
    assert_eq!(world.usage_of(id).await, "120");
    assert_eq!(world.voided_updates("").await.unwrap().updates, []);
    // And once more.
    let entry = world.newest(id).await;
    world.void(id, &entry).await.unwrap();
    let listed = world.voided_updates(&listed.next).await.unwrap();
    assert_eq!(listed.updates[0].attempt, 2);
    world.later(TimeDelta::minutes(2));
    let listed = world.voided_updates(&listed.next).await.unwrap();
    assert_eq!(
        world.voided_updates(&listed.next).await.unwrap().updates,
        []
    );
    world.check_projections().await;
}

#[tokio::test]
async fn voided_by_the_caller_of_its_update_once() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let update = reading(&made.id, 120.0);
    let attempt = |attempt| v1::UpdateAttempt {
        update_id: update.update_id.clone(),
        attempt,
    };
    let void = async |updates: Vec<v1::UpdateAttempt>| {
        let message = v1::VoidOperatorUpdatesRequest {
            updates,
            reason: "UNDONE".to_owned(),
            undone: true,
            actor_id: unknown_id(),
            actor_name: "Mara Manager".to_owned(),
        };
        let request = as_relay(Service::Equipment, world.owner.company_id, message);
        fold(world.client().void_operator_updates(request).await)
    };
    let is_applied = async |number| {
        let updates = vec![attempt(number)];
        let message = v1::FindAppliedUpdatesRequest { updates };
        let request = as_relay(Service::Equipment, world.owner.company_id, message);
        let found = fold(world.client().find_applied_updates(request).await);
        found.unwrap().applied.len() == 1
    };
    let unknown = void(vec![attempt(0)]).await.unwrap();
    assert_eq!(
        unknown.results[0].refused.as_ref().unwrap().reason,
        "NOT_FOUND"
    );
    assert!(!is_applied(0).await);
    world.apply(update.clone()).await.unwrap();
    assert!(is_applied(0).await && !is_applied(1).await);
    for _ in 0..2 {
        let voided = void(vec![attempt(0)]).await.unwrap();
        assert_eq!(voided.results, [v1::VoidOperatorUpdateResult::default()]);
        assert_eq!(world.usage_of(&made.id).await, "100");
    }
    assert!(is_applied(0).await && !is_applied(1).await);
    let listed = world.voided_updates("").await.unwrap().updates;
    assert_eq!((listed[0].undone, listed[0].attempt), (true, 1));
    let history = world.history(&made.id).await.unwrap();
    assert!(history[0].voiding.as_ref().unwrap().undone);
    let again = v1::ApplyOperatorUpdateRequest {
        attempt: 1,
        ..update.clone()
    };
    world.apply(again).await.unwrap();
    // A late repeat of the first undo.
    void(vec![attempt(0)]).await.unwrap();
    assert_eq!(world.usage_of(&made.id).await, "120");
    void(vec![attempt(1)]).await.unwrap();
    assert_eq!(world.usage_of(&made.id).await, "100");
    assert_eq!(void(Vec::new()).await.unwrap_err().kind, Kind::Invalid);
    world.check_projections().await;
}

#[tokio::test]
async fn voided_together_for_each_machine() {
    let world = World::new().await;
    let (loader, truck) = (
        world.create(with_usage("Loader", 100.0)).await.unwrap(),
        world.create(with_usage("Truck", 50.0)).await.unwrap(),
    );
    let mut updates = Vec::new();
    for (machine, value) in [
        (&loader, 110.0),
        (&truck, 60.0),
        (&loader, 120.0),
        (&loader, 130.0),
    ] {
        let update = reading(&machine.id, value);
        world.apply(update.clone()).await.unwrap();
        updates.push(v1::UpdateAttempt {
            update_id: update.update_id,
            attempt: 0,
        });
    }
    // The last one stays.
    let kept = updates.pop().unwrap();
    let unknown = v1::UpdateAttempt {
        update_id: unknown_id(),
        attempt: 0,
    };
    let repeated = updates[0].clone();
    updates.extend([unknown, repeated]);
    let void = async |updates: Vec<v1::UpdateAttempt>| {
        let message = v1::VoidOperatorUpdatesRequest {
            updates,
            reason: "Wrong machine".to_owned(),
            actor_id: unknown_id(),
            actor_name: "Mara Manager".to_owned(),
            ..Default::default()
        };
        let request = as_relay(Service::Equipment, world.owner.company_id, message);
        fold(world.client().void_operator_updates(request).await)
    };
    let results = void(updates).await.unwrap().results;
    let refused: Vec<_> = results.iter().map(|one| one.refused.is_some()).collect();
    assert_eq!(refused, [false, false, false, true, false]);
    assert_eq!(world.usage_of(&loader.id).await, "130");
    assert_eq!(world.usage_of(&truck.id).await, "50");
    let results = void(vec![kept]).await.unwrap().results;
    assert_eq!(results[0].refused, None);
    assert_eq!(world.usage_of(&loader.id).await, "100");
    let history = world.history(&loader.id).await.unwrap();
    assert!(history.iter().all(|record| record.voiding.is_some()));
    world.check_projections().await;
}

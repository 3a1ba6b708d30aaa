//! Random requests in random order: projections must match the ledger.

use chrono::TimeDelta;
use hourmeter_equipment::maintenance::Mode;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_person;

use crate::meters::fitted;
use crate::rebuild::maintained;
use crate::relay::{captured, reading, submission};
use crate::support::{World, fold};

/// A deterministic pseudo-random generator.
struct Rng(u64);

impl Rng {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    /// A quantity with two decimals.
    fn amount(&mut self, most: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "far below where it begins")]
        let hundredths = self.roll(most * 100) as f64;
        hundredths / 100.0
    }
}

#[expect(clippy::cast_possible_truncation, reason = "whole hundredths")]
fn hundredths(value: f64) -> i64 {
    (value * 100.0).round() as i64
}

/// One machine.
struct Machine {
    id: String,
    archived: Option<String>,
    initial: i64,
    /// Seconds and nanoseconds.
    created: (i64, i32),
}

impl Machine {
    async fn record(&self, world: &World, rng: &mut Rng) {
        let by = rng.amount(50) + 0.01;
        let now = world.get(&self.id).await.unwrap().meter_reading;
        let reading = ((now + by) * 100.0).round() / 100.0;
        let by = (by * 100.0).round() / 100.0;
        let (usage_increase, reading) = if rng.roll(2) == 0 {
            (Some(by), None)
        } else {
            (None, Some(reading))
        };
        let message = v1::RecordUsageRequest {
            id: self.id.clone(),
            usage_increase,
            reading,
            fuel_added: (rng.roll(2) == 0).then(|| rng.amount(20)),
            ..Default::default()
        };
        world.record(message).await.unwrap();
    }

    async fn apply(&self, world: &World, rng: &mut Rng) {
        let ago = i64::try_from(rng.roll(120)).unwrap();
        let message = v1::ApplyOperatorUpdateRequest {
            reading: Some(rng.amount(1000)),
            replace_meter: rng.roll(2) == 0,
            fuel_added: rng.amount(20),
            captured_at: Some(captured(world.clock.now() - TimeDelta::minutes(ago))),
            ..submission(&self.id)
        };
        // Below the meter it is refused.
        let _ = world.apply(message).await;
    }

    async fn replace(&self, world: &World, rng: &mut Rng) {
        let before = world.get(&self.id).await.unwrap().meter_reading;
        let round = |value: f64| (value * 100.0).round() / 100.0;
        let last = round(before + rng.amount(20));
        let first = rng.amount(30);
        let shows = round(first + rng.amount(5));
        if rng.roll(2) == 0 {
            world
                .replace(fitted(&self.id, last, first, shows))
                .await
                .unwrap();
        } else {
            let update = v1::ApplyOperatorUpdateRequest {
                meter_replacement: fitted(&self.id, last, first, shows).replacement,
                fuel_added: rng.amount(20),
                ..reading(&self.id, shows)
            };
            world.apply_all(vec![update]).await.unwrap();
        }
    }

    async fn edit(&self, world: &World, rng: &mut Rng) {
        let usage = rng.amount(1000);
        let known = world.get(&self.id).await.unwrap();
        let earlier = hundredths(known.current_usage) - hundredths(known.meter_reading);
        let life = hundredths(usage) + earlier.max(0);
        let input = match rng.roll(6) {
            0 => v1::EquipmentInput {
                #[expect(clippy::cast_precision_loss, reason = "far below where it begins")]
                current_usage: Some(life as f64 / 100.0),
                ..Default::default()
            },
            5 => v1::EquipmentInput {
                meter_reading: Some(usage),
                ..Default::default()
            },
            1 => v1::EquipmentInput {
                last_service_usage: Some(usage),
                ..Default::default()
            },
            2 => v1::EquipmentInput {
                has_scheduled_maintenance: Some(false),
                ..Default::default()
            },
            3 => v1::EquipmentInput {
                has_scheduled_maintenance: Some(true),
                maintenance_start_date: Some(format!("2026-02-{:02}", rng.roll(28) + 1)),
                maintenance_interval: Some(u32::try_from(rng.roll(40)).unwrap() + 1),
                maintenance_interval_unit: Some(v1::CalendarUnit::Days.into()),
                ..Default::default()
            },
            _ => v1::EquipmentInput {
                service_interval: Some([0.0, 50.0, 333.0][usize::try_from(rng.roll(3)).unwrap()]),
                name: Some(format!("Name {}", rng.roll(9))),
                ..Default::default()
            },
        };
        // A meter that started above life-to-date usage can't have a low reading.
        let _ = world.update(&self.id, input, None).await;
    }

    async fn service(&self, world: &World, rng: &mut Rng) {
        let day = format!("2026-03-{:02}", rng.roll(9) + 1);
        let message = v1::MarkServicedRequest {
            id: self.id.clone(),
            performed_at: if rng.roll(2) == 0 { day } else { String::new() },
            ..Default::default()
        };
        // Refused without a plan.
        let _ = world.serviced(message).await;
    }

    async fn task(&self, world: &World, rng: &mut Rng) {
        let equipment_id = self.id.clone();
        let message = v1::ListServiceTasksRequest { equipment_id };
        let request = as_person(Service::Equipment, &world.owner, message);
        let tasks = fold(world.client().list_service_tasks(request).await)
            .unwrap()
            .tasks;
        let chosen = usize::try_from(rng.roll(100)).unwrap() % tasks.len().max(1);
        let task_id = tasks
            .get(chosen)
            .map(|task| task.id.clone())
            .unwrap_or_default();
        let equipment_id = self.id.clone();
        let input = |rng: &mut Rng| v1::ServiceTaskInput {
            name: Some(format!("Task {}", rng.roll(1000))),
            usage_interval: Some(100.0),
            last_done_usage: (rng.roll(2) == 0).then(|| rng.amount(500)),
            calendar_interval: (rng.roll(2) == 0)
                .then(|| u32::try_from(rng.roll(6)).unwrap_or_default()),
            ..Default::default()
        };
        // Refused requests (form task, duplicate name) must change nothing.
        match rng.roll(6) {
            0 => {
                let task = Some(input(rng));
                let message = v1::CreateServiceTaskRequest { equipment_id, task };
                let request = as_person(Service::Equipment, &world.owner, message);
                let _ = world.client().create_service_task(request).await;
            }
            1 => {
                let task = Some(input(rng));
                let message = v1::UpdateServiceTaskRequest {
                    equipment_id,
                    task_id,
                    task,
                };
                let request = as_person(Service::Equipment, &world.owner, message);
                let _ = world.client().update_service_task(request).await;
            }
            2 => {
                let rule = v1::ServiceTaskInput {
                    basis: Some(i32::from(rng.roll(2) == 0) + 1),
                    first_due_usage: (rng.roll(2) == 0).then(|| rng.amount(500)),
                    warning_days: Some(u32::try_from(rng.roll(20)).unwrap()),
                    ..Default::default()
                };
                // Refused without a task.
                let _ = world.change_task(&self.id, &task_id, rule).await;
            }
            3 if rng.roll(3) == 0 => {
                let message = v1::DeleteServiceTaskRequest {
                    equipment_id,
                    task_id,
                };
                let request = as_person(Service::Equipment, &world.owner, message);
                let _ = world.client().delete_service_task(request).await;
            }
            _ => {
                let meter = (rng.roll(2) == 0).then(|| rng.amount(600));
                let message = v1::CompleteServiceTaskRequest {
                    equipment_id,
                    task_id,
                    meter,
                    performed_at: format!("2026-03-{:02}", rng.roll(10) + 1),
                    ..Default::default()
                };
                let request = as_person(Service::Equipment, &world.owner, message);
                let _ = world.client().complete_service_task(request).await;
            }
        }
    }

    async fn archive(&mut self, world: &World) {
        if let Some(archived) = self.archived.take() {
            world.restore(&archived).await.unwrap();
        } else {
            self.archived = Some(world.retire(&self.id, "").await.unwrap().id);
        }
    }

    async fn void(&self, world: &World, rng: &mut Rng) {
        let history = world.history(&self.id).await.unwrap();
        if history.is_empty() {
            return;
        }
        let chosen = usize::try_from(rng.roll(1000)).unwrap() % history.len();
        // Edits and voided entries are refused.
        let _ = world.void(&self.id, &history[chosen].id).await;
    }

    /// Number of services of tasks other than the form's.
    async fn tasks_done(&self, world: &World) -> usize {
        let history = world.history(&self.id).await.unwrap();
        history
            .iter()
            .filter(|row| !row.task_name.is_empty())
            .count()
    }

    /// History as users read it explains the meter and the fuel.
    async fn agrees(&self, world: &World, seed: u64) {
        let history = world.history(&self.id).await.unwrap();
        // Life-to-date usage after the last entry that counts, in the order of capture.
        let counts = |row: &&v1::HistoryRecord| {
            let kinds = [v1::HistoryKind::Retirement, v1::HistoryKind::Restoration];
            row.voiding.is_none() && row.usage.is_some() && !kinds.contains(&row.kind())
        };
        let time = |row: &&v1::HistoryRecord| {
            let at = row.captured_at.unwrap();
            (at.seconds, at.nanos)
        };
        let last = history.iter().filter(counts).max_by_key(time);
        let last = last.filter(|row| time(row) > self.created);
        let meter = last
            .and_then(|row| row.usage)
            .map_or(self.initial, hundredths);
        let segments = world.segments(&self.id).await.unwrap();
        assert_eq!(hundredths(segments[0].end_usage), meter, "seed {seed}");
        let fitted = |row: &&v1::HistoryRecord| row.meter_replacement.is_some();
        let count = history.iter().filter(counts).filter(fitted).count();
        assert_eq!(segments.len(), count + 1, "seed {seed}");
        for pair in segments.windows(2) {
            assert_eq!(pair[1].ended_at, pair[0].started_at, "seed {seed}");
            let ends = [pair[1].end_usage, pair[0].start_usage].map(hundredths);
            assert_eq!(ends[0], ends[1], "seed {seed}");
        }
        let (usage, fuel) = if self.archived.is_some() {
            let retired = world.retired(&self.id).await.unwrap();
            (retired.final_usage, None)
        } else {
            let active = world.get(&self.id).await.unwrap();
            (active.current_usage, Some(active.total_fuel_used))
        };
        assert_eq!(hundredths(usage), meter, "seed {seed}");
        let message = v1::GetFuelSummaryRequest {
            equipment_id: self.id.clone(),
            ..Default::default()
        };
        let summary = world.fuel(message).await.unwrap();
        if let Some(fuel) = fuel {
            assert_eq!(hundredths(fuel), hundredths(summary.total), "seed {seed}");
        }
    }
}

#[tokio::test]
async fn projections_match_the_ledger_after_random_requests() {
    let (mut tasks_done, mut replaced) = (0, 0);
    for seed in [1, 7, 42, 98_765, 2_718] {
        let world = World::new().await;
        let mut rng = Rng(seed);
        let mut models = Vec::new();
        for usage in [0.0, 100.0] {
            let input = v1::EquipmentInput {
                current_usage: Some(usage),
                meter_reading: Some(usage),
                ..maintained("Loader")
            };
            let made = world.create(input).await.unwrap();
            let created = made.date_added.unwrap();
            models.push(Machine {
                id: made.id,
                created: (created.seconds, created.nanos),
                archived: None,
                initial: hundredths(usage),
            });
        }
        for _ in 0..70 {
            world.later(TimeDelta::minutes(i64::try_from(rng.roll(30)).unwrap()));
            let model = &mut models[usize::try_from(rng.roll(2)).unwrap()];
            if model.archived.is_some() {
                model.archive(&world).await;
                continue;
            }
            match rng.roll(18) {
                16 => model.replace(&world, &mut rng).await,
                0..4 => model.record(&world, &mut rng).await,
                4 | 5 => model.apply(&world, &mut rng).await,
                6 | 7 => model.edit(&world, &mut rng).await,
                8 => model.service(&world, &mut rng).await,
                9 | 10 => model.task(&world, &mut rng).await,
                11 => model.archive(&world).await,
                12 => drop(world.note(&model.id, "Text").await.unwrap()),
                13 if rng.roll(3) == 0 => drop(world.reset_fuel().await.unwrap()),
                _ => model.void(&world, &mut rng).await,
            }
        }
        for model in &models {
            model.agrees(&world, seed).await;
            tasks_done += model.tasks_done(&world).await;
            replaced += world.segments(&model.id).await.unwrap().len() - 1;
        }
        assert_eq!(world.rebuild(Mode::Check).await, [], "seed {seed}");
    }
    assert!(tasks_done > 0 && replaced > 0);
}

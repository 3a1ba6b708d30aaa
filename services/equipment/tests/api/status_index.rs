//! Counting, filtering and sorting by status in the database equals the domain's rules.

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, TimeZone as _, Utc};
use chrono_tz::Tz;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::as_person;

use crate::support::{World, fold, increase, named, page};

/// Machines in the large test.
const MACHINES: usize = 240;
/// Hundredths of a percent of an interval, on both sides of each boundary.
const SHARES: [i64; 9] = [0, 7999, 8000, 8001, 9999, 10_000, 10_999, 11_000, 15_000];
/// Days to a date, on both sides of each boundary.
const DAYS: [i64; 9] = [-30, -1, 0, 1, 2, 6, 7, 8, 60];

/// A deterministic pseudo-random generator.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let at = self.below(choices.len() as u64);
        choices[usize::try_from(at).unwrap()]
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }
}

fn shifted(day: NaiveDate, by: i64) -> NaiveDate {
    let days = Days::new(by.unsigned_abs());
    if by < 0 { day - days } else { day + days }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn hundredths(value: i64) -> f64 {
    value as f64 / 100.0
}

/// Interval and last usage that give this share of the meter, rounded.
fn usage_rule(rng: &mut Rng, meter: i64) -> (f64, f64) {
    let interval = rng.one_of(&[100, 250, 333]) * 100;
    let used = interval * rng.one_of(&SHARES) / 10_000;
    (hundredths(interval), hundredths((meter - used).max(0)))
}

/// Start and interval of a schedule that is due in this many days.
fn schedule(rng: &mut Rng, today: NaiveDate) -> (String, u32) {
    let next = shifted(today, rng.one_of(&DAYS));
    let interval = 61 + rng.below(40);
    let start = next - Days::new(interval);
    (start.to_string(), u32::try_from(interval).unwrap())
}

fn machine(rng: &mut Rng, number: usize, today: NaiveDate) -> v1::EquipmentInput {
    let meter = 500_000 + i64::try_from(rng.below(1000)).unwrap();
    let mut input = v1::EquipmentInput {
        current_usage: Some(hundredths(meter)),
        r#type: Some(rng.one_of(&[1, 2, 3, 4])),
        ..named(&format!("Machine {}", number % 50))
    };
    if !rng.one_in(3) {
        let (interval, last) = usage_rule(rng, meter);
        input.service_interval = Some(interval);
        input.last_service_usage = Some(last);
    }
    if rng.one_in(3) {
        let (start, interval) = schedule(rng, today);
        input.has_scheduled_maintenance = Some(true);
        input.maintenance_start_date = Some(start);
        input.maintenance_interval = Some(interval);
        input.maintenance_interval_unit = Some(v1::CalendarUnit::Days.into());
    }
    input
}

fn task(rng: &mut Rng, number: u64, meter: f64, today: NaiveDate) -> v1::ServiceTaskInput {
    let mut input = v1::ServiceTaskInput {
        name: Some(format!("Task {number}")),
        ..Default::default()
    };
    let by_usage = rng.one_in(2);
    if by_usage {
        #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
        let meter = (meter * 100.0).round() as i64;
        let (interval, last) = usage_rule(rng, meter);
        input.usage_interval = Some(interval);
        input.last_done_usage = Some(last);
    }
    if !by_usage || rng.one_in(3) {
        let (start, interval) = schedule(rng, today);
        input.last_done_on = Some(start);
        input.calendar_interval = Some(interval);
        input.calendar_unit = Some(v1::CalendarUnit::Days.into());
    }
    if rng.one_in(3) {
        input.basis = Some(v1::TaskBasis::OnTheMark.into());
    }
    if rng.one_in(3) {
        input.warning_usage = Some(rng.one_of(&[1.0, 40.5, 90.0]));
        input.warning_days = Some(rng.one_of(&[1, 3, 30]));
    }
    input
}

/// Snoozes a task until a near date or usage.
async fn snooze(world: &World, item: &v1::Equipment, task: &str, rng: &mut Rng) {
    let today = world.clock.now().date_naive();
    let by_date = rng.one_in(2);
    let until = shifted(today, rng.one_of(&[1, 2, 8]));
    let message = v1::SnoozeServiceTaskRequest {
        equipment_id: item.id.clone(),
        task_id: task.to_owned(),
        until_date: if by_date {
            until.to_string()
        } else {
            String::new()
        },
        until_usage: (!by_date).then_some(item.current_usage + rng.one_of(&[1.0, 20.0])),
        reason: "Parts ordered".to_owned(),
    };
    world.snooze(message).await.unwrap();
}

async fn list(
    world: &World,
    who: &Identity,
    message: v1::ListEquipmentRequest,
) -> v1::ListEquipmentResponse {
    let request = as_person(Service::Equipment, who, message);
    fold(world.client().list_equipment(request).await).unwrap()
}

async fn summary(world: &World, who: &Identity) -> v1::GetSummaryResponse {
    let request = as_person(Service::Equipment, who, v1::GetSummaryRequest {});
    fold(world.client().get_summary(request).await).unwrap()
}

/// Compares summary, filters and order with the domain's rules for each machine.
async fn check(world: &World, who: &Identity, when: &str) {
    let all = list(world, who, v1::ListEquipmentRequest::default()).await;
    let all = all.equipment;
    let tiles = summary(world, who).await;
    let counts = [
        tiles.good,
        tiles.approaching_service,
        tiles.time_for_service,
        tiles.overdue,
    ];
    assert_eq!(tiles.total as usize, all.len(), "{when}");
    for (status, count) in (1..=4).zip(counts) {
        let expected: Vec<&v1::Equipment> = all
            .iter()
            .filter(|item| item.service_status == status)
            .collect();
        assert_eq!(count as usize, expected.len(), "{when}: tile {status}");
        for limit in [0, 500] {
            let filter = v1::ListEquipmentRequest {
                status,
                page: Some(page(limit, "")),
                ..Default::default()
            };
            let found = list(world, who, filter).await;
            let found: Vec<&v1::Equipment> = found.equipment.iter().collect();
            assert_eq!(found, expected, "{when}: filter {status}");
        }
    }
    let stale = v1::ListEquipmentRequest {
        stale: Some(true),
        page: Some(page(500, "")),
        ..Default::default()
    };
    let found = list(world, who, stale).await.equipment;
    let expected: Vec<v1::Equipment> = all.iter().filter(|item| item.stale).cloned().collect();
    assert_eq!(tiles.stale as usize, expected.len(), "{when}: stale tile");
    assert_eq!(found, expected, "{when}: stale");

    let mut by_urgency = all.clone();
    by_urgency.sort_by_key(|item| -item.service_status);
    let order = v1::EquipmentOrder::Urgency;
    assert_eq!(
        in_pages(world, who, order).await,
        by_urgency,
        "{when}: order"
    );
    let order = v1::EquipmentOrder::Due;
    let found = in_pages(world, who, order).await;
    let mut by_due = all.clone();
    by_due.sort_by_key(|item| {
        let with_tasks = found.iter().find(|row| row.id == item.id).unwrap();
        let date = order_date(with_tasks);
        (date.is_none(), date)
    });
    let ids =
        |rows: &[v1::Equipment]| -> Vec<String> { rows.iter().map(|row| row.id.clone()).collect() };
    assert_eq!(ids(&found), ids(&by_due), "{when}: due");
}

/// The earliest of its tasks; of snoozed ones only if all with a date are.
fn order_date(item: &v1::Equipment) -> Option<String> {
    let tasks = item.tasks.iter().filter(|task| !task.order_date.is_empty());
    let (snoozed, awake): (Vec<_>, Vec<_>) = tasks.partition(|task| task.snooze.is_some());
    let counted = if awake.is_empty() { snoozed } else { awake };
    let dates = counted.iter().map(|task| task.order_date.clone());
    dates.min()
}

/// All equipment in pages.
async fn in_pages(world: &World, who: &Identity, order: v1::EquipmentOrder) -> Vec<v1::Equipment> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let message = v1::ListEquipmentRequest {
            order: order.into(),
            page: Some(page(97, &cursor)),
            with_tasks: order == v1::EquipmentOrder::Due,
            ..Default::default()
        };
        let part = list(world, who, message).await;
        found.extend(part.equipment);
        cursor = part.page.unwrap().next_cursor;
        if cursor.is_empty() {
            return found;
        }
    }
}

async fn fleet(world: &World, who: &Identity, rng: &mut Rng) -> Vec<v1::Equipment> {
    let today = world.clock.today_in(who.time_zone);
    let mut made = Vec::new();
    for number in 0..MACHINES {
        let input = machine(rng, number, today);
        let item = world.create_as(who, input).await.unwrap();
        for number in 0..rng.below(4) {
            let input = task(rng, number, item.current_usage, today);
            let (task, _) = world.add_task_as(who, &item.id, input).await.unwrap();
            if rng.one_in(4) {
                snooze(world, &item, &task.id, rng).await;
            }
        }
        made.push(item);
    }
    made
}

#[tokio::test]
async fn status_of_random_machines_is_the_same_everywhere() {
    let world = World::new().await;
    let mut who = world.owner.clone();
    who.entitlements.equipment_limit = -1;
    let mut rng = Rng(20_260_310);
    let made = fleet(&world, &who, &mut rng).await;
    let tiles = summary(&world, &who).await;
    assert!(tiles.good.min(tiles.approaching_service) > 20);
    assert!(tiles.time_for_service.min(tiles.overdue) > 20);
    let noon = world.clock.now();
    for day in [0, 1, 2, 5, 6, 7, 8, 9, 40, -1] {
        world.clock.set(noon + chrono::TimeDelta::days(day));
        check(&world, &who, &format!("day {day}")).await;
    }
    world.clock.set(noon);
    // Move meters across boundaries, complete tasks, change plans, retire machines.
    for item in &made {
        match rng.below(8) {
            0..3 => {
                let by = rng.one_of(&[1, 2, 100, 2000, 5000, 10_000]);
                let entry = increase(&item.id, hundredths(by));
                world.record(entry).await.unwrap();
            }
            3 => {
                let tasks = world.tasks(&item.id).await.unwrap();
                if let Some(task) = tasks.last() {
                    let done = v1::CompleteServiceTaskRequest {
                        equipment_id: item.id.clone(),
                        task_id: task.id.clone(),
                        ..Default::default()
                    };
                    world.complete(done).await.unwrap();
                }
            }
            4 => {
                let edit = v1::EquipmentInput {
                    service_interval: Some(rng.one_of(&[0.0, 80.0, 100.0, 400.0])),
                    has_scheduled_maintenance: Some(false),
                    current_usage: Some(hundredths(490_000)),
                    ..Default::default()
                };
                world.update(&item.id, edit, None).await.unwrap();
            }
            5 => {
                world.retire(&item.id, "").await.unwrap();
            }
            _ => {}
        }
    }
    check(&world, &who, "after changes").await;
}

fn local(zone: Tz, text: &str) -> DateTime<Utc> {
    let local: NaiveDateTime = text.parse().unwrap();
    zone.from_local_datetime(&local)
        .unwrap()
        .with_timezone(&Utc)
}

#[tokio::test]
async fn status_changes_at_the_companys_midnight_without_a_write() {
    for zone in [Tz::America__Chicago, Tz::Pacific__Auckland, Tz::UTC] {
        let mut world = World::new().await;
        world.owner.time_zone = zone;
        let who = world.owner.clone();
        world.clock.set(local(zone, "2026-03-01T12:00:00"));
        let made = world.create(named("By calendar")).await.unwrap();
        let due = v1::ServiceTaskInput {
            name: Some("Inspection".to_owned()),
            calendar_interval: Some(15),
            calendar_unit: Some(v1::CalendarUnit::Days.into()),
            ..Default::default()
        };
        world.add_task(&made.id, due).await.unwrap();
        let version = world.get(&made.id).await.unwrap().version;
        // Due on 16 March.
        for (day, next, before, after) in [
            ("2026-03-08", "2026-03-09", 1, 2),
            ("2026-03-14", "2026-03-15", 2, 3),
            ("2026-03-16", "2026-03-17", 3, 4),
        ] {
            for (at, status) in [
                (format!("{day}T23:59:59.999"), before),
                (format!("{next}T00:00:00"), after),
            ] {
                world.clock.set(local(zone, &at));
                let when = format!("{zone} {at}");
                let item = world.get(&made.id).await.unwrap();
                assert_eq!(
                    (item.service_status, item.version),
                    (status, version),
                    "{when}"
                );
                check(&world, &who, &when).await;
            }
        }
    }
}

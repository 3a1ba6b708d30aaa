use super::*;
use crate::domain::ledger::{Fuel, MeterMove};
use crate::domain::meter::{MeterChange, Replacement};

fn quantity(value: f64) -> Quantity {
    Quantity::from_input(value).unwrap()
}

fn at(hour: u32) -> DateTime<Utc> {
    format!("2026-03-10T{hour:02}:00:00Z").parse().unwrap()
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn initial(usage: f64) -> InitialState {
    InitialState {
        usage: quantity(usage),
        added_at: at(1),
        fuel_period: 0,
        tasks: Vec::new(),
    }
}

fn fact(hour: u32) -> Fact {
    Fact {
        id: Uuid::now_v7(),
        captured_at: at(hour),
        meter: None,
        same_unit: true,
        fuel: None,
        mark: None,
        service: None,
    }
}

fn moved(hour: u32, effect: MeterEffect, before: f64, after: f64) -> Fact {
    let meter = MeterMove {
        before: quantity(before),
        after: quantity(after),
    };
    Fact {
        meter: Some((effect, meter)),
        ..fact(hour)
    }
}

fn fuel(kind: FuelKind, amount: f64, period: i32) -> Fact {
    let fuel = Fuel {
        amount: quantity(amount),
        kind,
    };
    Fact {
        fuel: Some((fuel, period)),
        ..fact(2)
    }
}

#[test]
fn fold_without_facts_is_the_initial_state() {
    let found = fold(&initial(0.0), &[]).unwrap();
    assert_eq!((found.meter.usage, found.read_at), (Quantity::ZERO, None));
    assert_eq!(found.due, DuePoints::default());
    let found = fold(&initial(12.5), &[]).unwrap();
    assert_eq!(
        (found.meter.usage, found.read_at),
        (quantity(12.5), Some(at(1)))
    );
}

#[test]
fn fold_increases_add_and_readings_set() {
    let facts = [
        moved(2, MeterEffect::Increase, 10.0, 15.0),
        moved(3, MeterEffect::Reading, 15.0, 40.0),
        moved(4, MeterEffect::Increase, 40.0, 41.0),
    ];
    let of = |facts: &[Fact]| fold(&initial(10.0), facts).unwrap().meter.usage;
    assert_eq!(of(&facts), quantity(41.0));
    // Without the first increase the reading stays; without the reading the increases stay.
    assert_eq!(of(&facts[1..]), quantity(41.0));
    assert_eq!(of(&[facts[0].clone(), facts[2].clone()]), quantity(16.0));
    assert_eq!(of(&facts[..1]), quantity(15.0));
}

#[test]
fn fold_read_at_is_the_latest_capture() {
    // A manager's late reading sets the meter, but not the time of the last reading.
    let facts = [
        moved(5, MeterEffect::Reading, 10.0, 20.0),
        moved(3, MeterEffect::Reading, 20.0, 15.0),
        fact(9),
    ];
    let found = fold(&initial(10.0), &facts).unwrap();
    assert_eq!(
        (found.meter.usage, found.read_at),
        (quantity(15.0), Some(at(5)))
    );
    let found = fold(&initial(0.0), &facts[1..]).unwrap();
    assert_eq!(found.read_at, Some(at(3)));
}

#[test]
fn fold_counts_fuel_of_the_current_period() {
    let facts = [
        fuel(FuelKind::Gas, 1.5, 0),
        fuel(FuelKind::Diesel, 2.0, 1),
        fuel(FuelKind::Gas, 3.0, 1),
        fuel(FuelKind::Gas, 0.25, 1),
    ];
    let of = |fuel_period| {
        let initial = InitialState {
            fuel_period,
            ..initial(0.0)
        };
        let found = fold(&initial, &facts).unwrap();
        (found.gas, found.diesel)
    };
    assert_eq!(of(0), (quantity(1.5), Quantity::ZERO));
    assert_eq!(of(1), (quantity(3.25), quantity(2.0)));
    assert_eq!(of(2), (Quantity::ZERO, Quantity::ZERO));
}

fn plan(interval: f64) -> TaskPlan {
    TaskPlan {
        id: Uuid::now_v7(),
        usage_interval: quantity(interval),
        calendar_interval: Some((1, CalendarUnit::Months)),
        initial_usage: None,
        initial_start: Some(day("2026-01-31")),
    }
}

fn mark(task: &TaskPlan, usage: MarkUsage, start: Option<&str>) -> Fact {
    Fact {
        mark: Some((task.id, usage, start.map(day))),
        ..fact(2)
    }
}

#[test]
fn fold_marks_follow_the_meter_or_the_given_usage() {
    let (task, other) = (plan(250.0), plan(0.0));
    let initial = InitialState {
        tasks: vec![task.clone(), other.clone()],
        ..initial(100.0)
    };
    let facts = [
        moved(2, MeterEffect::Increase, 100.0, 150.0),
        mark(&task, MarkUsage::Meter, Some("2026-03-10")),
        moved(3, MeterEffect::Increase, 150.0, 160.0),
        mark(&plan(1.0), MarkUsage::Meter, None),
    ];
    let of = |facts: &[Fact]| fold(&initial, facts).unwrap();
    let marks = |last: Option<f64>, start: &str, next: &str| Marks {
        last_usage: last.map(quantity),
        start: Some(day(start)),
        next: Some(day(next)),
    };
    let found = of(&facts);
    assert_eq!(
        found.tasks[&task.id],
        marks(Some(150.0), "2026-03-10", "2026-04-10")
    );
    let untouched = marks(None, "2026-01-31", "2026-02-28");
    assert_eq!(found.tasks[&other.id], untouched);
    assert_eq!(found.tasks.len(), 2, "a task that is gone says nothing");
    // Without the first increase the service was at a lower usage.
    assert_eq!(
        of(&facts[1..]).tasks[&task.id].last_usage,
        Some(quantity(100.0))
    );
    // Without the service the initial marks apply.
    assert_eq!(of(&facts[2..]).tasks[&task.id], untouched);
    let given = mark(&task, MarkUsage::Given(Some(quantity(7.0))), None);
    let found = of(&[facts[1].clone(), given]);
    let expected = Marks {
        last_usage: Some(quantity(7.0)),
        ..Marks::default()
    };
    assert_eq!(found.tasks[&task.id], expected);
}

#[test]
fn fold_older_service_counts_only_without_the_newer() {
    let (form, other) = (plan(250.0), plan(250.0));
    let initial = InitialState {
        tasks: vec![form.clone(), other.clone()],
        ..initial(100.0)
    };
    let service = |task: &TaskPlan, named: bool, at: f64, day_done: &str| Fact {
        service: Some((named.then_some(task.id), day(day_done))),
        ..mark(task, MarkUsage::Given(Some(quantity(at))), Some(day_done))
    };
    let newer = service(&form, true, 90.0, "2026-03-10");
    let older = service(&form, true, 80.0, "2026-03-09");
    let last = |facts: &[Fact]| {
        let found = fold(&initial, facts).unwrap();
        found.tasks[&form.id].last_usage
    };
    assert_eq!(last(&[newer.clone(), older.clone()]), Some(quantity(90.0)));
    assert_eq!(last(std::slice::from_ref(&older)), Some(quantity(80.0)));
    assert_eq!(last(&[older.clone(), newer.clone()]), Some(quantity(90.0)));
    // Work of the same day is not older, and other tasks are not affected.
    let again = service(&form, true, 95.0, "2026-03-10");
    assert_eq!(last(&[newer.clone(), again]), Some(quantity(95.0)));
    let others = service(&other, true, 70.0, "2026-03-12");
    assert_eq!(last(&[others, newer.clone()]), Some(quantity(90.0)));
    // Services without a task id are the form's.
    let nameless = Fact {
        mark: None,
        ..service(&form, false, 0.0, "2026-03-11")
    };
    assert_eq!(last(&[nameless, newer.clone()]), None);
    // Marks from the form always count.
    let given = mark(&form, MarkUsage::Given(Some(quantity(5.0))), None);
    assert_eq!(last(&[newer, given]), Some(quantity(5.0)));
}

#[test]
fn fold_due_points_are_of_the_earliest_task() {
    let (mut often, rarely) = (plan(100.0), plan(500.0));
    often.initial_usage = Some(quantity(400.0));
    often.initial_start = None;
    let initial = InitialState {
        tasks: vec![often, rarely, plan(0.0)],
        ..initial(400.0)
    };
    let expected = DuePoints {
        usage: Some([400.0, 500.0, 510.0].map(quantity)),
        next_date: Some(day("2026-02-28")),
    };
    assert_eq!(fold(&initial, &[]).unwrap().due, expected);
}

#[test]
fn fold_refuses_usage_out_of_range() {
    let most = 1_000_000_000.0;
    let facts = |more: f64| {
        [
            moved(2, MeterEffect::Reading, 0.0, most - 1.0),
            moved(3, MeterEffect::Increase, 0.0, more),
        ]
    };
    let found = fold(&initial(0.0), &facts(1.0)).unwrap();
    assert_eq!(found.meter.usage, Quantity::MAX_INPUT);
    assert_eq!(fold(&initial(0.0), &facts(1.01)), Err(OutOfRange));
    // A later reading does not help: services in between would count from the wrong usage.
    let mut healed = facts(1.01).to_vec();
    healed.push(moved(4, MeterEffect::Reading, 0.0, 5.0));
    assert_eq!(fold(&initial(0.0), &healed), Err(OutOfRange));
}

#[test]
fn fold_clamps_dates_to_the_last_day() {
    let mut task = plan(0.0);
    task.initial_start = Some(day("2200-12-31"));
    let id = task.id;
    let initial = InitialState {
        tasks: vec![task],
        ..initial(0.0)
    };
    let found = fold(&initial, &[]).unwrap();
    assert_eq!(found.tasks[&id].next, Some(LAST_DAY));
}

fn replacement(hour: u32, last: f64, first: f64, before: f64, after: f64) -> Fact {
    let replacement = Replacement {
        change: MeterChange::Replaced,
        last: quantity(last),
        first: quantity(first),
    };
    moved(hour, MeterEffect::Replacement(replacement), before, after)
}

#[test]
fn fold_replacement_continues_usage() {
    let facts = [
        moved(2, MeterEffect::Increase, 10.0, 15.0),
        // The old meter ended at 16; the new one counted 1 since it started at 2.
        replacement(3, 16.0, 2.0, 15.0, 17.0),
        moved(4, MeterEffect::Reading, 17.0, 20.0),
        moved(5, MeterEffect::Increase, 20.0, 21.0),
    ];
    let of = |facts: &[Fact]| {
        let meter = fold(&initial(10.0), facts).unwrap().meter;
        (meter.usage, meter.reading())
    };
    assert_eq!(of(&facts), (quantity(21.0), quantity(7.0)));
    assert_eq!(of(&facts[..2]), (quantity(17.0), quantity(3.0)));
    // Without the earlier entries, the final reading applies.
    assert_eq!(of(&facts[1..]), (quantity(21.0), quantity(7.0)));
    // Without the replacement, later increases belong to the old meter.
    let without = [facts[0].clone(), facts[3].clone()];
    assert_eq!(of(&without), (quantity(16.0), quantity(16.0)));
}

#[test]
fn fold_refuses_readings_out_of_range() {
    let facts = [
        replacement(2, 10.0, 0.0, 10.0, 10.0),
        moved(3, MeterEffect::Reading, 10.0, 10.0),
    ];
    assert!(fold(&initial(10.0), &facts).is_ok());
    let lower = moved(3, MeterEffect::Reading, 10.0, 9.99);
    let facts = [facts[0].clone(), lower];
    assert_eq!(fold(&initial(10.0), &facts), Err(OutOfRange));
    let most = 1_000_000_000.0;
    let facts = |by: f64| {
        [
            replacement(2, 10.0, most - 1.0, 10.0, 10.0),
            moved(3, MeterEffect::Increase, 0.0, by),
        ]
    };
    assert!(fold(&initial(10.0), &facts(1.0)).is_ok());
    assert_eq!(fold(&initial(10.0), &facts(1.01)), Err(OutOfRange));
}

#[test]
fn is_read_after_needs_a_later_reading() {
    let new = replacement(2, 10.0, 0.0, 10.0, 10.0);
    let (increase, reading) = (
        moved(3, MeterEffect::Increase, 10.0, 11.0),
        moved(4, MeterEffect::Reading, 11.0, 12.0),
    );
    let next = replacement(5, 2.0, 0.0, 12.0, 12.0);
    let read = |facts: &[&Fact], entry: &Fact| {
        let facts: Vec<Fact> = facts.iter().map(|fact| (*fact).clone()).collect();
        is_read_after(&facts, entry.id)
    };
    assert!(!read(&[&reading, &new], &new));
    assert!(!read(
        &[&new, &increase, &fuel(FuelKind::Gas, 1.0, 0)],
        &new
    ));
    assert!(read(&[&new, &increase, &reading], &new));
    assert!(read(&[&new, &next], &new));
    assert!(!read(&[&new, &next], &next));
}

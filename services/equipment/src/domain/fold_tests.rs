use chrono_tz::Tz;

use super::*;
use crate::domain::kinds::{CalendarUnit, MeterUnit};
use crate::domain::ledger::Fuel;
use crate::domain::meter::{MeterChange, MeterFact, NewMeter};
use crate::domain::rule::Rule;

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
        meter: MeterState::default().with_usage(quantity(usage)),
        read: usage > 0.0,
        added_at: at(1),
        unit: MeterUnit::Hours,
        zone: Tz::UTC,
        fuel_period: 0,
        tasks: Vec::new(),
    }
}

fn fact(hour: u32) -> Fact {
    Fact {
        id: Uuid::now_v7(),
        captured_at: at(hour),
        meter: None,
        unit: MeterUnit::Hours,
        fuel: None,
        mark: None,
        service: None,
        stored: None,
        entered: (i64::from(hour), at(hour)),
    }
}

fn increase(hour: u32, by: f64) -> Fact {
    Fact {
        meter: Some(MeterFact::Increase(quantity(by))),
        ..fact(hour)
    }
}

fn reading(hour: u32, shown: f64) -> Fact {
    Fact {
        meter: Some(MeterFact::Reading(quantity(shown))),
        ..fact(hour)
    }
}

fn fold(initial: &InitialState, facts: &[Fact]) -> Result<Projection, OutOfRange> {
    super::fold(initial, facts).map(|folded| folded.projection)
}

fn fuel(kind: FuelKind, amount: f64, period: i32) -> Fact {
    let fuel = Fuel {
        amount: quantity(amount),
        kind,
        full: false,
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
fn fold_order_of_arrival_does_not_matter() {
    let facts = [
        reading(2, 512.0),
        increase(3, 1.0),
        reading(4, 600.0),
        increase(5, 2.0),
    ];
    let of = |order: &[usize]| {
        let facts: Vec<Fact> = order.iter().map(|nth| facts[*nth].clone()).collect();
        fold(&initial(300.0), &facts).unwrap()
    };
    // A manager's increase, and then a reading captured before it.
    assert_eq!(of(&[1]).meter.usage, quantity(301.0));
    assert_eq!(of(&[1, 0]).meter.usage, quantity(513.0));
    let all = of(&[0, 1, 2, 3]);
    assert_eq!(all.meter.usage, quantity(602.0));
    assert_eq!((all.read_at, all.last_fact_at), (Some(at(4)), at(5)));
    for order in [[3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]] {
        assert_eq!(of(&order), all);
    }
}

#[test]
fn fold_ties_are_readings_first_and_the_lower_value() {
    let facts = [increase(2, 5.0), reading(2, 120.0), reading(2, 110.0)];
    let found = super::fold(&initial(100.0), &facts).unwrap();
    assert_eq!(found.projection.meter.usage, quantity(125.0));
    let moved = |nth: usize| found.placed[&facts[nth].id].moved;
    assert_eq!(moved(2).before, quantity(100.0));
    assert_eq!(moved(1).before, quantity(110.0));
    assert_eq!(moved(0).before, quantity(120.0));
}

#[test]
fn fold_first_reading_is_the_baseline() {
    let mut given = plan(250.0);
    given.initial_usage = Some(quantity(4_900.0));
    let unset = plan(250.0);
    let initial = InitialState {
        tasks: vec![given.clone(), unset.clone()],
        ..initial(0.0)
    };
    let facts = [increase(2, 8.0), reading(3, 4_812.0), increase(4, 10.0)];
    let none = fold(&initial, &facts[..1]).unwrap();
    assert_eq!((none.meter.usage, none.read_at), (Quantity::ZERO, None));
    assert_eq!(none.due.usage, None);
    assert_eq!(none.tasks[&given.id].last_usage, given.initial_usage);
    assert_eq!(none.tasks[&unset.id].last_usage, None);
    let found = super::fold(&initial, &facts).unwrap();
    let read = &found.projection;
    assert_eq!(read.meter.usage, quantity(4_822.0));
    assert_eq!(read.tasks[&given.id].last_usage, Some(quantity(4_812.0)));
    assert_eq!(read.tasks[&unset.id].last_usage, Some(quantity(4_812.0)));
    assert!(found.clamped.contains(&given.id) && !found.clamped.contains(&unset.id));
    let baseline = found.placed[&facts[1].id].moved;
    assert_eq!(baseline.before, baseline.after);
}

#[test]
fn fold_marks_never_exceed_the_meter() {
    let task = plan(250.0);
    let initial = InitialState {
        tasks: vec![task.clone()],
        ..initial(100.0)
    };
    let typo = reading(2, 10_000.0);
    let mut serviced = mark(&task, MarkUsage::Given(Some(quantity(10_000.0))), None);
    serviced.captured_at = at(3);
    let last = |facts: &[Fact]| {
        let found = super::fold(&initial, facts).unwrap();
        (
            found.projection.tasks[&task.id].last_usage,
            found.clamped.len(),
        )
    };
    let facts = [typo, serviced, reading(4, 120.0)];
    assert_eq!(last(&facts[..2]), (Some(quantity(10_000.0)), 0));
    // By a correction, and by voiding the typing error.
    assert_eq!(last(&facts), (Some(quantity(120.0)), 1));
    assert_eq!(last(&facts[1..]), (Some(quantity(100.0)), 1));
}

#[test]
fn fold_service_reading_never_lowers_the_meter() {
    let service = |shown: f64| Fact {
        meter: Some(MeterFact::ServiceReading(quantity(shown))),
        ..fact(3)
    };
    let read = |facts: &[Fact]| {
        let found = fold(&initial(100.0), facts).unwrap();
        (found.meter.usage, found.read_at)
    };
    let known = [reading(2, 500.0), service(480.0)];
    assert_eq!(read(&known), (quantity(500.0), Some(at(2))));
    assert_eq!(read(&[service(480.0)]), (quantity(480.0), Some(at(3))));
    let added = [service(480.0), increase(4, 1.0)];
    assert_eq!(read(&added), (quantity(481.0), Some(at(3))));
}

#[test]
fn fold_facts_before_creation_do_not_move_the_meter() {
    let facts = [reading(0, 90.0), increase(0, 5.0)];
    let found = fold(&initial(100.0), &facts).unwrap();
    assert_eq!(found.meter.usage, quantity(100.0));
    assert_eq!(found.read_at, Some(at(1)));
}

#[test]
fn fold_new_unit_begins_anew() {
    let begun = Fact {
        meter: Some(MeterFact::NewUnit(Some(
            MeterState::default().with_usage(quantity(62.0)),
        ))),
        unit: MeterUnit::Miles,
        ..fact(5)
    };
    let in_miles = |mut fact: Fact| {
        fact.unit = MeterUnit::Miles;
        fact
    };
    let initial = InitialState {
        unit: MeterUnit::Miles,
        ..initial(100.0)
    };
    let facts = [
        begun,
        reading(2, 150.0),
        in_miles(increase(6, 3.0)),
        in_miles(reading(3, 70.0)),
    ];
    let found = super::fold(&initial, &facts).unwrap();
    assert_eq!(found.projection.meter.usage, quantity(65.0));
    let moved = |nth: usize| found.placed[&facts[nth].id].moved;
    assert_eq!(moved(1).after, quantity(150.0));
    // Miles say nothing about the meter that counted hours.
    assert_eq!(moved(3).after, quantity(150.0));
    assert_eq!(moved(0).before, moved(0).after);
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
        created_at: Some(at(1)),
        usage_interval: quantity(interval),
        calendar_interval: Some((1, CalendarUnit::Months)),
        initial_usage: None,
        initial_start: Some(day("2026-01-31")),
        rule: Rule::default(),
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
        increase(2, 50.0),
        mark(&task, MarkUsage::Meter, Some("2026-03-10")),
        increase(3, 10.0),
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
        entered: (1, at(1)),
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
        special: Vec::new(),
    };
    assert_eq!(fold(&initial, &[]).unwrap().due, expected);
}

#[test]
fn fold_refuses_usage_out_of_range() {
    let most = 1_000_000_000.0;
    let facts = |more: f64| [reading(2, most - 1.0), increase(3, more)];
    let found = fold(&initial(0.0), &facts(1.0)).unwrap();
    assert_eq!(found.meter.usage, Quantity::MAX_INPUT);
    assert_eq!(fold(&initial(0.0), &facts(1.01)), Err(OutOfRange));
    // A later reading does not help: services in between would count from the wrong usage.
    let mut healed = facts(1.01).to_vec();
    healed.push(reading(4, 5.0));
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

fn replacement(hour: u32, last: Option<f64>, first: f64, shown: f64) -> Fact {
    let new = NewMeter {
        change: MeterChange::Replaced,
        last: last.map(quantity),
        first: quantity(first),
    };
    Fact {
        meter: Some(MeterFact::Replacement(new, quantity(shown))),
        ..fact(hour)
    }
}

#[test]
fn fold_replacement_continues_usage() {
    let facts = [
        increase(2, 5.0),
        // The old meter ended at 16; the new one counted 1 since it started at 2.
        replacement(3, Some(16.0), 2.0, 3.0),
        reading(4, 6.0),
        increase(5, 1.0),
    ];
    let of = |facts: &[Fact]| {
        let meter = fold(&initial(10.0), facts).unwrap().meter;
        (meter.usage, meter.reading())
    };
    assert_eq!(of(&facts), (quantity(21.0), quantity(7.0)));
    assert_eq!(of(&facts[..2]), (quantity(17.0), quantity(3.0)));
    // Without the earlier entries, the final reading applies.
    assert_eq!(of(&facts[1..]), (quantity(21.0), quantity(7.0)));
    // Without the replacement, later readings and increases belong to the old meter.
    let without = [facts[0].clone(), facts[2].clone(), facts[3].clone()];
    assert_eq!(of(&without), (quantity(7.0), quantity(7.0)));
}

#[test]
fn fold_replacement_without_final_reading_ends_at_the_meter() {
    let facts = [
        reading(2, 1_000.0),
        replacement(3, None, 0.0, 0.0),
        increase(4, 5.0),
    ];
    let usage = |facts: &[Fact]| fold(&initial(10.0), facts).unwrap().meter.usage;
    assert_eq!(usage(&facts), quantity(1_005.0));
    // Without the typing error.
    assert_eq!(usage(&facts[1..]), quantity(15.0));
}

#[test]
fn fold_refuses_readings_out_of_range() {
    let ended = replacement(2, Some(10.0), 500.0, 500.0);
    assert!(fold(&initial(10.0), &[ended.clone(), reading(3, 490.0)]).is_ok());
    let facts = [ended, reading(3, 489.99)];
    assert_eq!(fold(&initial(10.0), &facts), Err(OutOfRange));
}

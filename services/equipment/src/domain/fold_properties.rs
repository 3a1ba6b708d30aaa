//! Any facts, in every order of arrival and with any voids among them, give the same figures as a
//! simple model that computes each figure directly from the set of facts.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::consumption::intervals;
use super::fold::{Folded, fold};
use super::initial_state::{InitialState, TaskPlan};
use super::kinds::{FuelKind, MeterUnit};
use super::ledger::{Fact, Fuel, MarkUsage};
use super::meter::{MeterChange, MeterFact, MeterState, NewMeter};
use super::rule::Rule;
use super::timeline::steps;

/// A deterministic pseudo-random generator.
struct Rng(u64);

impl Rng {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn amount(&mut self, most: u64) -> i64 {
        i64::try_from(self.roll(most)).expect("small")
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = usize::try_from(self.roll(last as u64 + 1)).expect("small");
            items.swap(last, other);
        }
    }
}

const fn quantity(hundredths: i64) -> Quantity {
    Quantity::from_hundredths(hundredths)
}

fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::<Utc>::UNIX_EPOCH + TimeDelta::minutes(minutes)
}

/// About 12 days, so that instants coincide and days repeat.
const MINUTES: u64 = 18_000;

fn random_fact(rng: &mut Rng, task: Uuid) -> Fact {
    let captured_at = at(rng.amount(MINUTES / 60) * 60);
    let day = captured_at.date_naive();
    let meter = match rng.roll(9) {
        0..3 => Some(MeterFact::Increase(quantity(rng.amount(900) + 1))),
        3..6 => Some(MeterFact::Reading(quantity(50_000 + rng.amount(20_000)))),
        6 => {
            let new = NewMeter {
                change: MeterChange::Replaced,
                last: (rng.roll(2) == 0).then(|| quantity(60_000 + rng.amount(10_000))),
                first: quantity(rng.amount(500)),
            };
            let shown = new.first.plus(quantity(rng.amount(300)));
            Some(MeterFact::Replacement(new, shown))
        }
        7 => Some(MeterFact::ServiceReading(quantity(
            50_000 + rng.amount(20_000),
        ))),
        _ => None,
    };
    let fuel = (rng.roll(3) == 0).then(|| {
        let kind = if rng.roll(2) == 0 {
            FuelKind::Gas
        } else {
            FuelKind::Diesel
        };
        let amount = quantity(rng.amount(3_000) + 1);
        let added = Fuel {
            amount,
            kind,
            full: rng.roll(2) == 0,
        };
        (added, i32::from(captured_at >= at(9_000)))
    });
    let usage = match rng.roll(6) {
        0 => Some(MarkUsage::Meter),
        1 => Some(MarkUsage::Given(Some(quantity(rng.amount(90_000))))),
        _ => None,
    };
    let is_service = rng.roll(2) == 0;
    Fact {
        id: Uuid::from_u128(u128::from(rng.roll(u64::MAX))),
        captured_at,
        meter,
        unit: MeterUnit::Hours,
        fuel,
        mark: usage.map(|usage| (task, usage, None)),
        service: usage.filter(|_| is_service).map(|_| (Some(task), day)),
        stored: None,
        entered: (rng.amount(1_000), captured_at),
    }
}

/// Figures of the model, in hundredths.
#[derive(Debug, PartialEq, Eq)]
struct Figures {
    usage: i64,
    dial: i64,
    read_at: Option<DateTime<Utc>>,
    mark: Option<i64>,
    gas: i64,
    diesel: i64,
    /// Quartiles and sums by day, newest first.
    daily_use: (Option<[i64; 3]>, Vec<(NaiveDate, i64)>),
    moves: BTreeMap<Uuid, (i64, i64)>,
    /// Last entry, fuel and usage of each interval between full fills of gas.
    intervals: Vec<(Uuid, i64, i64)>,
}

/// Computes the figures naively: usage and dial as two counters, over the facts by time.
fn model(initial: &InitialState, facts: &[Fact]) -> Figures {
    let rank = |fact: &Fact| match fact.meter {
        Some(MeterFact::Replacement(_, shown)) => (1, shown.hundredths()),
        Some(MeterFact::Increase(by)) => (2, by.hundredths()),
        Some(MeterFact::Reading(shown) | MeterFact::ServiceReading(shown)) => {
            (0, shown.hundredths())
        }
        _ if fact.service.is_some() => (-1, 0),
        _ => (3, 0),
    };
    let mut facts = facts.to_vec();
    facts.sort_by_key(|fact| (fact.captured_at, rank(fact), fact.id));
    let (mut usage, mut dial) = (initial.meter.usage.hundredths(), 0);
    dial += usage;
    let mut read_at = initial.read.then_some(initial.added_at);
    let (mut gas, mut diesel) = (0, 0);
    let mut days: BTreeMap<NaiveDate, i64> = BTreeMap::new();
    let mut moves = BTreeMap::new();
    let mut states: Vec<(Fact, Option<i64>)> = Vec::new();
    for fact in &facts {
        let (before, was_read) = (usage, read_at.is_some());
        match fact.meter {
            Some(MeterFact::Increase(by)) if was_read => {
                usage += by.hundredths();
                dial += by.hundredths();
            }
            Some(MeterFact::Reading(shown)) => {
                usage += shown.hundredths() - dial;
                dial = shown.hundredths();
            }
            Some(MeterFact::ServiceReading(shown)) if !was_read || shown.hundredths() > dial => {
                usage += shown.hundredths() - dial;
                dial = shown.hundredths();
            }
            Some(MeterFact::Replacement(new, shown)) => {
                let end = new.last.map_or(dial, Quantity::hundredths);
                usage += (end - dial) + (shown.hundredths() - new.first.hundredths());
                dial = shown.hundredths();
            }
            _ => {}
        }
        let reads = match fact.meter {
            // Below the meter it is ignored.
            Some(MeterFact::ServiceReading(shown)) => !was_read || shown.hundredths() == dial,
            meter => meter.is_some_and(|meter| meter.increase().is_none()),
        };
        read_at = if reads {
            Some(fact.captured_at)
        } else {
            read_at
        };
        let before = if !was_read && reads { usage } else { before };
        if fact.meter.is_some() || read_at.is_some() {
            moves.insert(fact.id, (before, usage));
        }
        states.push((fact.clone(), read_at.map(|_| usage)));
        if let Some(meter) = fact.meter
            && meter.new_meter().is_none()
        {
            let day = fact.captured_at.with_timezone(&initial.zone).date_naive();
            *days.entry(day).or_default() += (usage - before).max(0);
        }
        match fact.fuel {
            Some((fuel, 1)) if fuel.kind == FuelKind::Gas => gas += fuel.amount.hundredths(),
            Some((fuel, 1)) => diesel += fuel.amount.hundredths(),
            _ => {}
        }
    }
    let mark = model_mark(initial, &states);
    let days = days.into_iter().rev().filter(|(_, used)| *used > 0);
    let days: Vec<(NaiveDate, i64)> = days.take(30).collect();
    let mut used: Vec<i64> = days.iter().take(20).map(|(_, used)| *used).collect();
    let intervals = model_intervals(&states);
    used.sort_unstable();
    // Each value stands for four places, so that quartiles are at whole ones.
    let quartile = |quarter: usize| {
        let place = quarter * (used.len() - 1);
        let values = (0..4).map(|part| used[(place + part) / 4]);
        (values.sum::<i64>() + 2) / 4
    };
    let rates = (used.len() >= 3).then(|| [1, 2, 3].map(quartile));
    let daily_use = (rates, days);
    Figures {
        usage,
        dial,
        read_at,
        mark,
        gas,
        diesel,
        daily_use,
        moves,
        intervals,
    }
}

/// For each full fill, the nearest one before that shows another usage, unless a lower usage follows it.
fn model_intervals(states: &[(Fact, Option<i64>)]) -> Vec<(Uuid, i64, i64)> {
    let gas = |fact: &Fact| {
        let fuel = fact.fuel.map(|(fuel, _)| fuel);
        fuel.filter(|fuel| fuel.kind == FuelKind::Gas)
    };
    let fills: Vec<(usize, i64)> = states
        .iter()
        .enumerate()
        .filter(|(_, (fact, _))| gas(fact).is_some_and(|fuel| fuel.full))
        .filter_map(|(at, (_, usage))| Some((at, (*usage)?)))
        .collect();
    // Of consecutive fills at one usage the first one counts.
    let mut distinct: Vec<(usize, i64)> = Vec::new();
    for fill in fills {
        if distinct.last().is_none_or(|last| last.1 != fill.1) {
            distinct.push(fill);
        }
    }
    let rising = distinct.windows(2).filter(|pair| pair[0].1 < pair[1].1);
    let between = rising.map(|pair| {
        let (from, to) = (pair[0].0 + 1, pair[1].0);
        let burned = states[from..=to].iter().filter_map(|(fact, _)| gas(fact));
        let fuel = burned.map(|fuel| fuel.amount.hundredths()).sum();
        (states[to].0.id, fuel, pair[1].1 - pair[0].1)
    });
    between.collect()
}

/// The mark entered last, lowered to each known usage since its time. `states` are the facts by time
/// with the usage after each.
fn model_mark(initial: &InitialState, states: &[(Fact, Option<i64>)]) -> Option<i64> {
    let first = initial.read.then_some(initial.meter.usage.hundredths());
    let task = &initial.tasks[0];
    let given = MarkUsage::Given(task.initial_usage);
    let (mut winner, mut since, mut latest) = (given, 0, None);
    let mut entered: Vec<usize> = (0..states.len()).collect();
    entered.sort_by_key(|at| (states[*at].0.entered, states[*at].0.id));
    for at in entered {
        let fact = &states[at].0;
        let Some((_, usage, _)) = fact.mark else {
            continue;
        };
        if let Some((_, day)) = fact.service {
            if latest.is_some_and(|latest| day < latest) {
                continue;
            }
            latest = Some(day);
        }
        (winner, since) = (usage, at + 1);
    }
    let known = if since == 0 {
        first
    } else {
        states[since - 1].1
    };
    let mut last = match winner {
        MarkUsage::Meter => known,
        MarkUsage::Given(given) => given.map(Quantity::hundredths),
    };
    let later = states[since..].iter().filter_map(|(_, usage)| *usage);
    if known.is_none() && last.is_none() {
        last = later.clone().next();
    }
    for usage in known.into_iter().chain(later) {
        last = last.map(|last| last.min(usage));
    }
    last
}

fn figures(initial: &InitialState, facts: &[Fact], folded: &Folded) -> Figures {
    let found = &folded.projection;
    let used = &found.daily_use;
    let days = used.days.iter().copied();
    let burned = intervals(initial.unit, Some(FuelKind::Gas), &steps(initial, facts));
    let burned = burned.iter().map(|interval| {
        let (fuel, rise) = (interval.fuel.hundredths(), interval.rise.hundredths());
        (interval.entry, fuel, rise)
    });
    let moves = folded.placed.iter().map(|(id, placed)| {
        let moved = placed.moved;
        (*id, (moved.before.hundredths(), moved.after.hundredths()))
    });
    Figures {
        usage: found.meter.usage.hundredths(),
        dial: found.meter.reading().hundredths(),
        read_at: found.read_at,
        mark: found.tasks[&initial.tasks[0].id]
            .last_usage
            .map(Quantity::hundredths),
        gas: found.gas.hundredths(),
        diesel: found.diesel.hundredths(),
        daily_use: (
            used.rates.map(|rates| rates.map(Quantity::hundredths)),
            days.zip(used.sums.iter().map(|sum| sum.hundredths()))
                .collect(),
        ),
        moves: moves.collect(),
        intervals: burned.collect(),
    }
}

#[test]
fn fold_equals_the_model_in_every_order_and_with_any_voids() {
    let mut rng = Rng(0x5eed);
    let mut compared = 0;
    for _ in 0..2_000 {
        let task = Uuid::from_u128(7);
        let read = rng.roll(3) > 0;
        let usage = if read { 50_000 + rng.amount(5_000) } else { 0 };
        let initial = InitialState {
            meter: MeterState::default().with_usage(quantity(usage)),
            read,
            added_at: at(-1),
            unit: MeterUnit::Hours,
            zone: if rng.roll(2) == 0 {
                Tz::UTC
            } else {
                Tz::America__Chicago
            },
            fuel_period: 1,
            tasks: vec![TaskPlan {
                id: task,
                created_at: Some(at(-1)),
                usage_interval: quantity(25_000),
                calendar_interval: None,
                initial_usage: (rng.roll(2) == 0).then(|| quantity(rng.amount(70_000))),
                initial_start: None,
                rule: Rule::default(),
            }],
        };
        let count = rng.roll(14);
        let mut facts: Vec<Fact> = (0..count).map(|_| random_fact(&mut rng, task)).collect();
        for _ in 0..4 {
            rng.shuffle(&mut facts);
            let Ok(found) = fold(&initial, &facts) else {
                continue;
            };
            assert_eq!(
                figures(&initial, &facts, &found),
                model(&initial, &facts),
                "{facts:?}"
            );
            assert!(found.projection.tasks[&task].last_usage.is_none_or(|last| {
                !initial.read && found.projection.read_at.is_none()
                    || last <= found.projection.meter.usage
            }));
            compared += 1;
        }
        // Void entries, one after the other.
        while facts.pop().is_some() {
            if let Ok(found) = fold(&initial, &facts) {
                assert_eq!(
                    figures(&initial, &facts, &found),
                    model(&initial, &facts),
                    "{facts:?}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

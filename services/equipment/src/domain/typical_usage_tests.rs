use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::*;
use crate::domain::fold::InitialState;
use crate::domain::kinds::FuelKind;
use crate::domain::ledger::{Fact, Fuel};
use crate::domain::meter::{MeterChange, MeterState, NewMeter};
use crate::domain::timeline::steps;

const fn quantity(hundredths: i64) -> Quantity {
    Quantity::from_hundredths(hundredths)
}

fn fact(hours: i64, meter: Option<MeterFact>) -> Fact {
    Fact {
        id: Uuid::now_v7(),
        captured_at: DateTime::<Utc>::UNIX_EPOCH + TimeDelta::hours(hours),
        meter,
        unit: MeterUnit::Hours,
        fuel: None,
        mark: None,
        service: None,
        stored: None,
        entered: (0, DateTime::UNIX_EPOCH),
    }
}

fn added(hours: i64, by: i64) -> Fact {
    fact(hours, Some(MeterFact::Increase(quantity(by))))
}

fn filled(hours: i64, amount: i64) -> Fact {
    let fuel = Fuel {
        amount: quantity(amount),
        kind: FuelKind::Gas,
    };
    Fact {
        fuel: Some((fuel, 0)),
        ..fact(hours, None)
    }
}

fn typical(facts: &[Fact]) -> (Option<i64>, Option<i64>) {
    let initial = InitialState {
        meter: MeterState::default().with_usage(quantity(1_000_000)),
        read: true,
        added_at: DateTime::<Utc>::UNIX_EPOCH - TimeDelta::days(1),
        unit: MeterUnit::Hours,
        fuel_period: 0,
        tasks: Vec::new(),
    };
    let found = typical_usage(initial.unit, &steps(&initial, facts));
    let hundredths = |value: Option<Quantity>| value.map(Quantity::hundredths);
    (hundredths(found.daily_use), hundredths(found.fill))
}

fn daily(facts: &[Fact]) -> Option<i64> {
    typical(facts).0
}

/// One increase a day.
fn days(by: &[i64]) -> Vec<Fact> {
    (0..)
        .zip(by)
        .map(|(day, by)| added(day * 24, *by))
        .collect()
}

#[test]
fn daily_use_is_the_median_of_sums_by_day() {
    assert_eq!(daily(&[]), None);
    assert_eq!(daily(&days(&[100, 300])), None);
    assert_eq!(daily(&days(&[100, 300, 200])), Some(200));
    assert_eq!(daily(&days(&[100, 300, 201, 400])), Some(251));
    // Three entries of one day are one value.
    let mut facts = days(&[300, 300, 300]);
    facts.extend(days(&[300, 300, 300]));
    facts.extend(days(&[300, 300, 300]));
    assert_eq!(daily(&facts), Some(900));
    // A day without use is not counted.
    facts.push(fact(
        73,
        Some(MeterFact::Reading(quantity(1_000_000 + 2700))),
    ));
    assert_eq!(daily(&facts), Some(900));
}

#[test]
fn daily_use_ignores_corrections_downwards_and_replacements() {
    let mut facts = days(&[100, 100, 100]);
    facts.push(fact(73, Some(MeterFact::Reading(quantity(5)))));
    let new = NewMeter {
        change: MeterChange::Replaced,
        last: Some(quantity(50_000)),
        first: Quantity::ZERO,
    };
    facts.push(fact(97, Some(MeterFact::Replacement(new, quantity(900)))));
    assert_eq!(daily(&facts), Some(100));
}

#[test]
fn daily_use_counts_since_the_change_of_the_unit() {
    let mut facts = days(&[900, 900, 900, 900, 100, 200, 300]);
    let state = MeterState::default().with_usage(quantity(62));
    facts.push(fact(4 * 24 - 1, Some(MeterFact::NewUnit(state))));
    assert_eq!(daily(&facts), Some(200));
    facts[6].unit = MeterUnit::Miles;
    assert_eq!(daily(&facts), None);
}

#[test]
fn daily_use_is_of_the_last_twenty_days() {
    let mut used = vec![900; 30];
    used.extend([100; 10]);
    assert_eq!(daily(&days(&used)), Some(500));
    used.extend([100]);
    assert_eq!(daily(&days(&used)), Some(100));
}

#[test]
fn fill_is_the_median_of_the_last_twenty() {
    let fill = |amounts: &[i64]| {
        let facts: Vec<_> = (0..)
            .zip(amounts)
            .map(|(nth, amount)| filled(nth, *amount))
            .collect();
        typical(&facts).1
    };
    assert_eq!(fill(&[100, 200]), None);
    assert_eq!(fill(&[100, 9000, 200]), Some(200));
    assert_eq!(fill(&[100, 9000, 200, 301]), Some(251));
    let mut many = vec![100; 30];
    many.extend([700; 10]);
    assert_eq!(fill(&many), Some(400));
    many.extend([700]);
    assert_eq!(fill(&many), Some(700));
}

use chrono::TimeDelta;
use uuid::Uuid;

use super::*;
use crate::domain::fold::fold;
use crate::domain::initial_state::InitialState;
use crate::domain::kinds::FuelKind;
use crate::domain::ledger::{Fact, Fuel};
use crate::domain::meter::{MeterChange, MeterState, NewMeter};

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
        full: false,
    };
    Fact {
        fuel: Some((fuel, 0)),
        ..fact(hours, None)
    }
}

fn initial(zone: Tz) -> InitialState {
    InitialState {
        meter: MeterState::default().with_usage(quantity(1_000_000)),
        read: true,
        added_at: DateTime::<Utc>::UNIX_EPOCH - TimeDelta::days(1),
        unit: MeterUnit::Hours,
        zone,
        fuel_period: 0,
        tasks: Vec::new(),
    }
}

fn typical(facts: &[Fact]) -> (Option<i64>, Option<i64>) {
    let initial = initial(Tz::UTC);
    let found = fold(&initial, facts).expect("in range").projection;
    let hundredths = |value: Option<Quantity>| value.map(Quantity::hundredths);
    (
        hundredths(found.daily_use.usual()),
        hundredths(found.usual_fill),
    )
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
    facts.push(fact(4 * 24 - 1, Some(MeterFact::NewUnit(Some(state)))));
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
fn daily_use_counts_all_entries_of_a_day() {
    let mut facts = Vec::new();
    for day in 0..3 {
        facts.extend((0..150).map(|_| added(day * 24, 2)));
    }
    assert_eq!(daily(&facts), Some(300));
}

#[test]
fn daily_use_is_by_day_in_the_time_zone() {
    // 22:00 and 02:00 UTC are one evening in Chicago, two hours apart in winter.
    let evenings = (0..4).flat_map(|day| [added(day * 24 + 22, 100), added(day * 24 + 26, 300)]);
    let facts: Vec<Fact> = evenings.collect();
    let in_zone = |zone| {
        let found = fold(&initial(zone), &facts).expect("in range");
        let used = found.projection.daily_use;
        let sums: Vec<i64> = used.sums.iter().map(|sum| sum.hundredths()).collect();
        (sums, used.days.len())
    };
    assert_eq!(in_zone(Tz::America__Chicago), (vec![400; 4], 4));
    assert_eq!(in_zone(Tz::UTC), (vec![300, 400, 400, 400, 100], 5));
}

#[test]
fn daily_use_has_quartiles_and_thirty_days() {
    let facts = days(&[&[700; 20][..], &[400, 100, 300, 200], &[200; 11]].concat());
    let found = fold(&initial(Tz::UTC), &facts).expect("in range");
    let used = found.projection.daily_use;
    assert_eq!((used.days.len(), used.sums.len()), (30, 30));
    assert!(used.days.is_sorted_by(|newer, older| newer > older));
    let rates = |facts: &[Fact]| {
        let found = fold(&initial(Tz::UTC), facts).expect("in range");
        let rates = found.projection.daily_use.rates;
        rates.map(|rates| rates.map(Quantity::hundredths))
    };
    assert_eq!(rates(&facts), Some([200, 200, 475]));
    assert_eq!(rates(&days(&[400, 100, 300, 200])), Some([175, 250, 325]));
    assert_eq!(rates(&days(&[5, 1, 2])), Some([2, 2, 4]));
    assert_eq!(rates(&days(&[5, 1])), None);
}

#[test]
fn daily_use_with_an_entry_equals_the_fold() {
    let zone = Tz::America__Chicago;
    let mut facts: Vec<Fact> = Vec::new();
    let mut used = DailyUse::in_zone(zone);
    for hour in 0..900 {
        let next = added(hour * 5, hour % 7 * 10);
        let by = quantity(hour % 7 * 10);
        used = used.with(next.captured_at, by);
        facts.push(next);
        if hour % 50 == 0 {
            let found = fold(&initial(zone), &facts).expect("in range");
            assert_eq!(used, found.projection.daily_use);
        }
    }
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

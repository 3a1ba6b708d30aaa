use chrono::TimeDelta;
use chrono_tz::Tz;

use super::*;
use crate::domain::initial_state::InitialState;
use crate::domain::ledger::{Fact, Fuel};
use crate::domain::meter::{MeterChange, MeterState, NewMeter};
use crate::domain::timeline::steps;

const fn quantity(hundredths: i64) -> Quantity {
    Quantity::from_hundredths(hundredths)
}

fn hour(hours: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::hours(hours)
}

fn fact(hours: i64, meter: Option<MeterFact>) -> Fact {
    Fact {
        id: Uuid::from_u128(u128::from(hours.unsigned_abs())),
        captured_at: hour(hours),
        meter,
        unit: MeterUnit::Hours,
        fuel: None,
        mark: None,
        service: None,
        stored: None,
        entered: (0, hour(hours)),
    }
}

fn reading(hours: i64, shows: i64) -> Fact {
    fact(hours, Some(MeterFact::Reading(quantity(shows))))
}

/// Adds fuel to an entry.
fn with(mut entry: Fact, amount: i64, kind: FuelKind, full: bool) -> Fact {
    let amount = quantity(amount);
    entry.fuel = Some((Fuel { amount, kind, full }, 0));
    entry
}

fn full(entry: Fact, amount: i64) -> Fact {
    with(entry, amount, FuelKind::Diesel, true)
}

fn partial(entry: Fact, amount: i64) -> Fact {
    with(entry, amount, FuelKind::Diesel, false)
}

/// Entry, fuel and rise of the intervals of a machine with a meter at 0.
fn found(facts: &[Fact], kind: Option<FuelKind>) -> Vec<(u128, i64, i64)> {
    let initial = InitialState {
        meter: MeterState::default(),
        read: true,
        added_at: hour(0),
        unit: MeterUnit::Hours,
        zone: Tz::UTC,
        fuel_period: 0,
        tasks: Vec::new(),
    };
    let found = intervals(MeterUnit::Hours, kind, &steps(&initial, facts));
    let figures = found.iter().map(|interval| {
        let (fuel, rise) = (interval.fuel.hundredths(), interval.rise.hundredths());
        (interval.entry.as_u128(), fuel, rise)
    });
    figures.collect()
}

#[test]
fn intervals_sum_the_fuel_between_full_fills() {
    let facts = [
        partial(reading(1, 100), 900),
        full(reading(2, 200), 700),
        partial(fact(3, None), 300),
        with(fact(4, None), 5_000, FuelKind::Gas, true),
        full(reading(5, 600), 500),
        partial(reading(6, 700), 100),
        full(fact(7, None), 200),
        partial(fact(8, None), 100),
    ];
    let diesel = Some(FuelKind::Diesel);
    assert_eq!(found(&facts, diesel), [(5, 800, 400), (7, 300, 100)]);
    assert_eq!(
        found(&facts, None),
        found(&facts, diesel),
        "the last full fill"
    );
    assert_eq!(found(&facts[..4], diesel), []);
}

#[test]
fn intervals_begin_again_after_a_lower_meter_and_another_unit() {
    let lower = [
        full(reading(1, 900), 100),
        full(reading(2, 300), 100),
        full(reading(3, 500), 100),
    ];
    assert_eq!(found(&lower, None), [(3, 100, 200)]);
    let in_miles = Fact {
        unit: MeterUnit::Miles,
        ..full(reading(1, 100), 100)
    };
    let changed = MeterFact::NewUnit(Some(MeterState::default().with_usage(quantity(150))));
    let unit = [
        in_miles,
        full(reading(2, 120), 100),
        fact(3, Some(changed)),
        full(reading(4, 200), 100),
        full(reading(5, 300), 100),
    ];
    assert_eq!(found(&unit, None), [(5, 100, 100)]);
}

#[test]
fn intervals_without_use_join_the_next_one() {
    let facts = [
        full(reading(1, 100), 500),
        full(fact(2, None), 50),
        full(reading(3, 300), 150),
    ];
    assert_eq!(found(&facts, None), [(3, 200, 200)]);
}

#[test]
fn intervals_continue_over_a_new_meter() {
    let new = NewMeter {
        change: MeterChange::Replaced,
        last: Some(quantity(150)),
        first: quantity(0),
    };
    let facts = [
        full(reading(1, 100), 500),
        fact(2, Some(MeterFact::Replacement(new, quantity(0)))),
        full(reading(3, 50), 150),
    ];
    assert_eq!(found(&facts, None), [(3, 150, 100)]);
}

fn interval(nth: i64, fuel: i64) -> Interval {
    Interval {
        entry: Uuid::from_u128(u128::from(nth.unsigned_abs())),
        from: hour(nth),
        to: hour(nth + 1),
        period: 0,
        fuel: quantity(fuel),
        rise: quantity(100),
    }
}

#[test]
fn unusual_are_far_from_the_median_of_four() {
    for (fuel, expected) in [
        (&[100, 900, 10][..], &[][..]),
        (&[100, 300, 100, 300], &[]),
        (&[100, 301, 100, 100], &[1]),
        (&[300, 99, 300, 300], &[1]),
        (&[300, 100, 300, 300], &[]),
        (&[300, 310, 290, 2_000, 5], &[3, 4]),
    ] {
        let intervals: Vec<_> = (0..)
            .zip(fuel)
            .map(|(nth, fuel)| interval(nth, *fuel))
            .collect();
        let found: Vec<u128> = unusual(&intervals).iter().map(Uuid::as_u128).collect();
        assert_eq!(found, expected, "{fuel:?}");
    }
}

#[test]
fn consumption_leaves_unusual_fills_out_or_is_an_estimate() {
    let intervals: Vec<_> = (0..)
        .zip([300, 310, 290, 2_000, 280])
        .map(|(nth, fuel)| interval(nth, fuel))
        .collect();
    let all = Some((quantity(9_000), quantity(700)));
    let of = |from: i64, until: i64| {
        let in_range = |interval: &Interval| interval.to >= hour(from) && interval.to < hour(until);
        consumption(&intervals, in_range, all).expect("usage")
    };
    let whole = of(0, 99);
    assert_eq!((whole.fills, whole.excluded), (4, 1));
    assert_eq!((whole.fuel, whole.usage), (quantity(1_180), quantity(400)));
    assert_eq!(whole.times, Some((hour(0), hour(5))));
    let part = of(3, 6);
    assert_eq!(
        (part.fills, part.excluded, part.fuel),
        (2, 1, quantity(570))
    );
    let estimate = of(4, 6);
    assert_eq!((estimate.fills, estimate.times), (0, None));
    assert_eq!(
        (estimate.fuel, estimate.usage),
        (quantity(9_000), quantity(700))
    );
    assert_eq!(estimate.unusual, whole.unusual);
    assert_eq!(consumption(&[], |_| true, None), None);
}

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::*;
use crate::domain::kinds::FuelKind;
use crate::domain::ledger::{Actor, EntryKind, Fuel, MeterMove, Source, Subject};
use crate::domain::meter::{MeterChange, Replacement};

const fn quantity(hundredths: i64) -> Quantity {
    Quantity::from_hundredths(hundredths)
}

fn fact(seconds: i64) -> Fact {
    Fact {
        id: Uuid::now_v7(),
        captured_at: DateTime::<Utc>::UNIX_EPOCH + TimeDelta::seconds(seconds),
        meter: None,
        same_unit: true,
        fuel: None,
        mark: None,
        service: None,
    }
}

fn moved(seconds: i64, by: i64) -> Fact {
    let meter = MeterMove {
        before: quantity(1000),
        after: quantity(1000 + by),
    };
    Fact {
        meter: Some((MeterEffect::Reading, meter)),
        ..fact(seconds)
    }
}

fn filled(amount: i64) -> Fact {
    let fuel = Fuel {
        amount: quantity(amount),
        kind: FuelKind::Gas,
    };
    Fact {
        fuel: Some((fuel, 0)),
        ..fact(0)
    }
}

fn daily(facts: &[Fact]) -> Option<i64> {
    typical_usage(facts).daily_use.map(Quantity::hundredths)
}

/// One entry a day with these moves.
fn days(moves: &[i64]) -> Vec<Fact> {
    let moves = (0..).zip(moves);
    moves.map(|(day, by)| moved(day * DAY, *by)).collect()
}

#[test]
fn daily_use_needs_three_entries() {
    assert_eq!(daily(&[]), None);
    assert_eq!(daily(&days(&[900, 100, 300])), None);
    // The first one has no previous entry.
    assert_eq!(daily(&days(&[900, 100, 300, 200])), Some(200));
    assert_eq!(daily(&days(&[900, 100, 300, 200, 400])), Some(250));
    assert_eq!(daily(&days(&[900, 100, 300, 201, 400])), Some(251));
    assert_eq!(daily(&days(&[0, 0, 0, 0])), Some(0));
}

#[test]
fn daily_use_ignores_corrections_downwards_and_other_entries() {
    assert_eq!(daily(&days(&[900, 100, -5, 300, 200])), Some(200));
    assert_eq!(daily(&days(&[900, 100, -5, 300])), None);
    let mut facts = days(&[900, 100, 300, 200]);
    facts.push(filled(500));
    facts.insert(2, fact(5));
    assert_eq!(daily(&facts), Some(200));
}

#[test]
fn daily_use_ignores_replacements_and_counts_from_them() {
    let mut facts = days(&[900, 100, 70_000, 200, 300]);
    let replacement = MeterEffect::Replacement(Replacement {
        change: MeterChange::Replaced,
        last: quantity(5),
        first: quantity(0),
    });
    facts[2].meter.as_mut().unwrap().0 = replacement;
    assert_eq!(daily(&facts), Some(200));
    facts.remove(1);
    assert_eq!(daily(&facts), None);
}

#[test]
fn daily_use_counts_at_least_one_day_and_rounds() {
    let rate = |seconds: i64, by: i64| {
        let facts: Vec<_> = (0..4).map(|nth| moved(nth * seconds, by)).collect();
        daily(&facts)
    };
    assert_eq!(rate(60, 500), Some(500));
    assert_eq!(rate(-60, 500), Some(500));
    assert_eq!(rate(DAY, 500), Some(500));
    assert_eq!(rate(2 * DAY, 500), Some(250));
    assert_eq!(rate(2 * DAY, 501), Some(251));
    assert_eq!(rate(3 * DAY, 4), Some(1));
    assert_eq!(rate(3 * DAY, 5), Some(2));
    assert_eq!(rate(DAY + 1, 100_000_000_000), Some(99_998_842_606));
}

#[test]
fn daily_use_is_of_the_last_twenty_entries() {
    let mut moves = vec![100_000; 30];
    moves.extend([100; 20]);
    assert_eq!(daily(&days(&moves)), Some(100));
    // One value of the first twenty, before ten of a hundred.
    let mut moves = vec![900; 11];
    moves.extend([100; 10]);
    assert_eq!(daily(&days(&moves)), Some(500));
    moves.extend([100]);
    assert_eq!(daily(&days(&moves)), Some(100));
}

#[test]
fn fill_is_the_median_of_the_last_twenty() {
    let fill = |amounts: &[i64]| {
        let facts: Vec<_> = amounts.iter().map(|amount| filled(*amount)).collect();
        typical_usage(&facts).fill.map(Quantity::hundredths)
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

#[test]
fn daily_use_ignores_entries_in_another_unit() {
    let mut facts = days(&[100, 900, 900, 900, 100, 100, 200, 300]);
    for fact in &mut facts[..4] {
        fact.same_unit = false;
    }
    // The first one in this unit has no previous entry.
    assert_eq!(daily(&facts), Some(200));
    assert_eq!(daily(&facts[..7]), None);
    let mut fills: Vec<Fact> = [500, 500, 500].map(filled).into();
    for fact in &mut fills {
        fact.same_unit = false;
    }
    assert_eq!(
        typical_usage(&fills).fill,
        Some(quantity(500)),
        "gallons are gallons"
    );
}

/// Adds the newest fact to the earlier ones, as a usage update does.
fn recent(facts: &[Fact]) -> RecentEntries {
    let (newest, older) = facts.split_last().unwrap();
    let older = older.iter().rev();
    let moves = older.clone();
    let moves = moves.filter_map(|fact| Some(RecentMove::new(fact.captured_at, fact.meter?)));
    let fills = older.filter_map(|fact| fact.fuel.map(|(fuel, _)| fuel.amount));
    let mut recent = RecentEntries {
        moves: moves.take(MAX_ENTRIES + 1).collect(),
        fills: fills.take(MAX_ENTRIES).collect(),
    };
    let actor = Actor {
        id: Uuid::nil(),
        name: String::new(),
        source: Source::Manager,
    };
    let subject = Subject::unloaded(Uuid::nil());
    let mut entry = Entry::new(subject, EntryKind::Usage, actor, newest.captured_at);
    (entry.effect, entry.usage) = newest.meter.unzip();
    entry.fuel = newest.fuel.map(|(fuel, _)| fuel);
    recent.add(&entry);
    recent
}

#[test]
fn recent_entries_add_equals_all_facts() {
    for count in [
        1,
        3,
        4,
        MAX_ENTRIES,
        MAX_ENTRIES + 1,
        MAX_ENTRIES + 2,
        MAX_ENTRIES + 3,
    ] {
        let amounts: Vec<i64> = (1..).take(count).map(|nth| 100 * nth * nth).collect();
        let moves = days(&amounts);
        assert_eq!(
            recent(&moves).medians(),
            typical_usage(&moves),
            "{count} moves"
        );
        let fills: Vec<Fact> = amounts.into_iter().map(filled).collect();
        assert_eq!(
            recent(&fills).medians(),
            typical_usage(&fills),
            "{count} fills"
        );
    }
}

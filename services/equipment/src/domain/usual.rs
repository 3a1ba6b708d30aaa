//! What a machine usually does. `store::usual` computes the same in SQL.

use hourmeter_runtime::quantity::Quantity;

use super::fold::Fact;
use super::ledger::MeterEffect;

/// How many entries are looked at, at most.
pub const LAST: usize = 20;
/// How many it takes to tell.
pub const LEAST: usize = 3;
/// Seconds of a day; what happens within one counts as a day's use.
const DAY: i64 = 86_400;

/// What a machine usually does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usual {
    /// Use in a day; none: too few readings to tell.
    pub daily_use: Option<Quantity>,
    /// One filling; none: too few to tell.
    pub fill: Option<Quantity>,
}

/// The medians over the last entries that count. Corrections downwards and replaced meters say
/// nothing about use, but are where the next entry began. What was counted in another unit says
/// nothing either.
pub fn usual(facts: &[Fact]) -> Usual {
    let newest: Vec<_> = facts
        .iter()
        .rev()
        .filter(|fact| fact.same_unit)
        .filter_map(|fact| fact.meter.map(|(effect, moved)| (fact, effect, moved)))
        .take(LAST + 1)
        .collect();
    let rates = newest.windows(2).filter_map(|pair| {
        let [(fact, effect, moved), (before, ..)] = pair else {
            return None;
        };
        let moved = moved.after.minus(moved.before).hundredths();
        let counts = moved >= 0 && !matches!(effect, MeterEffect::Replacement(_));
        let seconds = (fact.captured_at - before.captured_at).num_seconds();
        let seconds = seconds.max(DAY);
        counts.then(|| (moved * DAY + seconds / 2) / seconds)
    });
    let fills = facts.iter().rev().filter_map(|fact| fact.fuel);
    let fills = fills.map(|(fuel, _)| fuel.amount.hundredths());
    Usual {
        daily_use: median(rates.collect()),
        fill: median(fills.take(LAST).collect()),
    }
}

fn median(mut values: Vec<i64>) -> Option<Quantity> {
    values.sort_unstable();
    let count = values.len();
    if count < LEAST {
        return None;
    }
    let middle = values[(count - 1) / 2] + values[count / 2];
    Some(Quantity::from_hundredths((middle + 1) / 2))
}

#[cfg(test)]
#[path = "usual_tests.rs"]
mod tests;

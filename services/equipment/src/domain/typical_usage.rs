//! Typical usage, learned from the latest entries.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use hourmeter_runtime::quantity::Quantity;

use super::kinds::MeterUnit;
use super::meter::MeterFact;
use super::timeline::Step;

/// Number of latest entries whose use counts.
pub const MAX_MOVES: usize = 100;
/// Number of latest days or fills in a median.
pub const MAX_VALUES: usize = 20;
/// Fewest days or fills in a median.
pub const MIN_VALUES: usize = 3;

/// Typical usage. None: too few entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypicalUsage {
    /// Usage per day of use.
    pub daily_use: Option<Quantity>,
    /// Gallons per fill.
    pub fill: Option<Quantity>,
}

/// The median of the last days of use. `moves` are the latest ones, with their days in UTC.
pub fn daily_use(moves: impl IntoIterator<Item = (NaiveDate, Quantity)>) -> Option<Quantity> {
    let mut days: BTreeMap<NaiveDate, Quantity> = BTreeMap::new();
    for (day, used) in moves {
        let sum = days.entry(day).or_default();
        *sum = sum.plus(used);
    }
    let used = days.into_values().rev().filter(|used| !used.is_zero());
    median(used.take(MAX_VALUES).collect())
}

/// The median of fills, newest first.
pub fn fill(fills: impl IntoIterator<Item = Quantity>) -> Option<Quantity> {
    median(fills.into_iter().take(MAX_VALUES).collect())
}

/// Typical usage from all steps of a machine, oldest first, since its meter counts in `unit`.
pub fn typical_usage(unit: MeterUnit, steps: &[Step<'_>]) -> TypicalUsage {
    let newest = || {
        steps
            .iter()
            .rev()
            .filter_map(|step| Some((step, step.fact?)))
    };
    let since = newest()
        .take_while(|(_, fact)| !matches!(fact.meter, Some(MeterFact::NewUnit(_))))
        .filter(|(_, fact)| fact.unit == unit && fact.meter.is_some())
        .take(MAX_MOVES);
    let moves = since.filter_map(|(step, _)| Some((step.at.date_naive(), step.rise()?)));
    TypicalUsage {
        daily_use: daily_use(moves),
        fill: fill(newest().filter_map(|(_, fact)| fact.fuel.map(|(fuel, _)| fuel.amount))),
    }
}

fn median(mut values: Vec<Quantity>) -> Option<Quantity> {
    values.sort_unstable();
    let count = values.len();
    if count < MIN_VALUES {
        return None;
    }
    let middle = values[(count - 1) / 2].plus(values[count / 2]).hundredths();
    Some(Quantity::from_hundredths((middle + 1) / 2))
}

#[cfg(test)]
#[path = "typical_usage_tests.rs"]
mod tests;

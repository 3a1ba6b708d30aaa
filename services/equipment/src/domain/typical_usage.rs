//! Typical usage, learned from the latest entries.

use chrono::{DateTime, Utc};
use hourmeter_runtime::quantity::Quantity;

use super::ledger::{Entry, Fact, MeterEffect, MeterMove};

/// Number of latest entries in a median.
pub const MAX_ENTRIES: usize = 20;
/// Fewest entries in a median.
pub const MIN_ENTRIES: usize = 3;
/// Seconds per day. Intervals below a day count as one.
const DAY: i64 = 86_400;

/// Typical usage. None: too few entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypicalUsage {
    /// Usage per day.
    pub daily_use: Option<Quantity>,
    /// Gallons per fill.
    pub fill: Option<Quantity>,
}

/// The latest entries that count, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecentEntries {
    /// Entries that moved the meter in its current unit.
    pub moves: Vec<RecentMove>,
    /// Gallons.
    pub fills: Vec<Quantity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecentMove {
    /// When it happened in the field.
    pub captured_at: DateTime<Utc>,
    /// Usage since the previous entry. None for corrections downwards and replacements: they show
    /// no usage, but the next entry counts from them.
    pub used: Option<Quantity>,
}

impl RecentMove {
    fn new(captured_at: DateTime<Utc>, (effect, moved): (MeterEffect, MeterMove)) -> Self {
        let used = moved.after.minus(moved.before);
        let counts = used >= Quantity::ZERO && effect.replacement().is_none();
        Self {
            captured_at,
            used: counts.then_some(used),
        }
    }
}

impl RecentEntries {
    /// The entry must be newer than all others.
    pub fn add(&mut self, entry: &Entry) {
        let moved = entry.effect.zip(entry.usage);
        let moved = moved.map(|moved| RecentMove::new(entry.captured_at, moved));
        self.moves.splice(0..0, moved);
        self.fills.splice(0..0, entry.fuel.map(|fuel| fuel.amount));
    }

    pub fn medians(&self) -> TypicalUsage {
        let rates = self.moves.windows(2).take(MAX_ENTRIES).filter_map(|pair| {
            let [moved, before] = pair else {
                return None;
            };
            let used = moved.used?.hundredths();
            let seconds = (moved.captured_at - before.captured_at).num_seconds();
            let seconds = seconds.max(DAY);
            Some((used * DAY + seconds / 2) / seconds)
        });
        let fills = self.fills.iter().map(|fill| fill.hundredths());
        TypicalUsage {
            daily_use: median(rates.collect()),
            fill: median(fills.take(MAX_ENTRIES).collect()),
        }
    }
}

/// Typical usage from all facts of a machine, oldest first. Entries in another unit than the
/// current one are ignored.
pub fn typical_usage(facts: &[Fact]) -> TypicalUsage {
    let newest = facts.iter().rev();
    let moves = newest.clone().filter(|fact| fact.same_unit);
    let moves = moves.filter_map(|fact| Some(RecentMove::new(fact.captured_at, fact.meter?)));
    let fills = newest.filter_map(|fact| fact.fuel.map(|(fuel, _)| fuel.amount));
    RecentEntries {
        moves: moves.take(MAX_ENTRIES + 1).collect(),
        fills: fills.take(MAX_ENTRIES).collect(),
    }
    .medians()
}

fn median(mut values: Vec<i64>) -> Option<Quantity> {
    values.sort_unstable();
    let count = values.len();
    if count < MIN_ENTRIES {
        return None;
    }
    let middle = values[(count - 1) / 2] + values[count / 2];
    Some(Quantity::from_hundredths((middle + 1) / 2))
}

#[cfg(test)]
#[path = "typical_usage_tests.rs"]
mod tests;

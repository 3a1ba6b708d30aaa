//! Typical usage, learned from the latest entries.

use std::cmp::Reverse;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use hourmeter_runtime::quantity::Quantity;

use super::kinds::MeterUnit;
use super::meter::MeterFact;
use super::timeline::Step;

/// Number of days of use that are kept: at least those of the last [`KEPT_DAYS`] calendar days.
pub const KEPT_DAYS: usize = 30;
/// Number of latest days or fills in a quartile.
pub const MAX_VALUES: usize = 20;
/// Fewest days or fills in a quartile.
pub const MIN_VALUES: usize = 3;

/// How a machine is used, from its last days of use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DailyUse {
    /// Quartiles of the usage in a day of use, above 0. None: too few days.
    pub rates: Option<[Quantity; 3]>,
    /// Days of use, newest first, at most [`KEPT_DAYS`].
    pub days: Vec<NaiveDate>,
    /// Usage of each day, above 0. Empty if only a migration has computed the rest, and in lists.
    pub sums: Vec<Quantity>,
    /// The time zone of the days. None: UTC, as computed by a migration; or in a list.
    pub zone: Option<Tz>,
}

impl DailyUse {
    /// Without any use.
    pub fn in_zone(zone: Tz) -> Self {
        Self {
            zone: Some(zone),
            ..Self::default()
        }
    }

    /// The median.
    pub fn usual(&self) -> Option<Quantity> {
        self.rates.map(|[_, usual, _]| usual)
    }

    /// Adds use that follows the one before.
    #[must_use]
    pub fn with(&self, at: DateTime<Utc>, rise: Quantity) -> Self {
        let days = self.days.iter().copied();
        let mut sums = days.zip(self.sums.iter().copied()).collect();
        add(&mut sums, self.day_of(at), rise);
        self.with_sums(sums)
    }

    fn day_of(&self, at: DateTime<Utc>) -> NaiveDate {
        let zone = self.zone.unwrap_or_default();
        at.with_timezone(&zone).date_naive()
    }

    fn with_sums(&self, by_day: Vec<(NaiveDate, Quantity)>) -> Self {
        let (days, sums): (_, Vec<Quantity>) = by_day.into_iter().unzip();
        let mut latest: Vec<Quantity> = sums.iter().take(MAX_VALUES).copied().collect();
        latest.sort_unstable();
        Self {
            rates: quartiles(&latest),
            days,
            sums,
            zone: self.zone,
        }
    }
}

/// Adds use to its day. `by_day` is sorted, newest first.
fn add(by_day: &mut Vec<(NaiveDate, Quantity)>, day: NaiveDate, rise: Quantity) {
    if rise <= Quantity::ZERO {
        return;
    }
    if let Some((_, sum)) = by_day.iter_mut().find(|(known, _)| *known == day) {
        *sum = sum.plus(rise);
    } else {
        by_day.push((day, rise));
        by_day.sort_unstable_by_key(|(day, _)| Reverse(*day));
        by_day.truncate(KEPT_DAYS);
    }
}

/// Use by day from all steps of a machine, oldest first, since its meter counts in `unit`.
pub fn daily_use(unit: MeterUnit, zone: Tz, steps: &[Step<'_>]) -> DailyUse {
    let is_new_unit = |step: &Step<'_>| {
        let meter = step.fact.and_then(|fact| fact.meter);
        matches!(meter, Some(MeterFact::NewUnit(_)))
    };
    let since = steps.iter().rposition(is_new_unit).map_or(0, |at| at + 1);
    let of_unit = |step: &&Step<'_>| step.fact.is_some_and(|fact| fact.unit == unit);
    let none = DailyUse::in_zone(zone);
    let mut by_day = Vec::new();
    for step in steps[since..].iter().filter(of_unit) {
        if let Some(rise) = step.rise() {
            add(&mut by_day, none.day_of(step.at), rise);
        }
    }
    none.with_sums(by_day)
}

/// The median of fills, newest first.
pub fn usual_fill(fills: impl IntoIterator<Item = Quantity>) -> Option<Quantity> {
    let mut latest: Vec<Quantity> = fills.into_iter().take(MAX_VALUES).collect();
    latest.sort_unstable();
    quartiles(&latest).map(|[_, median, _]| median)
}

/// Quartiles of sorted values, by linear interpolation. None: too few values.
fn quartiles(sorted: &[Quantity]) -> Option<[Quantity; 3]> {
    if sorted.len() < MIN_VALUES {
        return None;
    }
    Some([1, 2, 3].map(|quarter| {
        let place = quarter * (sorted.len() - 1);
        let (low, high) = (sorted[place / 4], sorted[place.div_ceil(4)]);
        let part = [0, 1, 2, 3][place % 4];
        let quadruple = low.hundredths() * (4 - part) + high.hundredths() * part;
        Quantity::from_hundredths((quadruple + 2) / 4)
    }))
}

#[cfg(test)]
#[path = "typical_usage_tests.rs"]
mod tests;

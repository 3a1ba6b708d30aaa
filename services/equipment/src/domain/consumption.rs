//! Fuel consumption from full fill to full fill.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::kinds::{FuelKind, MeterUnit};
use super::meter::MeterFact;
use super::timeline::Step;

/// Fewest measured fills of a machine among which some can be unusual.
const MIN_FILLS: usize = 4;
/// A fill is unusual if its consumption is more than this many times the median, or less than that
/// part of it.
const UNUSUAL_FACTOR: i128 = 3;
/// Fewest measured fills that give a consumption.
const MIN_MEASURED: usize = 2;

/// What a machine burned between two full fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The fill that ends it.
    pub entry: Uuid,
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
    /// Fuel period of its end.
    pub period: i32,
    /// Gallons.
    pub fuel: Quantity,
    /// Above 0.
    pub rise: Quantity,
}

impl Interval {
    /// Consumption, as a fraction with the product of both rises as its denominator.
    fn rate_beside(&self, other: &Self) -> i128 {
        i128::from(self.fuel.hundredths()) * i128::from(other.rise.hundredths())
    }

    fn is_far_from(&self, median: &Self) -> bool {
        let (own, usual) = (self.rate_beside(median), median.rate_beside(self));
        own > usual * UNUSUAL_FACTOR || own * UNUSUAL_FACTOR < usual
    }
}

/// The intervals of a machine since its meter counts in `unit`, oldest first. Without a `fuel` of the
/// machine, the kind of the last full fill counts.
pub fn intervals(unit: MeterUnit, fuel: Option<FuelKind>, steps: &[Step<'_>]) -> Vec<Interval> {
    let filled = steps.iter().rev().filter_map(|step| step.fact?.fuel);
    let last_kind = || filled.clone().find(|(fuel, _)| fuel.full);
    let kind = fuel.or_else(|| last_kind().map(|(fuel, _)| fuel.kind));
    let mut found = Vec::new();
    if unit == MeterUnit::NotApplicable {
        return found;
    }
    // The last full fill, its usage, and the fuel since then.
    let mut open: Option<(DateTime<Utc>, Quantity, Quantity)> = None;
    for step in steps {
        let Some(fact) = step.fact else { continue };
        if fact.unit != unit || matches!(fact.meter, Some(MeterFact::NewUnit(_))) {
            open = None;
            continue;
        }
        let Some((added, period)) = fact.fuel.filter(|(added, _)| Some(added.kind) == kind) else {
            continue;
        };
        if let Some((.., fuel)) = &mut open {
            *fuel = fuel.plus(added.amount);
        }
        let Some(usage) = step.after.usage().filter(|_| added.full) else {
            continue;
        };
        match open {
            // The tank was filled twice at one usage: the fuel belongs to the next usage.
            Some((_, since, _)) if since == usage => continue,
            Some((from, since, fuel)) if since < usage => found.push(Interval {
                entry: fact.id,
                from,
                to: step.at,
                period,
                fuel,
                rise: usage.minus(since),
            }),
            // The meter was corrected downwards, or this is the first fill.
            _ => {}
        }
        open = Some((step.at, usage, Quantity::ZERO));
    }
    found
}

/// The entries that end unusual intervals among all those of a machine.
pub fn unusual(intervals: &[Interval]) -> BTreeSet<Uuid> {
    let mut sorted: Vec<&Interval> = intervals.iter().collect();
    sorted.sort_by(|a, b| a.rate_beside(b).cmp(&b.rate_beside(a)));
    let median = sorted.get(sorted.len() / 2);
    let median = median.filter(|_| sorted.len() >= MIN_FILLS);
    let far = |interval: &&Interval| median.is_some_and(|median| interval.is_far_from(median));
    let found = intervals.iter().filter(far);
    found.map(|interval| interval.entry).collect()
}

/// Consumption of a machine in a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuelConsumption {
    /// Gallons.
    pub fuel: Quantity,
    /// Usage for which it was burned, above 0.
    pub usage: Quantity,
    /// Number of measured fills; 0: an estimate from all fuel and all usage.
    pub fills: usize,
    /// Number of unusual fills that were left out.
    pub excluded: usize,
    /// From the fill before the first measured one to the last one.
    pub times: Option<(DateTime<Utc>, DateTime<Utc>)>,
    /// Entries of all unusual fills of the machine.
    pub unusual: BTreeSet<Uuid>,
}

/// Consumption over the intervals that `is_in_range` selects, without unusual ones. If they are too few,
/// an estimate from `all` fuel and usage; None without usage.
pub fn consumption(
    intervals: &[Interval],
    is_in_range: impl Fn(&Interval) -> bool,
    all: Option<(Quantity, Quantity)>,
) -> Option<FuelConsumption> {
    let unusual = unusual(intervals);
    let in_range = intervals.iter().filter(|interval| is_in_range(interval));
    let (excluded, measured): (Vec<_>, Vec<_>) =
        in_range.partition(|interval| unusual.contains(&interval.entry));
    if measured.len() < MIN_MEASURED {
        return all.map(|(fuel, usage)| FuelConsumption {
            fuel,
            usage,
            fills: 0,
            excluded: 0,
            times: None,
            unusual,
        });
    }
    let times = measured.first().zip(measured.last());
    let sum = |of: fn(&Interval) -> Quantity| {
        let all = measured.iter().map(|interval| of(interval));
        all.fold(Quantity::ZERO, Quantity::plus)
    };
    Some(FuelConsumption {
        fuel: sum(|interval| interval.fuel),
        usage: sum(|interval| interval.rise),
        fills: measured.len(),
        excluded: excluded.len(),
        times: times.map(|(first, last)| (first.from, last.to)),
        unusual,
    })
}

#[cfg(test)]
#[path = "consumption_tests.rs"]
mod tests;

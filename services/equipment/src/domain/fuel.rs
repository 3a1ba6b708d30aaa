//! Fuel figures by equipment and by month.

use std::collections::BTreeMap;

use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::kinds::{FuelKind, MeterUnit};

/// Gallons of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gallons {
    pub gas: Quantity,
    pub diesel: Quantity,
}

impl Gallons {
    pub const fn total(self) -> Quantity {
        self.gas.plus(self.diesel)
    }

    pub const fn plus(self, other: Self) -> Self {
        Self {
            gas: self.gas.plus(other.gas),
            diesel: self.diesel.plus(other.diesel),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// In any order; includes equipment without fuel.
    pub consumers: Vec<Consumption>,
    /// Of deleted equipment.
    pub deleted: Gallons,
    /// By index of the month in the requested range.
    pub months: BTreeMap<usize, Gallons>,
}

/// Fuel used by one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumption {
    pub id: Uuid,
    pub name: String,
    pub unit_number: Option<String>,
    pub unit: MeterUnit,
    /// None: not specified.
    pub kind: Option<FuelKind>,
    pub retired: bool,
    pub fuel: Gallons,
    /// Since the meter counts in its unit.
    pub metered_fuel: Quantity,
    /// Net increase of usage in that time; negative after corrections.
    pub rise: Quantity,
    /// Number of full fills.
    pub full_fills: i64,
}

impl Consumption {
    /// Fuel and the usage that it was burned for. None unless usage increased.
    pub fn fuel_and_usage(&self) -> Option<(Quantity, Quantity)> {
        let counts = self.rise > Quantity::ZERO && self.unit != MeterUnit::NotApplicable;
        counts.then_some((self.metered_fuel, self.rise))
    }

    /// Gallons per unit of usage with 4 decimals. None unless usage increased.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a ratio for reading, not for counting"
    )]
    pub fn per_unit(&self) -> Option<f64> {
        let (fuel, rise) = self.fuel_and_usage()?;
        let ratio = fuel.hundredths() as f64 / rise.hundredths() as f64;
        Some((ratio * 10_000.0).round() / 10_000.0)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub total: Gallons,
    /// Highest consumption first.
    pub consumers: Vec<Consumption>,
    /// Index of the month and its fuel, from the first month with fuel to the last.
    pub months: Vec<(usize, Gallons)>,
}

pub fn summary(sums: Sums) -> Summary {
    let mut consumers = sums.consumers;
    consumers.retain(|consumption| !consumption.fuel.total().is_zero());
    consumers.sort_by_cached_key(|consumption| {
        let most_first = std::cmp::Reverse(consumption.fuel.total());
        let name = consumption.name.to_lowercase();
        (most_first, name, consumption.id)
    });
    let mut months = sums.months;
    months.retain(|_, fuel| !fuel.total().is_zero());
    let all = consumers.iter().map(|consumption| consumption.fuel);
    Summary {
        total: all.fold(sums.deleted, Gallons::plus),
        consumers,
        months: without_gaps(&months),
    }
}

fn without_gaps(months: &BTreeMap<usize, Gallons>) -> Vec<(usize, Gallons)> {
    let ends = months.keys().next().zip(months.keys().next_back());
    let fuel = |month| months.get(&month).copied().unwrap_or_default();
    ends.map_or_else(Vec::new, |(first, last)| {
        (*first..=*last).map(|month| (month, fuel(month))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn quantity(hundredths: i64) -> Quantity {
        Quantity::from_hundredths(hundredths)
    }

    fn used(name: &str, gas: i64, diesel: i64) -> Consumption {
        Consumption {
            id: Uuid::now_v7(),
            name: name.to_owned(),
            unit_number: None,
            unit: MeterUnit::Hours,
            kind: None,
            retired: false,
            fuel: gallons(gas, diesel),
            metered_fuel: quantity(gas + diesel),
            rise: Quantity::ZERO,
            full_fills: 0,
        }
    }

    const fn gallons(gas: i64, diesel: i64) -> Gallons {
        Gallons {
            gas: quantity(gas),
            diesel: quantity(diesel),
        }
    }

    #[test]
    fn summary_is_sorted_and_has_no_gaps() {
        let found = summary(Sums {
            consumers: vec![
                used("b", 100, 50),
                used("A", 0, 150),
                used("C", 400, 0),
                used("D", 0, 0),
            ],
            deleted: gallons(0, 1),
            months: BTreeMap::from([
                (1, gallons(0, 0)),
                (3, gallons(500, 50)),
                (6, gallons(0, 150)),
                (7, gallons(0, 0)),
            ]),
        });
        assert_eq!(found.total, gallons(500, 201));
        assert_eq!(found.total.total(), quantity(701));
        let names = found.consumers.iter().map(|found| found.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["C", "A", "b"]);
        let none = Gallons::default();
        let (first, last) = ((3, gallons(500, 50)), (6, gallons(0, 150)));
        assert_eq!(found.months, [first, (4, none), (5, none), last]);
        assert_eq!(summary(Sums::default()), Summary::default());
    }

    #[test]
    fn per_unit_needs_increased_usage_and_a_meter() {
        let of = |unit, rise| {
            let used = Consumption {
                unit,
                rise: quantity(rise),
                ..used("A", 100, 0)
            };
            used.per_unit()
        };
        assert_eq!(of(MeterUnit::Hours, 300), Some(0.3333));
        assert_eq!(of(MeterUnit::Hours, 200), Some(0.5));
        assert_eq!(of(MeterUnit::Hours, 0), None);
        assert_eq!(of(MeterUnit::Hours, -1), None);
        assert_eq!(of(MeterUnit::NotApplicable, 300), None);
    }
}

//! Fuel figures, made of sums for each piece of equipment and month.

use std::collections::BTreeMap;

use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::kinds::MeterUnit;

/// Gasoline and diesel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gallons {
    /// Gasoline.
    pub gas: Quantity,
    /// Diesel.
    pub diesel: Quantity,
}

impl Gallons {
    /// Both together.
    pub const fn total(self) -> Quantity {
        self.gas.plus(self.diesel)
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            gas: self.gas.plus(other.gas),
            diesel: self.diesel.plus(other.diesel),
        }
    }
}

/// What one piece of equipment used in one month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// Whose.
    pub consumer: Consumer,
    /// Which of the months asked about, from 0; none: an earlier one.
    pub month: Option<usize>,
    /// How much.
    pub fuel: Gallons,
    /// By how much its meter rose meanwhile, which may be below 0.
    pub rise: Quantity,
}

/// A piece of equipment that uses fuel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumer {
    /// Its id.
    pub id: Uuid,
    /// Its name now.
    pub name: String,
    /// What its meter counts.
    pub unit: MeterUnit,
    /// It stands in the archive.
    pub retired: bool,
}

/// What one piece of equipment used in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumption {
    /// Whose.
    pub consumer: Consumer,
    /// How much.
    pub fuel: Gallons,
    rise: Quantity,
}

impl Consumption {
    /// Gallons for one unit of usage, with 4 decimals; none when the meter did not rise.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a ratio for reading, not for counting"
    )]
    pub fn per_unit(&self) -> Option<f64> {
        let (fuel, rise) = (self.fuel.total().hundredths(), self.rise.hundredths());
        let counts = rise > 0 && self.consumer.unit != MeterUnit::NotApplicable;
        counts.then(|| (fuel as f64 / rise as f64 * 10_000.0).round() / 10_000.0)
    }
}

/// The figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All together.
    pub total: Gallons,
    /// Top consumers first.
    pub consumers: Vec<Consumption>,
    /// Which months, and how much, from the first with fuel to the last.
    pub months: Vec<(usize, Gallons)>,
}

/// Adds up what was used.
pub fn summary(rows: Vec<Used>) -> Summary {
    let (mut total, mut months) = (Gallons::default(), BTreeMap::<usize, Gallons>::new());
    let mut consumers = BTreeMap::<Uuid, Consumption>::new();
    for row in rows {
        total = total.plus(row.fuel);
        if let Some(month) = row.month
            && !row.fuel.total().is_zero()
        {
            let month = months.entry(month).or_default();
            *month = month.plus(row.fuel);
        }
        let id = row.consumer.id;
        let consumption = consumers.entry(id).or_insert_with(|| Consumption {
            consumer: row.consumer,
            fuel: Gallons::default(),
            rise: Quantity::ZERO,
        });
        consumption.fuel = consumption.fuel.plus(row.fuel);
        consumption.rise = consumption.rise.plus(row.rise);
    }
    let mut consumers: Vec<_> = consumers
        .into_values()
        .filter(|consumption| !consumption.fuel.total().is_zero())
        .collect();
    consumers.sort_by_cached_key(|consumption| {
        let Consumer { name, id, .. } = &consumption.consumer;
        let most_first = std::cmp::Reverse(consumption.fuel.total());
        (most_first, name.to_lowercase(), *id)
    });
    Summary {
        total,
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

    fn consumer(name: &str, unit: MeterUnit) -> Consumer {
        Consumer {
            id: Uuid::now_v7(),
            name: name.to_owned(),
            unit,
            retired: false,
        }
    }

    fn used(consumer: &Consumer, month: usize, gas: i64, diesel: i64, rise: i64) -> Used {
        Used {
            consumer: consumer.clone(),
            month: Some(month),
            fuel: Gallons {
                gas: quantity(gas),
                diesel: quantity(diesel),
            },
            rise: quantity(rise),
        }
    }

    #[test]
    fn sums_sorted_and_without_gaps() {
        let (b, a) = (
            consumer("b", MeterUnit::Hours),
            consumer("A", MeterUnit::Hours),
        );
        let (c, idle) = (
            consumer("C", MeterUnit::Hours),
            consumer("D", MeterUnit::Hours),
        );
        let found = summary(vec![
            used(&b, 3, 100, 50, 0),
            used(&a, 6, 0, 150, 0),
            used(&c, 3, 400, 0, 0),
            used(&idle, 1, 0, 0, 500),
        ]);
        assert_eq!(
            (found.total.gas, found.total.diesel),
            (quantity(500), quantity(200))
        );
        assert_eq!(found.total.total(), quantity(700));
        let names = found
            .consumers
            .iter()
            .map(|found| found.consumer.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["C", "A", "b"]);
        let months: Vec<_> = found.months.iter().map(|(month, _)| *month).collect();
        assert_eq!(months, [3, 4, 5, 6]);
        assert_eq!(found.months[0].1.gas, quantity(500));
        assert_eq!(found.months[1].1, Gallons::default());
        assert_eq!(summary(Vec::new()), Summary::default());
    }

    #[test]
    fn earlier_months_are_in_the_totals() {
        let machine = consumer("A", MeterUnit::Hours);
        let earlier = Used {
            month: None,
            ..used(&machine, 0, 100, 50, 300)
        };
        let found = summary(vec![earlier, used(&machine, 2, 10, 0, 20)]);
        assert_eq!(found.total.total(), quantity(160));
        assert_eq!(found.consumers[0].per_unit(), Some(0.5));
        let months: Vec<_> = found.months.iter().map(|(month, _)| *month).collect();
        assert_eq!(months, [2]);
    }

    #[test]
    fn per_unit_needs_a_rise_and_a_meter() {
        let of = |unit, rises: &[i64]| {
            let machine = consumer("A", unit);
            let rows = rises.iter().map(|rise| used(&machine, 0, 100, 0, *rise));
            summary(rows.collect()).consumers[0].per_unit()
        };
        assert_eq!(of(MeterUnit::Hours, &[300]), Some(0.3333));
        assert_eq!(of(MeterUnit::Hours, &[200, 200]), Some(0.5));
        assert_eq!(of(MeterUnit::Hours, &[200, -200]), None);
        assert_eq!(of(MeterUnit::Hours, &[-1]), None);
        assert_eq!(of(MeterUnit::NotApplicable, &[300]), None);
    }
}

//! The stored daily use of machines.

use chrono::NaiveDate;
use hourmeter_runtime::quantity::Quantity;

use super::quantity;
use crate::domain::typical_usage::DailyUse;

/// Columns of equipment. Lists leave out `use_sums` and `use_zone`, which only an entry needs.
#[derive(sqlx_macros::FromRow)]
pub struct DailyUseRow {
    #[sqlx(rename = "use_low")]
    low: Option<i64>,
    #[sqlx(rename = "use_usual")]
    usual: Option<i64>,
    #[sqlx(rename = "use_high")]
    high: Option<i64>,
    #[sqlx(rename = "use_days")]
    days: Option<Vec<NaiveDate>>,
    #[sqlx(default, rename = "use_sums")]
    sums: Option<Vec<i64>>,
    #[sqlx(default, rename = "use_zone")]
    zone: Option<String>,
}

impl From<DailyUseRow> for DailyUse {
    fn from(row: DailyUseRow) -> Self {
        let rates = [quantity(row.low), quantity(row.usual), quantity(row.high)];
        let sums = row.sums.unwrap_or_default();
        Self {
            rates: match rates {
                [Some(low), Some(usual), Some(high)] => Some([low, usual, high]),
                _ => None,
            },
            days: row.days.unwrap_or_default(),
            sums: sums.into_iter().map(Quantity::from_hundredths).collect(),
            zone: row.zone.and_then(|zone| zone.parse().ok()),
        }
    }
}

/// Lower quartile, median and upper quartile in hundredths. Separate parameters: Citus 14.0 crashes on an
/// element of an array in an `UPDATE`.
pub fn rates(daily_use: &DailyUse) -> [Option<i64>; 3] {
    let rates = daily_use.rates.map(|rates| rates.map(Quantity::hundredths));
    rates.map_or([None; 3], |rates| rates.map(Some))
}

/// Usage of each day in hundredths.
pub fn sums(daily_use: &DailyUse) -> Vec<i64> {
    let sums = daily_use.sums.iter();
    sums.map(|sum| sum.hundredths()).collect()
}

//! The stored daily use of machines.

use hourmeter_runtime::quantity::Quantity;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};

use super::columns::optional_quantity;
use crate::domain::typical_usage::DailyUse;

/// The columns that lists need. Days that were never computed are none.
pub fn of_list(row: &PgRow) -> sqlx::Result<DailyUse> {
    let rates = [
        optional_quantity(row, "use_low")?,
        optional_quantity(row, "use_usual")?,
        optional_quantity(row, "use_high")?,
    ];
    let days: Option<_> = row.try_get("use_days")?;
    Ok(DailyUse {
        rates: match rates {
            [Some(low), Some(usual), Some(high)] => Some([low, usual, high]),
            _ => None,
        },
        days: days.unwrap_or_default(),
        ..DailyUse::default()
    })
}

/// All columns, which an entry needs.
impl FromRow<'_, PgRow> for DailyUse {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let sums: Option<Vec<i64>> = row.try_get("use_sums")?;
        let sums = sums.unwrap_or_default().into_iter();
        let zone: Option<&str> = row.try_get("use_zone")?;
        Ok(Self {
            sums: sums.map(Quantity::from_hundredths).collect(),
            zone: zone.and_then(|zone| zone.parse().ok()),
            ..of_list(row)?
        })
    }
}

/// Lower quartile, median and upper quartile in hundredths. Separate parameters: Citus 14.0 crashes on an
/// element of an array in an `UPDATE`.
pub fn rates(daily_use: &DailyUse) -> [Option<i64>; 3] {
    let rates = daily_use.rates.map(|rates| rates.map(Quantity::hundredths));
    rates.map_or([None; 3], |rates| rates.map(Some))
}

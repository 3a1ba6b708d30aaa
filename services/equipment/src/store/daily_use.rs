//! The stored daily use of machines.

use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};

use super::columns::triple;
use crate::domain::typical_usage::DailyUse;

/// The columns that lists need. Days that were never computed are none.
pub fn of_list(row: &PgRow) -> sqlx::Result<DailyUse> {
    let days: Option<_> = row.try_get("use_days")?;
    Ok(DailyUse {
        rates: triple(row, ["use_low", "use_usual", "use_high"])?,
        days: days.unwrap_or_default(),
        ..DailyUse::default()
    })
}

/// All columns, which an entry needs.
impl FromRow<'_, PgRow> for DailyUse {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let sums: Option<_> = row.try_get("use_sums")?;
        let zone: Option<&str> = row.try_get("use_zone")?;
        Ok(Self {
            sums: sums.unwrap_or_default(),
            zone: zone.and_then(|zone| zone.parse().ok()),
            ..of_list(row)?
        })
    }
}

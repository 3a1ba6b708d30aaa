//! Reads columns of rows.

use hourmeter_runtime::quantity::Quantity;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::domain::check::Unit;
use crate::domain::fuel::{DecidedFuel, Fuel, FuelKind};
use crate::domain::replacement::{MeterChange, Replacement};

/// The value that a stored name means; an error if this release does not know the name.
pub fn known<T>(value: Option<T>, what: &str) -> sqlx::Result<T> {
    value.ok_or_else(|| sqlx::Error::Decode(format!("unknown stored {what}").into()))
}

pub fn quantity(row: &PgRow, column: &str) -> sqlx::Result<Option<Quantity>> {
    let hundredths: Option<i64> = row.try_get(column)?;
    Ok(hundredths.map(Quantity::from_hundredths))
}

/// None: unknown, or of a later release.
pub fn unit(row: &PgRow) -> sqlx::Result<Option<Unit>> {
    let name: Option<&str> = row.try_get("unit")?;
    Ok(name.and_then(Unit::parse))
}

pub fn fuel(row: &PgRow) -> sqlx::Result<Fuel> {
    let kind = FuelKind::parse(row.try_get("fuel_kind")?);
    Ok(Fuel {
        added: Quantity::from_hundredths(row.try_get("fuel_added")?),
        kind: known(kind, "fuel kind")?,
        full: row.try_get("full_fill")?,
    })
}

/// None: as reported.
pub fn decided_fuel(row: &PgRow, amount: &str, kind: &str) -> sqlx::Result<Option<DecidedFuel>> {
    let kind: Option<&str> = row.try_get(kind)?;
    let Some((added, kind)) = quantity(row, amount)?.zip(kind) else {
        return Ok(None);
    };
    let kind = known(FuelKind::parse(kind), "fuel kind")?;
    Ok(Some(DecidedFuel { added, kind }))
}

pub fn replacement(row: &PgRow) -> sqlx::Result<Option<Replacement>> {
    let name: Option<&str> = row.try_get("meter_change")?;
    let Some(name) = name else {
        return Ok(None);
    };
    let change = known(MeterChange::parse(name), "meter change")?;
    let start_reading = quantity(row, "meter_start")?;
    let final_reading = quantity(row, "meter_final")?;
    Ok(start_reading.map(|start_reading| Replacement {
        change,
        final_reading,
        start_reading,
    }))
}

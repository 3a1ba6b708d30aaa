//! Reads columns of rows.

use hourmeter_runtime::quantity::Quantity;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::domain::check::Unit;
use crate::domain::review::{MeterChange, Replacement};
use crate::domain::update::{DecidedFuel, Fuel, FuelKind};

/// The value with a stored name.
pub fn named<T>(value: Option<T>, kind: &str) -> sqlx::Result<T> {
    value.ok_or_else(|| sqlx::Error::Decode(format!("unknown stored {kind}").into()))
}

pub fn quantity(row: &PgRow, column: &str) -> sqlx::Result<Option<Quantity>> {
    let hundredths: Option<i64> = row.try_get(column)?;
    Ok(hundredths.map(Quantity::from_hundredths))
}

pub fn unit(row: &PgRow) -> sqlx::Result<Option<Unit>> {
    let name: Option<&str> = row.try_get("unit")?;
    Ok(name.and_then(Unit::from_name))
}

pub fn fuel(row: &PgRow) -> sqlx::Result<Fuel> {
    let kind = FuelKind::from_name(row.try_get("fuel_kind")?);
    Ok(Fuel {
        added: Quantity::from_hundredths(row.try_get("fuel_added")?),
        kind: named(kind, "fuel kind")?,
        full: row.try_get("full_fill")?,
    })
}

/// None: as reported.
pub fn decided_fuel(row: &PgRow, amount: &str, kind: &str) -> sqlx::Result<Option<DecidedFuel>> {
    let kind: Option<&str> = row.try_get(kind)?;
    let Some((added, kind)) = quantity(row, amount)?.zip(kind) else {
        return Ok(None);
    };
    let kind = named(FuelKind::from_name(kind), "fuel kind")?;
    Ok(Some(DecidedFuel { added, kind }))
}

pub fn replacement(row: &PgRow) -> sqlx::Result<Option<Replacement>> {
    let change: Option<&str> = row.try_get("meter_change")?;
    let Some((change, start_reading)) = change.zip(quantity(row, "meter_start")?) else {
        return Ok(None);
    };
    Ok(Some(Replacement {
        change: named(MeterChange::from_name(change), "meter change")?,
        final_reading: quantity(row, "meter_final")?,
        start_reading,
    }))
}

//! Reads columns as domain types.

use std::collections::HashMap;

use hourmeter_runtime::quantity::Quantity;
use sqlx::error::BoxDynError;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};
use uuid::Uuid;

use crate::domain::kinds::MeterUnit;
use crate::domain::ledger::{MeterMove, Subject};
use crate::domain::meter::{MeterChange, MeterState, Replacement};

pub fn unknown_value(value: &str) -> sqlx::Error {
    sqlx::Error::Decode(format!("unknown stored value {value:?}").into())
}

fn column_error(column: &str, error: impl Into<BoxDynError>) -> sqlx::Error {
    sqlx::Error::ColumnDecode {
        index: format!("{column:?}"),
        source: error.into(),
    }
}

/// Reads an enumeration from the word that stores it.
pub fn word<T>(row: &PgRow, column: &str, parse: fn(&str) -> Option<T>) -> sqlx::Result<T> {
    let word = row.try_get(column)?;
    parse(word).ok_or_else(|| column_error(column, format!("unknown stored value {word:?}")))
}

pub fn optional_word<T>(
    row: &PgRow,
    column: &str,
    parse: fn(&str) -> Option<T>,
) -> sqlx::Result<Option<T>> {
    let known: Option<&str> = row.try_get(column)?;
    known.map(|_| word(row, column, parse)).transpose()
}

/// A row that belongs to a machine.
#[derive(sqlx_macros::FromRow)]
pub struct OfMachine<T> {
    pub equipment_id: Uuid,
    #[sqlx(flatten)]
    pub item: T,
}

/// The rows of each machine, in order.
pub fn by_machine<T>(rows: Vec<OfMachine<T>>) -> HashMap<Uuid, Vec<T>> {
    let mut machines: HashMap<Uuid, Vec<T>> = HashMap::new();
    for row in rows {
        machines.entry(row.equipment_id).or_default().push(row.item);
    }
    machines
}

/// One column of many rows, for `unnest`.
pub fn column<'row, R, T>(rows: &'row [R], value: impl Fn(&'row R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

/// Reads an integer that is never negative.
pub fn count(row: &PgRow, column: &str) -> sqlx::Result<u32> {
    let count: i32 = row.try_get(column)?;
    u32::try_from(count).map_err(|error| column_error(column, error))
}

pub fn optional_count(row: &PgRow, column: &str) -> sqlx::Result<Option<u32>> {
    let known: Option<i32> = row.try_get(column)?;
    known.map(|_| count(row, column)).transpose()
}

/// Reads two columns that are set together.
pub fn meter_move(row: &PgRow, before: &str, after: &str) -> sqlx::Result<Option<MeterMove>> {
    let before: Option<Quantity> = row.try_get(before)?;
    let both = before.zip(row.try_get(after)?);
    Ok(both.map(|(before, after)| MeterMove { before, after }))
}

/// Reads three columns that are set together. None: one of them is null.
pub fn triple(row: &PgRow, columns: [&str; 3]) -> sqlx::Result<Option<[Quantity; 3]>> {
    let [one, two, three] = columns.map(|column| row.try_get(column));
    Ok(match (one?, two?, three?) {
        (Some(one), Some(two), Some(three)) => Some([one, two, three]),
        _ => None,
    })
}

/// The values of such columns. Separate parameters: Citus 14.0 crashes on an element of an array in an
/// `UPDATE`.
pub fn triple_columns(values: Option<[Quantity; 3]>) -> [Option<Quantity>; 3] {
    values.map_or([None; 3], |values| values.map(Some))
}

/// Reads the three columns of a replacement, which are set together.
pub fn replacement(row: &PgRow) -> sqlx::Result<Option<Replacement>> {
    let Some(change) = optional_word(row, "meter_change", MeterChange::parse)? else {
        return Ok(None);
    };
    Ok(Some(Replacement {
        change,
        last: row.try_get("meter_final")?,
        first: row.try_get("meter_start")?,
    }))
}

/// The meter of equipment.
impl FromRow<'_, PgRow> for MeterState {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            usage: row.try_get("current_usage")?,
            offset: row.try_get("meter_offset")?,
        })
    }
}

impl FromRow<'_, PgRow> for Subject {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            unit: word(row, "unit", MeterUnit::parse)?,
        })
    }
}

//! SQL statements. Functions take a connection of a tenant's transaction, filter by company in
//! every query, and never commit.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use crate::domain::meter::{MeterChange, Replacement};

pub mod applied;
pub mod archive;
pub mod company;
pub mod consumption;
mod daily_use;
pub mod deleted;
pub mod entries;
pub mod equipment;
pub mod fuel;
pub mod groups;
pub mod last_release;
pub mod ledger;
pub mod list;
pub mod meter;
pub mod meters;
pub mod parts;
pub mod posting;
pub mod projection_rows;
pub mod projections;
mod rows;
mod rules;
pub mod task_sets;
pub mod tasks;
pub mod voids;

/// Position in a list sorted by time: time and id.
pub type TimeKey = (DateTime<Utc>, Uuid);

/// After every entry. A constant and not an SQL expression, because with row-level security an
/// index is used only for leakproof conditions.
pub const END_OF_TIME: TimeKey = (
    DateTime::from_timestamp(253_402_300_799, 0).expect("the end of 9999"),
    Uuid::max(),
);

/// Before every entry.
pub const BEGINNING_OF_TIME: DateTime<Utc> =
    DateTime::from_timestamp(-62_135_596_800, 0).expect("the beginning of year 1");

/// Reads the three columns of a replacement, which are set together.
fn replacement(
    change: Option<&str>,
    last: Option<i64>,
    first: Option<i64>,
) -> Result<Option<Replacement>, ServiceError> {
    let (Some(text), Some(last), Some(first)) = (change, last, first) else {
        return Ok(None);
    };
    Ok(Some(Replacement {
        change: MeterChange::parse(text).ok_or_else(|| unknown_value(text))?,
        last: Quantity::from_hundredths(last),
        first: Quantity::from_hundredths(first),
    }))
}

const fn quantity(hundredths: Option<i64>) -> Option<Quantity> {
    match hundredths {
        Some(hundredths) => Some(Quantity::from_hundredths(hundredths)),
        None => None,
    }
}

fn unknown_value(value: &str) -> ServiceError {
    ServiceError::internal(format!("unknown stored value {value:?}"))
}

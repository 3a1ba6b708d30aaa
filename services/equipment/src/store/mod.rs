//! SQL, and nothing else. Functions take the connection of a tenant's transaction, name the
//! company in every query as well, and never commit.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use crate::domain::meter::{MeterChange, Replacement};

pub mod applied;
pub mod archive;
pub mod company;
pub mod entries;
pub mod equipment;
pub mod fuel;
pub mod ledger;
pub mod list;
pub mod meter;
pub mod meters;
pub mod parts;
mod projection_rows;
pub mod projections;
mod rows;
pub mod tasks;
mod usual;
pub mod voids;

/// Where a list that is sorted by time goes on: time and id.
pub type TimeKey = (DateTime<Utc>, Uuid);

/// Before this comes everything. A plain value and no SQL expression for a missing one, because
/// under row-level security an index serves only conditions that can't leak.
pub const END_OF_TIME: TimeKey = (
    DateTime::from_timestamp(253_402_300_799, 0).expect("the end of 9999"),
    Uuid::max(),
);

/// Nothing was captured before this.
pub const BEGINNING_OF_TIME: DateTime<Utc> =
    DateTime::from_timestamp(-62_135_596_800, 0).expect("the beginning of year 1");

/// A meter that ended, from the three columns that tell of one or are all null.
fn replacement(
    change: Option<&str>,
    last: Option<i64>,
    first: Option<i64>,
) -> Result<Option<Replacement>, ServiceError> {
    let (Some(word), Some(last), Some(first)) = (change, last, first) else {
        return Ok(None);
    };
    Ok(Some(Replacement {
        change: MeterChange::read(word).ok_or_else(|| unknown_word(word))?,
        last: Quantity::from_hundredths(last),
        first: Quantity::from_hundredths(first),
    }))
}

/// A column of hundredths.
const fn quantity(hundredths: Option<i64>) -> Option<Quantity> {
    match hundredths {
        Some(hundredths) => Some(Quantity::from_hundredths(hundredths)),
        None => None,
    }
}

/// A stored word that this version does not know.
fn unknown_word(word: &str) -> ServiceError {
    ServiceError::internal(format!("unknown stored word {word:?}"))
}

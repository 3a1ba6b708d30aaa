//! SQL, and nothing else. Functions take the connection of a tenant's transaction, name the
//! company in every query as well, and never commit.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::Failure;
use uuid::Uuid;

pub mod applied;
pub mod archive;
pub mod company;
pub mod equipment;
pub mod ledger;
pub mod meter;
pub mod parts;
pub mod projections;
mod rows;

/// Where a list that is sorted by time goes on: time and id.
pub type TimeKey = (DateTime<Utc>, Uuid);

/// Before this comes everything. A plain value and no SQL expression for a missing one, because
/// under row-level security an index serves only conditions that can't leak.
const END_OF_TIME: TimeKey = (
    DateTime::from_timestamp(253_402_300_799, 0).expect("the end of 9999"),
    Uuid::max(),
);

/// A stored word that this version does not know.
fn unknown_word(word: &str) -> Failure {
    Failure::internal(format!("unknown stored word {word:?}"))
}

//! SQL statements. Functions filter by company in every query, and never commit. Those that serve
//! reads with and without a transaction take a connection and its company.

use chrono::{DateTime, Utc};
use uuid::Uuid;

pub mod applied;
pub mod archive;
mod columns;
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

/// Whether the entry `l` of the company `$1` counts.
const NOT_VOIDED: &str = "
    NOT EXISTS (
        SELECT
        FROM ledger_voids v
        WHERE v.company_id = $1
          AND v.entry_id = l.id
    )";

/// Gallons of the fuel `l`.
const FUEL_SUMS: &str = "
    coalesce(sum(l.fuel) FILTER (WHERE l.fuel_kind = 'gas'), 0)::bigint AS gas,
    coalesce(sum(l.fuel) FILTER (WHERE l.fuel_kind = 'diesel'), 0)::bigint AS diesel";

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

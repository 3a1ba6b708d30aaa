//! Business rules as pure functions, independent of protobuf and database.

pub mod calendar;
pub mod change;
pub mod consumption;
pub mod diff;
pub mod due;
pub mod entry_text;
pub mod equipment;
pub mod field_change;
pub mod field_errors;
pub mod fields;
pub mod fold;
#[cfg(test)]
mod fold_properties;
pub mod forecast;
pub mod fuel;
pub mod initial_state;
pub mod kinds;
pub mod ledger;
pub mod meter;
pub mod months;
pub mod rule;
pub mod service_text;
pub mod status;
pub mod task_sets;
pub mod tasks;
pub mod timeline;
pub mod typical_usage;
pub mod usage;

//! The review's state machine: submitted, then pending, then applied or rejected; or recent, then
//! applied.

use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::quantity::Quantity;

use super::update::{Status, Update};

/// What a manager's word to apply comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apply {
    /// It took effect before; nothing to do.
    Done,
    /// It was decided before and the effect is still to come.
    Decided,
    /// To be decided now.
    Decide(Terms),
}

/// What exactly is to be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The meter reading; none: only fuel and notes.
    pub reading: Option<Quantity>,
    /// The manager gave it.
    pub overridden: bool,
    /// It counts though it is late or below the meter.
    pub replace_meter: bool,
}

impl Terms {
    /// As reported.
    pub const fn reported(update: &Update) -> Self {
        Self {
            reading: update.new_usage,
            overridden: false,
            replace_meter: false,
        }
    }
}

/// Applying, with the manager's reading if there is one.
pub fn apply(update: &Update, decided: bool, given: Option<Quantity>) -> Result<Apply, Failure> {
    match update.status {
        Status::Applied | Status::Recent => return Ok(Apply::Done),
        Status::Rejected => return Err(already_rejected()),
        Status::Pending => {}
    }
    if decided {
        return Ok(Apply::Decided);
    }
    match given {
        None if update.below_current => Err(below_current()),
        None => Ok(Apply::Decide(Terms::reported(update))),
        Some(reading) => Ok(Apply::Decide(Terms {
            reading: Some(reading),
            overridden: true,
            // Whoever decides knows what the meter shows.
            replace_meter: true,
        })),
    }
}

/// Whether rejecting changes anything; a repeat does not.
pub fn reject(update: &Update, decided: bool) -> Result<bool, Failure> {
    match update.status {
        Status::Pending if decided => Err(being_applied()),
        Status::Pending => Ok(true),
        Status::Rejected => Ok(false),
        Status::Applied | Status::Recent => Err(conflict(
            "This update was already applied.",
            "ALREADY_APPLIED",
        )),
    }
}

/// Whether acknowledging changes anything; a repeat does not.
pub fn acknowledge(update: &Update) -> Result<bool, Failure> {
    match update.status {
        Status::Recent => Ok(true),
        Status::Applied => Ok(false),
        Status::Rejected => Err(already_rejected()),
        Status::Pending => Err(conflict("This update was not applied yet.", "NOT_APPLIED")),
    }
}

/// The reading is below the meter and the manager gave none.
pub fn below_current() -> Failure {
    conflict(
        "The reading is below the current usage. Enter the reading to apply.",
        "BELOW_CURRENT",
    )
}

/// The equipment was deleted or retired since.
pub fn equipment_gone() -> Failure {
    conflict(
        "The equipment of this update no longer exists.",
        "EQUIPMENT_GONE",
    )
}

/// A decision was withdrawn while somebody waited for it.
pub fn withdrawn() -> Failure {
    conflict("This update could not be applied.", "NOT_APPLIED")
}

fn already_rejected() -> Failure {
    conflict("This update was already rejected.", "ALREADY_REJECTED")
}

fn being_applied() -> Failure {
    conflict("This update is being applied.", "BEING_APPLIED")
}

fn conflict(message: &'static str, reason: &'static str) -> Failure {
    Failure::new(Kind::Conflict, message).with_reason(reason)
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;

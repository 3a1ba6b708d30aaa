//! The review's state machine: submitted, then pending, then applied or rejected; or recent, then
//! applied.

use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::message::Reason;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::update::{Status, Update};

use crate::refusals;

/// Reason of a reading below the meter, ours and the equipment service's.
pub const BELOW_CURRENT: &str = "BELOW_CURRENT";
/// Flag of one that the equipment service refused: it waits for a person.
pub const REFUSED: &str = "refused";

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

/// What a manager says with the word to apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The reading decided on; none: the reported one.
    pub reading: Option<Quantity>,
    /// The reading is of the next meter; none: of the same.
    pub replacement: Option<Replacement>,
    /// The meter is another now, or was read since the report was captured: that it was below the
    /// meter is past.
    pub superseded: bool,
}

/// The end of one meter and the beginning of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What happened.
    pub change: MeterChange,
    /// What the old meter showed at the end; none: what it shows.
    pub final_reading: Option<Quantity>,
    /// What the next one showed at the beginning.
    pub start_reading: Quantity,
}

/// What happened to a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterChange {
    /// A new one was fitted.
    Replaced,
    /// It passed its highest value and began again.
    RolledOver,
}

impl MeterChange {
    /// The word it is stored as.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::RolledOver => "rolled_over",
        }
    }

    /// The change a stored word means.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Replaced, Self::RolledOver]
            .into_iter()
            .find(|change| change.name() == name)
    }
}

/// What exactly is to be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The meter reading; none: only fuel and notes.
    pub reading: Option<Quantity>,
    /// The manager gave it.
    pub overridden: bool,
    /// It counts though it is below the meter. Never with a replacement, which says so itself: a
    /// process that does not know of those, during a deploy, would book a correction.
    pub replace_meter: bool,
    /// It is of the next meter.
    pub replacement: Option<Replacement>,
}

impl Terms {
    /// As reported.
    pub const fn reported(update: &Update) -> Self {
        Self {
            reading: update.new_usage,
            overridden: false,
            replace_meter: false,
            replacement: None,
        }
    }

    /// As a manager decided.
    fn decided(update: &Update, word: Word) -> Result<Self, ServiceError> {
        let Some(replacement) = word.replacement else {
            return match word.reading {
                None if update.below_current && !word.superseded => Err(below_current()),
                None => Ok(Self::reported(update)),
                Some(reading) => Ok(Self::given(reading)),
            };
        };
        let reading = word.reading.or(update.new_usage);
        let reading =
            reading.ok_or_else(|| ServiceError::field("newUsage", refusals::READING_MISSING))?;
        if reading < replacement.start_reading {
            let text = refusals::START_ABOVE_READING;
            return Err(ServiceError::field("meterReplacement.startReading", text));
        }
        Ok(Self {
            overridden: word.reading.is_some(),
            replace_meter: false,
            replacement: Some(replacement),
            ..Self::given(reading)
        })
    }

    /// Whoever decides knows what the meter shows.
    const fn given(reading: Quantity) -> Self {
        Self {
            reading: Some(reading),
            overridden: true,
            replace_meter: true,
            replacement: None,
        }
    }
}

/// Applying, as the manager says.
pub fn apply(update: &Update, decided: bool, word: Word) -> Result<Apply, ServiceError> {
    match update.status {
        Status::Applied | Status::Recent => Ok(Apply::Done),
        Status::Rejected => Err(already_rejected()),
        Status::Pending if decided => Ok(Apply::Decided),
        Status::Pending => Terms::decided(update, word).map(Apply::Decide),
    }
}

/// Giving it to other equipment.
pub fn move_to(update: &Update, decided: bool, equipment_id: Uuid) -> Result<(), ServiceError> {
    match update.status {
        Status::Applied | Status::Recent => Err(already_applied()),
        Status::Rejected => Err(already_rejected()),
        Status::Pending if decided => Err(being_applied()),
        Status::Pending if update.equipment_id == equipment_id => {
            Err(conflict(refusals::SAME_EQUIPMENT))
        }
        Status::Pending => Ok(()),
    }
}

/// Whether rejecting changes anything; a repeat does not.
pub fn reject(update: &Update, decided: bool) -> Result<bool, ServiceError> {
    match update.status {
        Status::Pending if decided => Err(being_applied()),
        Status::Pending => Ok(true),
        Status::Rejected => Ok(false),
        Status::Applied | Status::Recent => Err(already_applied()),
    }
}

/// Whether acknowledging changes anything; a repeat does not.
pub fn acknowledge(update: &Update) -> Result<bool, ServiceError> {
    match update.status {
        Status::Recent => Ok(true),
        Status::Applied => Ok(false),
        Status::Rejected => Err(already_rejected()),
        Status::Pending => Err(conflict(refusals::NOT_APPLIED)),
    }
}

/// The reading is below the meter and the manager gave none.
pub fn below_current() -> ServiceError {
    conflict(refusals::READING_BELOW_CURRENT).with_reason(BELOW_CURRENT)
}

/// The equipment was deleted or retired since.
pub fn equipment_gone() -> ServiceError {
    conflict(refusals::EQUIPMENT_GONE)
}

/// A decision was withdrawn while somebody waited for it.
pub fn withdrawn() -> ServiceError {
    conflict(refusals::APPLY_FAILED).with_reason(refusals::NOT_APPLIED.code)
}

fn already_applied() -> ServiceError {
    conflict(refusals::ALREADY_APPLIED)
}

fn already_rejected() -> ServiceError {
    conflict(refusals::ALREADY_REJECTED)
}

fn being_applied() -> ServiceError {
    conflict(refusals::BEING_APPLIED)
}

fn conflict(reason: Reason) -> ServiceError {
    ServiceError::new(Kind::Conflict, reason)
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;

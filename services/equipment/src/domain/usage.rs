//! How usage entries and readings change the meter.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;

use super::calendar::{LAST_DAY, next_date};
use super::equipment::{Schedule, ServiceTask};
use super::kinds::MeterUnit;
use super::ledger::MeterEffect;
use super::meter::{MeterState, NewMeter, ReplaceError, replace};

use crate::refusals;

/// Usage that a manager enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    Increase(Quantity),
    Reading(Quantity),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageError {
    /// Below this current reading.
    BelowMeter(Quantity),
    /// Out of the meter's range.
    TooLarge,
}

impl From<UsageError> for Message {
    fn from(error: UsageError) -> Self {
        match error {
            UsageError::BelowMeter(meter) => refusals::READING_BELOW_METER.with("meter", meter),
            UsageError::TooLarge => refusals::CURRENT_USAGE_TOO_LARGE.into(),
        }
    }
}

/// The increase of life-to-date usage.
pub fn usage_increase(state: MeterState, usage: Usage) -> Result<Quantity, UsageError> {
    let shown = state.reading();
    let after = match usage {
        Usage::Increase(by) => state.with_usage(state.usage.plus(by)),
        Usage::Reading(reading) if reading < shown => return Err(UsageError::BelowMeter(shown)),
        Usage::Reading(reading) => state.with_reading(reading),
    };
    if !after.is_in_range() {
        return Err(UsageError::TooLarge);
    }
    Ok(after.usage.minus(state.usage))
}

/// A reading that an operator reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldReading {
    pub reading: Quantity,
    pub captured_at: DateTime<Utc>,
    /// A manager has confirmed it: accept it even below the current reading.
    pub replace: bool,
    /// The new meter it is from.
    pub new_meter: Option<NewMeter>,
}

/// The meter before a reading is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrentMeter {
    pub unit: MeterUnit,
    pub state: MeterState,
    /// None: never read.
    pub read_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldReadingError {
    /// Below the current reading and not confirmed by a manager.
    BelowCurrent,
    /// Out of the meter's range.
    OutOfRange,
    NotReplaced(ReplaceError),
    /// A new meter was reported, but the old one was read later, so the order is unknown.
    ReadSince,
}

/// Decides how an operator's reading changes the meter; None: it does not. A late reading (captured
/// before the meter's last one) never changes it, even if it is higher or confirmed by a manager,
/// because the later reading or correction is newer.
pub fn reading_effect(
    current: CurrentMeter,
    field: FieldReading,
) -> Result<Option<(MeterState, MeterEffect)>, FieldReadingError> {
    let CurrentMeter {
        unit,
        state,
        read_at,
    } = current;
    let late = read_at.is_some_and(|read_at| field.captured_at < read_at);
    if let Some(new) = field.new_meter {
        if late {
            return Err(FieldReadingError::ReadSince);
        }
        let replaced = replace(unit, state, new, field.reading);
        let (replacement, after) = replaced.map_err(FieldReadingError::NotReplaced)?;
        return Ok(Some((after, MeterEffect::Replacement(replacement))));
    }
    if late {
        return Ok(None);
    }
    if field.reading < state.reading() && !field.replace {
        return Err(FieldReadingError::BelowCurrent);
    }
    let after = state.with_reading(field.reading);
    if after.is_in_range() {
        Ok(Some((after, MeterEffect::Reading)))
    } else {
        Err(FieldReadingError::OutOfRange)
    }
}

/// Restarts usage interval and schedule at a service.
pub fn serviced(task: ServiceTask, meter: Quantity, day: NaiveDate) -> ServiceTask {
    let restart = |schedule: Schedule| Schedule {
        start: day,
        // A service must not fail because its next date is out of range.
        next: next_date(day, schedule.interval, schedule.unit).unwrap_or(LAST_DAY),
        ..schedule
    };
    ServiceTask {
        last_usage: Some(meter),
        schedule: task.schedule.map(restart),
        ..task
    }
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;

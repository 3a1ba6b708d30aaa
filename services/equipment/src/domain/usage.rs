//! How entries move a meter.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;

use super::calendar::{LAST_DAY, next_date};
use super::equipment::{Schedule, ServiceTask};
use super::kinds::MeterUnit;
use super::ledger::MeterEffect;
use super::meter::{NewMeter, ReplaceError, Stand, replace};

use crate::refusals;

/// A manager's usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Adds to the meter.
    Increase(Quantity),
    /// What the meter shows.
    Reading(Quantity),
}

/// Why a manager's usage is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageError {
    /// A reading below what the meter shows.
    BelowMeter(Quantity),
    /// The meter would pass what a meter can show.
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

/// What a manager's usage adds to the meter.
pub fn increase(stand: Stand, usage: Usage) -> Result<Quantity, UsageError> {
    let shown = stand.reading();
    let after = match usage {
        Usage::Increase(by) => stand.at(stand.usage.plus(by)),
        Usage::Reading(reading) if reading < shown => return Err(UsageError::BelowMeter(shown)),
        Usage::Reading(reading) => stand.showing(reading),
    };
    if !after.is_possible() {
        return Err(UsageError::TooLarge);
    }
    Ok(after.usage.minus(stand.usage))
}

/// An operator's reading of a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldReading {
    /// What it showed.
    pub reading: Quantity,
    /// When.
    pub captured_at: DateTime<Utc>,
    /// A manager gave it: it counts though it is below the meter.
    pub replace: bool,
    /// It is of this new meter.
    pub new_meter: Option<NewMeter>,
}

/// A meter as a reading finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// What it counts.
    pub unit: MeterUnit,
    /// Where it stands.
    pub stand: Stand,
    /// When it was last read; none: never.
    pub read_at: Option<DateTime<Utc>>,
}

/// Why an operator's reading is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is below what the meter shows, and nobody has decided on that.
    BelowCurrent,
    /// Life-to-date usage would be one that can't be.
    OutOfRange,
    /// The meter is not replaced.
    NotReplaced(ReplaceError),
    /// It is of a new meter, and the meter was read since: nobody knows on which side of that the
    /// new one began.
    ReadSince,
}

/// Decides what an operator's reading does: where the meter stands then, and by what; none: it
/// stays. A late one, captured before the meter's last reading, leaves the meter even when it is
/// above, and also when a manager gave it: what was read or corrected since is newer.
pub fn effect(known: Known, field: FieldReading) -> Result<Option<(Stand, MeterEffect)>, Refusal> {
    let Known {
        unit,
        stand,
        read_at,
    } = known;
    let late = read_at.is_some_and(|read_at| field.captured_at < read_at);
    if let Some(new) = field.new_meter {
        if late {
            return Err(Refusal::ReadSince);
        }
        let replaced = replace(unit, stand, new, field.reading);
        let (replacement, after) = replaced.map_err(Refusal::NotReplaced)?;
        return Ok(Some((after, MeterEffect::Replacement(replacement))));
    }
    if late {
        return Ok(None);
    }
    if field.reading < stand.reading() && !field.replace {
        return Err(Refusal::BelowCurrent);
    }
    let after = stand.showing(field.reading);
    if after.is_possible() {
        Ok(Some((after, MeterEffect::Reading)))
    } else {
        Err(Refusal::OutOfRange)
    }
}

/// The task after a service: usage counts from the meter, the schedule from the day it was done.
pub fn serviced(task: ServiceTask, meter: Quantity, day: NaiveDate) -> ServiceTask {
    let restart = |schedule: Schedule| Schedule {
        start: day,
        // A service must not fail for a date nobody will see.
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

//! Checks usage that people report against the meter at its time.

use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;

use super::meter::MeterFact;
use super::timeline::MeterAt;

use crate::refusals;

/// Why a reading or an increase does not fit the meter at its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageError {
    /// Below what the meter showed.
    BelowMeter(Quantity),
    /// Above this next known reading.
    AboveNext(Quantity),
    /// Out of the meter's range.
    TooLarge,
}

impl From<UsageError> for Message {
    fn from(error: UsageError) -> Self {
        match error {
            UsageError::BelowMeter(meter) => refusals::READING_BELOW_METER.with("meter", meter),
            UsageError::AboveNext(next) => refusals::READING_ABOVE_NEXT.with("next", next),
            UsageError::TooLarge => refusals::CURRENT_USAGE_TOO_LARGE.into(),
        }
    }
}

/// Checks what a manager reports. Only the range of a service's reading has a lower limit.
pub fn check(meter: &MeterAt, fact: MeterFact) -> Result<(), UsageError> {
    let dial = meter.dial;
    let shown = dial.state.reading();
    if let MeterFact::Reading(reading) = fact
        && dial.is_read()
        && reading < shown
    {
        return Err(UsageError::BelowMeter(shown));
    }
    if let MeterFact::Reading(reading) | MeterFact::ServiceReading(reading) = fact
        && let Some(next) = meter.next.filter(|next| reading > *next)
    {
        return Err(UsageError::AboveNext(next));
    }
    let at = meter.known_at.unwrap_or_default();
    if dial.after(at, fact).state.is_in_range() {
        Ok(())
    } else {
        Err(UsageError::TooLarge)
    }
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;

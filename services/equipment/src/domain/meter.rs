//! Meters, their replacement and rollover, and life-to-date usage over all meters of a machine.

use chrono::{DateTime, Utc};
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::stored_enum;

use super::entry_text::with_unit;
use super::kinds::MeterUnit;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeterState {
    /// Life-to-date usage over all meters.
    pub usage: Quantity,
    /// Usage minus reading; may be negative.
    pub offset: Quantity,
}

impl MeterState {
    pub const fn reading(self) -> Quantity {
        self.usage.minus(self.offset)
    }

    #[must_use]
    pub const fn with_reading(self, reading: Quantity) -> Self {
        self.with_usage(self.offset.plus(reading))
    }

    #[must_use]
    pub const fn with_usage(self, usage: Quantity) -> Self {
        Self { usage, ..self }
    }

    pub fn is_in_range(self) -> bool {
        let range = Quantity::ZERO..=Quantity::MAX_INPUT;
        range.contains(&self.usage) && range.contains(&self.reading())
    }
}

stored_enum! {
    pub enum MeterChange {
        Replaced = "replaced",
        /// It passed its highest value and started at 0.
        RolledOver = "rolled_over",
    }
}

/// The end of one meter and the start of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub change: MeterChange,
    /// Final reading of the old meter; for a rollover, its highest value.
    pub last: Quantity,
    /// Start reading of the new meter.
    pub first: Quantity,
}

/// A reported meter replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewMeter {
    pub change: MeterChange,
    /// Final reading of the old meter. None: what it showed then.
    pub last: Option<Quantity>,
    /// Start reading of the new meter.
    pub first: Quantity,
}

impl NewMeter {
    /// The replacement of a meter that showed `shown`.
    pub fn replacement(self, shown: Quantity) -> Replacement {
        Replacement {
            change: self.change,
            last: self.last.unwrap_or(shown),
            first: self.first,
        }
    }

    /// Returns the state of the new meter at `reading`. Usage grows by what the old meter counted
    /// until its end and the new one since its start.
    pub fn after(self, state: MeterState, reading: Quantity) -> MeterState {
        let Replacement { last, first, .. } = self.replacement(state.reading());
        let offset = state.offset.plus(last.minus(first));
        MeterState { offset, ..state }.with_reading(reading)
    }

    /// Checks a replacement of a meter in this state.
    pub fn check(self, unit: MeterUnit, state: MeterState) -> Result<(), ReplaceError> {
        let shown = state.reading();
        if unit == MeterUnit::NotApplicable {
            Err(ReplaceError::NoMeter)
        } else if self.last.is_some_and(|last| last < shown) {
            Err(ReplaceError::EndsBelow(shown))
        } else {
            Ok(())
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceError {
    NoMeter,
    /// The final reading is below what the meter showed.
    EndsBelow(Quantity),
}

/// What an entry states about a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterFact {
    /// Usage was added, without a reading.
    Increase(Quantity),
    Reading(Quantity),
    /// What the meter showed on the day of a service, at an unknown hour. It never lowers the meter.
    ServiceReading(Quantity),
    /// Life-to-date usage, of an entry of an earlier release without a reading.
    Usage(Quantity),
    /// The meter counts in another unit from now on. None: it was not read in that unit yet.
    NewUnit(Option<MeterState>),
    /// A new meter and what it showed.
    Replacement(NewMeter, Quantity),
}

impl MeterFact {
    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Increase(_) => "increase",
            Self::Reading(_) | Self::ServiceReading(_) | Self::Usage(_) | Self::NewUnit(_) => {
                "reading"
            }
            Self::Replacement(..) => "replacement",
        }
    }

    pub const fn increase(self) -> Option<Quantity> {
        match self {
            Self::Increase(by) => Some(by),
            _ => None,
        }
    }

    pub const fn reading(self) -> Option<Quantity> {
        match self {
            Self::Reading(reading)
            | Self::ServiceReading(reading)
            | Self::Replacement(_, reading) => Some(reading),
            Self::NewUnit(Some(state)) => Some(state.reading()),
            Self::NewUnit(None) | Self::Increase(_) | Self::Usage(_) => None,
        }
    }

    pub const fn new_meter(self) -> Option<NewMeter> {
        match self {
            Self::Replacement(new, _) => Some(new),
            _ => None,
        }
    }
}

/// Text of the ledger entry: the replacement, then the person's notes.
pub fn replacement_text(
    replacement: &Replacement,
    reading: Quantity,
    unit: MeterUnit,
    notes: &str,
) -> String {
    let of = |reading: Quantity| with_unit(reading, unit.as_str());
    let (last, first) = (replacement.last, replacement.first);
    let mut text = match replacement.change {
        MeterChange::Replaced => format!(
            "Meter replaced: the old one ended at {}, the new one began at {}.",
            of(last),
            of(first)
        ),
        MeterChange::RolledOver => format!("Meter began again after {}.", of(last)),
    };
    if reading != first {
        text = format!("{text} It shows {}.", of(reading));
    }
    if notes.is_empty() {
        text
    } else {
        format!("{text}\n{notes}")
    }
}

/// When and by whom a meter was replaced, from the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterEnd {
    pub replacement: Replacement,
    pub at: DateTime<Utc>,
    /// Name of the person who reported it.
    pub by: String,
}

/// One meter of a machine, from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub started_at: DateTime<Utc>,
    pub start: MeterState,
    /// At its end, or now.
    pub end: MeterState,
    /// None: in use.
    pub ending: Option<MeterEnd>,
}

/// The meters that a machine has had in its current unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterHistory {
    /// When the first meter started.
    pub started_at: DateTime<Utc>,
    /// Its state then.
    pub start: MeterState,
    /// State of the current meter.
    pub current: MeterState,
    /// Ends of the earlier meters, oldest first.
    pub ends: Vec<MeterEnd>,
}

impl MeterHistory {
    /// Oldest first.
    pub fn segments(self) -> Vec<Segment> {
        let mut segments = Vec::with_capacity(self.ends.len() + 1);
        let (mut started_at, mut start) = (self.started_at, self.start);
        for ending in self.ends {
            let Replacement { last, first, .. } = ending.replacement;
            let end = start.with_reading(last);
            let offset = start.offset.plus(last.minus(first));
            let at = ending.at;
            segments.push(Segment {
                started_at,
                start,
                end,
                ending: Some(ending),
            });
            (started_at, start) = (at, MeterState { offset, ..end });
        }
        segments.push(Segment {
            started_at,
            start,
            end: self.current,
            ending: None,
        });
        segments
    }
}

#[cfg(test)]
#[path = "meter_tests.rs"]
mod tests;

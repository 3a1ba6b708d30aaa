//! Meters, their replacement and rollover, and life-to-date usage over all meters of a machine.

use chrono::{DateTime, Utc};
use hourmeter_runtime::quantity::Quantity;

use super::kinds::MeterUnit;

/// State of a machine's meter.
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

    /// Whether usage and reading are in range.
    pub fn is_in_range(self) -> bool {
        let range = Quantity::ZERO..=Quantity::MAX_INPUT;
        range.contains(&self.usage) && range.contains(&self.reading())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterChange {
    Replaced,
    /// It passed its highest value and started at 0.
    RolledOver,
}

impl MeterChange {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::RolledOver => "rolled_over",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Replaced, Self::RolledOver]
            .into_iter()
            .find(|change| change.as_str() == text)
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

impl Replacement {
    /// Change of [`MeterState::offset`].
    pub const fn offset(self) -> Quantity {
        self.last.minus(self.first)
    }
}

/// A reported meter replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewMeter {
    pub change: MeterChange,
    /// Final reading of the old meter. None: its current reading.
    pub last: Option<Quantity>,
    /// Start reading of the new meter.
    pub first: Quantity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceError {
    NoMeter,
    /// The final reading is below this current reading.
    EndsBelow(Quantity),
    OutOfRange,
}

/// Returns the replacement and the state of the new meter at `reading`. Usage grows by what the old
/// meter counted until its end and the new one since its start.
pub fn replace(
    unit: MeterUnit,
    state: MeterState,
    new: NewMeter,
    reading: Quantity,
) -> Result<(Replacement, MeterState), ReplaceError> {
    if unit == MeterUnit::NotApplicable {
        return Err(ReplaceError::NoMeter);
    }
    let shown = state.reading();
    let replacement = Replacement {
        change: new.change,
        last: new.last.unwrap_or(shown),
        first: new.first,
    };
    if replacement.last < shown {
        return Err(ReplaceError::EndsBelow(shown));
    }
    let offset = state.offset.plus(replacement.offset());
    let after = MeterState { offset, ..state }.with_reading(reading);
    if after.is_in_range() {
        Ok((replacement, after))
    } else {
        Err(ReplaceError::OutOfRange)
    }
}

/// Text of the ledger entry: the replacement, then the person's notes.
pub fn replacement_text(
    replacement: &Replacement,
    reading: Quantity,
    unit: MeterUnit,
    notes: &str,
) -> String {
    let Replacement {
        change,
        last,
        first,
    } = replacement;
    let of = |reading: Quantity| with_unit(reading, unit);
    let mut text = match change {
        MeterChange::Replaced => format!(
            "Meter replaced: the old one ended at {}, the new one began at {}.",
            of(*last),
            of(*first)
        ),
        MeterChange::RolledOver => format!("Meter began again after {}.", of(*last)),
    };
    if reading != *first {
        text = format!("{text} It shows {}.", of(reading));
    }
    if notes.is_empty() {
        text
    } else {
        format!("{text}\n{notes}")
    }
}

/// Units are stored in the plural.
fn with_unit(quantity: Quantity, unit: MeterUnit) -> String {
    let text = unit.as_str();
    let one = quantity == Quantity::from_hundredths(100);
    let text = if one {
        text.trim_end_matches('s')
    } else {
        text
    };
    format!("{quantity} {text}")
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

/// The meters of a machine, oldest first.
pub fn segments(
    added_at: DateTime<Utc>,
    initial: Quantity,
    ends: Vec<MeterEnd>,
    now: MeterState,
) -> Vec<Segment> {
    let mut segments = Vec::with_capacity(ends.len() + 1);
    let mut started_at = added_at;
    let mut start = MeterState::default().with_reading(initial);
    for ending in ends {
        let end = start.with_reading(ending.replacement.last);
        let offset = start.offset.plus(ending.replacement.offset());
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
        end: now,
        ending: None,
    });
    segments
}

/// The offset of the meter in use at `at`.
pub fn offset_at(at: DateTime<Utc>, ends: &[MeterEnd]) -> Quantity {
    let earlier = ends.iter().filter(|ending| ending.at <= at);
    earlier.fold(Quantity::ZERO, |offset, ending| {
        offset.plus(ending.replacement.offset())
    })
}

#[cfg(test)]
#[path = "meter_tests.rs"]
mod tests;

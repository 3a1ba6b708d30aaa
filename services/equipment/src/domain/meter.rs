//! Meters that are replaced or begin again: what the one in use shows, and what all of them counted.

use chrono::{DateTime, Utc};
use hourmeter_runtime::quantity::Quantity;

use super::kinds::MeterUnit;

/// Where a meter stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stand {
    /// Life-to-date usage: what all meters counted.
    pub usage: Quantity,
    /// That less what the meter shows; may be below 0.
    pub offset: Quantity,
}

impl Stand {
    /// What the meter shows.
    pub const fn reading(self) -> Quantity {
        self.usage.minus(self.offset)
    }

    /// The same meter when it shows this.
    #[must_use]
    pub const fn showing(self, reading: Quantity) -> Self {
        self.at(self.offset.plus(reading))
    }

    /// The same meter at this life-to-date usage.
    #[must_use]
    pub const fn at(self, usage: Quantity) -> Self {
        Self { usage, ..self }
    }

    /// Whether a meter can show it, and all of them together.
    pub fn is_possible(self) -> bool {
        let range = Quantity::ZERO..=Quantity::MAX_INPUT;
        range.contains(&self.usage) && range.contains(&self.reading())
    }
}

/// How a meter ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterChange {
    /// A new one was fitted.
    Replaced,
    /// It passed its highest value and began again.
    RolledOver,
}

impl MeterChange {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::RolledOver => "rolled_over",
        }
    }

    /// Reads the stored word.
    pub fn read(word: &str) -> Option<Self> {
        [Self::Replaced, Self::RolledOver]
            .into_iter()
            .find(|change| change.word() == word)
    }
}

/// The end of one meter and the beginning of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// How it ended.
    pub change: MeterChange,
    /// What it showed then; for one that began again, the value at which it did.
    pub last: Quantity,
    /// What the next one showed when it began.
    pub first: Quantity,
}

impl Replacement {
    /// What it adds to the offset.
    pub const fn offset(self) -> Quantity {
        self.last.minus(self.first)
    }
}

/// A new meter as a person tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewMeter {
    /// How the old one ended.
    pub change: MeterChange,
    /// What the old one showed at the end; none: what it shows.
    pub last: Option<Quantity>,
    /// What the new one showed when it began.
    pub first: Quantity,
}

/// Why a meter is not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceError {
    /// There is no meter.
    NoMeter,
    /// It would have ended below what it shows.
    EndsBelow(Quantity),
    /// No meter could show it, or not all of them together.
    OutOfRange,
}

/// The replacement, and where the new meter stands when it shows `reading`. Life goes on by what the old one counted to
/// its end and the new one since its beginning.
pub fn replace(
    unit: MeterUnit,
    stand: Stand,
    new: NewMeter,
    reading: Quantity,
) -> Result<(Replacement, Stand), ReplaceError> {
    if unit == MeterUnit::NotApplicable {
        return Err(ReplaceError::NoMeter);
    }
    let shown = stand.reading();
    let replacement = Replacement {
        change: new.change,
        last: new.last.unwrap_or(shown),
        first: new.first,
    };
    if replacement.last < shown {
        return Err(ReplaceError::EndsBelow(shown));
    }
    let offset = stand.offset.plus(replacement.offset());
    let after = Stand { offset, ..stand }.showing(reading);
    if after.is_possible() {
        Ok((replacement, after))
    } else {
        Err(ReplaceError::OutOfRange)
    }
}

/// What the ledger says about it, above what the person noted.
pub fn told(replacement: &Replacement, reading: Quantity, unit: MeterUnit, notes: &str) -> String {
    let Replacement {
        change,
        last,
        first,
    } = replacement;
    let of = |reading: Quantity| counted(reading, unit);
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

/// A quantity with its unit, which is stored in the plural.
fn counted(quantity: Quantity, unit: MeterUnit) -> String {
    let word = unit.word();
    let one = quantity == Quantity::from_hundredths(100);
    let word = if one {
        word.trim_end_matches('s')
    } else {
        word
    };
    format!("{quantity} {word}")
}

/// A replacement that counts, as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// What it was.
    pub replacement: Replacement,
    /// When.
    pub at: DateTime<Utc>,
    /// Name of who reported it.
    pub by: String,
}

/// One meter from its beginning to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// Where it stood then.
    pub start: Stand,
    /// Where it stood at the end, or stands now.
    pub end: Stand,
    /// How it ended; none: it is in use.
    pub ending: Option<Ending>,
}

/// The meters of a machine, the first one first.
pub fn segments(
    added_at: DateTime<Utc>,
    initial: Quantity,
    endings: Vec<Ending>,
    now: Stand,
) -> Vec<Segment> {
    let mut segments = Vec::with_capacity(endings.len() + 1);
    let mut started_at = added_at;
    let mut start = Stand::default().showing(initial);
    for ending in endings {
        let end = start.showing(ending.replacement.last);
        let offset = start.offset.plus(ending.replacement.offset());
        let at = ending.at;
        segments.push(Segment {
            started_at,
            start,
            end,
            ending: Some(ending),
        });
        (started_at, start) = (at, Stand { offset, ..end });
    }
    segments.push(Segment {
        started_at,
        start,
        end: now,
        ending: None,
    });
    segments
}

/// The offset of the meter that was in use at an instant.
pub fn offset_at(at: DateTime<Utc>, endings: &[Ending]) -> Quantity {
    let earlier = endings.iter().filter(|ending| ending.at <= at);
    earlier.fold(Quantity::ZERO, |offset, ending| {
        offset.plus(ending.replacement.offset())
    })
}

#[cfg(test)]
#[path = "meter_tests.rs"]
mod tests;

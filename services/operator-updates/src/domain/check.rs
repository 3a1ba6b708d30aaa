//! What makes a manager look twice at a submission. The web client runs the same rules before it
//! sends; `proto/testdata/reading-checks.json` holds both to one table.
//!
//! Exact integers: hundredths and whole seconds.

use chrono::{DateTime, Utc};
use hourmeter_runtime::quantity::Quantity;

/// The reading is below the meter at the time it was captured.
pub const BELOW_METER: &str = "below_meter";
/// The reading is far above what the meter can, or usually does, count in the time.
pub const JUMP: &str = "jump";
/// Far more fuel than goes into it as a rule.
pub const FUEL_HIGH: &str = "fuel_high";
/// The same figures from the same person a moment ago.
pub const REPEATED: &str = "repeated";

/// How long the same figures from the same person look like a mistake, seconds.
pub const REPEATED_WITHIN: i64 = 600;

const SECONDS_A_DAY: i64 = 86_400;
/// So many times the usual is still believed.
const FACTOR: i64 = 3;
/// Fuel up to this is never much, hundredths of a gallon.
const LITTLE_FUEL: i64 = whole(20);
/// Fuel above this is much when nothing is known, hundredths of a gallon.
const MUCH_FUEL: i64 = whole(300);

/// In hundredths.
const fn whole(number: i64) -> i64 {
    number * 100
}

/// What a meter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Hours it runs.
    Hours,
    /// Miles.
    Miles,
    /// Kilometers.
    Kilometers,
    /// Something else.
    NotApplicable,
}

impl Unit {
    /// Hundredths a day: up to the first is never a jump, above the second always.
    const fn bounds(self) -> Option<(i64, i64)> {
        match self {
            Self::Hours => Some((whole(12), whole(24))),
            Self::Miles => Some((whole(300), whole(1000))),
            Self::Kilometers => Some((whole(500), whole(1600))),
            Self::NotApplicable => None,
        }
    }
}

/// What is known of a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    /// What it counts.
    pub unit: Unit,
    /// What it shows.
    pub reading: Quantity,
    /// When it was last read; none: never.
    pub read_at: Option<DateTime<Utc>>,
    /// How much it is used in a day, as a rule; none: too few readings to tell.
    pub usual_daily_use: Option<Quantity>,
    /// Gallons in one filling, as a rule; none: too few to tell.
    pub usual_fill: Option<Quantity>,
}

/// What is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The meter reading; none: none reported.
    pub reading: Option<Quantity>,
    /// Gallons; 0: none.
    pub fuel_added: Quantity,
    /// When the meter was read.
    pub captured_at: DateTime<Utc>,
    /// How far from this the same person reported the same figures for the same equipment, whole
    /// seconds; none: never, or it was rejected.
    pub repeated_seconds_ago: Option<i64>,
}

/// What the rules say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The meter was read later than this was captured.
    pub late: bool,
    /// Reasons to look twice.
    pub flags: Vec<String>,
}

impl Findings {
    /// Whether the reading is below the meter.
    pub fn below_meter(&self) -> bool {
        self.flags.iter().any(|flag| flag == BELOW_METER)
    }
}

/// Checks an entry against the meter it is about.
pub fn check(meter: &Meter, entry: &Entry) -> Findings {
    let late = meter
        .read_at
        .is_some_and(|read_at| entry.captured_at < read_at);
    // The meter has moved on since a late reading: it says nothing about the meter of now.
    let reading = entry.reading.filter(|_| !late);
    let below = reading.is_some_and(|reading| reading < meter.reading);
    let repeated = entry
        .repeated_seconds_ago
        .is_some_and(|seconds| seconds <= REPEATED_WITHIN);
    let flags = [
        (below, BELOW_METER),
        (
            reading.is_some_and(|reading| jumps(meter, entry, reading)),
            JUMP,
        ),
        (is_much_fuel(meter, entry.fuel_added), FUEL_HIGH),
        (repeated, REPEATED),
    ];
    Findings {
        late,
        flags: flags
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, flag)| flag.to_owned())
            .collect(),
    }
}

fn jumps(meter: &Meter, entry: &Entry, reading: Quantity) -> bool {
    let Some((read_at, per_day)) = meter.read_at.zip(most_per_day(meter)) else {
        return false;
    };
    let seconds = (entry.captured_at - read_at).num_seconds();
    let moved = i128::from(reading.minus(meter.reading).hundredths());
    // Wide, because decades of a meter without bounds are beyond 64 bits.
    moved * i128::from(SECONDS_A_DAY) > i128::from(per_day) * i128::from(seconds.max(SECONDS_A_DAY))
}

/// Hundredths a day that are believed; none: any.
fn most_per_day(meter: &Meter) -> Option<i64> {
    let usual = meter
        .usual_daily_use
        .map(|usual| usual.hundredths().saturating_mul(FACTOR));
    match (meter.unit.bounds(), usual) {
        (Some((least, most)), Some(usual)) => Some(usual.clamp(least, most)),
        (Some((_, most)), None) => Some(most),
        (None, usual) => usual,
    }
}

fn is_much_fuel(meter: &Meter, added: Quantity) -> bool {
    let limit = meter.usual_fill.map_or(MUCH_FUEL, |usual| {
        usual.hundredths().saturating_mul(FACTOR).max(LITTLE_FUEL)
    });
    added.hundredths() > limit
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;

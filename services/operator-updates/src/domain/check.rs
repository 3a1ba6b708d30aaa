//! Flags for a manager's review. The web client runs the same rules; both follow the test vectors
//! in `proto/testdata/reading-checks.json`. Values are integers: hundredths and seconds.

use chrono::{DateTime, Utc};
use hourmeter_runtime::quantity::Quantity;

/// The reading is below the meter.
pub const BELOW_METER: &str = "below_meter";
/// The reading is higher than the meter can, or typically does, count in the time.
pub const JUMP: &str = "jump";
/// Much more fuel than typical.
pub const FUEL_HIGH: &str = "fuel_high";
/// The same values from the same person shortly before or after.
pub const REPEATED: &str = "repeated";

/// Seconds.
pub const REPEATED_WITHIN: i64 = 600;

const SECONDS_A_DAY: i64 = 86_400;
/// Tolerated multiple of the typical value.
const TOLERANCE: i64 = 3;
/// Never flagged, in hundredths of a gallon.
const MIN_FUEL_LIMIT: i64 = whole(20);
/// Limit without a typical fill, in hundredths of a gallon.
const DEFAULT_FUEL_LIMIT: i64 = whole(300);

/// Hundredths.
const fn whole(number: i64) -> i64 {
    number * 100
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Hours,
    Miles,
    Kilometers,
    NotApplicable,
}

impl Unit {
    /// Hundredths per day: never a jump up to the first, always above the second.
    const fn bounds(self) -> Option<(i64, i64)> {
        match self {
            Self::Hours => Some((whole(12), whole(24))),
            Self::Miles => Some((whole(300), whole(1000))),
            Self::Kilometers => Some((whole(500), whole(1600))),
            Self::NotApplicable => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    pub unit: Unit,
    pub reading: Quantity,
    /// None: never read.
    pub read_at: Option<DateTime<Utc>>,
    /// None: too few readings.
    pub usual_daily_use: Option<Quantity>,
    /// Gallons. None: too few fills.
    pub usual_fill: Option<Quantity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    pub reading: Option<Quantity>,
    /// Gallons.
    pub fuel_added: Quantity,
    pub captured_at: DateTime<Utc>,
    /// Seconds to the same values of the same person for the same equipment, rejected ones
    /// excluded.
    pub repeated_seconds_ago: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckResult {
    /// The meter was read after this reading was captured.
    pub late: bool,
    pub flags: Vec<String>,
}

impl CheckResult {
    pub fn below_meter(&self) -> bool {
        self.flags.iter().any(|flag| flag == BELOW_METER)
    }
}

pub fn check(meter: &Meter, report: &Report) -> CheckResult {
    let late = meter
        .read_at
        .is_some_and(|read_at| report.captured_at < read_at);
    // A late reading says nothing about the current meter.
    let reading = report.reading.filter(|_| !late);
    let below = reading.is_some_and(|reading| reading < meter.reading);
    let repeated = report
        .repeated_seconds_ago
        .is_some_and(|seconds| seconds <= REPEATED_WITHIN);
    let flags = [
        (below, BELOW_METER),
        (
            reading.is_some_and(|reading| is_jump(meter, report, reading)),
            JUMP,
        ),
        (is_high_fuel(meter, report.fuel_added), FUEL_HIGH),
        (repeated, REPEATED),
    ];
    CheckResult {
        late,
        flags: flags
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, flag)| flag.to_owned())
            .collect(),
    }
}

fn is_jump(meter: &Meter, report: &Report, reading: Quantity) -> bool {
    let Some((read_at, per_day)) = meter.read_at.zip(max_per_day(meter)) else {
        return false;
    };
    let seconds = (report.captured_at - read_at).num_seconds();
    let moved = i128::from(reading.minus(meter.reading).hundredths());
    // Decades without bounds exceed 64 bits.
    moved * i128::from(SECONDS_A_DAY) > i128::from(per_day) * i128::from(seconds.max(SECONDS_A_DAY))
}

/// Hundredths per day. None: no limit.
fn max_per_day(meter: &Meter) -> Option<i64> {
    let typical = meter
        .usual_daily_use
        .map(|typical| typical.hundredths().saturating_mul(TOLERANCE));
    match (meter.unit.bounds(), typical) {
        (Some((least, most)), Some(typical)) => Some(typical.clamp(least, most)),
        (Some((_, most)), None) => Some(most),
        (None, typical) => typical,
    }
}

fn is_high_fuel(meter: &Meter, added: Quantity) -> bool {
    let limit = meter.usual_fill.map_or(DEFAULT_FUEL_LIMIT, |typical| {
        typical
            .hundredths()
            .saturating_mul(TOLERANCE)
            .max(MIN_FUEL_LIMIT)
    });
    added.hundredths() > limit
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;

//! Flags for a manager's review. The web client runs the same rules; both follow the test vectors
//! in `proto/testdata/reading-checks.json`. Values are integers: hundredths and seconds.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::stored_enum;

use super::fuel::FuelKind;

/// The reading is below the one before it in time.
pub const BELOW_METER: &str = "below_meter";
/// The reading is above the next one in time, or another one has the same time.
pub const CONTRADICTS: &str = "contradicts";
/// The reading is higher than the meter can, or typically does, count in the time.
pub const JUMP: &str = "jump";
/// Much more fuel than typical.
pub const FUEL_HIGH: &str = "fuel_high";
/// Gas in a diesel machine, or diesel in a gas machine.
pub const WRONG_FUEL: &str = "wrong_fuel";
/// Captured in another unit than the machine's.
pub const WRONG_UNIT: &str = "wrong_unit";
/// The same values from the same person shortly before or after.
pub const REPEATED: &str = "repeated";
/// Captured without a session after a manager removed the phone.
pub const REMOVED_DEVICE: &str = "removed_device";
/// Captured without a session after the person left the phone or the company.
pub const REMOVED_PERSON: &str = "removed_person";

/// Seconds.
pub const REPEATED_WITHIN: i32 = 600;

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

stored_enum! {
    pub enum Unit {
        Hours = "hours",
        Miles = "miles",
        Kilometers = "kilometers",
        NotApplicable = "n/a",
    }
}

impl Unit {
    /// Usage per day in hundredths: up to the first it is never a jump, above the second always.
    const fn usage_bounds(self) -> Option<(i64, i64)> {
        match self {
            Self::Hours => Some((whole(12), whole(24))),
            Self::Miles => Some((whole(300), whole(1000))),
            Self::Kilometers => Some((whole(500), whole(1600))),
            Self::NotApplicable => None,
        }
    }
}

/// A machine and what its meter showed around the capture time of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    pub unit: Unit,
    /// None: not specified.
    pub fuel: Option<FuelKind>,
    /// When the meter was last read. None: never.
    pub read_at: Option<DateTime<Utc>>,
    /// None: it was not read before.
    pub before: Option<Reading>,
    /// The next reading. None: none is known.
    pub after: Option<Quantity>,
    /// Another update has a different reading of the same time.
    pub contradicted: bool,
    /// None: too few readings.
    pub usual_daily_use: Option<Quantity>,
    /// Gallons. None: too few fills.
    pub usual_fill: Option<Quantity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub value: Quantity,
    /// None: unknown.
    pub at: Option<DateTime<Utc>>,
}

impl Meter {
    /// Includes readings of updates that wait for the same machine. A reading below an earlier one
    /// does not lower the meter, so it is no neighbor.
    pub fn with_waiting(self, report: &Report, waiting: &[(DateTime<Utc>, Quantity)]) -> Self {
        let captured_at = report.captured_at;
        let mut waiting = waiting.to_vec();
        waiting.sort_unstable();
        let mut meter = self;
        for (at, value) in waiting {
            let from_here = meter.before.is_none_or(|before| before.value <= value);
            match at.cmp(&captured_at) {
                Ordering::Less => {
                    let later = |before: Reading| before.at.is_none_or(|before| before <= at);
                    if from_here && meter.before.is_none_or(later) {
                        let at = Some(at);
                        meter.before = Some(Reading { value, at });
                    }
                }
                Ordering::Equal => {
                    meter.contradicted |= from_here && report.reading != Some(value);
                }
                Ordering::Greater if from_here => {
                    meter.after = Some(meter.after.map_or(value, |after| after.min(value)));
                }
                Ordering::Greater => {}
            }
        }
        meter
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    pub reading: Option<Quantity>,
    pub increase: Option<Quantity>,
    /// Unit of reading or increase. None: unknown.
    pub unit: Option<Unit>,
    /// Gallons.
    pub fuel_added: Quantity,
    pub fuel_kind: FuelKind,
    pub captured_at: DateTime<Utc>,
    /// The same person has reported the same values for the same equipment at most
    /// `REPEATED_WITHIN` before or after, rejected ones excluded.
    pub repeated: bool,
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
    let captured_at = report.captured_at;
    let late = meter.read_at.is_some_and(|read_at| captured_at < read_at);
    let has_usage = report.reading.or(report.increase).is_some();
    let wrong_unit = has_usage && report.unit.is_some_and(|unit| unit != meter.unit);
    // Figures in another unit can't be compared.
    let reading = report.reading.filter(|_| !wrong_unit);
    let increase = report.increase.filter(|_| !wrong_unit);
    let below = |reading| meter.before.is_some_and(|before| reading < before.value);
    let wrong_fuel = meter.fuel.is_some_and(|fuel| fuel != report.fuel_kind);
    let flags = [
        (reading.is_some_and(below), BELOW_METER),
        (
            reading.is_some_and(|reading| contradicts(meter, captured_at, reading)),
            CONTRADICTS,
        ),
        (is_jump(meter, captured_at, reading, increase), JUMP),
        (is_high_fuel(meter, report.fuel_added), FUEL_HIGH),
        (wrong_fuel && !report.fuel_added.is_zero(), WRONG_FUEL),
        (wrong_unit, WRONG_UNIT),
        (report.repeated, REPEATED),
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

fn contradicts(meter: &Meter, captured_at: DateTime<Utc>, reading: Quantity) -> bool {
    let same_time = |before: Reading| before.at == Some(captured_at) && before.value != reading;
    meter.contradicted
        || meter.after.is_some_and(|after| reading > after)
        || meter.before.is_some_and(same_time)
}

fn is_jump(
    meter: &Meter,
    captured_at: DateTime<Utc>,
    reading: Option<Quantity>,
    increase: Option<Quantity>,
) -> bool {
    let Some((before, per_day)) = meter.before.zip(max_per_day(meter)) else {
        return false;
    };
    let Some(read_at) = before.at else {
        return false;
    };
    let moved = increase.or(reading.map(|reading| reading.minus(before.value)));
    let moved = i128::from(moved.unwrap_or(Quantity::ZERO).hundredths());
    let seconds = (captured_at - read_at).num_seconds();
    // Decades without bounds exceed 64 bits.
    moved * i128::from(SECONDS_A_DAY) > i128::from(per_day) * i128::from(seconds.max(SECONDS_A_DAY))
}

/// Hundredths per day. None: no limit.
fn max_per_day(meter: &Meter) -> Option<i64> {
    let typical = meter
        .usual_daily_use
        .map(|typical| typical.hundredths().saturating_mul(TOLERANCE));
    match (meter.unit.usage_bounds(), typical) {
        (Some((floor, most)), Some(typical)) => Some(typical.clamp(floor, most)),
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

//! What a manager and a submission say alike about a meter that ended.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::quantity::Quantity;

use super::input::CHOICE_MESSAGE;
use crate::domain::meter::{MeterChange, NewMeter};
use crate::domain::problems::Problems;

/// What a person reads about a reading that the new meter can't have shown.
pub const BELOW_START_MESSAGE: &str = "Must not be below what the new meter began with.";
/// What a person reads about a reading that all meters together can't have come to.
pub const OUT_OF_RANGE_MESSAGE: &str =
    "With this reading the current usage would be below 0 or above 1,000,000,000.";
const ROLLED_OVER_MESSAGE: &str = "A meter that began again began at 0.";

/// Reads it; names of fields begin with `prefix`. What is wrong is noted, and stands for nothing.
pub fn read(told: &v1::MeterReplacement, prefix: &str, problems: &mut Problems) -> NewMeter {
    let field = |name: &str| format!("{prefix}{name}");
    let change = match v1::MeterChange::try_from(told.change) {
        Ok(v1::MeterChange::Replaced) => Ok(MeterChange::Replaced),
        Ok(v1::MeterChange::RolledOver) => Ok(MeterChange::RolledOver),
        Ok(v1::MeterChange::Unspecified) | Err(_) => Err(CHOICE_MESSAGE),
    };
    let change = problems.keep(&field("kind"), change);
    let last = told.final_reading.map(Quantity::from_input).transpose();
    let last = problems.keep(&field("finalReading"), last).flatten();
    let first = Quantity::from_input(told.start_reading);
    let first = problems.keep(&field("startReading"), first);
    let first = first.unwrap_or_default();
    if change == Some(MeterChange::RolledOver) && !first.is_zero() {
        problems.add(field("startReading"), ROLLED_OVER_MESSAGE);
    }
    NewMeter {
        change: change.unwrap_or(MeterChange::Replaced),
        last,
        first,
    }
}

/// What a person reads about an old meter that would have run backwards.
pub fn ends_below(shown: Quantity) -> String {
    format!("The final reading is below what the meter showed, {shown}.")
}

/// There is nothing to replace.
pub fn no_meter() -> Failure {
    Failure::new(Kind::Conflict, "This equipment has no meter.").with_reason("NO_METER")
}

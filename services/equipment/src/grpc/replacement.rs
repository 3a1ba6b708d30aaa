//! Meter replacements as managers and submissions report them.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;

use crate::domain::meter::{MeterChange, NewMeter};
use crate::domain::problems::Problems;
use crate::refusals;

/// Field names in errors get `prefix`.
pub fn read(told: &v1::MeterReplacement, prefix: &str, problems: &mut Problems) -> NewMeter {
    let field = |name: &str| format!("{prefix}{name}");
    let change = match v1::MeterChange::try_from(told.change) {
        Ok(v1::MeterChange::Replaced) => Ok(MeterChange::Replaced),
        Ok(v1::MeterChange::RolledOver) => Ok(MeterChange::RolledOver),
        Ok(v1::MeterChange::Unspecified) | Err(_) => Err(refusals::CHOICE_UNKNOWN),
    };
    let change = problems.keep(&field("kind"), change);
    let last = told.final_reading.map(Quantity::from_input).transpose();
    let last = problems.keep(&field("finalReading"), last).flatten();
    let first = Quantity::from_input(told.start_reading);
    let first = problems.keep(&field("startReading"), first);
    let first = first.unwrap_or_default();
    if change == Some(MeterChange::RolledOver) && !first.is_zero() {
        problems.add(field("startReading"), refusals::ROLLED_OVER_FROM_ZERO);
    }
    NewMeter {
        change: change.unwrap_or(MeterChange::Replaced),
        last,
        first,
    }
}

pub fn ends_below(shown: Quantity) -> Message {
    refusals::FINAL_BELOW_METER.with("shown", shown)
}

pub fn no_meter() -> Failure {
    Failure::new(Kind::Conflict, refusals::NO_METER)
}

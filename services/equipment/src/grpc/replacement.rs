//! Meter replacements as managers and updates report them.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;

use crate::domain::field_errors::FieldErrors;
use crate::domain::meter::{MeterChange, NewMeter};
use crate::refusals;

/// Field names in errors get `prefix`.
pub fn read(reported: &v1::MeterReplacement, prefix: &str, errors: &mut FieldErrors) -> NewMeter {
    let field = |name: &str| format!("{prefix}{name}");
    let change = match v1::MeterChange::try_from(reported.change) {
        Ok(v1::MeterChange::Replaced) => Ok(MeterChange::Replaced),
        Ok(v1::MeterChange::RolledOver) => Ok(MeterChange::RolledOver),
        Ok(v1::MeterChange::Unspecified) | Err(_) => Err(refusals::CHOICE_UNKNOWN),
    };
    let change = errors.keep(&field("kind"), change);
    let last = reported.final_reading.map(Quantity::from_input).transpose();
    let last = errors.keep(&field("finalReading"), last).flatten();
    let first = Quantity::from_input(reported.start_reading);
    let first = errors.keep(&field("startReading"), first);
    let first = first.unwrap_or_default();
    if change == Some(MeterChange::RolledOver) && !first.is_zero() {
        errors.add(field("startReading"), refusals::ROLLED_OVER_FROM_ZERO);
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

pub fn no_meter() -> ServiceError {
    ServiceError::conflict(refusals::NO_METER)
}

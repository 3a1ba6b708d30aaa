//! Meter replacements as managers and updates report them.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::message::Message;

use super::input;
use crate::domain::field_errors::FieldErrors;
use crate::domain::meter::{MeterChange, NewMeter, ReplaceError};
use crate::refusals;

/// Field names in errors get `prefix`.
pub fn read(reported: &v1::MeterReplacement, prefix: &str, errors: &mut FieldErrors) -> NewMeter {
    let field = |name: &str| format!("{prefix}{name}");
    let change = input::choice(Some(reported.change), &field("kind"), errors);
    let last = input::quantity(reported.final_reading, &field("finalReading"), errors);
    let first = Some(reported.start_reading);
    let first = input::quantity(first, &field("startReading"), errors).unwrap_or_default();
    if change == Some(MeterChange::RolledOver) && !first.is_zero() {
        errors.add(field("startReading"), refusals::ROLLED_OVER_FROM_ZERO);
    }
    NewMeter {
        change: change.unwrap_or(MeterChange::Replaced),
        last,
        first,
    }
}

impl From<ReplaceError> for Message {
    fn from(error: ReplaceError) -> Self {
        match error {
            ReplaceError::NoMeter => refusals::NO_METER.into(),
            ReplaceError::EndsBelow(shown) => refusals::FINAL_BELOW_METER.with("shown", shown),
        }
    }
}

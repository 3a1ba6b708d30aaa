use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{LineBreaks, clean};
use uuid::Uuid;

use super::super::{input, parse_id, replacement};
use crate::domain::field_errors::FieldErrors;
use crate::domain::fields;
use crate::domain::kinds::FuelKind;
use crate::domain::ledger::{Actor, Entry, EntryKind, Fuel, MeterEffect, MeterMove, Source};
use crate::domain::meter::{MeterState, NewMeter, ReplaceError, replacement_text};
use crate::domain::usage::{CurrentMeter, FieldReading, FieldReadingError, reading_effect};
use crate::refusals;
use crate::store::meter::Meter;

/// A valid operator update.
pub struct Update {
    pub id: Uuid,
    pub equipment: Uuid,
    operator: Actor,
    reading: Option<FieldReading>,
    fuel: Option<Fuel>,
    /// The request has no fuel kind: use the equipment's default.
    default_fuel_kind: bool,
    notes: String,
    captured_at: DateTime<Utc>,
}

impl Update {
    /// Collects all field errors.
    pub fn read(
        request: &v1::ApplyOperatorUpdateRequest,
        now: DateTime<Utc>,
    ) -> Result<Self, ServiceError> {
        let mut errors = FieldErrors::default();
        let mut uuid = |text: &str, field: &str| {
            let read = Uuid::try_parse(text).map_err(|_| shared::NOT_AN_ID);
            errors.keep(field, read).unwrap_or_default()
        };
        let update_id = uuid(&request.update_id, "updateId");
        let operator_id = uuid(&request.operator_id, "operatorId");
        let name = clean(
            &request.operator_name,
            fields::MAX_PERSON_NAME,
            LineBreaks::Forbidden,
        );
        let name = errors.keep("operatorName", name).unwrap_or_default();
        let reading = reading(request, &mut errors);
        let (amount, kind) = (Some(request.fuel_added), request.fuel_kind);
        let fuel = input::fuel_added(amount, kind, FuelKind::Gas, &mut errors);
        let notes = input::long_text(&request.notes, "notes", &mut errors);
        let at = request.captured_at.as_ref();
        let captured_at = input::captured_at(at, "capturedAt", now, &mut errors);
        if reading.is_none() && fuel.is_none() && notes.is_empty() {
            errors.add("newUsage", refusals::UPDATE_EMPTY);
        }
        errors.check()?;
        Ok(Self {
            id: update_id,
            equipment: parse_id(&request.equipment_id)?,
            operator: Actor {
                id: operator_id,
                name,
                source: Source::Operator,
            },
            reading: reading.map(|(reading, new_meter)| FieldReading {
                reading,
                captured_at,
                replace: request.replace_meter,
                new_meter,
            }),
            fuel,
            default_fuel_kind: kind == i32::from(v1::FuelKind::Unspecified),
            notes,
            captured_at,
        })
    }

    /// Builds the ledger entry and the meter's new state; None: the meter does not change.
    pub fn entry(
        &self,
        meter: &Meter,
        now: DateTime<Utc>,
    ) -> Result<(Entry, Option<MeterState>), ServiceError> {
        let subject = meter.subject.clone();
        let operator = self.operator.clone();
        let fuel = self.fuel.map(|fuel| Fuel {
            kind: if self.default_fuel_kind {
                meter.fuel.default_kind()
            } else {
                fuel.kind
            },
            ..fuel
        });
        let current = CurrentMeter {
            unit: subject.unit,
            state: meter.state,
            read_at: meter.read_at,
        };
        let moved = self
            .reading
            .map(|field| reading_effect(current, field))
            .transpose();
        let moved = moved
            .map_err(|error| reading_error(error, meter))?
            .flatten();
        let (kind, content) = self.kind_and_text(meter, moved.map(|(_, effect)| effect));
        let entry = Entry {
            captured_at: self.captured_at,
            usage: moved.map(|(after, _)| MeterMove {
                before: meter.state.usage,
                after: after.usage,
            }),
            effect: moved.map(|(_, effect)| effect),
            reading: self.reading.map(|field| field.reading),
            fuel,
            content,
            update_id: Some(self.id),
            ..Entry::new(subject, kind, operator, now)
        };
        Ok((entry, moved.map(|(after, _)| after)))
    }

    /// Kind and text of the entry.
    fn kind_and_text(&self, meter: &Meter, effect: Option<MeterEffect>) -> (EntryKind, String) {
        let replacement = effect.and_then(MeterEffect::replacement);
        let Some((replacement, field)) = replacement.zip(self.reading) else {
            return (EntryKind::Usage, self.notes.clone());
        };
        let unit = meter.subject.unit;
        let text = replacement_text(&replacement, field.reading, unit, &self.notes);
        (EntryKind::Meter, text)
    }
}

/// The reading, and the new meter it is from, if any.
fn reading(
    request: &v1::ApplyOperatorUpdateRequest,
    errors: &mut FieldErrors,
) -> Option<(Quantity, Option<NewMeter>)> {
    let reading = request.reading.map(Quantity::from_input).transpose();
    let reading = errors.keep("newUsage", reading).flatten();
    let replacement = request.meter_replacement.as_ref();
    let new_meter: Option<NewMeter> =
        replacement.map(|reported| replacement::read(reported, "meterReplacement.", errors));
    if new_meter.is_some() && request.reading.is_none() {
        errors.add("newUsage", refusals::NEW_METER_READING_MISSING);
    }
    let below = |new: NewMeter| reading.is_some_and(|reading| reading < new.first);
    if new_meter.is_some_and(below) {
        errors.add("newUsage", refusals::READING_BELOW_START);
    }
    reading.map(|reading| (reading, new_meter))
}

fn reading_error(error: FieldReadingError, meter: &Meter) -> ServiceError {
    match error {
        FieldReadingError::BelowCurrent => {
            let (reading, unit) = (meter.state.reading(), meter.subject.unit.as_str());
            let message = refusals::BELOW_CURRENT.with("reading", reading);
            ServiceError::conflict(message.with("unit", unit))
        }
        FieldReadingError::ReadSince => ServiceError::conflict(refusals::METER_READ_SINCE),
        FieldReadingError::OutOfRange
        | FieldReadingError::NotReplaced(ReplaceError::OutOfRange) => {
            ServiceError::conflict(refusals::METER_OUT_OF_RANGE)
        }
        FieldReadingError::NotReplaced(ReplaceError::NoMeter) => replacement::no_meter(),
        FieldReadingError::NotReplaced(ReplaceError::EndsBelow(shown)) => {
            ServiceError::conflict(replacement::ends_below(shown))
        }
    }
}

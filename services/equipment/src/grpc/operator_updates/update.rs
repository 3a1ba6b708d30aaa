use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::super::usage::after_known;
use super::super::{input, parse_id, replacement};
use crate::domain::field_errors::FieldErrors;
use crate::domain::fields;
use crate::domain::kinds::{FuelKind, MeterUnit};
use crate::domain::ledger::{Actor, Correction, Entry, EntryKind, Fuel, MeterMove, Source};
use crate::domain::meter::{MeterFact, NewMeter, replacement_text};
use crate::domain::timeline::Dial;
use crate::refusals;
use crate::store::meter::Meter;

/// A valid operator update.
pub struct Update {
    pub id: Uuid,
    pub equipment: Uuid,
    /// Number of times that its entry was voided.
    pub attempt: u32,
    operator: Actor,
    /// None: it was applied automatically.
    decider: Option<Actor>,
    /// What was sent, if the decider applies other values.
    sent: Option<Correction>,
    fact: Option<MeterFact>,
    /// A manager has set the reading.
    confirmed: bool,
    /// Unit of the reading. None: not checked.
    unit: Option<MeterUnit>,
    fuel: Option<Fuel>,
    /// The request has no fuel kind: use the equipment's default.
    default_fuel_kind: bool,
    notes: String,
    captured_at: DateTime<Utc>,
    /// The time of capture is not known.
    is_now: bool,
}

impl Update {
    /// Collects all field errors.
    pub fn read(
        request: &v1::ApplyOperatorUpdateRequest,
        now: DateTime<Utc>,
    ) -> Result<Self, ServiceError> {
        let mut errors = FieldErrors::default();
        let update_id = input::id(&request.update_id, "updateId", &mut errors);
        let operator_id = input::id(&request.operator_id, "operatorId", &mut errors);
        let (name, longest) = (&request.operator_name, fields::MAX_PERSON_NAME);
        let name = input::line(name, longest, "operatorName", &mut errors);
        let decider = decider(request, &mut errors);
        let sent = sent(request, decider.as_ref(), &mut errors);
        let fact = meter_fact(request, &mut errors);
        let (amount, kind) = (Some(request.fuel_added), request.fuel_kind);
        let fill = (kind, request.full_fill);
        let fuel = input::fuel_added(amount, fill, FuelKind::Gas, &mut errors);
        let notes = input::long_text(&request.notes, "notes", &mut errors);
        let at = request.captured_at.as_ref();
        let captured_at = input::captured_at(at, "capturedAt", now, &mut errors);
        if fact.is_none() && fuel.is_none() && notes.is_empty() {
            errors.add("newUsage", refusals::UPDATE_EMPTY);
        }
        errors.check()?;
        Ok(Self {
            id: update_id.unwrap_or_default(),
            equipment: parse_id(&request.equipment_id)?,
            operator: Actor {
                id: operator_id.unwrap_or_default(),
                name: name.unwrap_or_default(),
                source: Source::Operator,
            },
            attempt: request.attempt,
            decider,
            sent,
            fact,
            confirmed: request.replace_meter,
            unit: MeterUnit::try_from(request.unit).ok(),
            fuel,
            default_fuel_kind: kind == i32::from(v1::FuelKind::Unspecified),
            notes,
            captured_at,
            is_now: captured_at == now,
        })
    }

    /// Whether it can be posted without the other facts of the machine: it is later than those known
    /// up to `known_at`, and does not lower the meter.
    pub fn is_plain(&self, meter: &Meter, known_at: DateTime<Utc>) -> bool {
        let raises = matches!(
            self.fact,
            Some(MeterFact::Increase(_) | MeterFact::Reading(_))
        );
        let later = self.captured_at(meter, known_at) > known_at && meter.dial.is_read();
        self.fact.is_none() || (raises && !self.confirmed && later)
    }

    /// When it counts from. An update made now is later than what is known. A manager's reading is in
    /// the machine's unit, so it is not earlier than the last change of the unit.
    pub fn captured_at(&self, meter: &Meter, known_at: DateTime<Utc>) -> DateTime<Utc> {
        if self.is_now {
            return after_known(self.captured_at, known_at);
        }
        match meter.unit_since {
            Some(since) if self.confirmed => after_known(self.captured_at, since),
            _ => self.captured_at,
        }
    }

    /// The person who changes what follows from the update.
    pub fn responsible(&self) -> &Actor {
        self.decider.as_ref().unwrap_or(&self.operator)
    }

    pub const fn states_meter(&self) -> bool {
        self.fact.is_some()
    }

    /// Builds the ledger entry, checked against the meter at its time. `final_reading`: of that meter, if it
    /// was replaced since.
    pub fn entry(
        &self,
        meter: &Meter,
        dial: Dial,
        final_reading: Option<Quantity>,
        captured_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Entry, ServiceError> {
        let subject = meter.subject.clone();
        self.check(meter, dial, final_reading, captured_at)?;
        let fuel = self.fuel.map(|fuel| Fuel {
            kind: if self.default_fuel_kind {
                meter.fuel.default_kind()
            } else {
                fuel.kind
            },
            ..fuel
        });
        let after = self.fact.map(|fact| dial.after(captured_at, fact).state);
        let lowers = after.is_some_and(|after| after.usage < dial.state.usage);
        let correction = self.sent.clone().map(|sent| Correction {
            set_back: self.confirmed && lowers,
            fuel_kind: sent
                .fuel_kind
                .or_else(|| (!sent.fuel.is_zero()).then(|| meter.fuel.default_kind())),
            ..sent
        });
        let (kind, content) = self.kind_and_text(meter, dial);
        Ok(Entry {
            captured_at,
            usage: after.map(|after| MeterMove {
                before: dial.state.usage,
                after: after.usage,
            }),
            meter: self.fact,
            fuel,
            content,
            update_id: Some(self.id),
            reapplied: self.attempt > 0,
            correction,
            ..Entry::new(subject, kind, self.operator.clone(), now)
        })
    }

    fn check(
        &self,
        meter: &Meter,
        dial: Dial,
        final_reading: Option<Quantity>,
        captured_at: DateTime<Utc>,
    ) -> Result<(), ServiceError> {
        let Some(fact) = self.fact else { return Ok(()) };
        let other_unit = self.unit.is_some_and(|unit| unit != meter.subject.unit);
        let earlier_unit = meter.unit_since.is_some_and(|since| captured_at <= since);
        if (other_unit || earlier_unit) && !self.confirmed {
            return Err(ServiceError::conflict(refusals::WRONG_UNIT));
        }
        let shown = dial.state.reading();
        let above = |end: &Quantity| fact.reading().is_some_and(|reading| reading > *end);
        if let Some(end) = final_reading.filter(above) {
            let message = refusals::READING_ABOVE_END.with("end", end);
            return Err(ServiceError::conflict(message));
        }
        match fact {
            MeterFact::Reading(reading) if dial.is_read() && reading < shown && !self.confirmed => {
                let message = refusals::BELOW_CURRENT.with("reading", shown);
                let unit = meter.subject.unit.as_str();
                Err(ServiceError::conflict(message.with("unit", unit)))
            }
            MeterFact::Replacement(new, _) => {
                let checked = new.check(meter.subject.unit, dial.state);
                checked.map_err(ServiceError::conflict)
            }
            _ => Ok(()),
        }?;
        if dial.after(captured_at, fact).state.is_in_range() {
            Ok(())
        } else {
            Err(out_of_range())
        }
    }

    fn kind_and_text(&self, meter: &Meter, dial: Dial) -> (EntryKind, String) {
        let Some(MeterFact::Replacement(new, reading)) = self.fact else {
            return (EntryKind::Usage, self.notes.clone());
        };
        let replacement = new.replacement(dial.state.reading());
        let unit = meter.subject.unit;
        let text = replacement_text(&replacement, reading, unit, &self.notes);
        (EntryKind::Meter, text)
    }
}

pub fn out_of_range() -> ServiceError {
    ServiceError::conflict(refusals::METER_OUT_OF_RANGE)
}

/// The manager who decided. None: no manager did.
fn decider(request: &v1::ApplyOperatorUpdateRequest, errors: &mut FieldErrors) -> Option<Actor> {
    if request.decided_by_id.is_empty() {
        return None;
    }
    let (name, longest) = (&request.decided_by, fields::MAX_PERSON_NAME);
    Some(Actor {
        id: input::id(&request.decided_by_id, "decidedById", errors)?,
        name: input::line(name, longest, "decidedBy", errors)?,
        source: Source::Manager,
    })
}

/// What the operator sent, if the manager who decided changed it.
fn sent(
    request: &v1::ApplyOperatorUpdateRequest,
    decider: Option<&Actor>,
    errors: &mut FieldErrors,
) -> Option<Correction> {
    let (sent, decider) = request.sent.as_ref().zip(decider)?;
    let reading = input::quantity(sent.reading, "sent.reading", errors);
    let increase = input::quantity(sent.usage_increase, "sent.usageIncrease", errors);
    let fuel = input::quantity(Some(sent.fuel_added), "sent.fuelAdded", errors);
    let name = &request.reported_equipment_name;
    let name = input::line(name, fields::MAX_NAME, "reportedEquipmentName", errors);
    Some(Correction {
        by: decider.name.clone(),
        by_id: Some(decider.id),
        reading,
        increase,
        unit: MeterUnit::try_from(sent.unit).ok(),
        fuel: fuel.unwrap_or_default(),
        fuel_kind: FuelKind::try_from(sent.fuel_kind).ok(),
        reported_equipment_name: name.unwrap_or_default(),
        set_back: false,
    })
}

fn meter_fact(
    request: &v1::ApplyOperatorUpdateRequest,
    errors: &mut FieldErrors,
) -> Option<MeterFact> {
    let reading = reading(request, errors);
    let Some(by) = request.usage_increase else {
        return reading.map(|(reading, new_meter)| match new_meter {
            Some(new) => MeterFact::Replacement(new, reading),
            None => MeterFact::Reading(reading),
        });
    };
    if request.reading.is_some() {
        errors.add("usageIncrease", refusals::INCREASE_OR_READING);
    }
    let by = errors.keep("usageIncrease", Quantity::from_input(by))?;
    if by.is_zero() {
        errors.add("usageIncrease", refusals::USAGE_INCREASE_INVALID);
    }
    Some(MeterFact::Increase(by))
}

/// The reading, and the new meter it is from, if any.
fn reading(
    request: &v1::ApplyOperatorUpdateRequest,
    errors: &mut FieldErrors,
) -> Option<(Quantity, Option<NewMeter>)> {
    let reading = input::quantity(request.reading, "newUsage", errors);
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

//! Applies a person's changes to equipment: defaults, and rules that concern several fields.

use chrono::{DateTime, NaiveDate};
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;

use super::equipment::{Details, Lifespan, Recurrence, ServicePart};
use super::field_change::FieldChange;
use super::field_errors::FieldErrors;
use super::fields::DEFAULT_ALERT_THRESHOLD;
use super::kinds::{CalendarUnit, EquipmentFuel, EquipmentType, MeterUnit, OperationalStatus};
use super::meter::{MeterFact, MeterState};
use super::rule::{Rule, Schedule};
use super::timeline::Dial;

use crate::refusals;

/// Changes to equipment. Each field is valid on its own.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub name: Option<String>,
    pub kind: Option<EquipmentType>,
    pub serial_number: FieldChange<String>,
    pub unit_number: FieldChange<String>,
    pub group: FieldChange<String>,
    pub operational_status: Option<OperationalStatus>,
    pub unit: Option<MeterUnit>,
    /// Sets life-to-date usage.
    pub current_usage: Option<Quantity>,
    /// Sets the reading of the meter.
    pub meter_reading: Option<Quantity>,
    pub threshold: FieldChange<Quantity>,
    pub fuel: Option<EquipmentFuel>,
    pub alert_threshold: Option<u32>,
    pub service_interval: Option<Quantity>,
    pub last_service_usage: Option<Quantity>,
    pub clear_last_service_usage: bool,
    /// Whether equipment has a maintenance schedule.
    pub scheduled: Option<bool>,
    pub start: FieldChange<NaiveDate>,
    pub interval: FieldChange<u32>,
    pub interval_unit: Option<CalendarUnit>,
    /// Replaces all parts.
    pub parts: Option<Vec<ServicePart>>,
    pub description: Option<String>,
}

/// The meter of a new machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterStart {
    /// Life-to-date usage minus the reading.
    pub offset: Quantity,
    pub is_read: bool,
}

impl Change {
    /// Creates equipment and its meter: offset, and whether it was read. Adds an error for each
    /// missing field.
    pub fn create(self, errors: &mut FieldErrors) -> (Details, MeterStart) {
        for (missing, field, message) in [
            (self.name.is_none(), "name", refusals::NAME_MISSING),
            (self.kind.is_none(), "type", refusals::TYPE_MISSING),
            (self.unit.is_none(), "unit", refusals::UNIT_MISSING),
        ] {
            if missing {
                errors.add(field, message);
            }
        }
        let usage = self.current_usage.or(self.meter_reading);
        let reading = self.meter_reading.or(usage).unwrap_or_default();
        let usage = usage.unwrap_or_default();
        // Without a meter, usage counts from 0.
        let unmetered = self.unit == Some(MeterUnit::NotApplicable);
        let start = MeterStart {
            offset: usage.minus(reading),
            is_read: self.meter_reading.is_some() || !usage.is_zero() || unmetered,
        };
        let read = start.is_read.then_some(usage);
        let mut details = self.apply_details(&blank(), read, errors);
        details.current_usage = usage;
        (details, start)
    }

    /// Applies the changes to `before`, whose meter is `dial`, and returns what they state about the
    /// meter. Adds an error for each conflict.
    pub fn apply(
        self,
        before: &Details,
        dial: Dial,
        errors: &mut FieldErrors,
    ) -> (Details, Option<MeterFact>) {
        let fact = self.meter_fact(before, dial, errors);
        let after = fact.map_or(dial, |fact| dial.after(DateTime::UNIX_EPOCH, fact));
        let mut details = self.apply_details(before, after.usage(), errors);
        details.current_usage = after.state.usage;
        (details, fact)
    }

    /// Everything but the usage, which is `usage` afterwards (None: the meter was never read).
    fn apply_details(
        self,
        before: &Details,
        usage: Option<Quantity>,
        errors: &mut FieldErrors,
    ) -> Details {
        let mut rule = before.task.rule;
        let schedule = self.schedule(before.task.schedule, &mut rule, errors);
        let interval = self.service_interval.unwrap_or(before.task.interval);
        let rule = rule.limited(!interval.is_zero(), schedule.is_some());
        let new_unit = self.unit.is_some_and(|unit| unit != before.unit);
        let rule = if new_unit {
            rule.without_usages()
        } else {
            rule
        };
        if let Some(left) = rule.too_long_warning(interval) {
            let message = refusals::INTERVAL_WITHIN_WARNING.with("warning", left);
            errors.add("serviceInterval", message);
        }
        let mut last_usage = self.last_usage(&before.task, usage, errors);
        if new_unit && usage.is_some() {
            // Earlier meters do not count in the new unit.
            last_usage = last_usage.min(usage);
        }
        let before = before.clone();
        Details {
            name: self.name.unwrap_or(before.name),
            kind: self.kind.unwrap_or(before.kind),
            serial_number: self.serial_number.or(before.serial_number),
            unit_number: self.unit_number.or(before.unit_number),
            group: self.group.or(before.group),
            operational_status: self.operational_status.unwrap_or(before.operational_status),
            unit: self.unit.unwrap_or(before.unit),
            current_usage: before.current_usage,
            lifespan: Lifespan {
                threshold: self.threshold.or(before.lifespan.threshold),
                alert_threshold: self
                    .alert_threshold
                    .unwrap_or(before.lifespan.alert_threshold),
            },
            fuel: self.fuel.unwrap_or(before.fuel),
            task: Recurrence {
                interval,
                last_usage,
                schedule,
                rule,
            },
            parts: self.parts.unwrap_or(before.parts),
            description: self.description.unwrap_or(before.description),
        }
    }

    /// A correction of usage or reading, or the meter in a new unit.
    fn meter_fact(
        &self,
        before: &Details,
        dial: Dial,
        errors: &mut FieldErrors,
    ) -> Option<MeterFact> {
        let by_usage = self.current_usage.map(|usage| dial.state.with_usage(usage));
        let by_reading = self
            .meter_reading
            .map(|shown| dial.state.with_reading(shown));
        let (field, state) = match (by_usage, by_reading) {
            (None, None) => ("currentUsage", dial.state),
            (Some(state), None) => ("currentUsage", state),
            (None, Some(state)) => ("meterReading", state),
            (Some(state), Some(other)) => {
                if state != other {
                    errors.add("meterReading", refusals::USAGE_OR_METER_READING);
                }
                ("meterReading", state)
            }
        };
        if state != dial.state && !state.is_in_range() {
            errors.add(field, range_message(field, dial.state.offset));
        }
        let read_alone = by_reading.is_some() && by_usage.is_none();
        let changed = state != dial.state || (read_alone && !dial.is_read());
        if let Some(unit) = self.unit.filter(|unit| *unit != before.unit) {
            let none = MeterUnit::NotApplicable;
            let stated = by_usage.or(by_reading);
            let stated = stated.is_some_and(|state| read_alone || !state.usage.is_zero());
            // Without a meter, usage counts but is not read.
            let was_read = dial.is_read() && before.unit != none;
            // The new unit counts from what the meter shows: what earlier meters counted has another unit.
            let shown = self.meter_reading.or(self.current_usage);
            let shown = shown.unwrap_or_else(|| dial.state.reading());
            let state = MeterState::default().with_usage(shown);
            let known = stated || was_read || unit == none;
            let fact = MeterFact::NewUnit(known.then_some(state));
            return (known || dial.is_read()).then_some(fact);
        }
        changed.then(|| MeterFact::Reading(state.reading()))
    }

    /// A new interval counts from `usage` unless the last service is known.
    fn last_usage(
        &self,
        before: &Recurrence,
        usage: Option<Quantity>,
        errors: &mut FieldErrors,
    ) -> Option<Quantity> {
        if self.clear_last_service_usage {
            return None;
        }
        let given = self.last_service_usage;
        let changed = given.filter(|_| given != before.last_usage);
        if usage.is_some_and(|usage| changed.is_some_and(|last| last > usage)) {
            errors.add("lastServiceUsage", refusals::LAST_SERVICE_ABOVE_USAGE);
        }
        let begins = before.interval.is_zero()
            && self
                .service_interval
                .is_some_and(|interval| !interval.is_zero());
        let unknown = before.last_usage.is_none_or(Quantity::is_zero);
        if begins && unknown {
            given.or(usage)
        } else {
            given.or(before.last_usage)
        }
    }

    /// Switching the schedule off removes start and interval.
    fn schedule(
        &self,
        before: Option<Schedule>,
        rule: &mut Rule,
        errors: &mut FieldErrors,
    ) -> Option<Schedule> {
        if !self.scheduled.unwrap_or(before.is_some()) {
            return None;
        }
        let start = self.start.clone().or(before.map(|known| known.start));
        let interval = self.interval.clone().or(before.map(|known| known.interval));
        let unit = self
            .interval_unit
            .or(before.map(|known| known.unit))
            .unwrap_or(CalendarUnit::Months);
        if start.is_none() {
            errors.add("maintenanceStartDate", refusals::MAINTENANCE_START_MISSING);
        }
        if interval.is_none() {
            errors.add(
                "maintenanceInterval",
                refusals::MAINTENANCE_INTERVAL_MISSING,
            );
        }
        let (start, interval) = (start?, interval?);
        let unchanged =
            |known: &Schedule| (known.start, known.interval, known.unit) == (start, interval, unit);
        if let Some(known) = before.filter(unchanged) {
            return Some(known);
        }
        let schedule = rule.begin_schedule(start, interval, unit);
        if schedule.is_none() {
            errors.add("maintenanceInterval", refusals::MAINTENANCE_TOO_FAR);
        }
        schedule
    }
}

/// The range that the earlier meters leave for the field.
fn range_message(field: &str, offset: Quantity) -> Message {
    // The offset is usage minus reading, so its sign differs between the two.
    let shift = if field == "meterReading" {
        Quantity::ZERO.minus(offset)
    } else {
        offset
    };
    if shift > Quantity::ZERO {
        refusals::AT_LEAST_BECAUSE_OF_METERS.with("min", shift)
    } else {
        let most = Quantity::MAX_INPUT.plus(shift);
        refusals::AT_MOST_BECAUSE_OF_METERS.with("max", most)
    }
}

fn blank() -> Details {
    Details {
        name: String::new(),
        kind: EquipmentType::Other,
        serial_number: None,
        unit_number: None,
        group: None,
        operational_status: OperationalStatus::InUse,
        unit: MeterUnit::NotApplicable,
        current_usage: Quantity::ZERO,
        lifespan: Lifespan {
            threshold: None,
            alert_threshold: DEFAULT_ALERT_THRESHOLD,
        },
        fuel: EquipmentFuel::NotApplicable,
        task: Recurrence {
            last_usage: Some(Quantity::ZERO),
            ..Recurrence::default()
        },
        parts: Vec::new(),
        description: String::new(),
    }
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;

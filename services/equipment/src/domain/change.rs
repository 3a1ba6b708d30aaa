//! Applies a person's changes to equipment: defaults, and rules that concern several fields.

use chrono::NaiveDate;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;

use super::calendar::next_date;
use super::equipment::{Details, Lifespan, Schedule, ServicePart, ServiceTask};
use super::field_change::FieldChange;
use super::field_errors::FieldErrors;
use super::fields::DEFAULT_ALERT_THRESHOLD;
use super::kinds::{CalendarUnit, EquipmentFuel, EquipmentType, MeterUnit, OperationalStatus};
use super::meter::MeterState;

use crate::refusals;

/// Changes to equipment. Each field is valid on its own.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub name: Option<String>,
    pub kind: Option<EquipmentType>,
    pub serial_number: FieldChange<String>,
    pub unit_number: FieldChange<String>,
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

impl Change {
    /// Creates equipment. Adds an error for each missing field.
    pub fn create(self, errors: &mut FieldErrors) -> Details {
        for (missing, field, message) in [
            (self.name.is_none(), "name", refusals::NAME_MISSING),
            (self.kind.is_none(), "type", refusals::TYPE_MISSING),
            (self.unit.is_none(), "unit", refusals::UNIT_MISSING),
        ] {
            if missing {
                errors.add(field, message);
            }
        }
        self.apply(&blank(), Quantity::ZERO, errors)
    }

    /// Applies the changes to `before`, whose earlier meters account for `offset`. Adds an error
    /// for each conflict.
    pub fn apply(self, before: &Details, offset: Quantity, errors: &mut FieldErrors) -> Details {
        let schedule = self.schedule(before.task.schedule, errors);
        let meter = MeterState {
            usage: before.current_usage,
            offset,
        };
        let current_usage = self.usage(meter, errors);
        let last_usage = self.last_usage(&before.task, current_usage);
        let before = before.clone();
        Details {
            name: self.name.unwrap_or(before.name),
            kind: self.kind.unwrap_or(before.kind),
            serial_number: self.serial_number.or(before.serial_number),
            unit_number: self.unit_number.or(before.unit_number),
            operational_status: self.operational_status.unwrap_or(before.operational_status),
            unit: self.unit.unwrap_or(before.unit),
            current_usage,
            lifespan: Lifespan {
                threshold: self.threshold.or(before.lifespan.threshold),
                alert_threshold: self
                    .alert_threshold
                    .unwrap_or(before.lifespan.alert_threshold),
            },
            fuel: self.fuel.unwrap_or(before.fuel),
            task: ServiceTask {
                interval: self.service_interval.unwrap_or(before.task.interval),
                last_usage,
                schedule,
            },
            parts: self.parts.unwrap_or(before.parts),
            description: self.description.unwrap_or(before.description),
        }
    }

    /// Life-to-date usage after setting it or the meter's reading.
    fn usage(&self, meter: MeterState, errors: &mut FieldErrors) -> Quantity {
        let (field, after) = match (self.current_usage, self.meter_reading) {
            (None, None) => return meter.usage,
            (Some(usage), None) => ("currentUsage", meter.with_usage(usage)),
            (None, Some(reading)) => ("meterReading", meter.with_reading(reading)),
            (Some(usage), Some(reading))
                if meter.with_usage(usage) == meter.with_reading(reading) =>
            {
                ("meterReading", meter.with_usage(usage))
            }
            (Some(_), Some(_)) => {
                errors.add("meterReading", refusals::USAGE_OR_METER_READING);
                return meter.usage;
            }
        };
        if !after.is_in_range() {
            errors.add(field, range_message(field, meter.offset));
        }
        after.usage
    }

    /// A new interval counts from the current usage unless the last service is known.
    fn last_usage(&self, before: &ServiceTask, current_usage: Quantity) -> Option<Quantity> {
        if self.clear_last_service_usage {
            return None;
        }
        let begins = before.interval.is_zero()
            && self
                .service_interval
                .is_some_and(|interval| !interval.is_zero());
        let unknown = before.last_usage.is_none_or(Quantity::is_zero);
        self.last_service_usage.or(if begins && unknown {
            Some(current_usage)
        } else {
            before.last_usage
        })
    }

    /// Switching the schedule off removes start and interval.
    fn schedule(&self, before: Option<Schedule>, errors: &mut FieldErrors) -> Option<Schedule> {
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
        let Some(next) = next_date(start, interval, unit) else {
            errors.add("maintenanceInterval", refusals::MAINTENANCE_TOO_FAR);
            return None;
        };
        Some(Schedule {
            start,
            interval,
            unit,
            next,
        })
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
        operational_status: OperationalStatus::InUse,
        unit: MeterUnit::NotApplicable,
        current_usage: Quantity::ZERO,
        lifespan: Lifespan {
            threshold: None,
            alert_threshold: DEFAULT_ALERT_THRESHOLD,
        },
        fuel: EquipmentFuel::NotApplicable,
        task: ServiceTask {
            last_usage: Some(Quantity::ZERO),
            ..ServiceTask::default()
        },
        parts: Vec::new(),
        description: String::new(),
    }
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;

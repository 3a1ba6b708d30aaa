//! Putting a person's changes onto equipment: defaults, and rules between fields.

use chrono::NaiveDate;
use hourmeter_runtime::quantity::Quantity;

use super::calendar::next_date;
use super::equipment::{Body, Lifespan, Schedule, ServicePart, ServiceTask};
use super::fields::DEFAULT_ALERT_THRESHOLD;
use super::kinds::{CalendarUnit, EquipmentFuel, EquipmentType, MeterUnit};
use super::problems::Problems;

/// A field that may be left out, emptied or set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Given<T> {
    /// Stays as it is.
    #[default]
    Absent,
    /// Emptied.
    Cleared,
    /// Set.
    Value(T),
}

impl<T> Given<T> {
    /// The field afterwards.
    pub(super) fn or(self, current: Option<T>) -> Option<T> {
        match self {
            Self::Absent => current,
            Self::Cleared => None,
            Self::Value(value) => Some(value),
        }
    }
}

/// What a person wants changed; each field is valid in itself.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Name.
    pub name: Option<String>,
    /// Type.
    pub kind: Option<EquipmentType>,
    /// Serial number.
    pub serial_number: Given<String>,
    /// Unit of the meter.
    pub unit: Option<MeterUnit>,
    /// A correction of the meter.
    pub current_usage: Option<Quantity>,
    /// Lifespan.
    pub threshold: Given<Quantity>,
    /// Fuel.
    pub fuel: Option<EquipmentFuel>,
    /// When the lifespan alert begins.
    pub alert_threshold: Option<u32>,
    /// Usage between services.
    pub service_interval: Option<Quantity>,
    /// The meter at the last service.
    pub last_service_usage: Option<Quantity>,
    /// Schedule on or off.
    pub scheduled: Option<bool>,
    /// First day of the schedule.
    pub start: Given<NaiveDate>,
    /// Calendar interval.
    pub interval: Given<u32>,
    /// Its unit.
    pub interval_unit: Option<CalendarUnit>,
    /// All parts.
    pub parts: Option<Vec<ServicePart>>,
    /// Description.
    pub description: Option<String>,
}

impl Change {
    /// New equipment. What is missing is noted as a problem.
    pub fn create(self, problems: &mut Problems) -> Body {
        for (missing, field, message) in [
            (self.name.is_none(), "name", "Name is required"),
            (self.kind.is_none(), "type", "Type is required"),
            (self.unit.is_none(), "unit", "Unit is required"),
        ] {
            if missing {
                problems.add(field, message);
            }
        }
        self.apply(&blank(), problems)
    }

    /// `before` with the changes. What does not go together is noted as a problem.
    pub fn apply(self, before: &Body, problems: &mut Problems) -> Body {
        let schedule = self.schedule(before.task.schedule, problems);
        let current_usage = self.current_usage.unwrap_or(before.current_usage);
        let last_usage = self.last_usage(&before.task, current_usage);
        let before = before.clone();
        Body {
            name: self.name.unwrap_or(before.name),
            kind: self.kind.unwrap_or(before.kind),
            serial_number: self.serial_number.or(before.serial_number),
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

    /// An interval that begins counts from the current usage unless something else is known.
    fn last_usage(&self, before: &ServiceTask, current_usage: Quantity) -> Option<Quantity> {
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

    /// Turning the schedule off forgets start and interval.
    fn schedule(&self, before: Option<Schedule>, problems: &mut Problems) -> Option<Schedule> {
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
            problems.add(
                "maintenanceStartDate",
                "Maintenance start date is required when scheduled maintenance is enabled",
            );
        }
        if interval.is_none() {
            problems.add(
                "maintenanceInterval",
                "Maintenance interval is required when scheduled maintenance is enabled",
            );
        }
        let (start, interval) = (start?, interval?);
        let unchanged =
            |known: &Schedule| (known.start, known.interval, known.unit) == (start, interval, unit);
        if let Some(known) = before.filter(unchanged) {
            return Some(known);
        }
        let Some(next) = next_date(start, interval, unit) else {
            problems.add(
                "maintenanceInterval",
                "The next maintenance date must not be after 2200-12-31.",
            );
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

/// What new equipment is before anything is set.
fn blank() -> Body {
    Body {
        name: String::new(),
        kind: EquipmentType::Other,
        serial_number: None,
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
mod tests {
    use super::*;

    fn quantity(value: f64) -> Quantity {
        Quantity::from_input(value).unwrap()
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn scheduled() -> Body {
        let change = Change {
            scheduled: Some(true),
            start: Given::Value(day("2026-01-31")),
            interval: Given::Value(1),
            ..Change::default()
        };
        change.apply(&blank(), &mut Problems::default())
    }

    #[test]
    fn a_schedule_needs_start_and_interval() {
        let mut problems = Problems::default();
        let change = Change {
            scheduled: Some(true),
            ..Change::default()
        };
        change.apply(&blank(), &mut problems);
        let fields = problems.into_fields();
        assert_eq!(fields[0].0, "maintenanceStartDate");
        assert_eq!(fields[1].0, "maintenanceInterval");
    }

    #[test]
    fn the_next_date_is_computed_in_months_by_default() {
        let next = scheduled().task.schedule.map(|schedule| schedule.next);
        assert_eq!(next, Some(day("2026-02-28")));
    }

    #[test]
    fn off_means_off() {
        let change = Change {
            scheduled: Some(false),
            start: Given::Value(day("2026-01-31")),
            interval: Given::Value(2),
            ..Change::default()
        };
        let body = change.apply(&scheduled(), &mut Problems::default());
        assert_eq!(body.task.schedule, None);
    }

    #[test]
    fn a_running_schedule_can_not_lose_its_interval() {
        let mut problems = Problems::default();
        let change = Change {
            interval: Given::Cleared,
            ..Change::default()
        };
        change.apply(&scheduled(), &mut problems);
        assert!(problems.check().is_err());
    }

    #[test]
    fn an_interval_begins_at_the_current_usage() {
        let change = |last: Option<f64>| Change {
            service_interval: Some(quantity(250.0)),
            current_usage: Some(quantity(4812.5)),
            last_service_usage: last.map(quantity),
            ..Change::default()
        };
        let none = &mut Problems::default();
        let body = change(None).apply(&blank(), none);
        assert_eq!(body.task.last_usage, Some(quantity(4812.5)));
        let body = change(Some(0.0)).apply(&blank(), none);
        assert_eq!(body.task.last_usage, Some(Quantity::ZERO));
        // Known already: a later change of the interval leaves it.
        let body = change(None).apply(&body, none);
        assert_eq!(body.task.last_usage, Some(Quantity::ZERO));
    }
}

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::fuel::Gallons;
use super::kinds::{EquipmentFuel, EquipmentType, MeterUnit, OperationalStatus};
use super::ledger::Subject;
use super::meter::MeterState;
use super::rule::{Rule, Schedule, SnoozeEnd};
use super::timeline::Dial;
use super::typical_usage::DailyUse;

/// The fields that people edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    pub name: String,
    pub kind: EquipmentType,
    /// VIN, serial or model number.
    pub serial_number: Option<String>,
    /// The company's own number.
    pub unit_number: Option<String>,
    pub group: Option<String>,
    pub operational_status: OperationalStatus,
    pub unit: MeterUnit,
    /// Life-to-date usage.
    pub current_usage: Quantity,
    pub lifespan: Lifespan,
    pub fuel: EquipmentFuel,
    /// The form's service task.
    pub task: Recurrence,
    pub parts: Vec<ServicePart>,
    pub description: String,
}

/// Expected usage over the whole life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifespan {
    /// In the meter's unit, at least 1.
    pub threshold: Option<Quantity>,
    /// Alert when this percentage is left.
    pub alert_threshold: u32,
}

/// When a service recurs: by usage, by calendar or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recurrence {
    /// 0: not by usage.
    pub interval: Quantity,
    /// Life-to-date usage at the last service.
    pub last_usage: Option<Quantity>,
    pub schedule: Option<Schedule>,
    pub rule: Rule,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceTask {
    pub id: Uuid,
    /// Empty for the form's task.
    pub name: String,
    pub from_form: bool,
    pub recurrence: Recurrence,
    /// Why the task was snoozed; may be over.
    pub snoozed: Option<Snoozed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snoozed {
    pub reason: String,
    /// Name of the person who snoozed it.
    pub by: String,
    pub at: DateTime<Utc>,
}

impl Recurrence {
    pub const fn recurs(&self) -> bool {
        !self.interval.is_zero() || self.schedule.is_some()
    }

    pub fn is_snoozed(&self, usage: Quantity, today: NaiveDate) -> bool {
        let snooze = self.rule.snooze;
        snooze.is_some_and(|end| !end.is_over(usage, today))
    }

    /// What the status counts: without a reading, no usage.
    #[must_use]
    pub const fn counted(self, is_read: bool) -> Self {
        let interval = if is_read {
            self.interval
        } else {
            Quantity::ZERO
        };
        Self { interval, ..self }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServicePart {
    pub part: String,
    pub part_number: Option<String>,
    pub quantity: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equipment {
    pub id: Uuid,
    pub details: Details,
    pub form_task_id: Uuid,
    pub form_snoozed: Option<Snoozed>,
    /// The tasks other than the form's.
    pub more_tasks: Vec<ServiceTask>,
    /// Life-to-date usage minus the meter's reading.
    pub meter_offset: Quantity,
    /// None: never read.
    pub meter_read_at: Option<DateTime<Utc>>,
    /// When the last fact about the meter or about service was captured.
    pub known_at: DateTime<Utc>,
    /// Since when the meter counts in its unit. None: always.
    pub unit_since: Option<DateTime<Utc>>,
    pub daily_use: DailyUse,
    /// Gallons per fill. None: too few fills.
    pub usual_fill: Option<Quantity>,
    /// Since the last fuel reset.
    pub total_gas: Quantity,
    /// Since the last fuel reset.
    pub total_diesel: Quantity,
    pub added_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Rises with every change.
    pub version: i64,
    /// Of the name.
    pub sort_key: String,
}

impl Equipment {
    pub fn subject(&self) -> Subject {
        Subject {
            id: self.id,
            name: self.details.name.clone(),
            unit: self.details.unit,
        }
    }

    pub const fn dial(&self) -> Dial {
        Dial {
            state: MeterState {
                usage: self.details.current_usage,
                offset: self.meter_offset,
            },
            read_at: self.meter_read_at,
        }
    }

    /// Plans of all service tasks that the status counts, the form's first.
    pub fn recurrences(&self) -> Vec<Recurrence> {
        let is_read = self.dial().is_read();
        let more = self.more_tasks.iter().map(|task| task.recurrence);
        let recurrences = std::iter::once(self.details.task).chain(more);
        recurrences
            .map(|recurrence| recurrence.counted(is_read))
            .collect()
    }

    pub fn form_task(&self) -> ServiceTask {
        ServiceTask {
            id: self.form_task_id,
            name: String::new(),
            from_form: true,
            recurrence: self.details.task,
            snoozed: self.form_snoozed.clone(),
        }
    }

    /// All tasks, the form's first.
    pub fn tasks(&self) -> impl Iterator<Item = ServiceTask> {
        std::iter::once(self.form_task()).chain(self.more_tasks.iter().cloned())
    }

    /// The tasks with an interval or a schedule, the form's first.
    pub fn planned_tasks(&self) -> impl Iterator<Item = ServiceTask> {
        self.tasks().filter(|task| task.recurrence.recurs())
    }

    /// Tasks with a snooze, which may be over; the form's first.
    pub fn snoozed_tasks(&self) -> Vec<(ServiceTask, SnoozeEnd)> {
        self.tasks()
            .filter_map(|task| task.recurrence.rule.snooze.map(|end| (task, end)))
            .collect()
    }

    /// Finds a task, the form's included.
    pub fn task(&self, id: Uuid) -> Option<ServiceTask> {
        self.tasks().find(|task| task.id == id)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retired {
    pub archive_id: Uuid,
    /// Has the id from before it was retired.
    pub equipment: Equipment,
    /// Of its whole life.
    pub fuel: Gallons,
    pub notes: String,
    /// Name of the person who retired it.
    pub by: String,
    pub at: DateTime<Utc>,
}

#[cfg(test)]
#[path = "equipment_tests.rs"]
pub(super) mod tests;

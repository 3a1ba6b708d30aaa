//! A piece of equipment.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::kinds::{CalendarUnit, EquipmentFuel, EquipmentType, MeterUnit};
use super::ledger::Subject;
use super::meter::Stand;
use super::usual::Usual;

/// What a person may set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// What kind of thing it is.
    pub kind: EquipmentType,
    /// VIN, serial or model number.
    pub serial_number: Option<String>,
    /// The company's own number.
    pub unit_number: Option<String>,
    /// What the meter counts.
    pub unit: MeterUnit,
    /// Life-to-date usage.
    pub current_usage: Quantity,
    /// Expected usage over its whole life, and when to warn.
    pub lifespan: Lifespan,
    /// What it runs on.
    pub fuel: EquipmentFuel,
    /// The documents' single interval and schedule: the first service task.
    pub task: ServiceTask,
    /// Parts for the next service.
    pub parts: Vec<ServicePart>,
    /// Free text.
    pub description: String,
}

/// Expected usage over the whole life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifespan {
    /// In the meter's unit, 1 or more; none: not known.
    pub threshold: Option<Quantity>,
    /// Percent of it left when the alert begins.
    pub alert_threshold: u32,
}

/// A piece of work that comes back, by usage or by calendar or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServiceTask {
    /// Usage between services; 0: none.
    pub interval: Quantity,
    /// The meter at the last service.
    pub last_usage: Option<Quantity>,
    /// The calendar part.
    pub schedule: Option<Schedule>,
}

/// A service task as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its id.
    pub id: Uuid,
    /// Its name; empty for the form's.
    pub name: String,
    /// Whether it is the interval and schedule of the equipment form.
    pub from_form: bool,
    /// When it comes back.
    pub plan: ServiceTask,
}

impl ServiceTask {
    /// Whether there is anything to come back.
    pub const fn has_plan(&self) -> bool {
        !self.interval.is_zero() || self.schedule.is_some()
    }
}

/// A calendar interval that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// First day.
    pub start: NaiveDate,
    /// How many units, 1 or more.
    pub interval: u32,
    /// Of what.
    pub unit: CalendarUnit,
    /// When it is due.
    pub next: NaiveDate,
}

/// A part the next service needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServicePart {
    /// Its name.
    pub part: String,
    /// The maker's number.
    pub part_number: Option<String>,
    /// How many.
    pub quantity: Option<u32>,
}

/// A piece of equipment as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equipment {
    /// Its id.
    pub id: Uuid,
    /// What a person set.
    pub body: Body,
    /// Id of the first service task.
    pub form_task: Uuid,
    /// Service tasks beyond the first.
    pub more_tasks: Vec<Task>,
    /// Life-to-date usage less what the meter shows.
    pub meter_offset: Quantity,
    /// When the meter was last read; none: never.
    pub meter_read_at: Option<DateTime<Utc>>,
    /// What it usually does.
    pub usual: Usual,
    /// Gasoline since the last fuel reset.
    pub total_gas: Quantity,
    /// Diesel since the last fuel reset.
    pub total_diesel: Quantity,
    /// When it was added.
    pub added_at: DateTime<Utc>,
    /// When anything last changed.
    pub updated_at: DateTime<Utc>,
    /// Rises with every change.
    pub version: i64,
    /// What lists are sorted by.
    pub sort_key: String,
}

impl Equipment {
    /// As entries name it.
    pub fn subject(&self) -> Subject {
        Subject {
            id: self.id,
            name: self.body.name.clone(),
            unit: self.body.unit,
        }
    }

    /// Where the meter stands.
    pub const fn stand(&self) -> Stand {
        Stand {
            usage: self.body.current_usage,
            offset: self.meter_offset,
        }
    }

    /// The plans of all its service tasks, the form's first.
    pub fn plans(&self) -> Vec<ServiceTask> {
        let more = self.more_tasks.iter().map(|task| task.plan);
        std::iter::once(self.body.task).chain(more).collect()
    }

    /// The interval and schedule of the form as a task like the others.
    pub fn task_of_form(&self) -> Task {
        Task {
            id: self.form_task,
            name: String::new(),
            from_form: true,
            plan: self.body.task,
        }
    }

    /// One of its service tasks, the form's among them.
    pub fn task(&self, id: Uuid) -> Option<Task> {
        let form = std::iter::once(self.task_of_form());
        form.chain(self.more_tasks.iter().cloned())
            .find(|task| task.id == id)
    }
}

/// A row of the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retired {
    /// Id of the archive row.
    pub archive_id: Uuid,
    /// What it was, with the original id.
    pub equipment: Equipment,
    /// Why.
    pub notes: String,
    /// By whom.
    pub by: String,
    /// When.
    pub at: DateTime<Utc>,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::domain::change::Change;
    use crate::domain::problems::Problems;

    /// New equipment with this plan.
    pub fn equipment(plan: ServiceTask) -> Equipment {
        Equipment {
            id: Uuid::from_u128(1),
            body: Body {
                task: plan,
                ..Change::default().create(&mut Problems::default())
            },
            form_task: Uuid::from_u128(2),
            more_tasks: Vec::new(),
            meter_offset: Quantity::ZERO,
            meter_read_at: None,
            usual: Usual::default(),
            total_gas: Quantity::ZERO,
            total_diesel: Quantity::ZERO,
            added_at: DateTime::UNIX_EPOCH,
            updated_at: DateTime::UNIX_EPOCH,
            version: 1,
            sort_key: String::new(),
        }
    }

    fn every(hundredths: i64) -> ServiceTask {
        ServiceTask {
            interval: Quantity::from_hundredths(hundredths),
            ..ServiceTask::default()
        }
    }

    #[test]
    fn plan_has_an_interval_or_a_schedule() {
        let scheduled = |interval| ServiceTask {
            schedule: Some(Schedule {
                start: NaiveDate::default(),
                interval: 1,
                unit: CalendarUnit::Days,
                next: NaiveDate::default(),
            }),
            ..every(interval)
        };
        assert!(!every(0).has_plan());
        assert!(every(1).has_plan());
        assert!(scheduled(0).has_plan());
        assert!(scheduled(1).has_plan());
    }

    #[test]
    fn stand_has_usage_and_offset() {
        let (usage, offset) = (Quantity::from_hundredths(7), Quantity::from_hundredths(3));
        let mut item = equipment(every(1));
        item.body.current_usage = usage;
        item.meter_offset = offset;
        assert_eq!(item.stand(), Stand { usage, offset });
    }

    #[test]
    fn tasks_begin_with_the_form() {
        let mut item = equipment(every(1));
        let more = Task {
            id: Uuid::from_u128(3),
            name: "Oil".to_owned(),
            from_form: false,
            plan: every(2),
        };
        item.more_tasks.push(more.clone());
        assert_eq!(item.plans(), [every(1), every(2)]);
        assert_eq!(item.task(item.form_task), Some(item.task_of_form()));
        assert_eq!(item.task(more.id), Some(more));
        assert_eq!(item.task(item.id), None);
    }
}

//! What the ledger says: projections computed from where counting began and the entries that
//! count.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::calendar::{LAST_DAY, next_date};
use super::due::{DuePoints, due_points};
use super::equipment::{Schedule, ServiceTask};
use super::kinds::{CalendarUnit, FuelKind};
use super::ledger::{Fuel, MarkUsage, MeterEffect, MeterMove};
use super::meter::Stand;
use super::usual::{Usual, usual};

/// Where counting begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The meter at creation.
    pub usage: Quantity,
    /// When it was created.
    pub added_at: DateTime<Utc>,
    /// The fuel period whose fuel counts.
    pub fuel_period: i32,
    /// Its service tasks, the form's first.
    pub tasks: Vec<TaskPlan>,
}

/// A service task: how often, and from where it counted when it was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskPlan {
    /// Its id.
    pub id: Uuid,
    /// Usage between services; 0: none.
    pub usage_interval: Quantity,
    /// Time between services.
    pub calendar_interval: Option<(u32, CalendarUnit)>,
    /// The meter when it was last done, at first.
    pub initial_usage: Option<Quantity>,
    /// First day of the schedule, at first.
    pub initial_start: Option<NaiveDate>,
}

/// What an entry that counts says about projections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its id.
    pub id: Uuid,
    /// When it happened in the field.
    pub captured_at: DateTime<Utc>,
    /// What it did to the meter.
    pub meter: Option<(MeterEffect, MeterMove)>,
    /// The meter counted then what it counts now.
    pub same_unit: bool,
    /// Fuel, and in which period it was entered.
    pub fuel: Option<(Fuel, i32)>,
    /// What it did to a task: from which meter and which day that counts.
    pub mark: Option<(Uuid, MarkUsage, Option<NaiveDate>)>,
    /// For a service: of which task, none is the form's, and the day it was done.
    pub service: Option<(Option<Uuid>, NaiveDate)>,
}

/// Everything that is kept beside the ledger and can be computed from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// The meter.
    pub stand: Stand,
    /// When the last reading was captured; none: it was never read.
    pub read_at: Option<DateTime<Utc>>,
    /// Gasoline of the fuel period.
    pub gas: Quantity,
    /// Diesel of the fuel period.
    pub diesel: Quantity,
    /// Each task's marks.
    pub tasks: BTreeMap<Uuid, Marks>,
    /// When any task approaches or is due.
    pub due: DuePoints,
    /// What it usually does.
    pub usual: Usual,
}

/// From where a service task counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The meter when it was last done.
    pub last_usage: Option<Quantity>,
    /// The day it was last done, or the schedule's first.
    pub start: Option<NaiveDate>,
    /// When it is next due.
    pub next: Option<NaiveDate>,
}

/// A ledger after which the meter would stand where no meter can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// Computes projections from the facts in their order.
pub fn fold(beginning: &Beginning, facts: &[Fact]) -> Result<Projection, OutOfRange> {
    let initially_read = (!beginning.usage.is_zero()).then_some(beginning.added_at);
    let (mut stand, mut read_at) = (Stand::default().at(beginning.usage), initially_read);
    let (mut gas, mut diesel) = (Quantity::ZERO, Quantity::ZERO);
    let mut marks = TaskMarks::new(&beginning.tasks);
    for fact in facts {
        if let Some((effect, moved)) = fact.meter {
            let added = moved.after.minus(moved.before);
            stand = match effect {
                MeterEffect::Increase => stand.at(stand.usage.plus(added)),
                MeterEffect::Reading => stand.at(moved.after),
                MeterEffect::Replacement(replacement) => Stand {
                    usage: moved.after,
                    offset: stand.offset.plus(replacement.offset()),
                },
            };
            read_at = read_at.max(Some(fact.captured_at));
            if !stand.is_possible() {
                return Err(OutOfRange);
            }
        }
        match fact.fuel {
            Some((fuel, period)) if period == beginning.fuel_period => match fuel.kind {
                FuelKind::Gas => gas = gas.plus(fuel.amount),
                FuelKind::Diesel => diesel = diesel.plus(fuel.amount),
            },
            _ => {}
        }
        marks.take(fact, stand.usage);
    }
    let plans = beginning.tasks.iter();
    let tasks: Vec<_> = plans.map(|plan| plan.since(marks.of(plan.id))).collect();
    let due = due_points(&tasks.iter().map(|(task, _)| *task).collect::<Vec<_>>());
    let ids = beginning.tasks.iter().map(|plan| plan.id);
    Ok(Projection {
        stand,
        read_at,
        gas,
        diesel,
        tasks: ids.zip(tasks.into_iter().map(|(_, marks)| marks)).collect(),
        due,
        usual: usual(facts),
    })
}

/// Whether a meter that began with this entry was read after it: with that the entry must stay.
pub fn is_read_after(facts: &[Fact], entry: Uuid) -> bool {
    let later = facts.iter().skip_while(|fact| fact.id != entry).skip(1);
    later.into_iter().any(|fact| {
        let effect = fact.meter.map(|(effect, _)| effect);
        matches!(
            effect,
            Some(MeterEffect::Reading | MeterEffect::Replacement(_))
        )
    })
}

/// A task's last usage and first day.
type Mark = (Option<Quantity>, Option<NaiveDate>);

/// Marks while entries pass by.
struct TaskMarks {
    form: Option<Uuid>,
    marks: BTreeMap<Uuid, Mark>,
    done: BTreeMap<Uuid, NaiveDate>,
}

impl TaskMarks {
    fn new(plans: &[TaskPlan]) -> Self {
        let initial = |plan: &TaskPlan| (plan.id, (plan.initial_usage, plan.initial_start));
        Self {
            form: plans.first().map(|plan| plan.id),
            marks: plans.iter().map(initial).collect(),
            done: BTreeMap::new(),
        }
    }

    fn of(&self, task: Uuid) -> Mark {
        self.marks.get(&task).copied().unwrap_or_default()
    }

    /// Takes what an entry says, unless it is about work older than what was done already.
    fn take(&mut self, fact: &Fact, usage: Quantity) {
        if let Some((task, day)) = fact.service
            && let Some(task) = task.or(self.form)
        {
            let last = self.done.entry(task).or_insert(day);
            if day < *last {
                return;
            }
            *last = day;
        }
        if let Some((task, mark, start)) = fact.mark
            && let Some(known) = self.marks.get_mut(&task)
        {
            let last = match mark {
                MarkUsage::Meter => Some(usage),
                MarkUsage::Given(given) => given,
            };
            *known = (last, start);
        }
    }
}

impl TaskPlan {
    /// The task as it counts from there, with its marks.
    fn since(&self, mark: Mark) -> (ServiceTask, Marks) {
        let (last_usage, start) = mark;
        let schedule = start.zip(self.calendar_interval);
        let schedule = schedule.map(|(start, (interval, unit))| Schedule {
            start,
            interval,
            unit,
            next: next_date(start, interval, unit).unwrap_or(LAST_DAY),
        });
        let task = ServiceTask {
            interval: self.usage_interval,
            last_usage,
            schedule,
        };
        let marks = Marks {
            last_usage,
            start,
            next: schedule.map(|schedule| schedule.next),
        };
        (task, marks)
    }
}

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;

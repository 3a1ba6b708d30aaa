//! Computes projections from the initial state and the ledger's entries that count.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::calendar::{LAST_DAY, next_date};
use super::due::{DuePoints, due_points};
use super::equipment::{Schedule, ServiceTask};
use super::kinds::{CalendarUnit, FuelKind};
use super::ledger::{Fact, MarkUsage, MeterEffect};
use super::meter::MeterState;
use super::typical_usage::{TypicalUsage, typical_usage};

/// State of equipment at creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialState {
    pub usage: Quantity,
    pub added_at: DateTime<Utc>,
    /// Only fuel of this period counts.
    pub fuel_period: i32,
    /// The form's task first.
    pub tasks: Vec<TaskPlan>,
}

/// A service task's intervals, and its marks at creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskPlan {
    pub id: Uuid,
    /// 0: not by usage.
    pub usage_interval: Quantity,
    pub calendar_interval: Option<(u32, CalendarUnit)>,
    /// Usage at the last service.
    pub initial_usage: Option<Quantity>,
    /// First day of the schedule.
    pub initial_start: Option<NaiveDate>,
}

/// The values of equipment that are derived from the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    pub meter: MeterState,
    /// When the last reading was captured. None: never read.
    pub read_at: Option<DateTime<Utc>>,
    /// Of the current fuel period.
    pub gas: Quantity,
    /// Of the current fuel period.
    pub diesel: Quantity,
    pub tasks: BTreeMap<Uuid, Marks>,
    pub due: DuePoints,
    pub typical: TypicalUsage,
}

/// What a service task counts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Usage at the last service.
    pub last_usage: Option<Quantity>,
    /// Day of the last service, or first day of the schedule.
    pub start: Option<NaiveDate>,
    /// Due date.
    pub next: Option<NaiveDate>,
}

/// The ledger puts the meter out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// Computes projections from facts in the order of the ledger.
pub fn fold(initial: &InitialState, facts: &[Fact]) -> Result<Projection, OutOfRange> {
    let initial_read_at = (!initial.usage.is_zero()).then_some(initial.added_at);
    let (mut meter, mut read_at) = (
        MeterState::default().with_usage(initial.usage),
        initial_read_at,
    );
    let (mut gas, mut diesel) = (Quantity::ZERO, Quantity::ZERO);
    let mut marks = MarkAccumulator::new(&initial.tasks);
    for fact in facts {
        if let Some((effect, moved)) = fact.meter {
            let added = moved.after.minus(moved.before);
            meter = match effect {
                MeterEffect::Increase => meter.with_usage(meter.usage.plus(added)),
                MeterEffect::Reading => meter.with_usage(moved.after),
                MeterEffect::Replacement(replacement) => MeterState {
                    usage: moved.after,
                    offset: meter.offset.plus(replacement.offset()),
                },
            };
            read_at = read_at.max(Some(fact.captured_at));
            if !meter.is_in_range() {
                return Err(OutOfRange);
            }
        }
        match fact.fuel {
            Some((fuel, period)) if period == initial.fuel_period => match fuel.kind {
                FuelKind::Gas => gas = gas.plus(fuel.amount),
                FuelKind::Diesel => diesel = diesel.plus(fuel.amount),
            },
            _ => {}
        }
        marks.apply(fact, meter.usage);
    }
    let plans = initial.tasks.iter();
    let tasks: Vec<_> = plans
        .map(|plan| plan.with_mark(marks.of(plan.id)))
        .collect();
    let due = due_points(&tasks.iter().map(|(task, _)| *task).collect::<Vec<_>>());
    let ids = initial.tasks.iter().map(|plan| plan.id);
    Ok(Projection {
        meter,
        read_at,
        gas,
        diesel,
        tasks: ids.zip(tasks.into_iter().map(|(_, marks)| marks)).collect(),
        due,
        typical: typical_usage(facts),
    })
}

/// Whether the meter that this entry fitted was read later. Such an entry must not be voided.
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

/// Last usage and first day.
type Mark = (Option<Quantity>, Option<NaiveDate>);

/// Accumulates the marks of all tasks.
struct MarkAccumulator {
    form: Option<Uuid>,
    marks: BTreeMap<Uuid, Mark>,
    last_service: BTreeMap<Uuid, NaiveDate>,
}

impl MarkAccumulator {
    fn new(plans: &[TaskPlan]) -> Self {
        let initial = |plan: &TaskPlan| (plan.id, (plan.initial_usage, plan.initial_start));
        Self {
            form: plans.first().map(|plan| plan.id),
            marks: plans.iter().map(initial).collect(),
            last_service: BTreeMap::new(),
        }
    }

    fn of(&self, task: Uuid) -> Mark {
        self.marks.get(&task).copied().unwrap_or_default()
    }

    /// Applies a fact, unless its service is older than the task's latest.
    fn apply(&mut self, fact: &Fact, usage: Quantity) {
        if let Some((task, day)) = fact.service
            && let Some(task) = task.or(self.form)
        {
            let last = self.last_service.entry(task).or_insert(day);
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
    /// The task with the given mark.
    fn with_mark(&self, mark: Mark) -> (ServiceTask, Marks) {
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

//! Computes projections from the initial state and the facts that count.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::calendar::LAST_DAY;
use super::due::{DuePoints, due_points};
use super::equipment::Recurrence;
use super::initial_state::{InitialState, TaskPlan};
use super::kinds::FuelKind;
use super::ledger::{Fact, MarkUsage, MeterMove, Placed};
use super::meter::MeterState;
use super::rule::{Basis, Schedule, last_multiple};
use super::timeline::{Step, steps};
use super::typical_usage::{DailyUse, daily_use, usual_fill};

/// The values of equipment that are derived from the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    pub meter: MeterState,
    /// When the last reading was captured. None: never read.
    pub read_at: Option<DateTime<Utc>>,
    /// When the last fact about the meter was captured.
    pub last_fact_at: DateTime<Utc>,
    /// Of the current fuel period.
    pub gas: Quantity,
    /// Of the current fuel period.
    pub diesel: Quantity,
    pub tasks: BTreeMap<Uuid, Marks>,
    pub due: DuePoints,
    pub daily_use: DailyUse,
    pub usual_fill: Option<Quantity>,
}

/// What a service task counts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    pub last_usage: Option<Quantity>,
    /// Day of the last service, or first day of the schedule.
    pub start: Option<NaiveDate>,
    /// Due date.
    pub next: Option<NaiveDate>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded {
    pub projection: Projection,
    /// By id of the fact; absent if it states nothing about a meter that was not read.
    pub placed: BTreeMap<Uuid, Placed>,
    /// Tasks whose last usage was above the meter and was lowered to it.
    pub clamped: BTreeSet<Uuid>,
    pub marked_by: MarkedBy,
}

/// The entry that set what each task counts from. None: its state at creation.
pub type MarkedBy = BTreeMap<Uuid, Option<Uuid>>;

impl Folded {
    /// Facts whose stored usage before and after differs from the fold.
    pub fn moved<'a>(&self, facts: &'a [Fact]) -> impl Iterator<Item = &'a Fact> {
        let shown = facts
            .iter()
            .filter(|fact| fact.meter.is_some() || fact.service.is_some());
        shown.filter(|fact| self.placed.get(&fact.id).map(|placed| placed.moved) != fact.stored)
    }
}

/// The facts put the meter out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// Computes projections. The order of `facts` does not matter.
pub fn fold(initial: &InitialState, facts: &[Fact]) -> Result<Folded, OutOfRange> {
    let steps = steps(initial, facts);
    let (mut gas, mut diesel) = (Quantity::ZERO, Quantity::ZERO);
    let mut placed = BTreeMap::new();
    for step in &steps {
        if !step.after.state.is_in_range() {
            return Err(OutOfRange);
        }
        let Some(fact) = step.fact else { continue };
        if fact.meter.is_some() || step.after.is_read() {
            let moved = MeterMove {
                before: step.state_before().usage,
                after: step.after.state.usage,
            };
            let shown = step.before.state.reading();
            placed.insert(fact.id, Placed { moved, shown });
        }
        match fact.fuel {
            Some((fuel, period)) if period == initial.fuel_period => match fuel.kind {
                FuelKind::Gas => gas = gas.plus(fuel.amount),
                FuelKind::Diesel => diesel = diesel.plus(fuel.amount),
            },
            _ => {}
        }
    }
    let dial = steps.last().map(|step| step.after).unwrap_or_default();
    let marks = marks(&initial.tasks, &steps);
    let (mut tasks, mut clamped) = (Vec::new(), BTreeSet::new());
    for plan in &initial.tasks {
        let (last_usage, is_clamped) = marks[&plan.id].settle(plan, &steps);
        if is_clamped {
            clamped.insert(plan.id);
        }
        tasks.push(plan.with_mark(last_usage, marks[&plan.id].start));
    }
    let counted: Vec<_> = tasks
        .iter()
        .map(|(task, _)| task.counted(dial.is_read()))
        .collect();
    let ids = initial.tasks.iter().map(|plan| plan.id);
    let mut meter_facts = steps
        .iter()
        .filter(|step| step.fact.is_none_or(|fact| fact.meter.is_some()));
    let newest_facts = steps.iter().rev().filter_map(|step| step.fact);
    let fills = newest_facts.filter_map(|fact| fact.fuel);
    let projection = Projection {
        meter: dial.state,
        read_at: dial.read_at,
        last_fact_at: meter_facts
            .next_back()
            .map_or(initial.added_at, |step| step.at),
        gas,
        diesel,
        tasks: ids.zip(tasks.into_iter().map(|(_, marks)| marks)).collect(),
        due: due_points(&counted),
        daily_use: daily_use(initial.unit, initial.zone, &steps),
        usual_fill: usual_fill(fills.map(|(fuel, _)| fuel.amount)),
    };
    Ok(Folded {
        projection,
        placed,
        clamped,
        marked_by: setters(&marks),
    })
}

pub fn marked_by(initial: &InitialState, facts: &[Fact]) -> MarkedBy {
    setters(&marks(&initial.tasks, &steps(initial, facts)))
}

fn setters(marks: &BTreeMap<Uuid, Mark>) -> MarkedBy {
    marks.iter().map(|(task, mark)| (*task, mark.by)).collect()
}

/// What a task counts from, and where it was set.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The entry. None: the state at creation.
    by: Option<Uuid>,
    usage: MarkUsage,
    start: Option<NaiveDate>,
    /// Index of the first step after it.
    next: usize,
}

impl Mark {
    /// Usage at the last service, and whether it was lowered to the meter. Facts after the mark lower
    /// it. If the meter was unread at the mark and no first due point is set, counting begins at the baseline.
    fn settle(self, plan: &TaskPlan, steps: &[Step<'_>]) -> (Option<Quantity>, bool) {
        let (known, later) = steps.split_at(self.next);
        let dial = known.last().map(|step| step.after).unwrap_or_default();
        let (mut last, mut clamped) = match self.usage {
            MarkUsage::Meter => (dial.usage(), false),
            MarkUsage::Given(last) => (last, false),
        };
        let baseline = later.iter().find(|step| step.after.is_read());
        let begins_there = plan.rule.first_usage.is_none();
        if let Some(step) = baseline.filter(|step| begins_there && !step.before.is_read()) {
            let usage = step.after.state.usage;
            last = last.or(Some(match plan.rule.basis {
                // Due at the next point, also if the reading is shortly before it.
                Basis::OnTheMark if plan.usage_interval > Quantity::ZERO => {
                    last_multiple(plan.usage_interval, usage)
                }
                _ => usage,
            }));
        }
        let usages = later.iter().filter_map(|step| step.after.usage());
        for usage in dial.usage().into_iter().chain(usages) {
            if last.is_some_and(|last| last > usage) {
                (last, clamped) = (Some(usage), true);
            }
        }
        (last, clamped)
    }
}

/// The mark of each task: of its service with the latest day, otherwise of the entry made last.
fn marks(plans: &[TaskPlan], steps: &[Step<'_>]) -> BTreeMap<Uuid, Mark> {
    let mut marks: BTreeMap<Uuid, Mark> = plans
        .iter()
        .map(|plan| (plan.id, plan.initial_mark(steps)))
        .collect();
    let mut facts: Vec<(usize, &Fact)> = steps
        .iter()
        .enumerate()
        .filter_map(|(at, step)| Some((at, step.fact?)))
        .filter(|(_, fact)| fact.mark.is_some() || fact.service.is_some())
        .collect();
    facts.sort_by_key(|(_, fact)| (fact.entered, fact.id));
    let form = plans.first().map(|plan| plan.id);
    let mut last_service: BTreeMap<Uuid, NaiveDate> = BTreeMap::new();
    for (at, fact) in facts {
        if let Some((task, day)) = fact.service
            && let Some(task) = task.or(form)
        {
            let last = last_service.entry(task).or_insert(day);
            if day < *last {
                continue;
            }
            *last = day;
        }
        if let Some((task, usage, start)) = fact.mark
            && let Some(mark) = marks.get_mut(&task)
        {
            *mark = Mark {
                by: Some(fact.id),
                usage,
                start,
                next: at + 1,
            };
        }
    }
    marks
}

impl TaskPlan {
    fn initial_mark(&self, steps: &[Step<'_>]) -> Mark {
        // After the state at creation, and before entries of the same instant.
        let before = |step: &Step<'_>, created| {
            step.at < created || (step.at == created && step.fact.is_none())
        };
        let next = self.created_at.map_or(steps.len(), |created| {
            steps.partition_point(|step| before(step, created))
        });
        Mark {
            by: None,
            usage: MarkUsage::Given(self.initial_usage),
            start: self.initial_start,
            next,
        }
    }

    /// The task with the given usage and first day.
    fn with_mark(
        &self,
        last_usage: Option<Quantity>,
        start: Option<NaiveDate>,
    ) -> (Recurrence, Marks) {
        let schedule = start.zip(self.calendar_interval);
        let schedule = schedule.map(|(start, (interval, unit))| {
            let known = self.rule.schedule(start, interval, unit);
            known.unwrap_or(Schedule {
                start,
                interval,
                unit,
                next: LAST_DAY,
            })
        });
        let task = Recurrence {
            interval: self.usage_interval,
            last_usage,
            schedule,
            rule: self.rule,
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

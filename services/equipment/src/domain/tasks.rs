//! Service tasks beyond the form's, and what doing one does.

use chrono::NaiveDate;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::text::{LineBreaks, clean};

use super::calendar::next_date;
use super::change::Given;
use super::equipment::{Schedule, ServiceTask, Task};
use super::kinds::{CalendarUnit, MeterUnit};
use super::ledger::{MarkUsage, MeterEffect, MeterMove, TaskMark};
use super::problems::Problems;
use super::usage::serviced;

use crate::refusals;

/// Longest name of a task.
pub const TASK_NAME: usize = 100;
/// Most tasks beyond the form's.
pub const MAX_TASKS: usize = 50;

/// A name that must not be empty.
pub fn task_name(raw: &str) -> Result<String, Message> {
    let name = clean(raw, TASK_NAME, LineBreaks::Forbidden)?;
    if name.is_empty() {
        return Err(refusals::NAME_MISSING.into());
    }
    Ok(name)
}

/// Whether two names are the same to a person.
pub fn same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// What a person wants changed about a task; each field is valid in itself.
#[derive(Clone, Debug, Default)]
pub struct TaskChange {
    /// Name.
    pub name: Option<String>,
    /// Usage between services.
    pub interval: Option<Quantity>,
    /// The meter when it was last done.
    pub last_usage: Option<Quantity>,
    /// Calendar interval.
    pub calendar: Given<u32>,
    /// Its unit.
    pub unit: Option<CalendarUnit>,
    /// The day it was last done.
    pub done_on: Option<NaiveDate>,
}

impl TaskChange {
    /// `before` with the changes. What is not said about the last time is the meter and today.
    /// What does not go together is noted as a problem.
    pub fn apply(
        self,
        before: &Task,
        meter: Quantity,
        today: NaiveDate,
        problems: &mut Problems,
    ) -> Task {
        let name = self.name.clone().unwrap_or_else(|| before.name.clone());
        if name.is_empty() {
            problems.add("name", refusals::NAME_MISSING);
        }
        if self.done_on.is_some_and(|day| day > today) {
            problems.add("lastDoneOn", refusals::DATE_IN_FUTURE);
        }
        let calendar = before.plan.schedule.map(|known| known.interval);
        let calendar = self.calendar.clone().or(calendar);
        let interval = self.interval.unwrap_or(before.plan.interval);
        if interval.is_zero() && calendar.is_none() {
            problems.add("usageInterval", refusals::INTERVAL_MISSING);
        }
        let schedule = calendar.and_then(|interval| {
            self.schedule(interval, before.plan.schedule, today)
                .or_else(|| {
                    problems.add("calendarInterval", refusals::MAINTENANCE_TOO_FAR);
                    None
                })
        });
        let last_usage = self.last_usage.or(before.plan.last_usage).or(Some(meter));
        Task {
            name,
            plan: ServiceTask {
                interval,
                last_usage,
                schedule,
            },
            ..before.clone()
        }
    }

    fn schedule(
        &self,
        interval: u32,
        before: Option<Schedule>,
        today: NaiveDate,
    ) -> Option<Schedule> {
        let start = self.done_on.or(before.map(|known| known.start));
        let start = start.unwrap_or(today);
        let unit = self.unit.or(before.map(|known| known.unit));
        let unit = unit.unwrap_or(CalendarUnit::Months);
        Some(Schedule {
            start,
            interval,
            unit,
            next: next_date(start, interval, unit)?,
        })
    }
}

/// A task done, as a person tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The day it was done.
    pub day: NaiveDate,
    /// Life-to-date usage when it was done; none: what it is now.
    pub usage: Option<Quantity>,
}

/// What a completion does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The plan afterwards.
    pub plan: ServiceTask,
    /// The meter before and after.
    pub usage: MeterMove,
    /// What it does to the meter.
    pub effect: Option<MeterEffect>,
    /// What it does to the task's interval.
    pub mark: MarkUsage,
}

/// What doing a task does: usage counts from the meter of then, and the schedule from the day. A
/// meter above the known one is a reading. Work that is older than the last that was done
/// (`last_done`) leaves the plan: the later one still counts, as long as nobody voids it.
pub fn complete(
    plan: ServiceTask,
    meter: Quantity,
    last_done: Option<NaiveDate>,
    done: Completion,
) -> Completed {
    let at = done.usage.unwrap_or(meter);
    let older = last_done.is_some_and(|last| done.day < last);
    Completed {
        plan: if older {
            plan
        } else {
            serviced(plan, at, done.day)
        },
        usage: MeterMove {
            before: meter,
            after: meter.max(at),
        },
        effect: (at > meter).then_some(MeterEffect::Reading),
        mark: done
            .usage
            .map_or(MarkUsage::Meter, |given| MarkUsage::Given(Some(given))),
    }
}

/// What an edit does to a task's marks; none: it leaves them.
pub fn given_mark(before: &Task, after: &Task) -> Option<TaskMark> {
    let marks = |task: &Task| {
        let start = task.plan.schedule.map(|schedule| schedule.start);
        (task.plan.last_usage, start)
    };
    let (last, start) = marks(after);
    (marks(before) != (last, start)).then(|| TaskMark {
        task: after.id,
        name: after.name.clone(),
        usage: MarkUsage::Given(last),
        start,
    })
}

/// What the ledger says about a new task.
pub fn added(task: &Task, unit: MeterUnit) -> String {
    format!(
        "Service task \"{}\" added: {}",
        task.name,
        every(&task.plan, unit)
    )
}

/// What the ledger says about a task that is gone.
pub fn removed(task: &Task) -> String {
    format!("Service task \"{}\" removed", task.name)
}

/// What the ledger says about a changed task.
pub fn changed(before: &Task, after: &Task) -> String {
    let fields = labelled(before).into_iter().zip(labelled(after));
    let lines: Vec<String> = fields
        .filter(|((_, old), (_, new))| old != new)
        .map(|((label, old), (_, new))| format!("{label}: {old} → {new}"))
        .collect();
    format!(
        "Service task \"{}\" changed: {}",
        before.name,
        lines.join("; ")
    )
}

fn labelled(task: &Task) -> [(&'static str, String); 5] {
    let none = || "none".to_owned();
    let schedule = task.plan.schedule;
    let interval = |known: Schedule| counted(known.interval.into(), known.unit.word());
    let last = task.plan.last_usage;
    [
        ("Name", task.name.clone()),
        ("Usage interval", task.plan.interval.to_string()),
        ("Calendar interval", schedule.map_or_else(none, interval)),
        (
            "Last done at",
            last.map_or_else(none, |last| last.to_string()),
        ),
        (
            "Last done on",
            schedule.map_or_else(none, |known| known.start.to_string()),
        ),
    ]
}

/// "every 250 hours or 6 months"
fn every(plan: &ServiceTask, unit: MeterUnit) -> String {
    let usage = (!plan.interval.is_zero()).then(|| match unit {
        MeterUnit::NotApplicable => plan.interval.to_string(),
        unit => counted(plan.interval.hundredths() / 100, unit.word()),
    });
    let schedule = plan.schedule;
    let calendar = schedule.map(|known| counted(known.interval.into(), known.unit.word()));
    let parts: Vec<String> = usage.into_iter().chain(calendar).collect();
    format!("every {}", parts.join(" or "))
}

/// A number with its unit, which is stored in the plural.
fn counted(number: i64, units: &str) -> String {
    let unit = if number == 1 {
        units.trim_end_matches('s')
    } else {
        units
    };
    format!("{number} {unit}")
}

#[cfg(test)]
#[path = "tasks_tests.rs"]
mod tests;

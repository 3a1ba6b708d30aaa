//! Changes of service tasks, and completion of tasks.

use chrono::NaiveDate;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;

use super::entry_text::{changes, shown, with_unit};
use super::equipment::{Recurrence, ServiceTask};
use super::field_change::FieldChange;
use super::field_errors::FieldErrors;
use super::fields::required_name;
use super::kinds::{CalendarUnit, MeterUnit};
use super::ledger::{MarkUsage, TaskMark};
use super::rule::{Basis, Rule, Schedule, SnoozeEnd, UsageWarning, last_multiple, previous_date};

use crate::refusals;

pub const MAX_TASK_NAME: usize = 100;
/// In addition to the form's task.
pub const MAX_TASKS: usize = 50;

pub fn task_name(raw: &str) -> Result<String, Message> {
    required_name(raw, MAX_TASK_NAME)
}

/// Ignores case.
pub fn same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Changes to a task. Each field is valid on its own.
#[derive(Clone, Debug, Default)]
pub struct TaskChange {
    pub name: Option<String>,
    /// 0: not by usage.
    pub interval: Option<Quantity>,
    pub last_usage: Option<Quantity>,
    pub calendar: FieldChange<u32>,
    pub unit: Option<CalendarUnit>,
    pub done_on: Option<NaiveDate>,
    pub basis: Option<Basis>,
    pub first_usage: FieldChange<Quantity>,
    pub first_date: FieldChange<NaiveDate>,
    pub usage_warning: FieldChange<UsageWarning>,
    pub warning_days: FieldChange<u32>,
}

impl TaskChange {
    /// Applies the changes to `before`. The last service defaults to `usage` (None: the meter was
    /// never read) and today; of the form's task, and with a first due point, it defaults to none. Adds
    /// an error for each conflict.
    pub fn apply(
        self,
        before: &ServiceTask,
        usage: Option<Quantity>,
        today: NaiveDate,
        errors: &mut FieldErrors,
    ) -> ServiceTask {
        let name = self.name.clone().unwrap_or_else(|| before.name.clone());
        if name.is_empty() && !before.from_form {
            errors.add("name", refusals::NAME_MISSING);
        }
        let start = before.recurrence.schedule.map(|known| known.start);
        let done_on = self.done_on.filter(|_| self.done_on != start);
        if done_on.is_some_and(|day| day > today) {
            errors.add("lastDoneOn", refusals::DATE_IN_FUTURE);
        }
        let calendar = before.recurrence.schedule.map(|known| known.interval);
        let calendar = self.calendar.clone().or(calendar);
        let interval = self.interval.unwrap_or(before.recurrence.interval);
        if interval.is_zero() && calendar.is_none() && !before.from_form {
            errors.add("usageInterval", refusals::INTERVAL_MISSING);
        }
        let mut rule = self.rule(&before.recurrence.rule, interval, calendar, errors);
        let schedule = calendar.and_then(|interval| {
            self.schedule(interval, before.recurrence.schedule, &mut rule, today)
                .or_else(|| {
                    errors.add("calendarInterval", refusals::MAINTENANCE_TOO_FAR);
                    None
                })
        });
        let changed = self
            .last_usage
            .filter(|_| self.last_usage != before.recurrence.last_usage);
        if usage.is_some_and(|usage| changed.is_some_and(|last| last > usage)) {
            errors.add("lastDoneUsage", refusals::LAST_SERVICE_ABOVE_USAGE);
        }
        let known = self.last_usage.or(before.recurrence.last_usage);
        // The form's task without a last service counts from 0.
        let is_assumed = !before.from_form && known.is_none();
        if rule.basis == Basis::OnTheMark && is_assumed && !interval.is_zero() {
            let next = usage.map(|usage| last_multiple(interval, usage).plus(interval));
            rule.first_usage = rule.first_usage.or(next);
        }
        let last_usage = known.or(usage.filter(|_| is_assumed && rule.first_usage.is_none()));
        ServiceTask {
            name,
            recurrence: Recurrence {
                interval,
                last_usage,
                schedule,
                rule,
            },
            ..before.clone()
        }
    }

    fn schedule(
        &self,
        interval: u32,
        before: Option<Schedule>,
        rule: &mut Rule,
        today: NaiveDate,
    ) -> Option<Schedule> {
        let unit = self.unit.or(before.map(|known| known.unit));
        let unit = unit.unwrap_or(CalendarUnit::Months);
        let start = self.done_on.or(before.map(|known| known.start));
        let start = start.unwrap_or_else(|| {
            let first = rule.first_date;
            let before = first.and_then(|first| previous_date(first, interval, unit));
            before.map_or(today, |before| before.min(today))
        });
        rule.begin_schedule(start, interval, unit)
    }

    fn rule(
        &self,
        before: &Rule,
        interval: Quantity,
        calendar: Option<u32>,
        errors: &mut FieldErrors,
    ) -> Rule {
        let basis = self.basis.unwrap_or(before.basis);
        // First points on the mark may be those that the service has set.
        let is_kept = basis == Basis::OnTheMark || before.basis == Basis::LastDone;
        let first_usage = before.first_usage.filter(|_| is_kept);
        let first_date = before.first_date.filter(|_| is_kept);
        let rule = Rule {
            basis,
            first_usage: self.first_usage.clone().or(first_usage),
            first_date: self.first_date.clone().or(first_date),
            usage_warning: self.usage_warning.clone().or(before.usage_warning),
            warning_days: self.warning_days.clone().or(before.warning_days),
            snooze: before.snooze,
        };
        let rule = rule.limited(!interval.is_zero(), calendar.is_some());
        if rule.too_long_warning(interval).is_some() {
            errors.add("warningUsage", refusals::WARNING_NOT_BELOW_INTERVAL);
        }
        rule
    }
}

/// Whether fields differ that the equipment form has.
pub fn changes_form(before: &ServiceTask, after: &ServiceTask) -> bool {
    let fields = |task: &ServiceTask| {
        let schedule = task.recurrence.schedule;
        let schedule = schedule.map(|known| (known.start, known.interval, known.unit));
        (
            task.recurrence.interval,
            task.recurrence.last_usage,
            schedule,
        )
    };
    before.name != after.name || fields(before) != fields(after)
}

/// How an edit changes a task's marks, if it does.
pub fn edited_mark(before: &ServiceTask, after: &ServiceTask) -> Option<TaskMark> {
    let marks = |task: &ServiceTask| {
        let start = task.recurrence.schedule.map(|schedule| schedule.start);
        (task.recurrence.last_usage, start)
    };
    let (last, start) = marks(after);
    (marks(before) != (last, start)).then(|| TaskMark {
        task: after.id,
        name: after.name.clone(),
        usage: MarkUsage::Given(last),
        start,
    })
}

pub fn added_text(task: &ServiceTask, unit: MeterUnit) -> String {
    format!("{} added: {}", titled(task), every(&task.recurrence, unit))
}

pub fn removed_text(task: &ServiceTask) -> String {
    format!("{} removed", titled(task))
}

pub fn changed_text(before: &ServiceTask, after: &ServiceTask) -> String {
    let mut fields = changes(labelled(before), labelled(after));
    fields.extend(rule_differences(before, after));
    format!("{} changed: {}", titled(before), fields.join("; "))
}

pub fn snoozed_text(task: &ServiceTask, end: SnoozeEnd, unit: MeterUnit, reason: &str) -> String {
    let end = match end {
        SnoozeEnd::Date(end) => end.to_string(),
        SnoozeEnd::Usage(end) => format!("{end} {}", unit.as_str()),
    };
    format!("{} snoozed until {end}: {reason}", titled(task))
}

pub fn woken_text(task: &ServiceTask) -> String {
    format!("{} no longer snoozed", titled(task))
}

fn titled(task: &ServiceTask) -> String {
    if task.from_form {
        "Regular service".to_owned()
    } else {
        format!("Service task \"{}\"", task.name)
    }
}

/// Text of the entry for a mark that was lowered to the meter.
pub fn clamped_text(name: &str, before: Quantity, after: Option<Quantity>) -> String {
    let after = after.unwrap_or_default();
    if name.is_empty() {
        format!("Last serviced: {before} → {after}")
    } else {
        format!("Service task \"{name}\" changed: Last done at: {before} → {after}")
    }
}

/// One line per field of the rule that differs.
pub fn rule_differences(before: &ServiceTask, after: &ServiceTask) -> Vec<String> {
    changes(
        rule_labelled(&before.recurrence.rule),
        rule_labelled(&after.recurrence.rule),
    )
}

fn labelled(task: &ServiceTask) -> [(&'static str, String); 5] {
    let schedule = task.recurrence.schedule;
    let interval = |known: Schedule| with_unit(known.interval, known.unit.as_str());
    [
        ("Name", task.name.clone()),
        ("Usage interval", task.recurrence.interval.to_string()),
        ("Calendar interval", shown(schedule.map(interval))),
        ("Last done at", shown(task.recurrence.last_usage)),
        ("Last done on", shown(schedule.map(|known| known.start))),
    ]
}

fn rule_labelled(rule: &Rule) -> [(&'static str, String); 5] {
    let basis = match rule.basis {
        Basis::LastDone => "from the last service",
        Basis::OnTheMark => "on the mark",
    };
    let usage_warning = match rule.usage_warning {
        None => "usual".to_owned(),
        Some(UsageWarning::Percent(left)) => format!("{left}%"),
        Some(UsageWarning::Units(left)) => left.to_string(),
    };
    let days = rule.warning_days.map(|days| with_unit(days, "days"));
    let calendar_warning = days.unwrap_or_else(|| "usual".to_owned());
    [
        ("Counts", basis.to_owned()),
        ("First due at", shown(rule.first_usage)),
        ("First due on", shown(rule.first_date)),
        ("Usage warning", usage_warning),
        ("Calendar warning", calendar_warning),
    ]
}

/// "every 250 hours or 6 months"
fn every(recurrence: &Recurrence, unit: MeterUnit) -> String {
    let usage = (!recurrence.interval.is_zero()).then(|| match unit {
        MeterUnit::NotApplicable => recurrence.interval.to_string(),
        unit => with_unit(recurrence.interval.hundredths() / 100, unit.as_str()),
    });
    let schedule = recurrence.schedule;
    let calendar = schedule.map(|known| with_unit(known.interval, known.unit.as_str()));
    let parts: Vec<String> = usage.into_iter().chain(calendar).collect();
    format!("every {}", parts.join(" or "))
}

#[cfg(test)]
#[path = "tasks_tests.rs"]
mod tests;

//! Converts service tasks.

use chrono::NaiveDate;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::quantity::Quantity;

use super::text;
use crate::domain::equipment::{Equipment, ServiceTask};
use crate::domain::forecast::{CompanyDay, projected_task, task_order_date};
use crate::domain::kinds::CalendarUnit;
use crate::domain::rule::{SnoozeEnd, UsageWarning};
use crate::domain::status;

pub fn service_task(task: &ServiceTask, item: &Equipment, day: &CompanyDay) -> v1::ServiceTask {
    let (dial, today) = (item.dial(), day.today);
    let due = projected_task(item, task, day);
    let recurrence = &task.recurrence;
    let (schedule, rule) = (recurrence.schedule, &recurrence.rule);
    let (warning_percent, warning_usage) = warning(rule.usage_warning);
    let (counted, usage) = (recurrence.counted(dial.is_read()), dial.state.usage);
    let status = status::service_status(&[counted], usage, today);
    let percent = |hundredths| Quantity::from_hundredths(hundredths).to_f64();
    let days = status::days_left(recurrence, today).map(i32::try_from);
    let unit = schedule.map_or(CalendarUnit::Months, |known| known.unit);
    v1::ServiceTask {
        id: task.id.to_string(),
        name: task.name.clone(),
        from_form: task.from_form,
        usage_interval: recurrence.interval.to_f64(),
        last_done_usage: recurrence.last_usage.map(Quantity::to_f64),
        last_done_on: text(schedule.map(|known| known.start)),
        calendar_interval: schedule.map_or(0, |known| known.interval),
        calendar_unit: unit.into(),
        next_due_date: text(schedule.map(|known| known.next)),
        status: status.into(),
        usage_percent: status::usage_percent(&counted, usage).map(percent),
        next_due_usage: status::next_due(recurrence).map(Quantity::to_f64),
        remaining_usage: status::remaining(&counted, usage).map(Quantity::to_f64),
        days_until_due: days.and_then(Result::ok),
        basis: rule.basis.into(),
        first_due_usage: rule.first_usage.map(Quantity::to_f64),
        first_due_date: text(rule.first_date),
        warning_percent,
        warning_usage,
        warning_days: rule.warning_days,
        missed_rounds: status::missed_rounds(&counted, usage, today),
        snooze: rule
            .snooze
            .filter(|end| !end.is_over(usage, today))
            .map(|end| snooze(task, end)),
        projected_due_date: text(due.map(|(date, _)| date)),
        projected_by_calendar: due.is_some_and(|(_, by_calendar)| by_calendar),
        last_serviced_on: String::new(),
        order_date: text(task_order_date(item, recurrence, day)),
    }
}

/// Percentage and usage of a warning.
pub fn warning(warning: Option<UsageWarning>) -> (Option<u32>, Option<f64>) {
    match warning {
        None => (None, None),
        Some(UsageWarning::Percent(left)) => (Some(left), None),
        Some(UsageWarning::Units(left)) => (None, Some(left.to_f64())),
    }
}

fn snooze(task: &ServiceTask, end: SnoozeEnd) -> v1::TaskSnooze {
    let (date, usage) = match end {
        SnoozeEnd::Date(date) => (date.to_string(), None),
        SnoozeEnd::Usage(usage) => (String::new(), Some(usage.to_f64())),
    };
    let why = task.snoozed.as_ref();
    v1::TaskSnooze {
        until_date: date,
        until_usage: usage,
        reason: why.map(|why| why.reason.clone()).unwrap_or_default(),
        by: why.map(|why| why.by.clone()).unwrap_or_default(),
        at: why.map(|why| timestamp(why.at)),
    }
}

pub fn snoozed_tasks(item: &Equipment, today: NaiveDate) -> Vec<v1::SnoozedTask> {
    let usage = item.details.current_usage;
    let snoozed = item.snoozed_tasks().into_iter();
    let active = snoozed.filter(|(_, end)| !end.is_over(usage, today));
    active
        .map(|(task, end)| v1::SnoozedTask {
            snooze: Some(snooze(&task, end)),
            id: task.id.to_string(),
            name: task.name,
        })
        .collect()
}

pub fn to_urgent_task(task: v1::ServiceTask) -> v1::UrgentTask {
    v1::UrgentTask {
        id: task.id,
        name: task.name,
        status: task.status,
        next_due_usage: task.next_due_usage,
        remaining_usage: task.remaining_usage,
        days_until_due: task.days_until_due,
    }
}

//! Parses the fields of service tasks.

use std::ops::RangeInclusive;

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::refusals as shared;

use super::{choice, date, field_change, interval, optional, quantity, start_date};
use crate::domain::field_change::FieldChange;
use crate::domain::field_errors::FieldErrors;
use crate::domain::fields;
use crate::domain::rule::{SnoozeEnd, UsageWarning};
use crate::domain::tasks::{TaskChange, task_name};
use crate::refusals;

const WARNING_PERCENT: RangeInclusive<u32> = 1..=99;
const WARNING_DAYS: RangeInclusive<u32> = 1..=365;

/// Parses the fields that are present.
pub fn task_change(input: &v1::ServiceTaskInput, errors: &mut FieldErrors) -> TaskChange {
    let name = input.name.as_deref().map(task_name);
    let usage_interval = input.usage_interval.map(fields::service_interval);
    let done_on = input.last_done_on.as_deref().unwrap_or_default();
    let first_usage = input.first_due_usage.map(clearable_quantity);
    let first_date = input.first_due_date.as_deref().map(start_date);
    let days = input.warning_days.map(|days| within(days, &WARNING_DAYS));
    TaskChange {
        name: optional(name, "name", errors),
        interval: optional(usage_interval, "usageInterval", errors),
        last_usage: quantity(input.last_done_usage, "lastDoneUsage", errors),
        calendar: interval(input.calendar_interval),
        unit: choice(input.calendar_unit, "calendarUnit", errors),
        done_on: date(done_on, "lastDoneOn", errors),
        basis: choice(input.basis, "basis", errors),
        first_usage: field_change(first_usage, "firstDueUsage", errors),
        first_date: field_change(first_date, "firstDueDate", errors),
        usage_warning: usage_warning(input, errors),
        warning_days: field_change(days, "warningDays", errors),
    }
}

/// 0 clears.
fn clearable_quantity(value: f64) -> Result<FieldChange<Quantity>, Message> {
    let quantity = Quantity::from_input(value)?;
    Ok(if quantity.is_zero() {
        FieldChange::Clear
    } else {
        FieldChange::Set(quantity)
    })
}

/// 0 clears.
fn within(value: u32, range: &RangeInclusive<u32>) -> Result<FieldChange<u32>, Message> {
    match value {
        0 => Ok(FieldChange::Clear),
        value if range.contains(&value) => Ok(FieldChange::Set(value)),
        _ => {
            let message = shared::BETWEEN.with("min", range.start());
            Err(message.with("max", range.end()))
        }
    }
}

/// Setting one of the two clears the other.
fn usage_warning(
    input: &v1::ServiceTaskInput,
    errors: &mut FieldErrors,
) -> FieldChange<UsageWarning> {
    let percent = input.warning_percent;
    let percent = percent.map(|percent| within(percent, &WARNING_PERCENT));
    let percent = field_change(percent, "warningPercent", errors);
    let units = input.warning_usage.map(clearable_quantity);
    match (percent, field_change(units, "warningUsage", errors)) {
        (FieldChange::Set(_), FieldChange::Set(_)) => {
            errors.add("warningUsage", refusals::WARNING_TWICE);
            FieldChange::Keep
        }
        (FieldChange::Set(left), _) => FieldChange::Set(UsageWarning::Percent(left)),
        (_, FieldChange::Set(left)) => FieldChange::Set(UsageWarning::Units(left)),
        (FieldChange::Keep, FieldChange::Keep) => FieldChange::Keep,
        (FieldChange::Clear, _) | (_, FieldChange::Clear) => FieldChange::Clear,
    }
}

/// Either a date or a usage.
pub fn snooze_end(
    request: &v1::SnoozeServiceTaskRequest,
    errors: &mut FieldErrors,
) -> Option<SnoozeEnd> {
    match (request.until_date.trim(), request.until_usage) {
        ("", usage @ Some(_)) => quantity(usage, "untilUsage", errors).map(SnoozeEnd::Usage),
        (text, None) if !text.is_empty() => date(text, "untilDate", errors).map(SnoozeEnd::Date),
        _ => {
            errors.add("untilDate", refusals::SNOOZE_END_MISSING);
            None
        }
    }
}

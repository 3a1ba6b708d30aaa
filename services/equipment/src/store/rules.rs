//! Rules of service tasks as columns.

use chrono::NaiveDate;
use hourmeter_runtime::quantity::Quantity;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use super::columns::{optional_count, optional_word};
use crate::domain::rule::{Basis, Rule, SnoozeEnd, UsageWarning};

/// What task sets determine of a rule.
pub fn shared_rule(row: &PgRow) -> sqlx::Result<Rule> {
    let basis = optional_word(row, "basis", Basis::parse)?;
    let percent = optional_count(row, "warning_percent")?.map(UsageWarning::Percent);
    let units: Option<Quantity> = row.try_get("warning_usage")?;
    Ok(Rule {
        basis: basis.unwrap_or_default(),
        usage_warning: percent.or(units.map(UsageWarning::Units)),
        warning_days: optional_count(row, "warning_days")?,
        ..Rule::default()
    })
}

/// The rule of a service task.
pub fn rule(row: &PgRow) -> sqlx::Result<Rule> {
    let until_date: Option<NaiveDate> = row.try_get("snoozed_until_date")?;
    let until_usage: Option<Quantity> = row.try_get("snoozed_until_usage")?;
    Ok(Rule {
        first_usage: row.try_get("first_usage")?,
        first_date: row.try_get("first_date")?,
        snooze: until_date
            .map(SnoozeEnd::Date)
            .or(until_usage.map(SnoozeEnd::Usage)),
        ..shared_rule(row)?
    })
}

/// A warning as the columns `warning_percent` and `warning_usage`.
pub fn warning_columns(warning: Option<UsageWarning>) -> (Option<i64>, Option<Quantity>) {
    match warning {
        None => (None, None),
        Some(UsageWarning::Percent(left)) => (Some(left.into()), None),
        Some(UsageWarning::Units(left)) => (None, Some(left)),
    }
}

/// Null for the default.
pub fn basis_column(basis: Basis) -> Option<&'static str> {
    (basis != Basis::default()).then_some(basis.as_str())
}

//! Rules of service tasks as columns.

use chrono::NaiveDate;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;

use super::{quantity, unknown_value};
use crate::domain::rule::{Basis, Rule, SnoozeEnd, UsageWarning};

/// What task sets determine of a rule.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct SharedRuleRow {
    basis: Option<String>,
    warning_percent: Option<i32>,
    warning_usage: Option<i64>,
    warning_days: Option<i32>,
}

impl SharedRuleRow {
    pub fn rule(&self) -> Result<Rule, ServiceError> {
        let percent = self.warning_percent.map(u32::try_from).transpose();
        let percent = percent.map_err(ServiceError::internal)?;
        let units = quantity(self.warning_usage).map(UsageWarning::Units);
        let days = self.warning_days.map(u32::try_from).transpose();
        Ok(Rule {
            basis: match self.basis.as_deref() {
                None => Basis::LastDone,
                Some(text) => Basis::parse(text).ok_or_else(|| unknown_value(text))?,
            },
            usage_warning: percent.map(UsageWarning::Percent).or(units),
            warning_days: days.map_err(ServiceError::internal)?,
            ..Rule::default()
        })
    }
}

/// Columns of a service task.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct RuleRow {
    #[sqlx(flatten)]
    shared: SharedRuleRow,
    first_usage: Option<i64>,
    first_date: Option<NaiveDate>,
    snoozed_until_date: Option<NaiveDate>,
    snoozed_until_usage: Option<i64>,
}

impl RuleRow {
    pub fn rule(&self) -> Result<Rule, ServiceError> {
        let by_usage = quantity(self.snoozed_until_usage).map(SnoozeEnd::Usage);
        Ok(Rule {
            first_usage: quantity(self.first_usage),
            first_date: self.first_date,
            snooze: self.snoozed_until_date.map(SnoozeEnd::Date).or(by_usage),
            ..self.shared.rule()?
        })
    }
}

/// A warning as the columns `warning_percent` and `warning_usage`.
pub fn warning_columns(warning: Option<UsageWarning>) -> (Option<i64>, Option<i64>) {
    match warning {
        None => (None, None),
        Some(UsageWarning::Percent(left)) => (Some(left.into()), None),
        Some(UsageWarning::Units(left)) => (None, Some(Quantity::hundredths(left))),
    }
}

/// Null for the default.
pub fn basis_column(basis: Basis) -> Option<&'static str> {
    (basis != Basis::default()).then_some(basis.as_str())
}

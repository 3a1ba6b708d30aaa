//! Equipment and its service tasks at creation. Projections follow from it and the facts.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::kinds::{CalendarUnit, MeterUnit};
use super::meter::MeterState;
use super::rule::Rule;

/// State of equipment at creation, and what its fold needs besides the facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialState {
    pub meter: MeterState,
    /// Whether the meter was read at creation.
    pub read: bool,
    pub added_at: DateTime<Utc>,
    /// The meter's unit now.
    pub unit: MeterUnit,
    /// The time zone of days of use.
    pub zone: Tz,
    /// Only fuel of this period counts.
    pub fuel_period: i32,
    /// The form's task first.
    pub tasks: Vec<TaskPlan>,
}

/// A service task's intervals, and its marks at creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskPlan {
    pub id: Uuid,
    /// When the marks at creation were set. None: by an earlier release.
    pub created_at: Option<DateTime<Utc>>,
    /// 0: not by usage.
    pub usage_interval: Quantity,
    pub calendar_interval: Option<(u32, CalendarUnit)>,
    /// Usage at the last service.
    pub initial_usage: Option<Quantity>,
    /// First day of the schedule.
    pub initial_start: Option<NaiveDate>,
    pub rule: Rule,
}

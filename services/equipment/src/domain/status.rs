//! Service status from tasks, usage, lifespan and date. Specified by
//! `proto/testdata/service-status.json`, which the web client's preview runs too. Percentages are
//! integers, in hundredths.

use chrono::NaiveDate;
use hourmeter_runtime::quantity::Quantity;

use super::equipment::{Lifespan, Recurrence};
use super::rule::{UsageWarning, missed_by_date, missed_by_usage};

/// Percentages of the interval at which the service status becomes due and overdue.
const USAGE_STEPS: [i64; 2] = [100, 110];
/// Percentage of the interval that is left when the service status becomes approaching.
const WARNING_PERCENT: u32 = 20;
/// Days before the due date at which the service status becomes approaching and due; overdue
/// after the date.
pub const APPROACHING_DAYS: u32 = 7;
pub const DUE_DAYS: i64 = 1;

/// Service status, least severe first. The numbers are those of the column `usage_severity`, which
/// stores the status by usage alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceStatus {
    Good = 0,
    ApproachingService = 1,
    TimeForService = 2,
    Overdue = 3,
}

impl ServiceStatus {
    pub const ALL: [Self; 4] = [
        Self::Good,
        Self::ApproachingService,
        Self::TimeForService,
        Self::Overdue,
    ];

    pub const fn severity(self) -> i32 {
        self as i32
    }
}

/// Service status in three steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverallStatus {
    Normal,
    Approaching,
    Overdue,
}

/// Label in the form and the equipment list; its thresholds differ from those of [`ServiceStatus`].
/// The order matters within usage and within calendar badges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Badge {
    Good,
    /// At least 75 % of the interval.
    ApproachingService,
    /// At least 95 %.
    TimeForService,
    /// At least 125 %.
    Overdue,
    /// Due within 7 days.
    MaintenanceScheduled,
    /// Due within 3 days.
    MaintenanceDueSoon,
    /// Past the due date.
    MaintenanceOverdue,
}

/// Service status of a machine on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusSummary {
    pub service_status: ServiceStatus,
    pub overall_status: OverallStatus,
    pub badge: Badge,
    /// Hundredths of a percent of the form's interval, rounded down.
    pub usage_percent: Option<i64>,
    /// Days to the form's due date.
    pub days_until_maintenance: Option<i64>,
    /// At least 95 % of an interval, or due within 7 days.
    pub critical: bool,
    /// At least 125 %, or at least 7 days overdue.
    pub severely_critical: bool,
    /// Hundredths of a percent, rounded down.
    pub lifespan_percent: Option<i64>,
    pub lifespan_alert: bool,
    /// Usage at which the form's task is due.
    pub next_due: Option<Quantity>,
    /// Usage left until then, at least 0.
    pub remaining: Option<Quantity>,
    /// Intervals that have passed since a task was due; the most of all tasks.
    pub missed_rounds: u32,
}

/// Statuses are those of the most severe task; numbers are those of the first task.
pub fn status_summary(
    tasks: &[Recurrence],
    usage: Quantity,
    lifespan: Lifespan,
    today: NaiveDate,
) -> StatusSummary {
    let awake: Vec<&Recurrence> = tasks
        .iter()
        .filter(|task| !task.is_snoozed(usage, today))
        .collect();
    let ratios: Vec<Ratio> = awake.iter().filter_map(|task| used(task, usage)).collect();
    let days: Vec<i64> = awake
        .iter()
        .filter_map(|task| days_left(task, today))
        .collect();
    let missed = awake.iter().map(|task| missed_rounds(task, usage, today));
    let service_status = service_status(tasks, usage, today);
    let first = tasks.first();
    let life = lifespan.threshold.map(|whole| Ratio { part: usage, whole });
    StatusSummary {
        service_status,
        overall_status: overall(service_status),
        badge: badge(&ratios, &days),
        usage_percent: first.and_then(|task| usage_percent(task, usage)),
        days_until_maintenance: first.and_then(|task| days_left(task, today)),
        critical: ratios.iter().any(|ratio| ratio.reaches(95)) || days.iter().any(|d| *d <= 7),
        severely_critical: ratios.iter().any(|ratio| ratio.reaches(125))
            || days.iter().any(|d| *d <= -7),
        lifespan_percent: life.map(Ratio::percent),
        lifespan_alert: life
            .is_some_and(|life| life.reaches(100 - i64::from(lifespan.alert_threshold))),
        next_due: first.and_then(next_due),
        remaining: first.and_then(|task| remaining(task, usage)),
        missed_rounds: missed.max().unwrap_or(0),
    }
}

/// Hundredths of a percent of interval or schedule, whichever is higher.
pub(super) fn progress(task: &Recurrence, usage: Quantity, today: NaiveDate) -> Option<i64> {
    let by_usage = used(task, usage).map(Ratio::percent);
    let by_date = task.schedule.map(|schedule| {
        let days = |from: NaiveDate, to: NaiveDate| (to - from).num_days();
        days(schedule.start, today) * 10_000 / days(schedule.start, schedule.next).max(1)
    });
    by_usage.max(by_date)
}

/// At least 0.
pub fn remaining(task: &Recurrence, usage: Quantity) -> Option<Quantity> {
    next_due(task).map(|due| due.minus(usage).max(Quantity::ZERO))
}

/// Hundredths of a percent, rounded down.
pub fn usage_percent(task: &Recurrence, usage: Quantity) -> Option<i64> {
    used(task, usage).map(Ratio::percent)
}

/// Intervals that have passed since the task was due, by usage or by calendar.
pub fn missed_rounds(task: &Recurrence, usage: Quantity, today: NaiveDate) -> u32 {
    let due = interval_begins(task).map(|begins| begins.plus(task.interval));
    let by_usage = due.map(|due| missed_by_usage(due, task.interval, usage));
    let by_date = task.schedule;
    let by_date = by_date.map(|schedule| missed_by_date(&task.rule, &schedule, today));
    let missed = by_usage.max(by_date).unwrap_or(0);
    u32::try_from(missed).unwrap_or(u32::MAX)
}

/// The status of the most severe task that is not snoozed.
pub fn service_status(tasks: &[Recurrence], usage: Quantity, today: NaiveDate) -> ServiceStatus {
    tasks
        .iter()
        .filter(|task| !task.is_snoozed(usage, today))
        .flat_map(|task| {
            let by_usage = usage_points(task).map(|points| status_by_usage(points, usage));
            let days = days_left(task, today);
            let by_date = days.map(|days| status_by_date(days, warning_days(task)));
            [by_usage, by_date]
        })
        .flatten()
        .max()
        .unwrap_or(ServiceStatus::Good)
}

/// A ratio that is compared without floating point.
#[derive(Clone, Copy)]
struct Ratio {
    part: Quantity,
    /// Above 0.
    whole: Quantity,
}

impl Ratio {
    fn reaches(&self, percent: i64) -> bool {
        self.part.hundredths() * 100 >= self.whole.hundredths() * percent
    }

    /// Hundredths of a percent, rounded down so that it shows no threshold before it is reached.
    fn percent(self) -> i64 {
        (self.part.hundredths() * 10_000).div_euclid(self.whole.hundredths())
    }
}

fn used(task: &Recurrence, usage: Quantity) -> Option<Ratio> {
    let part = usage.minus(interval_begins(task)?);
    let whole = task.interval;
    Some(Ratio { part, whole })
}

/// Usage from which the current interval counts. None: not by usage.
fn interval_begins(task: &Recurrence) -> Option<Quantity> {
    let known = next_due(task).map(|due| due.minus(task.interval));
    let begins = known.unwrap_or(task.last_usage.unwrap_or_default());
    (task.interval > Quantity::ZERO).then_some(begins)
}

/// The lowest usages at which the task is approaching, due and overdue. None: not by usage.
pub(super) fn usage_points(task: &Recurrence) -> Option<[Quantity; 3]> {
    let begins = interval_begins(task)?;
    let at = |percent: i64| {
        let part = (task.interval.hundredths() * percent + 99).div_euclid(100);
        begins.plus(Quantity::from_hundredths(part))
    };
    let [due, overdue] = USAGE_STEPS.map(at);
    let warning = task.rule.usage_warning;
    let approaching = match warning.unwrap_or(UsageWarning::Percent(WARNING_PERCENT)) {
        UsageWarning::Percent(left) => at(100 - i64::from(left)),
        UsageWarning::Units(left) => due.minus(left),
    };
    Some([approaching, due, overdue])
}

/// Days before the due date at which the task becomes approaching.
pub(super) fn warning_days(task: &Recurrence) -> u32 {
    task.rule.warning_days.unwrap_or(APPROACHING_DAYS)
}

pub fn days_left(task: &Recurrence, today: NaiveDate) -> Option<i64> {
    let schedule = task.schedule?;
    Some((schedule.next - today).num_days())
}

/// Usage at which the task is due.
pub fn next_due(task: &Recurrence) -> Option<Quantity> {
    if task.interval.is_zero() {
        return None;
    }
    task.rule.due_usage(task.interval, task.last_usage)
}

fn status_by_usage(points: [Quantity; 3], usage: Quantity) -> ServiceStatus {
    let reached = points.into_iter().filter(|point| usage >= *point);
    ServiceStatus::ALL[reached.count()]
}

fn status_by_date(days: i64, warning_days: u32) -> ServiceStatus {
    if days < 0 {
        ServiceStatus::Overdue
    } else if days <= DUE_DAYS {
        ServiceStatus::TimeForService
    } else if days <= warning_days.into() {
        ServiceStatus::ApproachingService
    } else {
        ServiceStatus::Good
    }
}

const fn overall(status: ServiceStatus) -> OverallStatus {
    match status {
        ServiceStatus::Good => OverallStatus::Normal,
        ServiceStatus::ApproachingService | ServiceStatus::TimeForService => {
            OverallStatus::Approaching
        }
        ServiceStatus::Overdue => OverallStatus::Overdue,
    }
}

/// The calendar counts only if usage gives no badge.
fn badge(ratios: &[Ratio], days: &[i64]) -> Badge {
    let by_usage = ratios.iter().filter_map(badge_by_usage).max();
    let by_date = || days.iter().filter_map(|days| badge_by_date(*days)).max();
    by_usage.or_else(by_date).unwrap_or(Badge::Good)
}

fn badge_by_usage(ratio: &Ratio) -> Option<Badge> {
    if ratio.reaches(125) {
        Some(Badge::Overdue)
    } else if ratio.reaches(95) {
        Some(Badge::TimeForService)
    } else if ratio.reaches(75) {
        Some(Badge::ApproachingService)
    } else {
        None
    }
}

const fn badge_by_date(days: i64) -> Option<Badge> {
    match days {
        ..0 => Some(Badge::MaintenanceOverdue),
        0..=3 => Some(Badge::MaintenanceDueSoon),
        4..=7 => Some(Badge::MaintenanceScheduled),
        8.. => None,
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;

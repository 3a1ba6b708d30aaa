//! Service status from tasks, usage, lifespan and date. Specified by
//! `proto/testdata/service-status.json`, which the web client's preview runs too. Percentages are
//! integers, in hundredths.

use chrono::NaiveDate;
use hourmeter_runtime::quantity::Quantity;

use super::equipment::{Lifespan, ServiceTask};

/// Percentages of the interval at which the service status becomes approaching, due and overdue.
pub(super) const USAGE_STEPS: [i64; 3] = [80, 100, 110];
/// Days before the due date at which the service status becomes approaching and due; overdue
/// after the date.
pub(super) const APPROACHING_DAYS: i64 = 7;
pub(super) const DUE_DAYS: i64 = 1;

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
}

/// Statuses are those of the most severe task; numbers are those of the first task.
pub fn status_summary(
    tasks: &[ServiceTask],
    usage: Quantity,
    lifespan: Lifespan,
    today: NaiveDate,
) -> StatusSummary {
    let ratios: Vec<Ratio> = tasks.iter().filter_map(|task| used(task, usage)).collect();
    let days: Vec<i64> = tasks
        .iter()
        .filter_map(|task| days_left(task, today))
        .collect();
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
    }
}

/// Hundredths of a percent of interval or schedule, whichever is higher.
pub(super) fn progress(task: &ServiceTask, usage: Quantity, today: NaiveDate) -> Option<i64> {
    let by_usage = used(task, usage).map(Ratio::percent);
    let by_date = task.schedule.map(|schedule| {
        let days = |from: NaiveDate, to: NaiveDate| (to - from).num_days();
        days(schedule.start, today) * 10_000 / days(schedule.start, schedule.next).max(1)
    });
    by_usage.max(by_date)
}

/// At least 0.
pub fn remaining(task: &ServiceTask, usage: Quantity) -> Option<Quantity> {
    next_due(task).map(|due| due.minus(usage).max(Quantity::ZERO))
}

/// Hundredths of a percent, rounded down.
pub fn usage_percent(task: &ServiceTask, usage: Quantity) -> Option<i64> {
    used(task, usage).map(Ratio::percent)
}

/// The status of the most severe task.
pub fn service_status(tasks: &[ServiceTask], usage: Quantity, today: NaiveDate) -> ServiceStatus {
    tasks
        .iter()
        .flat_map(|task| {
            let by_usage = used(task, usage).map(status_by_usage);
            let by_date = days_left(task, today).map(status_by_date);
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

fn used(task: &ServiceTask, usage: Quantity) -> Option<Ratio> {
    let part = usage.minus(task.last_usage.unwrap_or_default());
    let whole = task.interval;
    (whole > Quantity::ZERO).then_some(Ratio { part, whole })
}

pub fn days_left(task: &ServiceTask, today: NaiveDate) -> Option<i64> {
    let schedule = task.schedule?;
    Some((schedule.next - today).num_days())
}

/// Usage at which the task is due.
pub fn next_due(task: &ServiceTask) -> Option<Quantity> {
    let last = task.last_usage?;
    (task.interval > Quantity::ZERO).then(|| last.plus(task.interval))
}

fn status_by_usage(ratio: Ratio) -> ServiceStatus {
    let [approaching, due, overdue] = USAGE_STEPS;
    if ratio.reaches(overdue) {
        ServiceStatus::Overdue
    } else if ratio.reaches(due) {
        ServiceStatus::TimeForService
    } else if ratio.reaches(approaching) {
        ServiceStatus::ApproachingService
    } else {
        ServiceStatus::Good
    }
}

const fn status_by_date(days: i64) -> ServiceStatus {
    if days < 0 {
        ServiceStatus::Overdue
    } else if days <= DUE_DAYS {
        ServiceStatus::TimeForService
    } else if days <= APPROACHING_DAYS {
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

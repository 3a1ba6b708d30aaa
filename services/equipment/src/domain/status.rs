//! Service status: what tasks, meter, lifespan and a day make of each other. The table of
//! `proto/testdata/service-status.json` is the specification; the web client's preview runs it too.
//!
//! Percentages are compared as whole hundredths, never as floats.

use chrono::NaiveDate;
use hourmeter_runtime::quantity::Quantity;

use super::equipment::{Lifespan, ServiceTask};

/// Percent of the interval at which reading A says approaching, time for service and overdue.
pub(super) const USAGE_STEPS: [i64; 3] = [80, 100, 110];
/// Days to the date at which reading A says approaching and time for service; past it: overdue.
pub(super) const APPROACHING_DAYS: i64 = 7;
pub(super) const DUE_DAYS: i64 = 1;

/// Reading A, least severe first. The numbers are those of `equipment.usage_severity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceStatus {
    /// Nothing to do.
    Good = 0,
    /// Soon.
    ApproachingService = 1,
    /// Now.
    TimeForService = 2,
    /// Late.
    Overdue = 3,
}

impl ServiceStatus {
    /// All, least severe first.
    pub const ALL: [Self; 4] = [
        Self::Good,
        Self::ApproachingService,
        Self::TimeForService,
        Self::Overdue,
    ];

    /// As a number to store and to sort by.
    pub const fn severity(self) -> i32 {
        self as i32
    }
}

/// The summary of reading A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverallStatus {
    /// Nothing to do.
    Normal,
    /// Soon or now.
    Approaching,
    /// Late.
    Overdue,
}

/// Reading B. Within each rule, least severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Badge {
    /// Nothing to do.
    Good,
    /// 75 % of the interval or more.
    ApproachingService,
    /// 95 % or more.
    TimeForService,
    /// 125 % or more.
    Overdue,
    /// Scheduled within 7 days.
    MaintenanceScheduled,
    /// Scheduled within 3 days.
    MaintenanceDueSoon,
    /// Past its date.
    MaintenanceOverdue,
}

/// Everything computed about a piece of equipment on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Reading A.
    pub service_status: ServiceStatus,
    /// Its summary.
    pub overall_status: OverallStatus,
    /// Reading B.
    pub badge: Badge,
    /// Hundredths of a percent of the first task's interval, rounded down; none without interval.
    pub usage_percent: Option<i64>,
    /// Whole days to the first task's date; none without schedule.
    pub days_until_maintenance: Option<i64>,
    /// 95 % of an interval or more, or scheduled within 7 days.
    pub critical: bool,
    /// 125 % or more, or 7 or more days late.
    pub severely_critical: bool,
    /// Hundredths of a percent of the lifespan, rounded down; none without lifespan.
    pub lifespan_percent: Option<i64>,
    /// The lifespan alert has begun.
    pub lifespan_alert: bool,
    /// The meter when the first task is next due.
    pub next_due: Option<Quantity>,
    /// Usage left until then, at least 0.
    pub remaining: Option<Quantity>,
}

/// Computes all figures. Severities are those of the most severe task, numbers those of the first.
pub fn figures(
    tasks: &[ServiceTask],
    usage: Quantity,
    lifespan: Lifespan,
    today: NaiveDate,
) -> Figures {
    let shares: Vec<Share> = tasks.iter().filter_map(|task| used(task, usage)).collect();
    let days: Vec<i64> = tasks
        .iter()
        .filter_map(|task| days_left(task, today))
        .collect();
    let service_status = service_status(tasks, usage, today);
    let first = tasks.first();
    let life = lifespan.threshold.map(|whole| Share { part: usage, whole });
    Figures {
        service_status,
        overall_status: overall(service_status),
        badge: badge(&shares, &days),
        usage_percent: first.and_then(|task| usage_percent(task, usage)),
        days_until_maintenance: first.and_then(|task| days_left(task, today)),
        critical: shares.iter().any(|share| share.reaches(95)) || days.iter().any(|d| *d <= 7),
        severely_critical: shares.iter().any(|share| share.reaches(125))
            || days.iter().any(|d| *d <= -7),
        lifespan_percent: life.map(Share::percent),
        lifespan_alert: life
            .is_some_and(|life| life.reaches(100 - i64::from(lifespan.alert_threshold))),
        next_due: first.and_then(next_due),
        remaining: first.and_then(|task| remaining(task, usage)),
    }
}

/// How far a task is, in hundredths of a percent of its interval or schedule, whichever is
/// further; none without either.
pub(super) fn progress(task: &ServiceTask, usage: Quantity, today: NaiveDate) -> Option<i64> {
    let by_usage = used(task, usage).map(Share::percent);
    let by_date = task.schedule.map(|schedule| {
        let days = |from: NaiveDate, to: NaiveDate| (to - from).num_days();
        days(schedule.start, today) * 10_000 / days(schedule.start, schedule.next).max(1)
    });
    by_usage.max(by_date)
}

/// Usage left until the interval is used up, at least 0.
pub fn remaining(task: &ServiceTask, usage: Quantity) -> Option<Quantity> {
    next_due(task).map(|due| due.minus(usage).max(Quantity::ZERO))
}

/// Hundredths of a percent of the interval used, rounded down; none without interval.
pub fn usage_percent(task: &ServiceTask, usage: Quantity) -> Option<i64> {
    used(task, usage).map(Share::percent)
}

/// Reading A alone.
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

/// A part of a whole, compared exactly.
#[derive(Clone, Copy)]
struct Share {
    part: Quantity,
    /// Above 0.
    whole: Quantity,
}

impl Share {
    fn reaches(&self, percent: i64) -> bool {
        self.part.hundredths() * 100 >= self.whole.hundredths() * percent
    }

    /// Hundredths of a percent, rounded down so that no boundary is shown that was not reached.
    fn percent(self) -> i64 {
        (self.part.hundredths() * 10_000).div_euclid(self.whole.hundredths())
    }
}

fn used(task: &ServiceTask, usage: Quantity) -> Option<Share> {
    let part = usage.minus(task.last_usage.unwrap_or_default());
    let whole = task.interval;
    (whole > Quantity::ZERO).then_some(Share { part, whole })
}

/// Whole days to the date; none without schedule.
pub fn days_left(task: &ServiceTask, today: NaiveDate) -> Option<i64> {
    let schedule = task.schedule?;
    Some((schedule.next - today).num_days())
}

/// The meter when the interval is used up; none without interval.
pub fn next_due(task: &ServiceTask) -> Option<Quantity> {
    let last = task.last_usage?;
    (task.interval > Quantity::ZERO).then(|| last.plus(task.interval))
}

fn status_by_usage(share: Share) -> ServiceStatus {
    let [approaching, due, overdue] = USAGE_STEPS;
    if share.reaches(overdue) {
        ServiceStatus::Overdue
    } else if share.reaches(due) {
        ServiceStatus::TimeForService
    } else if share.reaches(approaching) {
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

/// Usage first; the schedule has a say only when usage has none.
fn badge(shares: &[Share], days: &[i64]) -> Badge {
    let by_usage = shares.iter().filter_map(badge_by_usage).max();
    let by_date = || days.iter().filter_map(|days| badge_by_date(*days)).max();
    by_usage.or_else(by_date).unwrap_or(Badge::Good)
}

fn badge_by_usage(share: &Share) -> Option<Badge> {
    if share.reaches(125) {
        Some(Badge::Overdue)
    } else if share.reaches(95) {
        Some(Badge::TimeForService)
    } else if share.reaches(75) {
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

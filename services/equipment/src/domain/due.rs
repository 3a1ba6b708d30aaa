//! When the service status changes, precomputed so that the database can count, filter and sort by
//! status. Follows `domain::status`.

use chrono::{Days, NaiveDate};
use hourmeter_runtime::quantity::Quantity;
use serde::{Deserialize, Serialize};

use super::equipment::Recurrence;
use super::rule::SnoozeEnd;
use super::status::{usage_points, warning_days};

/// The usage and the date at which the service status of equipment changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DuePoints {
    /// Lowest usage at which a task is approaching, due and overdue. None: no task counts usage.
    pub usage: Option<[Quantity; 3]>,
    /// Earliest date of all tasks.
    pub next_date: Option<NaiveDate>,
    /// Points that the other fields leave out.
    pub special: Vec<SpecialPoints>,
}

/// Points of a task that is snoozed, or dates of one with its own warning distance. The names are
/// those of the stored JSON; usages are hundredths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpecialPoints {
    /// The first day on which they count.
    pub from_date: Option<NaiveDate>,
    /// The usage from which they count.
    pub from_usage: Option<i64>,
    pub approaching_usage: Option<i64>,
    pub due_usage: Option<i64>,
    pub overdue_usage: Option<i64>,
    pub approaching_on: Option<NaiveDate>,
    pub next_date: Option<NaiveDate>,
}

pub fn due_points(tasks: &[Recurrence]) -> DuePoints {
    let awake = || tasks.iter().filter(|task| task.rule.snooze.is_none());
    let usual = awake().filter(|task| task.rule.warning_days.is_none());
    let dates = usual.filter_map(|task| task.schedule.map(|schedule| schedule.next));
    DuePoints {
        usage: awake().filter_map(usage_points).reduce(lowest),
        next_date: dates.min(),
        special: tasks.iter().filter_map(special_points).collect(),
    }
}

fn special_points(task: &Recurrence) -> Option<SpecialPoints> {
    let schedule = task.schedule;
    let dates = schedule.map(|schedule| SpecialPoints {
        approaching_on: schedule
            .next
            .checked_sub_days(Days::new(warning_days(task).into())),
        next_date: Some(schedule.next),
        ..SpecialPoints::default()
    });
    let Some(snooze) = task.rule.snooze else {
        return dates.filter(|_| task.rule.warning_days.is_some());
    };
    let points = usage_points(task).map(|points| points.map(Quantity::hundredths));
    let (from_date, from_usage) = match snooze {
        SnoozeEnd::Date(end) => (Some(end), None),
        SnoozeEnd::Usage(end) => (None, Some(end.hundredths())),
    };
    Some(SpecialPoints {
        from_date,
        from_usage,
        approaching_usage: points.map(|points| points[0]),
        due_usage: points.map(|points| points[1]),
        overdue_usage: points.map(|points| points[2]),
        ..dates.unwrap_or_default()
    })
}

fn lowest(one: [Quantity; 3], other: [Quantity; 3]) -> [Quantity; 3] {
    std::array::from_fn(|step| one[step].min(other[step]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::status::{ServiceStatus, service_status};

    fn task(interval: i64, last: Option<i64>) -> Recurrence {
        Recurrence {
            interval: Quantity::from_hundredths(interval),
            last_usage: last.map(Quantity::from_hundredths),
            ..Recurrence::default()
        }
    }

    /// The status from due points, as the database computes it.
    fn by_points(points: &DuePoints, usage: Quantity) -> ServiceStatus {
        let steps = points.usage.into_iter().flatten();
        let reached = steps.filter(|step| usage >= *step).count();
        ServiceStatus::ALL[reached]
    }

    #[test]
    fn due_points_are_where_the_status_changes() {
        let groups = [
            vec![],
            vec![task(0, Some(0))],
            vec![task(10_000, Some(0))],
            vec![task(10_000, None)],
            vec![task(25_000, Some(12_345))],
            vec![task(10_000, Some(50)), task(9_900, Some(7)), task(0, None)],
            vec![task(1, Some(3)), task(7, Some(0)), task(333, Some(1))],
            vec![task(100_000_000_000, Some(100_000_000_000))],
        ];
        let today = NaiveDate::default();
        for tasks in groups {
            let points = due_points(&tasks);
            let steps = points.usage.into_iter().flatten();
            let around = steps.flat_map(|step| (-2..=2).map(move |by| step.hundredths() + by));
            for usage in around.chain([0, 1, 100_000_000_000]) {
                let usage = Quantity::from_hundredths(usage);
                let expected = service_status(&tasks, usage, today);
                assert_eq!(by_points(&points, usage), expected, "{tasks:?} {usage}");
            }
        }
        assert_eq!(due_points(&[task(0, Some(0))]), DuePoints::default());
    }

    #[test]
    fn due_points_are_those_of_each_step() {
        let points = due_points(&[task(10_000, Some(50))]);
        let expected = [8_050, 10_050, 11_050].map(Quantity::from_hundredths);
        assert_eq!(points.usage, Some(expected));
    }

    #[test]
    fn severity_is_the_index() {
        let severities = ServiceStatus::ALL.map(ServiceStatus::severity);
        assert_eq!(severities, [0, 1, 2, 3]);
        assert!(ServiceStatus::ALL.is_sorted());
    }
}

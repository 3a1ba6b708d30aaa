//! The age of a reading, and when the next service is due at the usual use. `store::list` computes
//! the same in the database, for filters and order.

use std::cmp::Reverse;

use chrono::{DateTime, Days, NaiveDate, Offset as _, TimeZone, Utc};
use hourmeter_runtime::quantity::Quantity;

use super::equipment::{Equipment, Recurrence, ServiceTask};
use super::kinds::{MeterUnit, OperationalStatus};
use super::rule::SnoozeEnd;
use super::status::{ServiceStatus, next_due, progress, service_status};
use super::typical_usage::DailyUse;

/// Days in which the share of days of use is counted.
pub const SHARE_DAYS: i64 = 30;
/// The latest projected date, in days from the last known meter.
pub const MAX_DAYS: i64 = 36_500;

/// The current day of a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompanyDay {
    pub today: NaiveDate,
    /// Seconds that the company's time is ahead of UTC now.
    pub utc_offset: i32,
    /// Meters of equipment in use that were last read before are stale. None: no meter is.
    pub stale_before: Option<DateTime<Utc>>,
}

impl CompanyDay {
    /// `stale_after`: days in which a meter has to be read; 0: no limit.
    pub fn new(now: DateTime<Utc>, zone: &impl TimeZone, stale_after: u32) -> Self {
        let today = now.with_timezone(zone).date_naive();
        let utc_offset = zone.offset_from_utc_datetime(&now.naive_utc()).fix();
        let utc_offset = utc_offset.local_minus_utc();
        let first = today.checked_sub_days(Days::new(stale_after.into()));
        let first = first.and_then(|day| day.and_hms_opt(0, 0, 0));
        let begins =
            first.map(|begin| begin.and_utc() - chrono::TimeDelta::seconds(utc_offset.into()));
        Self {
            today,
            utc_offset,
            stale_before: begins.filter(|_| stale_after > 0),
        }
    }

    pub fn day_of(&self, at: DateTime<Utc>) -> NaiveDate {
        (at.naive_utc() + chrono::TimeDelta::seconds(self.utc_offset.into())).date()
    }
}

/// Whole days since the meter was last read, or since creation if it never was. None: no meter.
pub fn meter_age_days(item: &Equipment, day: &CompanyDay) -> Option<u32> {
    let known_at = item.meter_read_at.unwrap_or(item.added_at);
    let has_meter = item.details.unit != MeterUnit::NotApplicable;
    let age = (day.today - day.day_of(known_at)).num_days().max(0);
    u32::try_from(age).ok().filter(|_| has_meter)
}

pub fn is_stale(item: &Equipment, day: &CompanyDay) -> bool {
    let known_at = item.meter_read_at.unwrap_or(item.added_at);
    item.details.operational_status == OperationalStatus::InUse
        && item.details.unit != MeterUnit::NotApplicable
        && day.stale_before.is_some_and(|before| known_at < before)
}

/// When the next service is due, at the usual use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectedDue {
    pub date: NaiveDate,
    /// The date at a high use.
    pub earliest: NaiveDate,
    /// The date at a low use.
    pub latest: NaiveDate,
    /// The task that is due first.
    pub task: ServiceTask,
    /// Whether a calendar decides, its own or that of its snooze, not its usage.
    pub by_calendar: bool,
}

/// The earliest date of all tasks; snoozed ones count only if no other has a date. None: no task has a
/// date, or a usage interval and enough days of use in the last 30 days. A task that is due already is
/// due today.
pub fn projected_due(item: &Equipment, day: &CompanyDay) -> Option<ProjectedDue> {
    Forecast::usual(item, day).due()
}

/// As [`projected_due`], at the assumed use while the use is unknown: to sort and filter equipment.
pub fn assumed_due(item: &Equipment, day: &CompanyDay) -> Option<ProjectedDue> {
    Forecast::assumed(item, day).due()
}

/// The additional task that comes before the form's: it is not snoozed as the form's is, or its status
/// is more severe, or the same with more progress; of two good ones, the one that is due sooner. If the form
/// has no plan, the first of the additional tasks.
pub fn urgent_task<'item>(item: &'item Equipment, day: &CompanyDay) -> Option<&'item ServiceTask> {
    let usage = item.details.current_usage;
    let urgency = |recurrence: &Recurrence| {
        let recurrence = recurrence.counted(item.dial().is_read());
        let status = service_status(&[recurrence], usage, day.today);
        let good = status == ServiceStatus::Good;
        // A task without a date is the last.
        let date = || task_order_date(item, &recurrence, day).unwrap_or(NaiveDate::MAX);
        let sooner = good.then(|| Reverse(date()));
        let progress = (!good).then(|| progress(&recurrence, usage, day.today));
        (
            !recurrence.is_snoozed(usage, day.today),
            status,
            sooner,
            progress,
        )
    };
    // `max_by_key` returns the last of equal ones; the first is wanted.
    let tasks = item.more_tasks.iter().rev();
    let task = tasks.max_by_key(|task| urgency(&task.recurrence))?;
    let form = &item.details.task;
    let first = !form.recurs() || urgency(&task.recurrence) > urgency(form);
    first.then_some(task)
}

/// The projected date to sort tasks by, at the assumed use while the use is unknown.
pub fn task_order_date(
    item: &Equipment,
    recurrence: &Recurrence,
    day: &CompanyDay,
) -> Option<NaiveDate> {
    let dates = Forecast::assumed(item, day).of_task(recurrence);
    dates.map(|([_, date, _], _)| date).min()
}

/// The projected date of one task, and whether a calendar decides.
pub fn projected_task(
    item: &Equipment,
    task: &ServiceTask,
    day: &CompanyDay,
) -> Option<(NaiveDate, bool)> {
    let dates = Forecast::usual(item, day).of_task(&task.recurrence);
    let first = dates.min_by_key(|(dates, _)| dates[1]);
    first.map(|([_, date, _], by_calendar)| (date, by_calendar))
}

struct Forecast<'a> {
    item: &'a Equipment,
    day: &'a CompanyDay,
    /// None: not known.
    rate: Option<UsageRate>,
}

impl<'a> Forecast<'a> {
    /// At the usual use.
    fn usual(item: &'a Equipment, day: &'a CompanyDay) -> Self {
        let rate = usage_rate(item, day);
        Self { item, day, rate }
    }

    /// At the usual use, or the assumed one while it is unknown.
    fn assumed(item: &'a Equipment, day: &'a CompanyDay) -> Self {
        let assumed = UsageRate {
            from: day.today,
            per_share: [assumed_daily_use(item.details.unit) * SHARE_DAYS; 3],
        };
        let rate = usage_rate(item, day).or(Some(assumed));
        Self { item, day, rate }
    }

    fn due(&self) -> Option<ProjectedDue> {
        let (item, day) = (self.item, self.day);
        // Of tasks that are due on the same day, the urgent one decides, else the form's.
        let urgent = urgent_task(item, day).cloned().into_iter();
        let tasks = urgent
            .chain([item.form_task()])
            .chain(item.more_tasks.iter().cloned());
        let dates = tasks.flat_map(|task| {
            let dates = self.of_task(&task.recurrence);
            dates.map(move |(dates, by_calendar)| (dates, by_calendar, task.clone()))
        });
        let usage = item.details.current_usage;
        let (snoozed, awake): (Vec<_>, Vec<_>) =
            dates.partition(|(.., task)| task.recurrence.is_snoozed(usage, day.today));
        let counted = if awake.is_empty() { snoozed } else { awake };
        // The first of equal ones.
        let first = counted.iter().min_by_key(|(dates, ..)| dates[1]);
        let ([_, date, _], by_calendar, task) = first?.clone();
        let first = |at: usize| counted.iter().map(|(dates, ..)| dates[at]).min();
        Some(ProjectedDue {
            date,
            earliest: first(0).unwrap_or(date),
            latest: first(2).unwrap_or(date),
            task,
            by_calendar,
        })
    }

    /// Earliest, projected and latest date of a task's usage and of its calendar, and whether a
    /// calendar decides.
    fn of_task(
        &self,
        recurrence: &Recurrence,
    ) -> impl Iterator<Item = ([NaiveDate; 3], bool)> + use<> {
        let by_usage = self.of_usage(recurrence).map(|dates| (dates, false));
        let by_calendar = recurrence.schedule.map(|schedule| {
            let date = schedule.next.max(self.day.today);
            ([date; 3], true)
        });
        let wakes = self.wakes(recurrence);
        let snoozed_to_day = matches!(recurrence.rule.snooze, Some(SnoozeEnd::Date(_)));
        let found = by_usage.into_iter().chain(by_calendar);
        found.filter_map(move |(dates, by_calendar)| {
            let wakes = wakes?;
            // The day of a snooze is no forecast.
            let waits = snoozed_to_day && wakes[1] > dates[1];
            Some((
                std::array::from_fn(|at| dates[at].max(wakes[at])),
                by_calendar || waits,
            ))
        })
    }

    /// When a task counts again: today without a snooze. None: its usage has no projected date.
    fn wakes(&self, recurrence: &Recurrence) -> Option<[NaiveDate; 3]> {
        match recurrence.rule.snooze {
            None => Some([self.day.today; 3]),
            Some(SnoozeEnd::Date(end)) => Some([end.max(self.day.today); 3]),
            Some(SnoozeEnd::Usage(end)) => self.reaches(end),
        }
    }

    /// Earliest, projected and latest date.
    fn of_usage(&self, recurrence: &Recurrence) -> Option<[NaiveDate; 3]> {
        if recurrence
            .counted(self.item.dial().is_read())
            .interval
            .is_zero()
        {
            return None;
        }
        self.reaches(next_due(recurrence).unwrap_or(recurrence.interval))
    }

    /// When the meter reaches a usage: earliest, projected and latest date.
    fn reaches(&self, usage: Quantity) -> Option<[NaiveDate; 3]> {
        let today = self.day.today;
        let remaining = usage.minus(self.item.details.current_usage);
        if remaining <= Quantity::ZERO {
            return Some([today; 3]);
        }
        let UsageRate { from, per_share } = self.rate?;
        let [low, usual, high] = per_share.map(|per_share| {
            let days = (remaining.hundredths() * SHARE_DAYS + per_share - 1) / per_share;
            let date = from.checked_add_days(Days::new(days.clamp(0, MAX_DAYS).unsigned_abs()));
            date.unwrap_or(NaiveDate::MAX).max(today)
        });
        Some([high, usual, low])
    }
}

/// How fast a meter rises.
#[derive(Clone, Copy, Debug)]
struct UsageRate {
    /// The day of the last known meter.
    from: NaiveDate,
    /// Hundredths of usage in [`SHARE_DAYS`] at a low, usual and high use, above 0.
    per_share: [i64; 3],
}

/// The usual use. None: too few days of use.
fn usage_rate(item: &Equipment, day: &CompanyDay) -> Option<UsageRate> {
    let DailyUse { rates, days, .. } = &item.daily_use;
    let used = days.iter().filter(|used| {
        let ago = (day.today - **used).num_days();
        (0..SHARE_DAYS).contains(&ago)
    });
    let used = i64::try_from(used.count()).ok().filter(|used| *used > 0)?;
    let read_on = item.meter_read_at.map(|at| day.day_of(at));
    Some(UsageRate {
        // What was used since then is not known yet.
        from: days.first().copied().max(read_on)?,
        per_share: (*rates)?.map(|rate| rate.hundredths() * used),
    })
}

/// Hundredths of usage in a full working day. It sorts and filters tasks and equipment whose use is
/// unknown, and is never shown.
pub const fn assumed_daily_use(unit: MeterUnit) -> i64 {
    match unit {
        MeterUnit::Hours | MeterUnit::NotApplicable => 800,
        MeterUnit::Miles => 10_000,
        MeterUnit::Kilometers => 16_000,
    }
}

#[cfg(test)]
#[path = "forecast_tests.rs"]
mod tests;

//! When a service task is due next: counted from its last service, or at fixed points. Specified by
//! `proto/testdata/service-rules.json`, which the web client runs too.

use chrono::{Months, NaiveDate};
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::stored_enum;

use super::calendar::next_date;
use super::kinds::CalendarUnit;

stored_enum! {
    /// What the due points of a task are counted from.
    #[derive(Default)]
    pub enum Basis {
        /// One interval after the last service.
        #[default]
        LastDone = "last_done",
        /// At the first due point and every interval after it, whenever the services were done.
        OnTheMark = "on_the_mark",
    }
}

/// How long before its due usage a task approaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageWarning {
    /// Of the interval, 1 to 99.
    Percent(u32),
    /// Above 0, in the meter's unit.
    Units(Quantity),
}

/// When a snooze ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnoozeEnd {
    /// The first day on which the task counts again.
    Date(NaiveDate),
    /// The usage at which it counts again.
    Usage(Quantity),
}

impl SnoozeEnd {
    pub fn is_over(self, usage: Quantity, today: NaiveDate) -> bool {
        match self {
            Self::Date(end) => today >= end,
            Self::Usage(end) => usage >= end,
        }
    }
}

/// What a task has besides its intervals. The default is a task that counts from its last service,
/// with the usual warning distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    pub basis: Basis,
    /// None: one interval after the last service, or on the mark one interval.
    pub first_usage: Option<Quantity>,
    /// Set for each schedule on the mark.
    pub first_date: Option<NaiveDate>,
    /// None: 20 % of the interval.
    pub usage_warning: Option<UsageWarning>,
    /// Days before the due date, at least 1. None: 7.
    pub warning_days: Option<u32>,
    /// May be over.
    pub snooze: Option<SnoozeEnd>,
}

/// When a task is due by calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub start: NaiveDate,
    /// At least 1.
    pub interval: u32,
    pub unit: CalendarUnit,
    /// Due date.
    pub next: NaiveDate,
}

impl Rule {
    /// Without what needs a usage interval or a schedule that the task does not have.
    #[must_use]
    pub fn limited(self, by_usage: bool, by_calendar: bool) -> Self {
        Self {
            first_usage: self.first_usage.filter(|_| by_usage),
            first_date: self.first_date.filter(|_| by_calendar),
            usage_warning: self.usage_warning.filter(|_| by_usage),
            warning_days: self.warning_days.filter(|_| by_calendar),
            ..self
        }
    }

    /// Without usages, which are in the unit of the meter.
    #[must_use]
    pub fn without_usages(self) -> Self {
        let warning = self.usage_warning;
        Self {
            first_usage: None,
            usage_warning: warning.filter(|warning| matches!(warning, UsageWarning::Percent(_))),
            ..self
        }
    }

    /// A warning distance in units that is not below the interval.
    pub fn too_long_warning(&self, interval: Quantity) -> Option<Quantity> {
        match self.usage_warning {
            Some(UsageWarning::Units(left)) if left >= interval => Some(left),
            _ => None,
        }
    }

    /// Usage at which a task with an interval above 0 is due. None: not known.
    pub fn due_usage(&self, interval: Quantity, last: Option<Quantity>) -> Option<Quantity> {
        let (first, basis) = match (self.first_usage, self.basis) {
            (None, Basis::LastDone) => return last.map(|last| last.plus(interval)),
            (first, basis) => (first.unwrap_or(interval), basis),
        };
        let rounds = last.map_or(0, |last| rounds_done(first, interval, last));
        match last.filter(|_| basis == Basis::LastDone && rounds > 0) {
            Some(last) => Some(last.plus(interval)),
            None => Some(Quantity::from_hundredths(interval.hundredths() * rounds).plus(first)),
        }
    }

    /// Like [`Rule::schedule`]; on the mark it also sets the first date, unless there is one.
    pub fn begin_schedule(
        &mut self,
        start: NaiveDate,
        interval: u32,
        unit: CalendarUnit,
    ) -> Option<Schedule> {
        if self.basis == Basis::OnTheMark && self.first_date.is_none() {
            self.first_date = Some(next_date(start, interval, unit)?);
        }
        self.schedule(start, interval, unit)
    }

    /// The schedule of a task that was last done, or whose schedule began, on `start`. None: the due
    /// date is too late.
    pub fn schedule(
        &self,
        start: NaiveDate,
        interval: u32,
        unit: CalendarUnit,
    ) -> Option<Schedule> {
        let schedule = |next| Schedule {
            start,
            interval,
            unit,
            next,
        };
        let from_start = || next_date(start, interval, unit).map(schedule);
        let Some(first) = self.first_date else {
            return from_start();
        };
        let grid = Grid {
            first,
            interval,
            unit,
        };
        match self.basis {
            Basis::LastDone if grid.counts_for(start, 0) => from_start(),
            Basis::LastDone => Some(schedule(first)),
            Basis::OnTheMark => {
                let reached = grid.reached(start);
                let open = (reached..=reached + 1).find(|nth| !grid.counts_for(start, *nth));
                grid.date(open.unwrap_or(reached + 2)).map(schedule)
            }
        }
    }
}

/// Points of the grid that a service at `last` and those before it have done. A service counts for a
/// point from half an interval before it.
fn rounds_done(first: Quantity, interval: Quantity, last: Quantity) -> i64 {
    let whole = 2 * interval.hundredths();
    let beyond = 2 * last.minus(first).hundredths() + interval.hundredths();
    (beyond.div_euclid(whole) + 1).max(0)
}

/// The last multiple of the interval, which is above 0, at or below the usage.
pub fn last_multiple(interval: Quantity, usage: Quantity) -> Quantity {
    let interval = interval.hundredths();
    Quantity::from_hundredths(usage.hundredths().div_euclid(interval) * interval)
}

/// Intervals that have passed since the task was due.
pub fn missed_by_usage(due: Quantity, interval: Quantity, usage: Quantity) -> i64 {
    let over = usage.minus(due).hundredths();
    over.div_euclid(interval.hundredths()).max(0)
}

/// Further due dates that have passed.
pub fn missed_by_date(rule: &Rule, schedule: &Schedule, today: NaiveDate) -> i64 {
    let on_first = rule.basis == Basis::OnTheMark || rule.first_date == Some(schedule.next);
    let grid = Grid {
        first: rule
            .first_date
            .filter(|_| on_first)
            .unwrap_or(schedule.start),
        interval: schedule.interval,
        unit: schedule.unit,
    };
    let passed = grid
        .reached(today)
        .saturating_sub(grid.reached(schedule.next));
    passed.into()
}

/// A first date and the dates that follow at an interval.
struct Grid {
    first: NaiveDate,
    /// At least 1.
    interval: u32,
    unit: CalendarUnit,
}

impl Grid {
    /// Month ends are clamped from the first date.
    fn date(&self, nth: u32) -> Option<NaiveDate> {
        next_date(self.first, self.interval.checked_mul(nth)?, self.unit)
    }

    /// Number of dates up to a day.
    fn reached(&self, day: NaiveDate) -> u32 {
        let longest = match self.unit {
            CalendarUnit::Days => 1,
            CalendarUnit::Months => 31,
            CalendarUnit::Years => 366,
        };
        let days = (day - self.first).num_days();
        if days < 0 {
            return 0;
        }
        // At least this many intervals fit into the days.
        let certain = days / (longest * i64::from(self.interval));
        let certain = u32::try_from(certain).unwrap_or(u32::MAX);
        let mut count = certain.saturating_add(1);
        while self.date(count).is_some_and(|date| date <= day) {
            count += 1;
        }
        count
    }

    /// Whether a service on a day counts for a date: from half an interval before it.
    fn counts_for(&self, day: NaiveDate, nth: u32) -> bool {
        let Some(date) = self.date(nth) else {
            return false;
        };
        let before = match nth.checked_sub(1) {
            Some(before) => self.date(before),
            None => previous_date(self.first, self.interval, self.unit),
        };
        let Some(before) = before else {
            return day >= date;
        };
        2 * (date - day).num_days() <= (date - before).num_days()
    }
}

/// One interval before a date; month ends are clamped.
pub fn previous_date(date: NaiveDate, interval: u32, unit: CalendarUnit) -> Option<NaiveDate> {
    match unit {
        CalendarUnit::Days => date.checked_sub_days(chrono::Days::new(interval.into())),
        CalendarUnit::Months => date.checked_sub_months(Months::new(interval)),
        CalendarUnit::Years => date.checked_sub_months(Months::new(interval.checked_mul(12)?)),
    }
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;

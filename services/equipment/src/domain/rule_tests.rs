//! The test vectors.

use serde::Deserialize;

use super::*;
use crate::domain::equipment::Recurrence;
use crate::domain::status::{ServiceStatus, missed_rounds, next_due, service_status};

#[derive(Deserialize)]
struct Vectors {
    usage: Vec<UsageCase>,
    calendar: Vec<CalendarCase>,
}

#[derive(Deserialize)]
struct UsageCase {
    name: String,
    input: UsageInput,
    expected: UsageExpected,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UsageInput {
    basis: String,
    interval: f64,
    first: Option<f64>,
    last: Option<f64>,
    usage: f64,
    warning_percent: Option<u32>,
    warning_usage: Option<f64>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UsageExpected {
    due: Option<f64>,
    status: String,
    missed_rounds: u32,
}

#[derive(Deserialize)]
struct CalendarCase {
    name: String,
    input: CalendarInput,
    expected: CalendarExpected,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CalendarInput {
    basis: String,
    start: NaiveDate,
    interval: u32,
    unit: String,
    first: Option<NaiveDate>,
    today: NaiveDate,
    warning_days: Option<u32>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CalendarExpected {
    next: Option<NaiveDate>,
    status: Option<String>,
    missed_rounds: u32,
}

fn vectors() -> Vectors {
    let text = include_str!("../../../../proto/testdata/service-rules.json");
    serde_json::from_str(text).unwrap()
}

fn quantity(value: f64) -> Quantity {
    Quantity::from_input(value).unwrap()
}

fn word(status: ServiceStatus) -> String {
    let word = match status {
        ServiceStatus::Good => "good",
        ServiceStatus::ApproachingService => "approaching_service",
        ServiceStatus::TimeForService => "time_for_service",
        ServiceStatus::Overdue => "overdue",
    };
    word.to_owned()
}

#[test]
fn usage_rules_follow_the_vectors() {
    for UsageCase {
        name,
        input,
        expected,
    } in vectors().usage
    {
        let units = input.warning_usage.map(quantity).map(UsageWarning::Units);
        let task = Recurrence {
            interval: quantity(input.interval),
            last_usage: input.last.map(quantity),
            schedule: None,
            rule: Rule {
                basis: Basis::parse(&input.basis).unwrap(),
                first_usage: input.first.map(quantity),
                usage_warning: input.warning_percent.map(UsageWarning::Percent).or(units),
                ..Rule::default()
            },
        };
        let (usage, today) = (quantity(input.usage), NaiveDate::default());
        let found = UsageExpected {
            due: next_due(&task).map(Quantity::to_f64),
            status: word(service_status(&[task], usage, today)),
            missed_rounds: missed_rounds(&task, usage, today),
        };
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn calendar_rules_follow_the_vectors() {
    for CalendarCase {
        name,
        input,
        expected,
    } in vectors().calendar
    {
        let rule = Rule {
            basis: Basis::parse(&input.basis).unwrap(),
            first_date: input.first,
            warning_days: input.warning_days,
            ..Rule::default()
        };
        let unit = CalendarUnit::parse(&input.unit).unwrap();
        let schedule = rule.schedule(input.start, input.interval, unit);
        let task = Recurrence {
            schedule,
            rule,
            ..Recurrence::default()
        };
        let status = service_status(&[task], Quantity::ZERO, input.today);
        let found = CalendarExpected {
            next: schedule.map(|schedule| schedule.next),
            status: schedule.map(|_| word(status)),
            missed_rounds: missed_rounds(&task, Quantity::ZERO, input.today),
        };
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn snooze_is_over_at_its_end() {
    let day = |day| NaiveDate::from_ymd_opt(2026, 3, day).unwrap();
    let by_date = SnoozeEnd::Date(day(10));
    assert!(!by_date.is_over(Quantity::ZERO, day(9)));
    assert!(by_date.is_over(Quantity::ZERO, day(10)));
    let by_usage = SnoozeEnd::Usage(quantity(500.0));
    assert!(!by_usage.is_over(quantity(499.99), day(1)));
    assert!(by_usage.is_over(quantity(500.0), day(1)));
}

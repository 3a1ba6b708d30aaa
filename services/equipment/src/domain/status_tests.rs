//! The test vectors, and combinations of tasks.

use serde::Deserialize;

use super::*;
use crate::domain::kinds::CalendarUnit;
use crate::domain::rule::Schedule;

#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    input: Input,
    expected: Expected,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    current_usage: f64,
    last_service_usage: Option<f64>,
    service_interval: f64,
    threshold: Option<f64>,
    alert_threshold: u32,
    has_scheduled_maintenance: bool,
    next_maintenance_date: Option<NaiveDate>,
    today: NaiveDate,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Expected {
    service_status: String,
    overall_status: String,
    badge: String,
    usage_percent: Option<f64>,
    days_until_maintenance: Option<i64>,
    critical: bool,
    severely_critical: bool,
    lifespan_percent: Option<f64>,
    lifespan_alert: bool,
    next_service_due_usage: Option<f64>,
    remaining_usage: Option<f64>,
}

fn quantity(value: f64) -> Quantity {
    Quantity::from_input(value).unwrap()
}

fn due_on(next: NaiveDate) -> Schedule {
    Schedule {
        start: next,
        interval: 1,
        unit: CalendarUnit::Days,
        next,
    }
}

fn compute(input: &Input) -> Expected {
    let next = input
        .next_maintenance_date
        .filter(|_| input.has_scheduled_maintenance);
    let task = Recurrence {
        interval: quantity(input.service_interval),
        last_usage: input.last_service_usage.map(quantity),
        schedule: next.map(due_on),
        ..Recurrence::default()
    };
    let lifespan = Lifespan {
        threshold: input.threshold.map(quantity),
        alert_threshold: input.alert_threshold,
    };
    let found = status_summary(
        &[task],
        quantity(input.current_usage),
        lifespan,
        input.today,
    );
    let percent = |hundredths| Quantity::from_hundredths(hundredths).to_f64();
    Expected {
        service_status: words(&format!("{:?}", found.service_status)),
        overall_status: words(&format!("{:?}", found.overall_status)),
        badge: words(&format!("{:?}", found.badge)),
        usage_percent: found.usage_percent.map(percent),
        days_until_maintenance: found.days_until_maintenance,
        critical: found.critical,
        severely_critical: found.severely_critical,
        lifespan_percent: found.lifespan_percent.map(percent),
        lifespan_alert: found.lifespan_alert,
        next_service_due_usage: found.next_due.map(Quantity::to_f64),
        remaining_usage: found.remaining.map(Quantity::to_f64),
    }
}

/// `TimeForService` becomes `time_for_service`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && at > 0 {
            words.push('_');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[test]
fn status_summary_follows_the_test_vectors() {
    let table = include_str!("../../../../proto/testdata/service-status.json");
    let vectors: Vectors = serde_json::from_str(table).unwrap();
    assert!(vectors.cases.len() > 80);
    for case in vectors.cases {
        assert_eq!(compute(&case.input), case.expected, "{}", case.name);
    }
}

#[test]
fn status_summary_has_the_worst_status_and_the_numbers_of_the_first_task() {
    let today = NaiveDate::from_ymd_opt(2026, 3, 10).unwrap();
    let none = Lifespan {
        threshold: None,
        alert_threshold: 20,
    };
    let by_usage = |interval: f64| Recurrence {
        interval: quantity(interval),
        last_usage: Some(Quantity::ZERO),
        ..Recurrence::default()
    };
    let late = Recurrence {
        schedule: Some(due_on(today - chrono::Days::new(7))),
        ..Recurrence::default()
    };
    let found = status_summary(
        &[by_usage(1000.0), by_usage(90.0), late],
        quantity(72.0),
        none,
        today,
    );
    assert_eq!(found.service_status, ServiceStatus::Overdue);
    assert_eq!(found.badge, Badge::ApproachingService);
    assert!(found.critical && found.severely_critical);
    assert_eq!(found.usage_percent, Some(720));
    assert_eq!(found.days_until_maintenance, None);
    assert_eq!(found.next_due, Some(quantity(1000.0)));

    let found = status_summary(&[by_usage(1000.0), late], quantity(72.0), none, today);
    assert_eq!(found.badge, Badge::MaintenanceOverdue);
    assert_eq!(
        status_summary(&[], quantity(72.0), none, today).badge,
        Badge::Good
    );
}

#[test]
fn progress_is_the_higher_of_usage_and_date() {
    let day = |day| NaiveDate::from_ymd_opt(2026, 3, day).unwrap();
    let by_date = |start, next| Recurrence {
        schedule: Some(Schedule {
            start: day(start),
            ..due_on(day(next))
        }),
        ..Recurrence::default()
    };
    let by_usage = |interval| Recurrence {
        interval: quantity(interval),
        ..Recurrence::default()
    };
    let reached = |task: &Recurrence| progress(task, quantity(50.0), day(6));
    assert_eq!(reached(&Recurrence::default()), None);
    assert_eq!(reached(&by_usage(200.0)), Some(2_500));
    assert_eq!(reached(&by_date(1, 11)), Some(5_000));
    assert_eq!(reached(&by_date(1, 3)), Some(25_000));
    assert_eq!(reached(&by_date(4, 4)), Some(20_000));
    for (interval, expected) in [(200.0, 5_000), (80.0, 6_250)] {
        let both = Recurrence {
            schedule: by_date(1, 11).schedule,
            ..by_usage(interval)
        };
        assert_eq!(reached(&both), Some(expected));
    }
}

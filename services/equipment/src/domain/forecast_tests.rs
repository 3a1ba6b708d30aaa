use chrono::TimeDelta;
use chrono_tz::Tz;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::*;
use crate::domain::equipment::tests::equipment;
use crate::domain::kinds::CalendarUnit;
use crate::domain::rule::Rule;
use crate::domain::rule::Schedule;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

fn date(text: &str) -> NaiveDate {
    text.parse().expect("a date")
}

fn day() -> CompanyDay {
    CompanyDay::new(at("2026-03-31T18:00:00Z"), &Utc, 14)
}

fn every(hundredths: i64) -> Recurrence {
    Recurrence {
        interval: Quantity::from_hundredths(hundredths),
        last_usage: Some(Quantity::ZERO),
        ..Recurrence::default()
    }
}

fn on(next: &str) -> Recurrence {
    Recurrence {
        schedule: Some(Schedule {
            start: date("2026-01-01"),
            interval: 1,
            unit: CalendarUnit::Months,
            next: date(next),
        }),
        ..every(0)
    }
}

/// A machine with 100 hours that was used on the given days before today, 8 to 12 hours a day.
fn used(recurrence: Recurrence, days_ago: &[i64]) -> Equipment {
    let mut item = equipment(recurrence);
    item.details.unit = MeterUnit::Hours;
    item.details.current_usage = Quantity::from_hundredths(10_000);
    let today = day().today;
    item.daily_use = DailyUse {
        rates: (days_ago.len() >= 3).then_some([800, 1000, 1200].map(Quantity::from_hundredths)),
        days: days_ago
            .iter()
            .map(|ago| today - TimeDelta::days(*ago))
            .collect(),
        ..DailyUse::default()
    };
    item
}

/// Projected, earliest and latest date.
fn dates(item: &Equipment) -> Option<[String; 3]> {
    let due = projected_due(item, &day())?;
    Some([due.date, due.earliest, due.latest].map(|date| date.to_string()))
}

#[test]
fn projected_due_by_usage_is_usual_use_times_share_of_days() {
    // 3 of 30 days: 1 hour a day, 0.8 to 1.2.
    let in_days = |remaining: i64| dates(&used(every(10_000 + remaining), &[0, 1, 2]));
    let expected = |dates: [&str; 3]| Some(dates.map(str::to_owned));
    assert_eq!(
        in_days(1200),
        expected(["2026-04-12", "2026-04-10", "2026-04-15"])
    );
    assert_eq!(
        in_days(1),
        expected(["2026-04-01", "2026-04-01", "2026-04-01"])
    );
    assert_eq!(
        in_days(100),
        in_days(1).map(|[date, early, _]| [date, early, "2026-04-02".to_owned()])
    );
    assert_eq!(
        in_days(101).map(|[date, ..]| date),
        Some("2026-04-02".to_owned())
    );
    for due in [0, -1, -9_999] {
        assert_eq!(in_days(due), expected(["2026-03-31"; 3]), "{due}");
    }
}

#[test]
fn projected_due_needs_three_days_of_use_and_one_in_thirty() {
    let due = |days: &[i64]| dates(&used(every(20_000), days));
    assert_eq!(due(&[]), None);
    assert_eq!(due(&[0, 1]), None);
    assert!(due(&[0, 1, 2]).is_some());
    assert!(due(&[29, 40, 50]).is_some());
    assert_eq!(due(&[30, 40, 50]), None);
    assert_eq!(dates(&used(every(0), &[0, 1, 2])), None);
}

#[test]
fn projected_due_counts_from_the_last_known_meter() {
    // 1 hour a day, 12 hours left, 5 of them used since.
    let mut item = used(every(11_200), &[5, 6, 7]);
    assert_eq!(
        dates(&item).map(|[date, ..]| date),
        Some("2026-04-07".to_owned())
    );
    item.meter_read_at = Some(at("2026-03-30T10:00:00Z"));
    assert_eq!(
        dates(&item).map(|[date, ..]| date),
        Some("2026-04-11".to_owned())
    );
    // It is probably due already.
    let item = used(every(10_100), &[5, 6, 7]);
    assert_eq!(
        dates(&item).map(|[date, ..]| date),
        Some("2026-03-31".to_owned())
    );
}

#[test]
fn projected_due_is_that_of_the_first_task() {
    let mut item = used(on("2026-04-20"), &[0, 1, 2]);
    let more = |id, recurrence| ServiceTask {
        id: Uuid::from_u128(id),
        name: "Oil".to_owned(),
        from_form: false,
        recurrence,
        snoozed: None,
    };
    item.more_tasks = vec![more(3, every(12_500)), more(4, on("2026-04-12"))];
    let found = projected_due(&item, &day()).expect("a date");
    assert_eq!(found.date, date("2026-04-12"));
    assert_eq!(
        (found.task.id, found.by_calendar),
        (Uuid::from_u128(4), true)
    );
    assert_eq!((found.earliest, found.latest), (found.date, found.date));

    item.more_tasks[1] = more(4, on("2026-04-26"));
    item.details.task = every(0);
    let found = projected_due(&item, &day()).expect("a date");
    assert_eq!(
        (found.task.id, found.by_calendar),
        (Uuid::from_u128(3), false)
    );
    let dates = [found.earliest, found.date, found.latest].map(|date| date.to_string());
    // At a low use the calendar is first.
    assert_eq!(dates, ["2026-04-21", "2026-04-25", "2026-04-26"]);
}

#[test]
fn projected_due_of_one_day_is_that_of_the_urgent_task() {
    let mut item = used(every(9_900), &[]);
    let task = |item: &Equipment| projected_due(item, &day()).map(|due| due.task.id);
    assert_eq!(task(&item), Some(item.form_task_id));
    item.more_tasks = vec![other(3, every(5_000))];
    assert_eq!(task(&item), Some(Uuid::from_u128(3)));
}

/// Index of the urgent task. Intervals are 100, so the numbers are percentages; `None` is a
/// form without a plan.
fn urgent(form: Option<i64>, others: &[i64]) -> Option<usize> {
    let reached = |percent: i64| Recurrence {
        last_usage: Some(Quantity::from_hundredths(20_000 - percent * 100)),
        ..every(10_000)
    };
    let mut item = equipment(form.map_or_else(Recurrence::default, reached));
    item.details.current_usage = Quantity::from_hundredths(20_000);
    item.more_tasks = others
        .iter()
        .map(|percent| ServiceTask {
            id: Uuid::now_v7(),
            recurrence: reached(*percent),
            ..item.form_task()
        })
        .collect();
    let id = urgent_task(&item, &day())?.id;
    item.more_tasks.iter().position(|task| task.id == id)
}

#[test]
fn urgent_task_is_more_urgent_than_the_form() {
    for (form, others, expected) in [
        (Some(50), [].as_slice(), None),
        (Some(50), &[49, 50], None),
        (Some(50), &[51, 79], Some(1)),
        (Some(50), &[80], Some(0)),
        (Some(85), &[80], None),
        (Some(85), &[85], None),
        (Some(85), &[86], Some(0)),
        (Some(120), &[80], None),
        (Some(100), &[99, 111], Some(1)),
        (Some(50), &[80, 90, 90, 70], Some(1)),
        (None, &[], None),
        (None, &[10, 20], Some(1)),
    ] {
        assert_eq!(urgent(form, others), expected, "{form:?} {others:?}");
    }
}

/// The urgent one of tasks of a machine whose form's task is due in 250 hours.
fn urgent_of(tasks: &[Recurrence], days_ago: &[i64]) -> Option<usize> {
    let mut item = used(every(35_000), days_ago);
    item.more_tasks = (0..)
        .zip(tasks)
        .map(|(id, recurrence)| other(id, *recurrence))
        .collect();
    let id = urgent_task(&item, &day())?.id;
    item.more_tasks.iter().position(|task| task.id == id)
}

fn other(id: u128, recurrence: Recurrence) -> ServiceTask {
    ServiceTask {
        id: Uuid::from_u128(id),
        name: "Oil".to_owned(),
        from_form: false,
        recurrence,
        snoozed: None,
    }
}

#[test]
fn urgent_task_of_good_ones_is_due_sooner() {
    let (far, near) = (on("2027-03-31"), every(15_000));
    let snoozed = Recurrence {
        rule: Rule {
            snooze: Some(SnoozeEnd::Date(date("2026-12-01"))),
            ..Rule::default()
        },
        ..every(12_000)
    };
    // At an unknown use, 250 hours are assumed to take 32 days.
    for (tasks, expected) in [
        ([far].as_slice(), None),
        (&[far, near], Some(1)),
        (&[on("2026-05-02")], None),
        (&[on("2026-05-01")], Some(0)),
        (&[every(35_001)], None),
        (&[every(34_999), near, far], Some(1)),
        (&[snoozed], None),
    ] {
        assert_eq!(urgent_of(tasks, &[]), expected, "{tasks:?}");
    }
    // 250 hours take until 2026-04-24.
    let daily: Vec<i64> = (0..30).collect();
    for (tasks, expected) in [
        ([on("2026-04-26")].as_slice(), None),
        (&[on("2026-04-20")], Some(0)),
        (&[on("2026-04-20"), every(12_000)], Some(1)),
        (&[snoozed, far], None),
    ] {
        assert_eq!(urgent_of(tasks, &daily), expected, "{tasks:?}");
    }
}

#[test]
fn projected_due_of_a_snoozed_task_is_by_calendar_if_the_snooze_ends_later() {
    let until = |day: &str| Recurrence {
        rule: Rule {
            snooze: Some(SnoozeEnd::Date(date(day))),
            ..Rule::default()
        },
        ..every(11_200)
    };
    // Its usage is due on 2026-04-07.
    for (end, expected, by_calendar) in [
        ("2026-04-06", "2026-04-07", false),
        ("2026-04-07", "2026-04-07", false),
        ("2026-04-08", "2026-04-08", true),
    ] {
        let found = projected_due(&used(until(end), &[5, 6, 7]), &day()).expect("a date");
        assert_eq!(
            (found.date, found.by_calendar),
            (date(expected), by_calendar)
        );
    }
}

#[test]
fn snoozed_task_comes_after_the_others() {
    let snoozed = |recurrence: Recurrence| Recurrence {
        rule: Rule {
            snooze: Some(SnoozeEnd::Date(date("2026-04-10"))),
            ..Rule::default()
        },
        ..recurrence
    };
    let daily: Vec<i64> = (0..30).collect();
    let (overdue, far) = (every(9_000), on("2026-09-01"));
    // The snoozed one is overdue; the other counts, and its date is the projected one.
    let mut item = used(snoozed(overdue), &daily);
    item.more_tasks = vec![other(3, far)];
    let urgent = urgent_task(&item, &day()).map(|task| task.id);
    assert_eq!(urgent, Some(Uuid::from_u128(3)));
    let found = projected_due(&item, &day()).expect("a date");
    assert_eq!(
        (found.date, found.task.from_form),
        (date("2026-09-01"), false)
    );

    let mut item = used(far, &daily);
    item.more_tasks = vec![other(3, snoozed(overdue))];
    assert_eq!(urgent_task(&item, &day()), None);
    assert!(projected_due(&item, &day()).expect("a date").task.from_form);

    // All are snoozed.
    let mut item = used(snoozed(far), &daily);
    item.more_tasks = vec![other(3, snoozed(overdue))];
    let found = projected_due(&item, &day()).expect("a date");
    assert_eq!((found.date, found.by_calendar), (date("2026-04-10"), true));
}

#[test]
fn projected_due_by_calendar_needs_no_use() {
    assert_eq!(
        dates(&used(on("2026-05-01"), &[])),
        Some(["2026-05-01"; 3].map(str::to_owned))
    );
    assert_eq!(
        dates(&used(on("2026-03-30"), &[])),
        Some(["2026-03-31"; 3].map(str::to_owned))
    );
}

#[test]
fn projected_due_far_away_is_limited() {
    let mut item = used(every(100_000_000_000), &[0, 40, 41]);
    item.daily_use.rates = Some([Quantity::from_hundredths(1); 3]);
    let found = projected_due(&item, &day()).expect("a date");
    assert_eq!((found.date - day().today).num_days(), MAX_DAYS);
}

#[test]
fn is_stale_after_the_companys_days() {
    let mut item = equipment(every(0));
    item.details.unit = MeterUnit::Hours;
    item.added_at = at("2020-01-01T00:00:00Z");
    let day = CompanyDay::new(at("2026-03-31T03:00:00Z"), &Tz::America__Mexico_City, 14);
    assert_eq!(day.today, date("2026-03-30"));
    for (read_at, age, stale) in [
        ("2026-03-31T02:00:00Z", 0, false),
        ("2026-03-30T05:59:59Z", 1, false),
        ("2026-03-16T06:00:00Z", 14, false),
        ("2026-03-16T05:59:59Z", 15, true),
        ("2026-04-02T00:00:00Z", 0, false),
    ] {
        item.meter_read_at = Some(at(read_at));
        assert_eq!(meter_age_days(&item, &day), Some(age), "{read_at}");
        assert_eq!(is_stale(&item, &day), stale, "{read_at}");
    }
    let unlimited = CompanyDay::new(at("2026-03-31T03:00:00Z"), &Utc, 0);
    item.meter_read_at = None;
    assert!(is_stale(&item, &day));
    assert!(!is_stale(&item, &unlimited));
    item.added_at = at("2026-03-20T00:00:00Z");
    assert!(!is_stale(&item, &day));
}

#[test]
fn is_stale_only_in_use_and_with_a_meter() {
    let mut item = equipment(every(0));
    item.details.unit = MeterUnit::Hours;
    for status in [
        OperationalStatus::InUse,
        OperationalStatus::Standing,
        OperationalStatus::InShop,
        OperationalStatus::OutOfService,
    ] {
        item.details.operational_status = status;
        let in_use = status == OperationalStatus::InUse;
        assert_eq!(is_stale(&item, &day()), in_use, "{status:?}");
    }
    item.details.operational_status = OperationalStatus::InUse;
    item.details.unit = MeterUnit::NotApplicable;
    assert!(!is_stale(&item, &day()));
    assert_eq!(meter_age_days(&item, &day()), None);
}

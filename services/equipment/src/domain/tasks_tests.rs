//! Boundaries of task changes.

use uuid::Uuid;

use super::*;

fn quantity(value: f64) -> Quantity {
    Quantity::from_input(value).unwrap()
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn blank() -> ServiceTask {
    ServiceTask {
        id: Uuid::nil(),
        name: String::new(),
        from_form: false,
        recurrence: Recurrence::default(),
        snoozed: None,
    }
}

fn oil() -> TaskChange {
    TaskChange {
        name: Some("Oil".to_owned()),
        interval: Some(quantity(250.0)),
        calendar: FieldChange::Set(6),
        ..TaskChange::default()
    }
}

fn apply(change: TaskChange, before: &ServiceTask) -> (ServiceTask, Vec<String>) {
    let mut errors = FieldErrors::default();
    let task = change.apply(
        before,
        Some(quantity(1000.5)),
        day("2026-03-10"),
        &mut errors,
    );
    let fields = errors.into_fields().into_iter();
    (task, fields.map(|(field, _)| field).collect())
}

#[test]
fn apply_new_task_counts_from_usage_and_today() {
    let (task, errors) = apply(oil(), &blank());
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(task.recurrence.last_usage, Some(quantity(1000.5)));
    let schedule = task.recurrence.schedule.unwrap();
    assert_eq!(schedule.start, day("2026-03-10"));
    assert_eq!(schedule.next, day("2026-09-10"));
    let text = added_text(&task, MeterUnit::Hours);
    assert_eq!(
        text,
        "Service task \"Oil\" added: every 250 hours or 6 months"
    );
    assert_eq!(removed_text(&task), "Service task \"Oil\" removed");
}

#[test]
fn added_text_uses_the_singular() {
    let recurrence = |usage: f64, months: Option<u32>| {
        let change = TaskChange {
            interval: Some(quantity(usage)),
            calendar: months.map_or(FieldChange::Keep, FieldChange::Set),
            ..oil()
        };
        apply(change, &blank()).0.recurrence
    };
    let both = recurrence(1.0, Some(1));
    assert_eq!(every(&both, MeterUnit::Miles), "every 1 mile or 1 month");
    assert_eq!(
        every(&recurrence(5.0, None), MeterUnit::NotApplicable),
        "every 5"
    );
    assert_eq!(
        every(&recurrence(0.0, Some(2)), MeterUnit::Hours),
        "every 2 months"
    );
}

#[test]
fn apply_needs_an_interval_and_a_name() {
    let (_, errors) = apply(TaskChange::default(), &blank());
    assert_eq!(errors, ["name", "usageInterval"]);
    let (task, _) = apply(oil(), &blank());
    let none = TaskChange {
        interval: Some(Quantity::ZERO),
        calendar: FieldChange::Clear,
        ..TaskChange::default()
    };
    assert_eq!(apply(none.clone(), &task).1, ["usageInterval"]);
    let only_calendar = TaskChange {
        calendar: FieldChange::Keep,
        ..none
    };
    assert_eq!(apply(only_calendar, &task).1, [""; 0]);
}

#[test]
fn apply_refuses_dates_out_of_range() {
    for (done_on, calendar, field) in [
        ("2026-03-11", 6, "lastDoneOn"),
        ("2026-03-10", 12 * 175, "calendarInterval"),
        ("2026-03-10", u32::MAX, "calendarInterval"),
    ] {
        let change = TaskChange {
            done_on: Some(day(done_on)),
            calendar: FieldChange::Set(calendar),
            ..oil()
        };
        assert_eq!(apply(change, &blank()).1, [field], "{done_on} {calendar}");
    }
}

#[test]
fn changed_text_lists_only_changed_fields() {
    let (before, _) = apply(oil(), &blank());
    let change = TaskChange {
        name: Some("Oil filter".to_owned()),
        interval: Some(quantity(500.0)),
        last_usage: Some(quantity(900.0)),
        calendar: FieldChange::Clear,
        ..TaskChange::default()
    };
    let (after, _) = apply(change, &before);
    assert_eq!(
        changed_text(&before, &after),
        "Service task \"Oil\" changed: Name: Oil → Oil filter; Usage interval: 250 → 500; \
         Calendar interval: 6 months → none; Last done at: 1000.5 → 900; \
         Last done on: 2026-03-10 → none"
    );
}

#[test]
fn apply_refuses_a_last_service_above_the_usage() {
    let at = |last: f64, usage: Option<Quantity>| {
        let change = TaskChange {
            last_usage: Some(quantity(last)),
            ..oil()
        };
        let mut errors = FieldErrors::default();
        change.apply(&blank(), usage, day("2026-03-10"), &mut errors);
        errors.into_fields().len()
    };
    assert_eq!(at(1000.5, Some(quantity(1000.5))), 0);
    assert_eq!(at(1000.51, Some(quantity(1000.5))), 1);
    assert_eq!(at(4700.0, None), 0);
}

#[test]
fn clamped_text_names_the_task() {
    let (before, after) = (quantity(900.0), Some(quantity(100.0)));
    assert_eq!(clamped_text("", before, after), "Last serviced: 900 → 100");
    assert_eq!(
        clamped_text("Oil", before, after),
        "Service task \"Oil\" changed: Last done at: 900 → 100"
    );
}

#[test]
fn same_name_ignores_case() {
    assert!(same_name("Oil Filter", "oil filter"));
    assert!(same_name("ÑANDÚ", "ñandú"));
    assert!(!same_name("Oil", "Oil filter"));
    assert!(task_name("  ").is_err());
    assert_eq!(task_name(&"x".repeat(100)).unwrap().len(), 100);
    assert!(task_name(&"x".repeat(101)).is_err());
}

#[test]
fn edited_mark_is_set_when_last_service_changes() {
    let (before, _) = apply(oil(), &blank());
    let renamed = ServiceTask {
        name: "Engine oil".to_owned(),
        ..before.clone()
    };
    assert_eq!(edited_mark(&before, &renamed), None);
    let mut after = renamed;
    after.recurrence.last_usage = Some(quantity(900.0));
    let mark = TaskMark {
        task: after.id,
        name: "Engine oil".to_owned(),
        usage: MarkUsage::Given(Some(quantity(900.0))),
        start: Some(day("2026-03-10")),
    };
    assert_eq!(edited_mark(&before, &after), Some(mark));
    let moved = TaskChange {
        done_on: Some(day("2026-03-01")),
        ..TaskChange::default()
    };
    let (after, _) = apply(moved, &before);
    let start = edited_mark(&before, &after).and_then(|mark| mark.start);
    assert_eq!(start, Some(day("2026-03-01")));
}

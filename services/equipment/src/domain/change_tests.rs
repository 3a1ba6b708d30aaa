use super::*;

fn quantity(value: f64) -> Quantity {
    Quantity::from_input(value).unwrap()
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn scheduled() -> Details {
    let change = Change {
        scheduled: Some(true),
        start: FieldChange::Set(day("2026-01-31")),
        interval: FieldChange::Set(1),
        ..Change::default()
    };
    change.apply(&blank(), Quantity::ZERO, &mut FieldErrors::default())
}

#[test]
fn apply_schedule_needs_start_and_interval() {
    let mut errors = FieldErrors::default();
    let change = Change {
        scheduled: Some(true),
        ..Change::default()
    };
    change.apply(&blank(), Quantity::ZERO, &mut errors);
    let fields = errors.into_fields();
    assert_eq!(fields[0].0, "maintenanceStartDate");
    assert_eq!(fields[1].0, "maintenanceInterval");
}

#[test]
fn apply_schedule_defaults_to_months() {
    let next = scheduled().task.schedule.map(|schedule| schedule.next);
    assert_eq!(next, Some(day("2026-02-28")));
}

#[test]
fn apply_schedule_off_removes_start_and_interval() {
    let change = Change {
        scheduled: Some(false),
        start: FieldChange::Set(day("2026-01-31")),
        interval: FieldChange::Set(2),
        ..Change::default()
    };
    let details = change.apply(&scheduled(), Quantity::ZERO, &mut FieldErrors::default());
    assert_eq!(details.task.schedule, None);
}

#[test]
fn apply_refuses_clearing_the_interval_of_a_schedule() {
    let mut errors = FieldErrors::default();
    let change = Change {
        interval: FieldChange::Clear,
        ..Change::default()
    };
    change.apply(&scheduled(), Quantity::ZERO, &mut errors);
    assert!(errors.check().is_err());
}

#[test]
fn apply_new_interval_counts_from_current_usage() {
    let change = |last: Option<f64>| Change {
        service_interval: Some(quantity(250.0)),
        current_usage: Some(quantity(4812.5)),
        last_service_usage: last.map(quantity),
        ..Change::default()
    };
    let none = &mut FieldErrors::default();
    let details = change(None).apply(&blank(), Quantity::ZERO, none);
    assert_eq!(details.task.last_usage, Some(quantity(4812.5)));
    let details = change(Some(0.0)).apply(&blank(), Quantity::ZERO, none);
    assert_eq!(details.task.last_usage, Some(Quantity::ZERO));
    // Known already: a later change of the interval leaves it.
    let details = change(None).apply(&details, Quantity::ZERO, none);
    assert_eq!(details.task.last_usage, Some(Quantity::ZERO));
    let cleared = Change {
        clear_last_service_usage: true,
        ..change(None)
    };
    let details = cleared.apply(&blank(), Quantity::ZERO, none);
    assert_eq!(details.task.last_usage, None);
}

#[test]
fn apply_corrects_reading_or_usage() {
    let corrected = |usage: Option<f64>, reading: Option<f64>, offset: i64| {
        let mut errors = FieldErrors::default();
        let change = Change {
            current_usage: usage.map(quantity),
            meter_reading: reading.map(quantity),
            ..Change::default()
        };
        let offset = Quantity::from_hundredths(offset);
        let details = change.apply(&blank(), offset, &mut errors);
        errors.check().map_err(FieldErrors::into_fields)?;
        Ok(details.current_usage)
    };
    let wrong = |found: Result<Quantity, Vec<(String, Message)>>| {
        let fields = found.unwrap_err();
        assert_eq!(fields.len(), 1);
        (fields[0].0.clone(), fields[0].1.clone())
    };
    assert_eq!(corrected(None, None, 700), Ok(Quantity::ZERO));
    assert_eq!(corrected(Some(9.0), None, 700), Ok(quantity(9.0)));
    assert_eq!(corrected(None, Some(9.0), 700), Ok(quantity(16.0)));
    assert_eq!(corrected(None, Some(9.0), -700), Ok(quantity(2.0)));
    assert_eq!(corrected(Some(7.0), None, 700), Ok(quantity(7.0)));
    assert_eq!(corrected(Some(16.0), Some(9.0), 700), Ok(quantity(16.0)));
    let (field, text) = wrong(corrected(Some(6.99), None, 700));
    assert_eq!(field, "currentUsage");
    assert!(text.starts_with("Must be at least 7,"), "{text}");
    let (field, text) = wrong(corrected(None, Some(6.99), -700));
    assert_eq!(field, "meterReading");
    assert!(text.starts_with("Must be at least 7,"), "{text}");
    let (field, text) = wrong(corrected(None, Some(1e9), 700));
    assert_eq!(field, "meterReading");
    assert!(text.starts_with("Must be at most 999999993,"), "{text}");
    let (field, text) = wrong(corrected(Some(1e9), None, -700));
    assert_eq!(field, "currentUsage");
    assert!(text.starts_with("Must be at most 999999993,"), "{text}");
    assert_eq!(
        wrong(corrected(Some(1.0), Some(2.0), 0)).1,
        refusals::USAGE_OR_METER_READING
    );
}

#[test]
fn apply_changed_interval_changes_next_date() {
    let before = scheduled();
    let change = Change {
        interval: FieldChange::Set(2),
        ..Change::default()
    };
    let after = change.apply(&before, Quantity::ZERO, &mut FieldErrors::default());
    let next = after.task.schedule.map(|schedule| schedule.next);
    assert_eq!(next, Some(day("2026-03-31")));
}

#[test]
fn create_without_interval_counts_from_zero() {
    let details = Change::default().create(&mut FieldErrors::default());
    assert_eq!(details.task.last_usage, Some(Quantity::ZERO));
}

use super::*;

fn quantity(value: f64) -> Quantity {
    Quantity::from_input(value).unwrap()
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn scheduled() -> Body {
    let change = Change {
        scheduled: Some(true),
        start: Given::Value(day("2026-01-31")),
        interval: Given::Value(1),
        ..Change::default()
    };
    change.apply(&blank(), Quantity::ZERO, &mut Problems::default())
}

#[test]
fn a_schedule_needs_start_and_interval() {
    let mut problems = Problems::default();
    let change = Change {
        scheduled: Some(true),
        ..Change::default()
    };
    change.apply(&blank(), Quantity::ZERO, &mut problems);
    let fields = problems.into_fields();
    assert_eq!(fields[0].0, "maintenanceStartDate");
    assert_eq!(fields[1].0, "maintenanceInterval");
}

#[test]
fn the_next_date_is_computed_in_months_by_default() {
    let next = scheduled().task.schedule.map(|schedule| schedule.next);
    assert_eq!(next, Some(day("2026-02-28")));
}

#[test]
fn off_means_off() {
    let change = Change {
        scheduled: Some(false),
        start: Given::Value(day("2026-01-31")),
        interval: Given::Value(2),
        ..Change::default()
    };
    let body = change.apply(&scheduled(), Quantity::ZERO, &mut Problems::default());
    assert_eq!(body.task.schedule, None);
}

#[test]
fn a_running_schedule_can_not_lose_its_interval() {
    let mut problems = Problems::default();
    let change = Change {
        interval: Given::Cleared,
        ..Change::default()
    };
    change.apply(&scheduled(), Quantity::ZERO, &mut problems);
    assert!(problems.check().is_err());
}

#[test]
fn an_interval_begins_at_the_current_usage() {
    let change = |last: Option<f64>| Change {
        service_interval: Some(quantity(250.0)),
        current_usage: Some(quantity(4812.5)),
        last_service_usage: last.map(quantity),
        ..Change::default()
    };
    let none = &mut Problems::default();
    let body = change(None).apply(&blank(), Quantity::ZERO, none);
    assert_eq!(body.task.last_usage, Some(quantity(4812.5)));
    let body = change(Some(0.0)).apply(&blank(), Quantity::ZERO, none);
    assert_eq!(body.task.last_usage, Some(Quantity::ZERO));
    // Known already: a later change of the interval leaves it.
    let body = change(None).apply(&body, Quantity::ZERO, none);
    assert_eq!(body.task.last_usage, Some(Quantity::ZERO));
}

#[test]
fn a_correction_is_of_the_meter_or_of_life() {
    let corrected = |usage: Option<f64>, reading: Option<f64>, offset: i64| {
        let mut problems = Problems::default();
        let change = Change {
            current_usage: usage.map(quantity),
            meter_reading: reading.map(quantity),
            ..Change::default()
        };
        let offset = Quantity::from_hundredths(offset);
        let body = change.apply(&blank(), offset, &mut problems);
        problems.check().map_err(Problems::into_fields)?;
        Ok(body.current_usage)
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
        wrong(corrected(Some(1.0), Some(1.0), 0)).1,
        refusals::USAGE_OR_METER_READING
    );
}

#[test]
fn schedule_with_another_interval_has_another_next_date() {
    let before = scheduled();
    let change = Change {
        interval: Given::Value(2),
        ..Change::default()
    };
    let after = change.apply(&before, Quantity::ZERO, &mut Problems::default());
    let next = after.task.schedule.map(|schedule| schedule.next);
    assert_eq!(next, Some(day("2026-03-31")));
}

#[test]
fn create_without_interval_counts_from_zero() {
    let body = Change::default().create(&mut Problems::default());
    assert_eq!(body.task.last_usage, Some(Quantity::ZERO));
}

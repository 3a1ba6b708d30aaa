use super::*;

fn read(usage: Quantity, offset: Quantity) -> Dial {
    Dial {
        state: MeterState { usage, offset },
        read_at: Some(DateTime::UNIX_EPOCH),
    }
}

/// Applies a change to equipment whose meter was read.
fn apply(change: Change, before: &Details, errors: &mut FieldErrors) -> Details {
    let dial = read(before.current_usage, Quantity::ZERO);
    change.apply(before, dial, errors).0
}

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
    apply(change, &blank(), &mut FieldErrors::default())
}

#[test]
fn apply_schedule_needs_start_and_interval() {
    let mut errors = FieldErrors::default();
    let change = Change {
        scheduled: Some(true),
        ..Change::default()
    };
    apply(change, &blank(), &mut errors);
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
    let details = apply(change, &scheduled(), &mut FieldErrors::default());
    assert_eq!(details.task.schedule, None);
}

#[test]
fn apply_refuses_clearing_the_interval_of_a_schedule() {
    let mut errors = FieldErrors::default();
    let change = Change {
        interval: FieldChange::Clear,
        ..Change::default()
    };
    apply(change, &scheduled(), &mut errors);
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
    let details = apply(change(None), &blank(), none);
    assert_eq!(details.task.last_usage, Some(quantity(4812.5)));
    let details = apply(change(Some(0.0)), &blank(), none);
    assert_eq!(details.task.last_usage, Some(Quantity::ZERO));
    // Known already: a later change of the interval leaves it.
    let details = apply(change(None), &details, none);
    assert_eq!(details.task.last_usage, Some(Quantity::ZERO));
    let cleared = Change {
        clear_last_service_usage: true,
        ..change(None)
    };
    let details = apply(cleared, &blank(), none);
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
        let (details, fact) = change.apply(&blank(), read(Quantity::ZERO, offset), &mut errors);
        errors.check().map_err(FieldErrors::into_fields)?;
        let reading = fact.map(|_| MeterFact::Reading(details.current_usage.minus(offset)));
        assert_eq!(fact, reading);
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
        Message::from(refusals::USAGE_OR_METER_READING)
    );
}

#[test]
fn apply_changed_interval_changes_next_date() {
    let before = scheduled();
    let change = Change {
        interval: FieldChange::Set(2),
        ..Change::default()
    };
    let after = apply(change, &before, &mut FieldErrors::default());
    let next = after.task.schedule.map(|schedule| schedule.next);
    assert_eq!(next, Some(day("2026-03-31")));
}

#[test]
fn create_without_interval_counts_from_zero() {
    let (details, _) = Change::default().create(&mut FieldErrors::default());
    assert_eq!(details.task.last_usage, Some(Quantity::ZERO));
}

#[test]
fn create_reads_the_meter_only_if_given() {
    let created = |usage: Option<f64>, reading: Option<f64>| {
        let change = Change {
            current_usage: usage.map(quantity),
            meter_reading: reading.map(quantity),
            service_interval: Some(quantity(250.0)),
            ..Change::default()
        };
        let (details, start) = change.create(&mut FieldErrors::default());
        assert_eq!(details.task.last_usage.is_some(), start.is_read);
        let usage = details.current_usage;
        (usage, usage.minus(start.offset), start.is_read)
    };
    let zero = Quantity::ZERO;
    assert_eq!(created(None, None), (zero, zero, false));
    assert_eq!(created(Some(0.0), None), (zero, zero, false));
    assert_eq!(created(None, Some(0.0)), (zero, zero, true));
    let (five, fifty) = (quantity(5.0), quantity(50.0));
    assert_eq!(created(Some(50.0), None), (fifty, fifty, true));
    assert_eq!(created(Some(50.0), Some(5.0)), (fifty, five, true));
}

#[test]
fn apply_refuses_a_last_service_above_the_usage() {
    let before = Details {
        current_usage: quantity(100.0),
        task: Recurrence {
            last_usage: Some(quantity(90.0)),
            ..Recurrence::default()
        },
        ..blank()
    };
    let applied = |last: f64, usage: Option<f64>, dial: Dial| {
        let change = Change {
            last_service_usage: Some(quantity(last)),
            current_usage: usage.map(quantity),
            ..Change::default()
        };
        let mut errors = FieldErrors::default();
        change.apply(&before, dial, &mut errors);
        errors.into_fields().into_iter().next()
    };
    let dial = read(quantity(100.0), Quantity::ZERO);
    assert_eq!(applied(100.0, None, dial), None);
    assert_eq!(applied(100.01, Some(100.01), dial), None);
    // Written back unchanged beside a correction.
    assert_eq!(applied(90.0, Some(50.0), dial), None);
    let (field, message) = applied(100.01, None, dial).unwrap();
    let expected = Message::from(refusals::LAST_SERVICE_ABOVE_USAGE);
    assert_eq!((field.as_str(), message), ("lastServiceUsage", expected));
    assert_eq!(applied(4700.0, None, Dial::default()), None);
}

#[test]
fn apply_new_unit_begins_at_the_given_reading_without_earlier_meters() {
    let changed = |usage: Option<f64>, reading: Option<f64>, dial: Dial| {
        let change = Change {
            unit: Some(MeterUnit::Miles),
            current_usage: usage.map(quantity),
            meter_reading: reading.map(quantity),
            ..Change::default()
        };
        let before = Details {
            unit: MeterUnit::Hours,
            ..blank()
        };
        change.apply(&before, dial, &mut FieldErrors::default()).1
    };
    let dial = read(quantity(100.0), quantity(30.0));
    let begun = |reading: f64| {
        let state = MeterState::default().with_usage(quantity(reading));
        Some(MeterFact::NewUnit(Some(state)))
    };
    assert_eq!(changed(Some(62.0), None, dial), begun(62.0));
    assert_eq!(changed(None, Some(62.0), dial), begun(62.0));
    assert_eq!(changed(None, None, dial), begun(70.0));
    // Written back.
    assert_eq!(changed(Some(100.0), Some(70.0), dial), begun(70.0));
    assert_eq!(changed(None, None, Dial::default()), None);
}

#[test]
fn apply_new_unit_limits_the_last_service_to_the_new_meter() {
    let last = |given: Option<f64>, offset: f64| {
        let change = Change {
            unit: Some(MeterUnit::Miles),
            last_service_usage: given.map(quantity),
            ..Change::default()
        };
        let mut before = Details {
            unit: MeterUnit::Hours,
            ..blank()
        };
        before.task.last_usage = Some(quantity(80.0));
        let dial = read(quantity(100.0), quantity(offset));
        let mut errors = FieldErrors::default();
        change.apply(&before, dial, &mut errors).0.task.last_usage
    };
    assert_eq!(last(None, 0.0), Some(quantity(80.0)));
    assert_eq!(last(None, 95.0), Some(quantity(5.0)));
    assert_eq!(last(Some(3.0), 95.0), Some(quantity(3.0)));
}

#[test]
fn apply_unit_to_equipment_without_a_meter_is_not_a_reading() {
    let changed = |usage: Option<f64>, reading: Option<f64>, counted: f64| {
        let change = Change {
            unit: Some(MeterUnit::Hours),
            current_usage: usage.map(quantity),
            meter_reading: reading.map(quantity),
            ..Change::default()
        };
        let before = Details {
            current_usage: quantity(counted),
            ..blank()
        };
        let dial = read(quantity(counted), Quantity::ZERO);
        let (after, fact) = change.apply(&before, dial, &mut FieldErrors::default());
        let Some(MeterFact::NewUnit(state)) = fact else {
            panic!("{fact:?}");
        };
        assert_eq!(after.current_usage, state.unwrap_or_default().usage);
        state.map(|state| state.usage)
    };
    assert_eq!(changed(None, None, 0.0), None);
    assert_eq!(changed(None, None, 120.0), None);
    // Written back.
    assert_eq!(changed(Some(0.0), Some(0.0), 0.0), None);
    assert_eq!(changed(None, Some(0.0), 0.0), Some(Quantity::ZERO));
    assert_eq!(changed(None, Some(40.0), 120.0), Some(quantity(40.0)));
    assert_eq!(changed(Some(40.0), None, 0.0), Some(quantity(40.0)));
}

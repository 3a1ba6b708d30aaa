use super::*;
use crate::domain::change::Change;
use crate::domain::field_errors::FieldErrors;
use crate::domain::kinds::CalendarUnit;

pub fn equipment(recurrence: Recurrence) -> Equipment {
    Equipment {
        id: Uuid::from_u128(1),
        details: Details {
            task: recurrence,
            ..Change::default().create(&mut FieldErrors::default()).0
        },
        form_task_id: Uuid::from_u128(2),
        form_snoozed: None,
        more_tasks: Vec::new(),
        meter_offset: Quantity::ZERO,
        meter_read_at: Some(DateTime::UNIX_EPOCH),
        known_at: DateTime::UNIX_EPOCH,
        unit_since: None,
        daily_use: DailyUse::default(),
        usual_fill: None,
        total_gas: Quantity::ZERO,
        total_diesel: Quantity::ZERO,
        added_at: DateTime::UNIX_EPOCH,
        updated_at: DateTime::UNIX_EPOCH,
        version: 1,
        sort_key: String::new(),
    }
}

fn every(hundredths: i64) -> Recurrence {
    Recurrence {
        interval: Quantity::from_hundredths(hundredths),
        ..Recurrence::default()
    }
}

#[test]
fn has_plan_needs_an_interval_or_a_schedule() {
    let scheduled = |interval| Recurrence {
        schedule: Some(Schedule {
            start: NaiveDate::default(),
            interval: 1,
            unit: CalendarUnit::Days,
            next: NaiveDate::default(),
        }),
        ..every(interval)
    };
    assert!(!every(0).recurs());
    assert!(every(1).recurs());
    assert!(scheduled(0).recurs());
    assert!(scheduled(1).recurs());
}

#[test]
fn dial_has_usage_and_offset() {
    let (usage, offset) = (Quantity::from_hundredths(7), Quantity::from_hundredths(3));
    let mut item = equipment(every(1));
    item.details.current_usage = usage;
    item.meter_offset = offset;
    assert_eq!(item.dial().state, MeterState { usage, offset });
}

#[test]
fn recurrences_start_with_the_form() {
    let mut item = equipment(every(1));
    let more = ServiceTask {
        id: Uuid::from_u128(3),
        name: "Oil".to_owned(),
        from_form: false,
        recurrence: every(2),
        snoozed: None,
    };
    item.more_tasks.push(more.clone());
    assert_eq!(item.recurrences(), [every(1), every(2)]);
    item.meter_read_at = None;
    assert_eq!(item.recurrences(), [every(0), every(0)]);
    assert_eq!(item.task(item.form_task_id), Some(item.form_task()));
    assert_eq!(item.task(more.id), Some(more));
    assert_eq!(item.task(item.id), None);
}

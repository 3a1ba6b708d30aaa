//! Describes an edit for the ledger.

use hourmeter_runtime::quantity::Quantity;

use super::entry_text::{changes, shown};
use super::equipment::Details;
use super::rule::Schedule;

/// One line per changed field: label, old and new for short ones, the label alone for long ones.
/// After a meter replacement the reading is listed too.
pub fn differences(before: &Details, after: &Details, offset: Quantity) -> Vec<String> {
    let mut lines = changes(labelled(before), labelled(after));
    if before.current_usage != after.current_usage && !offset.is_zero() {
        let old = before.current_usage.minus(offset);
        // A meter in another unit starts without earlier meters.
        let new = if before.unit == after.unit {
            after.current_usage.minus(offset)
        } else {
            after.current_usage
        };
        lines.push(format!("Meter reading: {old} → {new}"));
    }
    if before.parts != after.parts {
        lines.push("Service parts changed".to_owned());
    }
    if before.description != after.description {
        lines.push("Description changed".to_owned());
    }
    lines
}

fn labelled(details: &Details) -> [(&'static str, String); 16] {
    let schedule = details.task.schedule;
    let interval = |schedule: Schedule| format!("{} {}", schedule.interval, schedule.unit.as_str());
    [
        ("Name", details.name.clone()),
        ("Type", details.kind.as_str().to_owned()),
        ("Unit number", shown(details.unit_number.as_ref())),
        ("Group", shown(details.group.as_ref())),
        ("Serial number", shown(details.serial_number.as_ref())),
        (
            "Operational status",
            details.operational_status.as_str().to_owned(),
        ),
        ("Unit", details.unit.as_str().to_owned()),
        ("Current usage", details.current_usage.to_string()),
        ("Lifespan", shown(details.lifespan.threshold)),
        ("Fuel type", details.fuel.as_str().to_owned()),
        (
            "Alert threshold",
            format!("{}%", details.lifespan.alert_threshold),
        ),
        ("Service interval", details.task.interval.to_string()),
        ("Last serviced", shown(details.task.last_usage)),
        (
            "Scheduled maintenance",
            if schedule.is_some() { "on" } else { "off" }.to_owned(),
        ),
        (
            "Starting date",
            shown(schedule.map(|schedule| schedule.start)),
        ),
        ("Maintenance interval", shown(schedule.map(interval))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::change::Change;
    use crate::domain::field_change::FieldChange;
    use crate::domain::field_errors::FieldErrors;
    use crate::domain::kinds::{EquipmentType, MeterUnit};
    use crate::domain::timeline::Dial;

    #[test]
    fn differences_with_offset_name_the_meter_reading() {
        let at = |hundredths| Details {
            current_usage: Quantity::from_hundredths(hundredths),
            ..Change::default().create(&mut FieldErrors::default()).0
        };
        let offset = Quantity::from_hundredths(100);
        assert_eq!(
            differences(&at(200), &at(500), Quantity::ZERO),
            ["Current usage: 2 → 5"]
        );
        assert_eq!(
            differences(&at(200), &at(500), offset),
            ["Current usage: 2 → 5", "Meter reading: 1 → 4"]
        );
        assert!(differences(&at(200), &at(200), offset).is_empty());
    }

    #[test]
    fn differences_list_only_changed_fields() {
        let none = &mut FieldErrors::default();
        let new = Change {
            name: Some("Loader".to_owned()),
            kind: Some(EquipmentType::Machinery),
            unit: Some(MeterUnit::Hours),
            ..Change::default()
        };
        let (before, _) = new.create(none);
        let edit = Change {
            name: Some("Loader 2".to_owned()),
            serial_number: FieldChange::Set("A1".to_owned()),
            description: Some("Long".to_owned()),
            kind: Some(EquipmentType::Machinery),
            ..Change::default()
        };
        let (after, _) = edit.apply(&before, Dial::default(), none);
        assert_eq!(
            differences(&before, &before, Quantity::ZERO),
            Vec::<String>::new()
        );
        assert_eq!(
            differences(&before, &after, Quantity::ZERO),
            [
                "Name: Loader → Loader 2",
                "Serial number: none → A1",
                "Description changed"
            ]
        );
    }
}

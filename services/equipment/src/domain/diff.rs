//! Describes an edit for the ledger.

use hourmeter_runtime::quantity::Quantity;

use super::equipment::{Body, Schedule};

/// One line per changed field: label, old and new for short ones, the label alone for long ones.
/// After a meter replacement the reading is listed too.
pub fn differences(before: &Body, after: &Body, offset: Quantity) -> Vec<String> {
    let short: Vec<(&str, String, String)> = before_and_after(before, after);
    let mut lines: Vec<String> = short
        .into_iter()
        .filter(|(_, old, new)| old != new)
        .map(|(label, old, new)| format!("{label}: {old} → {new}"))
        .collect();
    if before.current_usage != after.current_usage && !offset.is_zero() {
        let shown = |body: &Body| body.current_usage.minus(offset);
        let (old, new) = (shown(before), shown(after));
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

fn before_and_after(before: &Body, after: &Body) -> Vec<(&'static str, String, String)> {
    let labels = labelled(before).into_iter().zip(labelled(after));
    labels
        .map(|((label, old), (_, new))| (label, old, new))
        .collect()
}

fn labelled(body: &Body) -> [(&'static str, String); 14] {
    let schedule = body.task.schedule;
    let interval = |schedule: Schedule| format!("{} {}", schedule.interval, schedule.unit.word());
    [
        ("Name", body.name.clone()),
        ("Type", body.kind.word().to_owned()),
        ("Unit number", shown(body.unit_number.as_ref())),
        ("Serial number", shown(body.serial_number.as_ref())),
        ("Unit", body.unit.word().to_owned()),
        ("Current usage", body.current_usage.to_string()),
        ("Lifespan", shown(body.lifespan.threshold)),
        ("Fuel type", body.fuel.word().to_owned()),
        (
            "Alert threshold",
            format!("{}%", body.lifespan.alert_threshold),
        ),
        ("Service interval", body.task.interval.to_string()),
        ("Last serviced", shown(body.task.last_usage)),
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

fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::change::{Change, Given};
    use crate::domain::kinds::{EquipmentType, MeterUnit};
    use crate::domain::problems::Problems;

    #[test]
    fn differences_with_offset_name_the_meter_reading() {
        let at = |hundredths| Body {
            current_usage: Quantity::from_hundredths(hundredths),
            ..Change::default().create(&mut Problems::default())
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
    fn only_what_changed_is_told() {
        let none = &mut Problems::default();
        let new = Change {
            name: Some("Loader".to_owned()),
            kind: Some(EquipmentType::Machinery),
            unit: Some(MeterUnit::Hours),
            ..Change::default()
        };
        let before = new.create(none);
        let edit = Change {
            name: Some("Loader 2".to_owned()),
            serial_number: Given::Value("A1".to_owned()),
            description: Some("Long".to_owned()),
            kind: Some(EquipmentType::Machinery),
            ..Change::default()
        };
        let after = edit.apply(&before, Quantity::ZERO, none);
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

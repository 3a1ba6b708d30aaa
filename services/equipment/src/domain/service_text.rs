//! Texts of services in the ledger.

use chrono::NaiveDate;
use hourmeter_runtime::quantity::Quantity;

use super::entry_text::{changes, shown};
use super::ledger::StoredEntry;

/// Notes, cost, and the date unless it was recorded that day.
pub fn service_content(
    notes: &str,
    cost: Option<Quantity>,
    day: NaiveDate,
    recorded_on: NaiveDate,
) -> String {
    let mut lines = Vec::new();
    if !notes.is_empty() {
        lines.push(notes.to_owned());
    }
    lines.extend(cost.map(cost_line));
    if day != recorded_on {
        lines.push(day_line(day));
    }
    lines.join("\n")
}

/// The notes within the content of a service.
pub fn service_notes(entry: &StoredEntry) -> &str {
    let day = entry.performed_on.map(day_line);
    let content = without_last_line(&entry.content, day.as_deref());
    without_last_line(content, entry.cost.map(cost_line).as_deref())
}

/// What an edit changed. Empty: nothing.
pub fn service_differences(before: &StoredEntry, after: &StoredEntry) -> String {
    let fields = |entry: &StoredEntry| {
        let notes = Some(service_notes(entry)).filter(|notes| !notes.is_empty());
        [
            ("Cost", shown(entry.cost.map(dollars))),
            ("Performed on", shown(entry.performed_on)),
            // Last, because notes may contain anything.
            ("Notes", shown(notes)),
        ]
    };
    changes(fields(before), fields(after)).join("; ")
}

fn cost_line(cost: Quantity) -> String {
    format!("Cost: {}", dollars(cost))
}

fn dollars(cost: Quantity) -> String {
    let (dollars, cents) = (cost.hundredths() / 100, cost.hundredths() % 100);
    format!("${dollars}.{cents:02}")
}

fn day_line(day: NaiveDate) -> String {
    format!("Performed on {day}")
}

fn without_last_line<'a>(text: &'a str, line: Option<&str>) -> &'a str {
    let Some(rest) = line.and_then(|line| text.strip_suffix(line)) else {
        return text;
    };
    match rest.strip_suffix('\n') {
        Some(rest) => rest,
        None if rest.is_empty() => rest,
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::domain::kinds::MeterUnit;
    use crate::domain::ledger::{Actor, Entry, EntryKind, Source, Subject};

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a date")
    }

    fn service(notes: &str, cost: Option<i64>, performed_on: &str) -> StoredEntry {
        let subject = Subject {
            id: uuid::Uuid::nil(),
            name: "Loader".to_owned(),
            unit: MeterUnit::Hours,
        };
        let actor = Actor {
            id: uuid::Uuid::nil(),
            name: "Olivia".to_owned(),
            source: Source::Manager,
        };
        let cost = cost.map(Quantity::from_hundredths);
        let performed_on = day(performed_on);
        StoredEntry::from(Entry {
            cost,
            performed_on: Some(performed_on),
            content: service_content(notes, cost, performed_on, day("2026-03-10")),
            ..Entry::new(subject, EntryKind::Service, actor, DateTime::UNIX_EPOCH)
        })
    }

    #[test]
    fn service_notes_are_the_content_without_cost_and_day() {
        for notes in [
            "",
            "Oil",
            "Oil\nCost: $1.00",
            "Performed on 2026-03-09",
            "Cost: $5.00 ",
        ] {
            for cost in [None, Some(500)] {
                for day in ["2026-03-10", "2026-03-08"] {
                    assert_eq!(service_notes(&service(notes, cost, day)), notes);
                }
            }
        }
    }

    #[test]
    fn service_differences_have_the_values_before_and_after() {
        let before = service("Oil", Some(12_550), "2026-03-09");
        assert_eq!(service_differences(&before, &before), "");
        assert_eq!(
            service_differences(&before, &service("", None, "2026-03-08")),
            "Cost: $125.50 → none; Performed on: 2026-03-09 → 2026-03-08; Notes: Oil → none"
        );
    }
}

//! Entries of the append-only ledger.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::stored_enum;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::kinds::{FuelKind, MeterUnit};
use super::meter::{MeterFact, Replacement};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Usage or fuel.
    Usage,
    Service,
    Note(NoteType),
    Edit,
    Retirement,
    Restoration,
    /// A meter replacement.
    Meter,
}

impl EntryKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Service => "service",
            Self::Note(_) => "note",
            Self::Edit => "edit",
            Self::Retirement => "retirement",
            Self::Restoration => "restoration",
            Self::Meter => "meter",
        }
    }

    pub const fn note_type(self) -> NoteType {
        match self {
            Self::Usage => NoteType::UsageUpdate,
            Self::Service | Self::Meter => NoteType::Maintenance,
            Self::Note(note_type) => note_type,
            Self::Edit | Self::Retirement | Self::Restoration => NoteType::Note,
        }
    }

    /// Parses the two stored columns.
    pub fn parse(text: &str, note_type: NoteType) -> Option<Self> {
        match text {
            "usage" => Some(Self::Usage),
            "service" => Some(Self::Service),
            "note" => Some(Self::Note(note_type)),
            "edit" => Some(Self::Edit),
            "retirement" => Some(Self::Retirement),
            "restoration" => Some(Self::Restoration),
            "meter" => Some(Self::Meter),
            _ => None,
        }
    }
}

stored_enum! {
    pub enum NoteType {
        Note = "note",
        UsageUpdate = "usage_update",
        Maintenance = "maintenance",
    }

    pub enum Source {
        /// An owner or manager.
        Manager = "manager",
        Operator = "operator",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voiding {
    pub reason: String,
    /// The decision on an operator's update was undone.
    pub undone: bool,
    /// Name of the person who voided the entry.
    pub by: String,
    pub at: DateTime<Utc>,
    /// Usage before and after voiding. None: it did not change.
    pub usage: Option<MeterMove>,
    /// The entry that corrects it. None: it was voided.
    pub replaced_by: Option<Uuid>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    pub id: Uuid,
    /// Name when the entry was made.
    pub name: String,
    pub source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fuel {
    /// Gallons, above 0.
    pub amount: Quantity,
    pub kind: FuelKind,
    /// The tank is full afterwards.
    pub full: bool,
}

/// Life-to-date usage before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterMove {
    pub before: Quantity,
    pub after: Quantity,
}

/// The meter at an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub moved: MeterMove,
    /// What it showed before, also if that was not read.
    pub shown: Quantity,
}

/// How an entry changes what a service task counts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskMark {
    /// May refer to a deleted task.
    pub task: Uuid,
    /// Name when the entry was made; empty for the form's task.
    pub name: String,
    pub usage: MarkUsage,
    /// First day of the schedule afterwards.
    pub start: Option<NaiveDate>,
}

/// The usage from which a task's interval counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkUsage {
    /// The usage after the entry, which other entries may change.
    Meter,
    Given(Option<Quantity>),
}

/// The equipment of an entry, with its name and unit when the entry was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub id: Uuid,
    pub name: String,
    pub unit: MeterUnit,
}

impl Subject {
    /// Equipment that is not loaded; `insert` completes it.
    pub const fn unloaded(id: Uuid) -> Self {
        Self {
            id,
            name: String::new(),
            unit: MeterUnit::NotApplicable,
        }
    }
}

/// What an entry states about its equipment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub id: Uuid,
    pub captured_at: DateTime<Utc>,
    pub meter: Option<MeterFact>,
    /// The meter's unit when the entry was made.
    pub unit: MeterUnit,
    /// With its fuel period.
    pub fuel: Option<(Fuel, i32)>,
    /// Task, and the usage and date its interval counts from.
    pub mark: Option<(Uuid, MarkUsage, Option<NaiveDate>)>,
    /// Task (None: the form's) and date of a service.
    pub service: Option<(Option<Uuid>, NaiveDate)>,
    /// Usage before and after as stored.
    pub stored: Option<MeterMove>,
    /// Order in which entries were made; decides among marks.
    pub entered: (i64, DateTime<Utc>),
}

/// What an operator sent, if a manager applied it otherwise. The names are those of the stored JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Correction {
    /// Name of the manager.
    pub by: String,
    /// None: stored by an earlier release.
    pub by_id: Option<Uuid>,
    pub reading: Option<Quantity>,
    pub increase: Option<Quantity>,
    pub unit: Option<MeterUnit>,
    /// 0: none.
    pub fuel: Quantity,
    pub fuel_kind: Option<FuelKind>,
    /// The machine that it was reported for; empty: this one.
    pub reported_equipment_name: String,
    /// The manager set the meter back to the reading.
    pub set_back: bool,
}

/// An entry to add to the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub id: Uuid,
    pub subject: Subject,
    pub kind: EntryKind,
    pub actor: Actor,
    pub captured_at: DateTime<Utc>,
    pub recorded_at: DateTime<Utc>,
    /// Follows from the facts; [`Entry::place`] sets it. None: the entry does not show the usage.
    pub usage: Option<MeterMove>,
    /// Set with `usage` if a meter was replaced.
    pub replacement: Option<Replacement>,
    /// None: it states nothing about the meter.
    pub meter: Option<MeterFact>,
    pub mark: Option<TaskMark>,
    /// Version of the equipment after the entry, which orders entries. 0: it changes nothing.
    pub sequence: i64,
    pub fuel: Option<Fuel>,
    /// US dollars.
    pub cost: Option<Quantity>,
    pub performed_on: Option<NaiveDate>,
    pub content: String,
    /// The operator's update it comes from.
    pub update_id: Option<Uuid>,
    /// The update was applied before and that entry voided.
    pub reapplied: bool,
    pub correction: Option<Correction>,
}

impl Entry {
    pub fn new(subject: Subject, kind: EntryKind, actor: Actor, now: DateTime<Utc>) -> Self {
        Self {
            id: Uuid::now_v7(),
            subject,
            kind,
            actor,
            captured_at: now,
            recorded_at: now,
            usage: None,
            replacement: None,
            meter: None,
            mark: None,
            sequence: 0,
            fuel: None,
            cost: None,
            performed_on: None,
            content: String::new(),
            update_id: None,
            reapplied: false,
            correction: None,
        }
    }

    pub fn fact(&self, fuel_period: i32) -> Fact {
        let mark = self.mark.as_ref();
        let task = mark.map(|mark| mark.task);
        let day = self.performed_on;
        Fact {
            id: self.id,
            captured_at: self.captured_at,
            meter: self.meter,
            unit: self.subject.unit,
            fuel: self.fuel.map(|fuel| (fuel, fuel_period)),
            mark: mark.map(|mark| (mark.task, mark.usage, mark.start)),
            service: day.map(|day| (task, day)),
            stored: self.usage,
            // After all stored ones.
            entered: (i64::MAX, self.recorded_at),
        }
    }

    /// Sets what follows from its place among the facts.
    pub fn place(&mut self, placed: &Placed) {
        if self.meter.is_some() || self.kind == EntryKind::Service {
            self.usage = Some(placed.moved);
        }
        let new_meter = self.meter.and_then(MeterFact::new_meter);
        self.replacement = new_meter.map(|new| new.replacement(placed.shown));
    }
}

/// An entry read from the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEntry {
    pub id: Uuid,
    pub subject: Subject,
    pub kind: EntryKind,
    pub actor_id: Uuid,
    pub actor_name: String,
    pub source: Source,
    pub captured_at: DateTime<Utc>,
    pub recorded_at: DateTime<Utc>,
    pub usage: Option<MeterMove>,
    /// The reported reading.
    pub reading: Option<Quantity>,
    pub fuel: Option<Fuel>,
    /// US dollars.
    pub cost: Option<Quantity>,
    pub performed_on: Option<NaiveDate>,
    pub task_name: Option<String>,
    pub content: String,
    pub replacement: Option<Replacement>,
    /// The fuel period of the capture time; 0 before the first reset.
    pub fuel_period: i32,
    /// The service that the entry corrects.
    pub replaces: Option<Uuid>,
    pub correction: Option<Correction>,
    pub voiding: Option<Voiding>,
}

impl From<Entry> for StoredEntry {
    fn from(entry: Entry) -> Self {
        Self {
            id: entry.id,
            subject: entry.subject,
            kind: entry.kind,
            actor_id: entry.actor.id,
            actor_name: entry.actor.name,
            source: entry.actor.source,
            captured_at: entry.captured_at,
            recorded_at: entry.recorded_at,
            usage: entry.usage,
            reading: entry.meter.and_then(MeterFact::reading),
            fuel: entry.fuel,
            cost: entry.cost,
            performed_on: entry.performed_on,
            task_name: entry.mark.map(|mark| mark.name),
            content: entry.content,
            replacement: entry.replacement,
            fuel_period: 0,
            replaces: None,
            correction: entry.correction,
            voiding: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::meter::MeterChange;

    #[test]
    fn ledger_enums_round_trip_as_text() {
        let notes = [NoteType::Note, NoteType::UsageUpdate, NoteType::Maintenance];
        for note in notes {
            assert_eq!(NoteType::parse(note.as_str()), Some(note));
        }
        for kind in notes.map(EntryKind::Note).into_iter().chain([
            EntryKind::Usage,
            EntryKind::Service,
            EntryKind::Edit,
            EntryKind::Retirement,
            EntryKind::Restoration,
            EntryKind::Meter,
        ]) {
            let read = EntryKind::parse(kind.as_str(), kind.note_type());
            assert_eq!(read, Some(kind));
        }
        for source in [Source::Manager, Source::Operator] {
            assert_eq!(Source::parse(source.as_str()), Some(source));
        }
        for change in [MeterChange::Replaced, MeterChange::RolledOver] {
            assert_eq!(MeterChange::parse(change.as_str()), Some(change));
        }
    }

    #[test]
    fn correction_is_stored_in_hundredths() {
        let correction = Correction {
            by: "Olivia Owner".to_owned(),
            reading: Some(Quantity::from_hundredths(16_050)),
            unit: Some(MeterUnit::Hours),
            fuel: Quantity::from_hundredths(1_250),
            fuel_kind: Some(FuelKind::Gas),
            ..Correction::default()
        };
        let stored = serde_json::json!({
            "by": "Olivia Owner",
            "by_id": null,
            "reading": 16_050,
            "increase": null,
            "unit": "hours",
            "fuel": 1_250,
            "fuel_kind": "gas",
            "reported_equipment_name": "",
            "set_back": false,
        });
        assert_eq!(serde_json::to_value(&correction).unwrap(), stored);
        assert_eq!(
            serde_json::from_value::<Correction>(stored).unwrap(),
            correction
        );
        // Of a release before some of the fields.
        let earlier = serde_json::json!({ "by": "Olivia Owner", "increase": 50, "fuel": 0 });
        let read: Correction = serde_json::from_value(earlier).unwrap();
        assert_eq!(read.increase, Some(Quantity::from_hundredths(50)));
        assert_eq!(read.fuel, Quantity::ZERO);
    }
}

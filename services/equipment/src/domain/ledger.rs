//! Entries of the append-only ledger.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::kinds::{FuelKind, MeterUnit};
use super::meter::Replacement;

/// What an entry tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Usage or fuel.
    Usage,
    /// A service done.
    Service,
    /// A note.
    Note(NoteType),
    /// Somebody changed the equipment's data.
    Edit,
    /// Moved to the archive.
    Retirement,
    /// Brought back from the archive.
    Restoration,
    /// A meter ended and the next began.
    Meter,
}

impl EntryKind {
    /// The stored word.
    pub const fn word(self) -> &'static str {
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

    /// What it is about when it is read as a note.
    pub const fn note_type(self) -> NoteType {
        match self {
            Self::Usage => NoteType::UsageUpdate,
            Self::Service | Self::Meter => NoteType::Maintenance,
            Self::Note(note_type) => note_type,
            Self::Edit | Self::Retirement | Self::Restoration => NoteType::Note,
        }
    }

    /// Reads the two stored words.
    pub fn read(word: &str, note_type: &str) -> Option<Self> {
        let note = Self::Note(NoteType::read(note_type)?);
        [
            Self::Usage,
            Self::Service,
            note,
            Self::Edit,
            Self::Retirement,
            Self::Restoration,
            Self::Meter,
        ]
        .into_iter()
        .find(|kind| kind.word() == word)
    }
}

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteType {
    /// Plain.
    Note,
    /// Came with a usage entry.
    UsageUpdate,
    /// About service.
    Maintenance,
}

impl NoteType {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::UsageUpdate => "usage_update",
            Self::Maintenance => "maintenance",
        }
    }

    /// Reads the stored word.
    pub fn read(word: &str) -> Option<Self> {
        [Self::Note, Self::UsageUpdate, Self::Maintenance]
            .into_iter()
            .find(|kind| kind.word() == word)
    }
}

/// Where an entry came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Entered by an owner or manager.
    Manager,
    /// Submitted by an operator.
    Operator,
}

/// That an entry counts no longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voiding {
    /// Why.
    pub reason: String,
    /// Name of who voided it.
    pub by: String,
    /// When.
    pub at: DateTime<Utc>,
    /// The meter with and without it; none: it had not moved the meter.
    pub usage: Option<MeterMove>,
}

impl Source {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Manager => "manager",
            Self::Operator => "operator",
        }
    }

    /// Reads the stored word.
    pub fn read(word: &str) -> Option<Self> {
        [Self::Manager, Self::Operator]
            .into_iter()
            .find(|source| source.word() == word)
    }
}

/// Who an entry is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The person's id.
    pub id: Uuid,
    /// The person's name at the time.
    pub name: String,
    /// In which part.
    pub source: Source,
}

/// Fuel put in a tank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fuel {
    /// Gallons, above 0.
    pub amount: Quantity,
    /// Which.
    pub kind: FuelKind,
}

/// Life-to-date usage before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterMove {
    /// Before.
    pub before: Quantity,
    /// After.
    pub after: Quantity,
}

/// What an entry does to the meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterEffect {
    /// Adds what lies between before and after.
    Increase,
    /// Sets it, whatever it was before.
    Reading,
    /// Sets it, and another meter shows it from then on.
    Replacement(Replacement),
}

impl MeterEffect {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Increase => "increase",
            Self::Reading => "reading",
            Self::Replacement(_) => "replacement",
        }
    }

    /// Reads the stored word, and what stands beside it.
    pub fn read(word: &str, replacement: Option<Replacement>) -> Option<Self> {
        [Self::Increase, Self::Reading]
            .into_iter()
            .chain(replacement.map(Self::Replacement))
            .find(|effect| effect.word() == word)
    }

    /// The meters it is about.
    pub const fn replacement(self) -> Option<Replacement> {
        match self {
            Self::Replacement(replacement) => Some(replacement),
            Self::Increase | Self::Reading => None,
        }
    }
}

/// What an entry does to the last-done marks of a service task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskMark {
    /// The task; the entry outlives it.
    pub task: Uuid,
    /// Its name at the time; empty for the form's.
    pub name: String,
    /// The meter when it was last done.
    pub usage: MarkUsage,
    /// First day of its schedule afterwards; none: it has no schedule.
    pub start: Option<NaiveDate>,
}

/// From which meter a task's interval counts after an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkUsage {
    /// From the meter after the entry, and with it when an earlier entry is voided.
    Meter,
    /// From this one.
    Given(Option<Quantity>),
}

/// The equipment an entry is about, as it was at the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// What its meter counts.
    pub unit: MeterUnit,
}

impl Subject {
    /// Equipment of which only the id is known yet.
    pub const fn unread(id: Uuid) -> Self {
        Self {
            id,
            name: String::new(),
            unit: MeterUnit::NotApplicable,
        }
    }
}

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: Uuid,
    /// What it is about.
    pub subject: Subject,
    /// What it tells.
    pub kind: EntryKind,
    /// Who.
    pub actor: Actor,
    /// When it happened in the field.
    pub captured_at: DateTime<Utc>,
    /// When it was entered.
    pub recorded_at: DateTime<Utc>,
    /// The meter before and after; none when it was not touched or read.
    pub usage: Option<MeterMove>,
    /// What it does to the meter; none: the meter stays.
    pub effect: Option<MeterEffect>,
    /// What it does to a service task.
    pub mark: Option<TaskMark>,
    /// The version of the equipment that it makes: its place among the entries. 0: it changes
    /// nothing.
    pub sequence: i64,
    /// What the meter showed as it was reported, also when it came too late to move it.
    pub reading: Option<Quantity>,
    /// Fuel.
    pub fuel: Option<Fuel>,
    /// US dollars.
    pub cost: Option<Quantity>,
    /// The day a service was done.
    pub performed_on: Option<NaiveDate>,
    /// Text.
    pub content: String,
    /// The submission it comes from.
    pub update_id: Option<Uuid>,
}

impl Entry {
    /// An entry that happens now and has only a kind yet.
    pub fn new(subject: Subject, kind: EntryKind, actor: Actor, now: DateTime<Utc>) -> Self {
        Self {
            id: Uuid::now_v7(),
            subject,
            kind,
            actor,
            captured_at: now,
            recorded_at: now,
            usage: None,
            effect: None,
            mark: None,
            sequence: 0,
            reading: None,
            fuel: None,
            cost: None,
            performed_on: None,
            content: String::new(),
            update_id: None,
        }
    }
}

/// A line of the ledger for reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its id.
    pub id: Uuid,
    /// What it is about.
    pub subject: Subject,
    /// What it tells.
    pub kind: EntryKind,
    /// Who.
    pub actor_name: String,
    /// In which part.
    pub source: Source,
    /// When it happened in the field.
    pub captured_at: DateTime<Utc>,
    /// When it was entered.
    pub recorded_at: DateTime<Utc>,
    /// The meter before and after.
    pub usage: Option<MeterMove>,
    /// The reading as it was reported.
    pub reading: Option<Quantity>,
    /// Fuel.
    pub fuel: Option<Fuel>,
    /// US dollars.
    pub cost: Option<Quantity>,
    /// The day a service was done.
    pub performed_on: Option<NaiveDate>,
    /// Name of the service task that was done.
    pub task_name: Option<String>,
    /// Text.
    pub content: String,
    /// The meters, when one ended and the next began.
    pub replacement: Option<Replacement>,
    /// Set when it counts no longer.
    pub voiding: Option<Voiding>,
}

impl From<Entry> for Record {
    fn from(entry: Entry) -> Self {
        Self {
            id: entry.id,
            subject: entry.subject,
            kind: entry.kind,
            actor_name: entry.actor.name,
            source: entry.actor.source,
            captured_at: entry.captured_at,
            recorded_at: entry.recorded_at,
            usage: entry.usage,
            reading: entry.reading,
            fuel: entry.fuel,
            cost: entry.cost,
            performed_on: entry.performed_on,
            task_name: entry.mark.map(|mark| mark.name),
            content: entry.content,
            replacement: entry.effect.and_then(MeterEffect::replacement),
            voiding: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::meter::MeterChange;

    #[test]
    fn words_read_back() {
        let notes = [NoteType::Note, NoteType::UsageUpdate, NoteType::Maintenance];
        for note in notes {
            assert_eq!(NoteType::read(note.word()), Some(note));
        }
        for kind in notes.map(EntryKind::Note).into_iter().chain([
            EntryKind::Usage,
            EntryKind::Service,
            EntryKind::Edit,
            EntryKind::Retirement,
            EntryKind::Restoration,
            EntryKind::Meter,
        ]) {
            let read = EntryKind::read(kind.word(), kind.note_type().word());
            assert_eq!(read, Some(kind));
        }
        for source in [Source::Manager, Source::Operator] {
            assert_eq!(Source::read(source.word()), Some(source));
        }
        for change in [MeterChange::Replaced, MeterChange::RolledOver] {
            assert_eq!(MeterChange::read(change.word()), Some(change));
        }
    }

    #[test]
    fn effect_words_read_back() {
        let replacement = Replacement {
            change: MeterChange::Replaced,
            last: Quantity::ZERO,
            first: Quantity::ZERO,
        };
        for effect in [
            MeterEffect::Increase,
            MeterEffect::Reading,
            MeterEffect::Replacement(replacement),
        ] {
            let read = MeterEffect::read(effect.word(), effect.replacement());
            assert_eq!(read, Some(effect));
        }
        assert_eq!(MeterEffect::read("replacement", None), None);
    }
}

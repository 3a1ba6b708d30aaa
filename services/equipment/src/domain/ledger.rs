//! Entries of the append-only ledger.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::kinds::{FuelKind, MeterUnit};

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
        }
    }

    /// What it is about when it is read as a note.
    pub const fn note_type(self) -> NoteType {
        match self {
            Self::Usage => NoteType::UsageUpdate,
            Self::Service => NoteType::Maintenance,
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

impl Source {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Manager => "manager",
            Self::Operator => "operator",
        }
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

/// The meter before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterMove {
    /// Before.
    pub before: Quantity,
    /// After.
    pub after: Quantity,
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
    /// The reading as it was reported, also when it came too late to move the meter.
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
    /// When it was entered.
    pub recorded_at: DateTime<Utc>,
    /// The meter before and after.
    pub usage: Option<MeterMove>,
    /// Fuel.
    pub fuel: Option<Fuel>,
    /// Text.
    pub content: String,
}

impl From<Entry> for Record {
    fn from(entry: Entry) -> Self {
        Self {
            id: entry.id,
            subject: entry.subject,
            kind: entry.kind,
            actor_name: entry.actor.name,
            recorded_at: entry.recorded_at,
            usage: entry.usage,
            fuel: entry.fuel,
            content: entry.content,
        }
    }
}

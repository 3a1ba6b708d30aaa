//! The append-only ledger.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::quantity::Quantity;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::{END_OF_TIME, TimeKey, unknown_word};
use crate::domain::kinds::{FuelKind, MeterUnit};
use crate::domain::ledger::{Entry, EntryKind, Fuel, MeterMove, Record, Subject};

/// Which entries a list shows.
#[derive(Clone, Copy, Debug)]
pub enum Selection {
    /// All of one piece of equipment.
    Of(Uuid),
    /// Those with fuel, of one piece of equipment.
    FuelOf(Uuid),
    /// Those that read as notes, of one piece of equipment.
    NotesOf(Uuid),
    /// All of the company.
    Company,
    /// Those with fuel, of the company.
    CompanyFuel,
}

impl Selection {
    /// Its condition; `$5` is the equipment.
    const fn condition(self) -> &'static str {
        match self {
            Self::Of(_) => "equipment_id = $5",
            Self::FuelOf(_) => "equipment_id = $5 AND fuel > 0",
            Self::NotesOf(_) => {
                "equipment_id = $5 AND kind IN ('note', 'usage', 'service') AND content <> ''"
            }
            Self::Company => "$5::uuid IS NULL",
            Self::CompanyFuel => "$5::uuid IS NULL AND fuel > 0",
        }
    }

    const fn equipment(self) -> Option<Uuid> {
        match self {
            Self::Of(id) | Self::FuelOf(id) | Self::NotesOf(id) => Some(id),
            Self::Company | Self::CompanyFuel => None,
        }
    }
}

#[derive(sqlx::FromRow)]
struct RecordRow {
    id: Uuid,
    equipment_id: Uuid,
    equipment_name: String,
    unit: String,
    kind: String,
    note_type: String,
    actor_name: String,
    recorded_at: DateTime<Utc>,
    usage_before: Option<i64>,
    usage_after: Option<i64>,
    fuel: i64,
    fuel_kind: Option<String>,
    content: String,
}

impl TryFrom<RecordRow> for Record {
    type Error = Failure;

    fn try_from(row: RecordRow) -> Result<Self, Failure> {
        let kind = EntryKind::read(&row.kind, &row.note_type);
        let moved = row.usage_before.zip(row.usage_after);
        let fuel_kind = row.fuel_kind.as_deref().map(|word| {
            let known = FuelKind::read(word);
            known.ok_or_else(|| unknown_word(word))
        });
        Ok(Self {
            id: row.id,
            kind: kind.ok_or_else(|| unknown_word(&row.kind))?,
            subject: Subject {
                id: row.equipment_id,
                name: row.equipment_name,
                unit: MeterUnit::read(&row.unit).ok_or_else(|| unknown_word(&row.unit))?,
            },
            actor_name: row.actor_name,
            recorded_at: row.recorded_at,
            usage: moved.map(|(before, after)| MeterMove {
                before: Quantity::from_hundredths(before),
                after: Quantity::from_hundredths(after),
            }),
            fuel: fuel_kind.transpose()?.map(|kind| Fuel {
                amount: Quantity::from_hundredths(row.fuel),
                kind,
            }),
            content: row.content,
        })
    }
}

/// Entries before a key, newest first.
pub async fn list(
    connection: &mut PgConnection,
    company: Uuid,
    selection: Selection,
    before: Option<TimeKey>,
    limit: Option<i64>,
) -> Result<Vec<Record>, Failure> {
    let (at, id) = before.unwrap_or(END_OF_TIME);
    let sql = format!(
        "SELECT
            id,
            equipment_id,
            equipment_name,
            unit,
            kind,
            note_type,
            actor_name,
            recorded_at,
            usage_before,
            usage_after,
            fuel,
            fuel_kind,
            content
        FROM ledger
        WHERE company_id = $1
          AND (recorded_at, id) < ($2, $3)
          AND {}
        ORDER BY recorded_at DESC, id DESC
        LIMIT $4",
        selection.condition()
    );
    let rows: Vec<RecordRow> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(company)
        .bind(at)
        .bind(id)
        .bind(limit)
        .bind(selection.equipment())
        .fetch_all(connection)
        .await?;
    rows.into_iter().map(Record::try_from).collect()
}

/// Adds an entry.
pub async fn insert(
    connection: &mut PgConnection,
    company: Uuid,
    entry: &Entry,
) -> Result<(), Failure> {
    sqlx::query(
        "INSERT INTO ledger (
            company_id,
            id,
            equipment_id,
            equipment_name,
            unit,
            kind,
            note_type,
            actor_id,
            actor_name,
            source,
            captured_at,
            recorded_at,
            usage_before,
            usage_after,
            reading,
            fuel,
            fuel_kind,
            cost,
            performed_on,
            content,
            update_id
        ) VALUES (
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
            $12, $13, $14, $15, $16, $17, $18, $19, $20, $21
        )",
    )
    .bind(company)
    .bind(entry.id)
    .bind(entry.subject.id)
    .bind(&entry.subject.name)
    .bind(entry.subject.unit.word())
    .bind(entry.kind.word())
    .bind(entry.kind.note_type().word())
    .bind(entry.actor.id)
    .bind(&entry.actor.name)
    .bind(entry.actor.source.word())
    .bind(entry.captured_at)
    .bind(entry.recorded_at)
    .bind(entry.usage.map(|moved| moved.before.hundredths()))
    .bind(entry.usage.map(|moved| moved.after.hundredths()))
    .bind(entry.reading.map(Quantity::hundredths))
    .bind(entry.fuel.map_or(0, |fuel| fuel.amount.hundredths()))
    .bind(entry.fuel.map(|fuel| fuel.kind.word()))
    .bind(entry.cost.map(Quantity::hundredths))
    .bind(entry.performed_on)
    .bind(&entry.content)
    .bind(entry.update_id)
    .execute(connection)
    .await?;
    Ok(())
}

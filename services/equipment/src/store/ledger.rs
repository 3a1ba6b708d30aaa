//! Reads the ledger.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::{TenantRead, TenantTx, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::page::Page;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, FromRow, Row as _};
use uuid::Uuid;

use super::columns::{meter_move, optional_word, replacement, unknown_value, word};
use super::{BEGINNING_OF_TIME, END_OF_TIME, TimeKey};
use crate::domain::kinds::{FuelKind, MeterUnit};
use crate::domain::ledger::{
    Correction, EntryKind, Fuel, NoteType, Source, StoredEntry, Subject, Voiding,
};

#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub equipment: Option<Uuid>,
    pub fuel_only: bool,
    pub notes_only: bool,
    /// Stored kinds. Empty: all.
    pub kinds: Vec<&'static str>,
    /// Sorted by capture instead of entry.
    pub by_capture: bool,
    /// The times from the first to before the second.
    pub times: (Option<DateTime<Utc>>, Option<DateTime<Utc>>),
    /// Who reported, entered, corrected or voided the entry.
    pub person: Option<Uuid>,
}

impl Selection {
    const fn time_column(&self) -> &'static str {
        if self.by_capture {
            "captured_at"
        } else {
            "recorded_at"
        }
    }

    /// The key of an entry in the list.
    pub const fn key(&self, entry: &StoredEntry) -> TimeKey {
        if self.by_capture {
            (entry.captured_at, entry.id)
        } else {
            (entry.recorded_at, entry.id)
        }
    }

    /// `$5` is the equipment, `$6` the kinds, `$7` the person. Each combination is a separate statement, because `$5
    /// IS NULL OR ...` would prevent the use of the index.
    fn condition(&self) -> String {
        let mut parts = vec![
            if self.equipment.is_some() {
                "equipment_id = $5"
            } else {
                "$5::uuid IS NULL"
            },
            if self.kinds.is_empty() {
                "cardinality($6::text[]) = 0"
            } else {
                "kind = ANY($6)"
            },
            if self.person.is_some() {
                "(actor_id = $7
                    OR correction->>'by_id' = $7::text
                    OR EXISTS (
                        SELECT FROM ledger_voids v
                        WHERE v.company_id = $1
                          AND v.entry_id = ledger.id
                          AND v.actor_id = $7
                    ))"
            } else {
                "$7::uuid IS NULL"
            },
        ];
        if self.fuel_only {
            parts.push("fuel > 0");
        }
        if self.notes_only {
            parts.push("kind IN ('note', 'usage', 'service', 'meter') AND content <> ''");
        }
        parts.join(" AND ")
    }
}

/// Columns of the entry `l` and its voiding `v`.
const ENTRY_COLUMNS: &str = "
    l.id,
    l.equipment_id,
    l.equipment_name,
    l.unit,
    l.kind,
    l.note_type,
    l.actor_id,
    l.actor_name,
    l.source,
    l.captured_at,
    l.recorded_at,
    l.usage_before,
    l.usage_after,
    l.reading,
    l.fuel,
    l.fuel_kind,
    l.full_fill,
    l.cost,
    l.performed_on,
    l.task_name,
    l.content,
    l.meter_change,
    l.meter_final,
    l.meter_start,
    l.fuel_period,
    l.replaces,
    l.correction,
    v.reason,
    v.undone,
    v.actor_name AS voided_by,
    v.voided_at,
    v.usage_before AS voided_before,
    v.usage_after AS voided_after,
    v.replaced_by";

impl FromRow<'_, PgRow> for StoredEntry {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let kind = row.try_get("kind")?;
        let note_type = word(row, "note_type", NoteType::parse)?;
        let fuel_kind = optional_word(row, "fuel_kind", FuelKind::parse)?;
        let amount = row.try_get("fuel")?;
        let full = row.try_get("full_fill")?;
        let correction: Option<Json<Correction>> = row.try_get("correction")?;
        Ok(Self {
            id: row.try_get("id")?,
            kind: EntryKind::parse(kind, note_type).ok_or_else(|| unknown_value(kind))?,
            subject: Subject {
                id: row.try_get("equipment_id")?,
                name: row.try_get("equipment_name")?,
                unit: word(row, "unit", MeterUnit::parse)?,
            },
            actor_id: row.try_get("actor_id")?,
            actor_name: row.try_get("actor_name")?,
            source: word(row, "source", Source::parse)?,
            captured_at: row.try_get("captured_at")?,
            recorded_at: row.try_get("recorded_at")?,
            usage: meter_move(row, "usage_before", "usage_after")?,
            reading: row.try_get("reading")?,
            fuel: fuel_kind.map(|kind| Fuel { amount, kind, full }),
            cost: row.try_get("cost")?,
            performed_on: row.try_get("performed_on")?,
            task_name: row.try_get("task_name")?,
            content: row.try_get("content")?,
            replacement: replacement(row)?,
            fuel_period: row.try_get("fuel_period")?,
            replaces: row.try_get("replaces")?,
            correction: correction.map(|stored| stored.0),
            voiding: voiding(row)?,
        })
    }
}

/// All columns are null if the entry is not voided.
fn voiding(row: &PgRow) -> sqlx::Result<Option<Voiding>> {
    let Some(reason) = row.try_get("reason")? else {
        return Ok(None);
    };
    Ok(Some(Voiding {
        reason,
        undone: row.try_get("undone")?,
        by: row.try_get("voided_by")?,
        at: row.try_get("voided_at")?,
        usage: meter_move(row, "voided_before", "voided_after")?,
        replaced_by: row.try_get("replaced_by")?,
    }))
}

/// A page of entries, newest first in the order of the selection, voided ones included.
pub async fn list(
    reads: &mut TenantRead,
    selection: &Selection,
    page: &mut Page<TimeKey>,
) -> Result<Vec<StoredEntry>, ServiceError> {
    let (at, id) = page.after.unwrap_or(END_OF_TIME);
    let (from, until) = selection.times;
    let (time, condition) = (selection.time_column(), selection.condition());
    // The inner limit avoids reading all voidings for one page.
    let sql = scoped(&format!(
        "SELECT {ENTRY_COLUMNS}
        FROM (
            SELECT *
            FROM ledger
            WHERE company_id = $1
              AND ({time}, id) < ($2, $3)
              AND {time} >= $8
              AND {time} < $9
              AND {condition}
            ORDER BY {time} DESC, id DESC
            LIMIT $4
        ) l
        LEFT JOIN LATERAL (
            SELECT *
            FROM ledger_voids
            WHERE company_id = $1
              AND entry_id = l.id
            LIMIT 1
        ) v ON true
        ORDER BY l.{time} DESC, l.id DESC"
    ));
    let rows = sqlx::query_as(AssertSqlSafe(sql))
        .bind(reads.tenant().company_id())
        .bind(at)
        .bind(id)
        .bind(page.sql_limit())
        .bind(selection.equipment)
        .bind(&selection.kinds)
        .bind(selection.person)
        .bind(from.unwrap_or(BEGINNING_OF_TIME))
        .bind(until.unwrap_or(END_OF_TIME.0))
        .fetch(&mut **reads);
    let size = |entry: &StoredEntry| entry.content.len();
    Ok(page.gather(rows, size).await?)
}

pub async fn find(
    tx: &mut TenantTx,
    equipment: Uuid,
    entry: Uuid,
) -> Result<Option<StoredEntry>, ServiceError> {
    let sql = format!(
        "SELECT {ENTRY_COLUMNS}
        FROM ledger l
        LEFT JOIN ledger_voids v
          ON v.company_id = $1 AND v.entry_id = l.id
        WHERE l.company_id = $1
          AND l.id = $2
          AND l.equipment_id = $3"
    );
    Ok(tx
        .query_as(AssertSqlSafe(sql))
        .bind(entry)
        .bind(equipment)
        .fetch_optional(&mut **tx)
        .await?)
}

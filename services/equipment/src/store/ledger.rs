//! Reads the ledger.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::db::scoped;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::page::Page;
use hourmeter_runtime::quantity::Quantity;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::{BEGINNING_OF_TIME, END_OF_TIME, TimeKey, replacement, unknown_value};
use crate::domain::kinds::{FuelKind, MeterUnit};
use crate::domain::ledger::{
    Correction, EntryKind, Fuel, MeterMove, Source, StoredEntry, Subject, Voiding,
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

#[derive(sqlx_macros::FromRow)]
struct StoredEntryRow {
    id: Uuid,
    equipment_id: Uuid,
    equipment_name: String,
    unit: String,
    kind: String,
    note_type: String,
    actor_id: Uuid,
    actor_name: String,
    source: String,
    captured_at: DateTime<Utc>,
    recorded_at: DateTime<Utc>,
    usage_before: Option<i64>,
    usage_after: Option<i64>,
    reading: Option<i64>,
    fuel: i64,
    fuel_kind: Option<String>,
    full_fill: bool,
    cost: Option<i64>,
    performed_on: Option<NaiveDate>,
    task_name: Option<String>,
    content: String,
    meter_change: Option<String>,
    meter_final: Option<i64>,
    meter_start: Option<i64>,
    fuel_period: i32,
    replaces: Option<Uuid>,
    correction: Option<Json<Correction>>,
    #[sqlx(flatten)]
    voiding: VoidingRow,
}

/// All null if the entry is not voided.
#[derive(sqlx_macros::FromRow)]
struct VoidingRow {
    reason: Option<String>,
    undone: Option<bool>,
    voided_by: Option<String>,
    voided_at: Option<DateTime<Utc>>,
    voided_before: Option<i64>,
    voided_after: Option<i64>,
    replaced_by: Option<Uuid>,
}

impl VoidingRow {
    fn voiding(self) -> Option<Voiding> {
        Some(Voiding {
            reason: self.reason?,
            undone: self.undone?,
            by: self.voided_by?,
            at: self.voided_at?,
            usage: moved(self.voided_before, self.voided_after),
            replaced_by: self.replaced_by,
        })
    }
}

fn moved(before: Option<i64>, after: Option<i64>) -> Option<MeterMove> {
    before.zip(after).map(|(before, after)| MeterMove {
        before: Quantity::from_hundredths(before),
        after: Quantity::from_hundredths(after),
    })
}

impl TryFrom<StoredEntryRow> for StoredEntry {
    type Error = ServiceError;

    fn try_from(row: StoredEntryRow) -> Result<Self, ServiceError> {
        let kind = EntryKind::parse(&row.kind, &row.note_type);
        let fuel_kind = row.fuel_kind.as_deref().map(|text| {
            let parsed = FuelKind::parse(text);
            parsed.ok_or_else(|| unknown_value(text))
        });
        Ok(Self {
            id: row.id,
            kind: kind.ok_or_else(|| unknown_value(&row.kind))?,
            subject: Subject {
                id: row.equipment_id,
                name: row.equipment_name,
                unit: MeterUnit::parse(&row.unit).ok_or_else(|| unknown_value(&row.unit))?,
            },
            actor_id: row.actor_id,
            actor_name: row.actor_name,
            source: Source::parse(&row.source).ok_or_else(|| unknown_value(&row.source))?,
            captured_at: row.captured_at,
            recorded_at: row.recorded_at,
            usage: moved(row.usage_before, row.usage_after),
            reading: row.reading.map(Quantity::from_hundredths),
            fuel: fuel_kind.transpose()?.map(|kind| Fuel {
                amount: Quantity::from_hundredths(row.fuel),
                kind,
                full: row.full_fill,
            }),
            cost: row.cost.map(Quantity::from_hundredths),
            performed_on: row.performed_on,
            task_name: row.task_name,
            content: row.content,
            replacement: replacement(
                row.meter_change.as_deref(),
                row.meter_final,
                row.meter_start,
            )?,
            fuel_period: row.fuel_period,
            replaces: row.replaces,
            correction: row.correction.map(|row| row.0),
            voiding: row.voiding.voiding(),
        })
    }
}

/// A page of entries, newest first in the order of the selection, voided ones included.
pub async fn list(
    connection: &mut PgConnection,
    tenant: Tenant,
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
        .bind(tenant.company_id())
        .bind(at)
        .bind(id)
        .bind(page.sql_limit())
        .bind(selection.equipment)
        .bind(&selection.kinds)
        .bind(selection.person)
        .bind(from.unwrap_or(BEGINNING_OF_TIME))
        .bind(until.unwrap_or(END_OF_TIME.0))
        .fetch(connection);
    let rows = page
        .gather(rows, |row: &StoredEntryRow| row.content.len())
        .await?;
    rows.into_iter().map(StoredEntry::try_from).collect()
}

pub async fn find(
    connection: &mut PgConnection,
    tenant: Tenant,
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
    let row: Option<StoredEntryRow> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(entry)
        .bind(equipment)
        .fetch_optional(connection)
        .await?;
    row.map(StoredEntry::try_from).transpose()
}

//! Adds entries to the ledger.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::postgres::{PgArguments, Postgres};
use sqlx::query::QueryAs;
use sqlx::{AssertSqlSafe, PgConnection};

use super::meter::Posting;
use super::typical_usage::{self, RECENT, TypicalUsageRow};
use super::unknown_value;
use crate::domain::kinds::MeterUnit;
use crate::domain::ledger::{Entry, EntryKind, MarkUsage, MeterEffect};
use crate::domain::meter::MeterState;
use crate::domain::typical_usage::TypicalUsage;

/// Inserts an entry with the parameters of [`bind_entry`]. Name, unit, fuel period and version come
/// from the row `e` of the following `FROM`.
const INSERT: &str = "
    INSERT INTO ledger (
        company_id,
        equipment_id,
        id,
        equipment_name,
        unit,
        fuel_period,
        sequence,
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
        update_id,
        meter_effect,
        task_id,
        task_name,
        mark,
        mark_usage,
        mark_date,
        meter_change,
        meter_final,
        meter_start
    )
    SELECT
        $1, $2, $3, e.name, e.unit, e.fuel_period, coalesce($4, e.version), $5, $6, $7, $8, $9, $10,
        $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29";

/// Inserts an entry without changing its equipment. The share lock waits for concurrent changes, so
/// that deleted or retired equipment is not found.
static INSERT_ONLY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{INSERT}
        FROM equipment e
        WHERE e.company_id = $1
          AND e.id = $2
          AND (e.retired_at IS NULL) = $30
        FOR SHARE OF e
        RETURNING equipment_name, unit"
    )
});

/// Updates meter and totals, inserts the entry, and reads the entries before it.
static POST: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH posted AS (
            UPDATE equipment e
            SET current_usage = e.current_usage + $30,
                meter_offset = e.meter_offset + $31,
                meter_read_at = greatest(e.meter_read_at, $32),
                total_gas = e.total_gas + $33,
                total_diesel = e.total_diesel + $34,
                updated_at = $35,
                version = e.version + 1
            WHERE e.company_id = $1
              AND e.id = $2
              AND ($36::bigint IS NULL OR e.version = $36)
            RETURNING
                e.id,
                e.name,
                e.unit,
                e.fuel_period,
                e.version,
                e.current_usage,
                e.meter_offset,
                e.meter_read_at,
                e.total_gas,
                e.total_diesel,
                e.usual_daily_use,
                e.usual_fill
        ), entry AS ({INSERT} FROM posted e)
        SELECT
            e.version,
            e.current_usage,
            e.meter_offset,
            e.meter_read_at,
            e.total_gas,
            e.total_diesel,
            e.usual_daily_use,
            e.usual_fill,
            moves.captured_at,
            moves.used,
            fills.fuel
        FROM posted e
        {RECENT}"
    )
});

#[derive(sqlx_macros::FromRow)]
struct PostedRow {
    version: i64,
    current_usage: i64,
    meter_offset: i64,
    meter_read_at: Option<DateTime<Utc>>,
    total_gas: i64,
    total_diesel: i64,
    #[sqlx(flatten)]
    typical: TypicalUsageRow,
}

/// State of equipment after an entry was posted.
#[derive(Clone, Copy, Debug)]
pub struct Posted {
    pub meter: MeterState,
    /// None: never read.
    pub read_at: Option<DateTime<Utc>>,
    /// Since the last fuel reset.
    pub total_gas: Quantity,
    /// Since the last fuel reset.
    pub total_diesel: Quantity,
    pub typical: TypicalUsage,
}

/// Posts an entry: updates its equipment, adds it to the ledger, and returns the new state. Returns
/// None and changes nothing if the equipment's version is not `expected`. Without `expected` the
/// caller must hold the row lock.
pub async fn post_if_version(
    connection: &mut PgConnection,
    tenant: Tenant,
    entry: &mut Entry,
    expected: Option<i64>,
    now: DateTime<Utc>,
) -> Result<Option<Posted>, ServiceError> {
    let posting = Posting::of(entry);
    // An edit may change the unit, and so which entries count.
    let edit = entry.kind == EntryKind::Edit;
    let (changes_use, changes_fill) =
        (edit || entry.effect.is_some(), edit || entry.fuel.is_some());
    let query = bind_entry(POST.as_str(), tenant, entry, None)
        .bind(posting.change.hundredths())
        .bind(posting.offset.hundredths())
        .bind(posting.read_at)
        .bind(posting.gas.hundredths())
        .bind(posting.diesel.hundredths())
        .bind(now)
        .bind(expected)
        .bind(changes_use)
        .bind(changes_fill);
    let posted: Option<PostedRow> = query.fetch_optional(&mut *connection).await?;
    let Some(row) = posted else {
        return Ok(None);
    };
    entry.sequence = row.version;
    let stored = row.typical.stored();
    let mut recent = row.typical.recent();
    recent.add(entry);
    let computed = recent.medians();
    let typical = TypicalUsage {
        daily_use: if changes_use {
            computed.daily_use
        } else {
            stored.daily_use
        },
        fill: if changes_fill {
            computed.fill
        } else {
            stored.fill
        },
    };
    if typical != stored {
        typical_usage::store(connection, tenant, entry.subject.id, typical).await?;
    }
    Ok(Some(Posted {
        meter: MeterState {
            usage: Quantity::from_hundredths(row.current_usage),
            offset: Quantity::from_hundredths(row.meter_offset),
        },
        read_at: row.meter_read_at,
        total_gas: Quantity::from_hundredths(row.total_gas),
        total_diesel: Quantity::from_hundredths(row.total_diesel),
        typical,
    }))
}

/// Posts an entry under the row lock of its equipment.
pub async fn post(
    connection: &mut PgConnection,
    tenant: Tenant,
    entry: &mut Entry,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let posted = post_if_version(connection, tenant, entry, None, now).await?;
    posted.ok_or_else(|| ServiceError::internal("locked equipment row disappeared"))?;
    Ok(())
}

/// Adds an entry that changes nothing, and sets name and unit of its subject. Returns false if the
/// equipment does not exist: active, or retired for the entry of a retirement.
pub async fn insert(
    connection: &mut PgConnection,
    tenant: Tenant,
    entry: &mut Entry,
) -> Result<bool, ServiceError> {
    let active = entry.kind != EntryKind::Retirement;
    let query = bind_entry(INSERT_ONLY.as_str(), tenant, entry, Some(entry.sequence));
    let found: Option<(String, String)> = query.bind(active).fetch_optional(connection).await?;
    let Some((name, unit)) = found else {
        return Ok(false);
    };
    entry.subject.name = name;
    entry.subject.unit = MeterUnit::parse(&unit).ok_or_else(|| unknown_value(&unit))?;
    Ok(true)
}

type Query<'q, O> = QueryAs<'q, Postgres, O, PgArguments>;

/// Binds the parameters of [`INSERT`].
fn bind_entry<'q, O>(
    sql: &'static str,
    tenant: Tenant,
    entry: &'q Entry,
    sequence: Option<i64>,
) -> Query<'q, O>
where
    O: for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow>,
{
    let mark = entry.mark.as_ref();
    let (mark_word, mark_usage) = mark.map(|mark| mark_columns(mark.usage)).unzip();
    let ended = entry.effect.and_then(MeterEffect::replacement);
    sqlx::query_as(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(entry.subject.id)
        .bind(entry.id)
        .bind(sequence)
        .bind(entry.kind.as_str())
        .bind(entry.kind.note_type().as_str())
        .bind(entry.actor.id)
        .bind(entry.actor.name.as_str())
        .bind(entry.actor.source.as_str())
        .bind(entry.captured_at)
        .bind(entry.recorded_at)
        .bind(entry.usage.map(|moved| moved.before.hundredths()))
        .bind(entry.usage.map(|moved| moved.after.hundredths()))
        .bind(entry.reading.map(Quantity::hundredths))
        .bind(entry.fuel.map_or(0, |fuel| fuel.amount.hundredths()))
        .bind(entry.fuel.map(|fuel| fuel.kind.as_str()))
        .bind(entry.cost.map(Quantity::hundredths))
        .bind(entry.performed_on)
        .bind(entry.content.as_str())
        .bind(entry.update_id)
        .bind(entry.effect.map(MeterEffect::as_str))
        .bind(mark.map(|mark| mark.task))
        .bind(mark.map(|mark| mark.name.as_str()))
        .bind(mark_word)
        .bind(mark_usage.flatten())
        .bind(mark.and_then(|mark| mark.start))
        .bind(ended.map(|ended| ended.change.as_str()))
        .bind(ended.map(|ended| ended.last.hundredths()))
        .bind(ended.map(|ended| ended.first.hundredths()))
}

fn mark_columns(usage: MarkUsage) -> (&'static str, Option<i64>) {
    match usage {
        MarkUsage::Meter => ("meter", None),
        MarkUsage::Given(usage) => ("given", usage.map(Quantity::hundredths)),
    }
}

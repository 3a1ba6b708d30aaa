//! Adds entries to the ledger.

use std::cmp::Reverse;
use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::postgres::{PgArguments, PgRow, Postgres};
use sqlx::query::Query;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, Row as _};
use uuid::Uuid;

use super::columns::{triple_columns, word};
use crate::domain::kinds::{FuelKind, MeterUnit};
use crate::domain::ledger::{Entry, EntryKind, MarkUsage};
use crate::domain::meter::MeterFact;
use crate::domain::typical_usage::{DailyUse, MAX_VALUES, usual_fill};

/// The fuel period of the capture time.
const PERIOD: &str = "
    period AS (
        SELECT coalesce(max(period), 0) AS captured_in
        FROM fuel_periods
        WHERE company_id = $1
          AND began_at <= $10
    )";

/// Inserts an entry with the parameters of [`bind_entry`]. Name, unit and version come from the row
/// `e` of the following `FROM`, the fuel period from the row of [`PERIOD`].
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
        meter_start,
        increase,
        final_given,
        new_unit,
        reapplies,
        full_fill,
        correction
    )
    SELECT
        $1, $2, $3, e.name, e.unit, period.captured_in, coalesce($4, e.version), $5, $6, $7, $8, $9,
        $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28,
        $29, $30, $31, $32, $33, $34, $35";

/// Inserts an entry without changing its equipment. The share lock waits for concurrent changes, so
/// that deleted or retired equipment is not found.
static INSERT_ONLY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH {PERIOD}
        {INSERT}
        FROM equipment e, period
        WHERE e.company_id = $1
          AND e.id = $2
          AND (e.retired_at IS NULL) = $36
        FOR SHARE OF e
        RETURNING equipment_name, unit"
    )
});

/// Updates meter and totals, inserts the entry, and reads the fills before it if it has fuel. Voided
/// ones are looked up once, as an array.
static POST: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH {PERIOD}, posted AS (
            UPDATE equipment e
            SET current_usage = e.current_usage + $36,
                meter_read_at = greatest(e.meter_read_at, $37),
                last_fact_at = greatest(e.last_fact_at, $38),
                total_gas = e.total_gas
                    + CASE WHEN e.fuel_period = period.captured_in THEN $39 ELSE 0 END,
                total_diesel = e.total_diesel
                    + CASE WHEN e.fuel_period = period.captured_in THEN $40 ELSE 0 END,
                updated_at = $41,
                use_low = $44,
                use_usual = $47,
                usual_daily_use = $47,
                use_high = $48,
                use_days = $45,
                use_sums = $46,
                version = e.version + 1
            FROM period
            WHERE e.company_id = $1
              AND e.id = $2
              AND ($42::bigint IS NULL OR e.version = $42)
            RETURNING
                e.id,
                e.name,
                e.unit,
                e.version,
                e.current_usage,
                e.meter_read_at,
                e.total_gas,
                e.total_diesel,
                e.usual_fill
        ), entry AS ({INSERT} FROM posted e, period RETURNING 1)
        SELECT
            e.version,
            e.current_usage,
            e.meter_read_at,
            e.total_gas,
            e.total_diesel,
            e.usual_fill,
            fills.filled_at,
            fills.fuel
        FROM posted e
        LEFT JOIN LATERAL (
            SELECT
                array_agg(captured_at) AS filled_at,
                array_agg(fuel) AS fuel
            FROM (
                SELECT
                    captured_at,
                    fuel
                FROM ledger
                WHERE company_id = $1
                  AND equipment_id = $2
                  AND fuel > 0
                  AND id <> $3
                  AND $43
                  AND id <> ALL (ARRAY(
                      SELECT entry_id
                      FROM ledger_voids
                      WHERE company_id = $1
                        AND equipment_id = $2
                  ))
                ORDER BY captured_at DESC, id DESC
                LIMIT {MAX_VALUES}
            ) last_fills
        ) fills ON true"
    )
});

/// State of equipment after an entry was posted.
#[derive(Clone, Debug)]
pub struct Posted {
    /// Life-to-date.
    pub usage: Quantity,
    /// None: never read.
    pub read_at: Option<DateTime<Utc>>,
    /// Since the last fuel reset.
    pub total_gas: Quantity,
    /// Since the last fuel reset.
    pub total_diesel: Quantity,
    pub daily_use: DailyUse,
    pub usual_fill: Option<Quantity>,
}

/// Posts an entry that is later than all facts about the meter, or states nothing about it: updates
/// its equipment, whose daily use before is `used`, adds it to the ledger, and returns the new state.
/// The days of `used` must be in the company's time zone if it is about the meter. Returns None and changes nothing
/// if the equipment's version is not `expected`. Without `expected` the caller must hold the row
/// lock.
pub async fn post_if_version(
    tx: &mut TenantTx,
    entry: &mut Entry,
    used: &DailyUse,
    expected: Option<i64>,
    now: DateTime<Utc>,
) -> Result<Option<Posted>, ServiceError> {
    let rise = entry.usage.map(|moved| moved.after.minus(moved.before));
    let read = entry.meter.filter(|fact| fact.increase().is_none());
    let of_kind = |kind| {
        let fuel = entry.fuel.filter(|fuel| fuel.kind == kind);
        fuel.map(|fuel| fuel.amount).unwrap_or_default()
    };
    let used = match rise {
        Some(rise) => used.with(entry.captured_at, rise),
        None => used.clone(),
    };
    let [low, usual, high] = triple_columns(used.rates);
    let query = bind_entry(POST.as_str(), tx.tenant(), entry, None)
        .bind(rise.unwrap_or_default())
        .bind(read.map(|_| entry.captured_at))
        .bind(entry.meter.map(|_| entry.captured_at))
        .bind(of_kind(FuelKind::Gas))
        .bind(of_kind(FuelKind::Diesel))
        .bind(now)
        .bind(expected)
        .bind(entry.fuel.is_some())
        .bind(low)
        .bind(&used.days)
        .bind(&used.sums)
        .bind(usual)
        .bind(high);
    let Some(row) = query.fetch_optional(&mut **tx).await? else {
        return Ok(None);
    };
    entry.sequence = row.try_get("version")?;
    let mut posted = Posted {
        usage: row.try_get("current_usage")?,
        read_at: row.try_get("meter_read_at")?,
        total_gas: row.try_get("total_gas")?,
        total_diesel: row.try_get("total_diesel")?,
        daily_use: used,
        usual_fill: row.try_get("usual_fill")?,
    };
    if let Some(fuel) = entry.fuel {
        let usual_fill = usual_fill_with(&row, entry.captured_at, fuel.amount)?;
        if usual_fill != posted.usual_fill {
            store_usual_fill(tx, entry.subject.id, usual_fill).await?;
            posted.usual_fill = usual_fill;
        }
    }
    Ok(Some(posted))
}

/// The usual fill with a new fill, which is not among those of the row.
fn usual_fill_with(
    row: &PgRow,
    at: DateTime<Utc>,
    amount: Quantity,
) -> sqlx::Result<Option<Quantity>> {
    let filled_at: Option<Vec<DateTime<Utc>>> = row.try_get("filled_at")?;
    let fuel: Option<Vec<Quantity>> = row.try_get("fuel")?;
    let fuel = fuel.into_iter().flatten();
    let fills = filled_at.into_iter().flatten().zip(fuel);
    let mut fills: Vec<_> = fills.chain([(at, amount)]).collect();
    fills.sort_by_key(|(at, _)| Reverse(*at));
    Ok(usual_fill(fills.into_iter().map(|(_, amount)| amount)))
}

async fn store_usual_fill(
    tx: &mut TenantTx,
    id: Uuid,
    usual_fill: Option<Quantity>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE equipment
            SET usual_fill = $3
            WHERE company_id = $1
              AND id = $2",
        )
        .bind(id)
        .bind(usual_fill);
    tx.run(statement).await
}

/// Posts such an entry under the row lock of its equipment.
pub async fn post(
    tx: &mut TenantTx,
    entry: &mut Entry,
    used: &DailyUse,
    now: DateTime<Utc>,
) -> Result<Posted, ServiceError> {
    let posted = post_if_version(tx, entry, used, None, now).await?;
    posted.ok_or_else(disappeared)
}

/// Adds an entry without changing its equipment, and sets name and unit of its subject. Its sequence
/// (None: the version of the equipment) is informative. Returns false if the equipment does not
/// exist: active, or retired for the entry of a retirement.
pub async fn insert(
    tx: &mut TenantTx,
    entry: &mut Entry,
    sequence: Option<i64>,
) -> Result<bool, ServiceError> {
    let active = entry.kind != EntryKind::Retirement;
    let query = bind_entry(INSERT_ONLY.as_str(), tx.tenant(), entry, sequence);
    let Some(row) = query.bind(active).fetch_optional(&mut **tx).await? else {
        return Ok(false);
    };
    entry.subject.name = row.try_get("equipment_name")?;
    entry.subject.unit = word(&row, "unit", MeterUnit::parse)?;
    Ok(true)
}

/// Does [`insert`] for equipment that is locked and therefore exists.
pub async fn insert_locked(
    tx: &mut TenantTx,
    entry: &mut Entry,
    sequence: Option<i64>,
) -> Result<(), ServiceError> {
    if insert(tx, entry, sequence).await? {
        Ok(())
    } else {
        Err(disappeared())
    }
}

fn disappeared() -> ServiceError {
    ServiceError::internal("locked equipment row disappeared")
}

/// Binds the parameters of [`INSERT`].
fn bind_entry<'q>(
    sql: &'static str,
    tenant: Tenant,
    entry: &'q Entry,
    sequence: Option<i64>,
) -> Query<'q, Postgres, PgArguments> {
    let mark = entry.mark.as_ref();
    let (mark_word, mark_usage) = mark.map(|mark| mark_columns(mark.usage)).unzip();
    let ended = entry.replacement;
    let reading = entry.meter.and_then(MeterFact::reading);
    let increase = entry.meter.and_then(MeterFact::increase);
    let new_meter = entry.meter.and_then(MeterFact::new_meter);
    let new_unit = matches!(entry.meter, Some(MeterFact::NewUnit(_)));
    sqlx::query(AssertSqlSafe(sql))
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
        .bind(entry.usage.map(|moved| moved.before))
        .bind(entry.usage.map(|moved| moved.after))
        .bind(reading)
        .bind(entry.fuel.map(|fuel| fuel.amount).unwrap_or_default())
        .bind(entry.fuel.map(|fuel| fuel.kind.as_str()))
        .bind(entry.cost)
        .bind(entry.performed_on)
        .bind(entry.content.as_str())
        .bind(entry.update_id.filter(|_| !entry.reapplied))
        .bind(entry.meter.map(MeterFact::as_str))
        .bind(mark.map(|mark| mark.task))
        .bind(mark.map(|mark| mark.name.as_str()))
        .bind(mark_word)
        .bind(mark_usage.flatten())
        .bind(mark.and_then(|mark| mark.start))
        .bind(ended.map(|ended| ended.change.as_str()))
        .bind(ended.map(|ended| ended.last))
        .bind(ended.map(|ended| ended.first))
        .bind(increase)
        .bind(new_meter.map(|new| new.last.is_some()))
        .bind(new_unit.then_some(true))
        .bind(entry.update_id.filter(|_| entry.reapplied))
        .bind(entry.fuel.is_some_and(|fuel| fuel.full))
        .bind(entry.correction.as_ref().map(Json))
}

pub fn mark_columns(usage: MarkUsage) -> (&'static str, Option<Quantity>) {
    match usage {
        MarkUsage::Meter => ("meter", None),
        MarkUsage::Given(usage) => ("given", usage),
    }
}

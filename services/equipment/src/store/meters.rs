//! The meter list, the meters that a machine has had, and the change marker.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, FromRow, Row as _};
use uuid::Uuid;

use super::NOT_VOIDED;
use super::columns::{replacement, unknown_value, word};
use super::list::SEVERITY;
use crate::domain::kinds::{EquipmentFuel, EquipmentType, MeterUnit, OperationalStatus};
use crate::domain::meter::{MeterEnd, MeterHistory, MeterState};
use crate::domain::status::ServiceStatus;

/// Sort key and id.
pub type NameKey = (String, Uuid);

/// What an operator needs to report usage of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterListItem {
    pub id: Uuid,
    pub name: String,
    pub kind: EquipmentType,
    /// VIN, serial or model number.
    pub serial_number: Option<String>,
    pub unit_number: Option<String>,
    pub unit: MeterUnit,
    pub fuel: EquipmentFuel,
    pub state: MeterState,
    /// None: never read.
    pub read_at: Option<DateTime<Utc>>,
    pub usual_daily_use: Option<Quantity>,
    pub usual_fill: Option<Quantity>,
    pub status: ServiceStatus,
    pub operational_status: OperationalStatus,
    pub sort_key: String,
}

impl FromRow<'_, PgRow> for MeterListItem {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let severity: i32 = row.try_get("severity")?;
        let status = ServiceStatus::ALL
            .into_iter()
            .find(|status| status.severity() == severity);
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            kind: word(row, "kind", EquipmentType::parse)?,
            serial_number: row.try_get("serial_number")?,
            unit_number: row.try_get("unit_number")?,
            unit: word(row, "unit", MeterUnit::parse)?,
            fuel: word(row, "fuel", EquipmentFuel::parse)?,
            state: MeterState::from_row(row)?,
            read_at: row.try_get("meter_read_at")?,
            usual_daily_use: row.try_get("use_usual")?,
            usual_fill: row.try_get("usual_fill")?,
            status: status.ok_or_else(|| unknown_value(&severity.to_string()))?,
            operational_status: word(row, "operational_status", OperationalStatus::parse)?,
            sort_key: row.try_get("sort_key")?,
        })
    }
}

/// Active equipment by name, with its status today.
pub async fn list(
    tx: &mut TenantTx,
    today: NaiveDate,
    after: Option<NameKey>,
    limit: i64,
) -> Result<Vec<MeterListItem>, ServiceError> {
    // The empty name sorts before all names. A constant, so that the index is used.
    let (name, id) = after.unwrap_or_default();
    let sql = format!(
        "SELECT
            e.id,
            e.name,
            e.kind,
            e.serial_number,
            e.unit_number,
            e.unit,
            e.fuel,
            e.current_usage,
            e.meter_offset,
            e.meter_read_at,
            e.use_usual,
            e.usual_fill,
            {} AS severity,
            e.operational_status,
            e.sort_key
        FROM equipment e
        WHERE e.company_id = $1
          AND e.retired_at IS NULL
          AND (e.sort_key COLLATE natural_order, e.id) > ($3, $4)
        ORDER BY e.sort_key COLLATE natural_order, e.id
        LIMIT $5",
        *SEVERITY
    );
    Ok(tx
        .query_as(AssertSqlSafe(sql))
        .bind(today)
        .bind(name)
        .bind(id)
        .bind(limit)
        .fetch_all(&mut **tx)
        .await?)
}

/// A meter that ended. None: the row has no replacement.
fn meter_end(row: &PgRow) -> sqlx::Result<Option<MeterEnd>> {
    let Some(replacement) = replacement(row)? else {
        return Ok(None);
    };
    Ok(Some(MeterEnd {
        replacement,
        at: row.try_get("captured_at")?,
        by: row.try_get("ended_by")?,
    }))
}

/// Includes retired equipment. One statement, so that the result is consistent.
pub async fn history(tx: &mut TenantTx, id: Uuid) -> Result<Option<MeterHistory>, ServiceError> {
    let sql = format!(
        "SELECT
            coalesce(e.unit_since, e.added_at) AS started_at,
            coalesce(u.usage_after, e.initial_usage) AS start_usage,
            CASE
                WHEN u.id IS NULL THEN e.initial_offset
                ELSE coalesce(u.usage_after - u.reading, 0)
            END AS start_offset,
            e.current_usage,
            e.meter_offset,
            l.meter_change,
            l.meter_final,
            l.meter_start,
            l.captured_at,
            coalesce(l.correction ->> 'by', l.actor_name) AS ended_by
        FROM equipment e
        LEFT JOIN ledger u
          ON u.company_id = $1
          AND u.equipment_id = $2
          AND u.meter_effect = 'reading'
          AND u.new_unit
          AND u.captured_at = e.unit_since
        LEFT JOIN ledger l
          ON l.company_id = $1
          AND l.equipment_id = $2
          AND l.meter_effect = 'replacement'
          AND (e.unit_since IS NULL OR l.captured_at > e.unit_since)
          AND {NOT_VOIDED}
        WHERE e.company_id = $1
          AND e.id = $2
        ORDER BY coalesce(l.fact_at, l.captured_at), l.id"
    );
    let rows = tx
        .query(AssertSqlSafe(sql))
        .bind(id)
        .fetch_all(&mut **tx)
        .await?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    Ok(Some(MeterHistory {
        started_at: first.try_get("started_at")?,
        start: MeterState {
            usage: first.try_get("start_usage")?,
            offset: first.try_get("start_offset")?,
        },
        current: MeterState::from_row(first)?,
        ends: rows
            .iter()
            .filter_map(|row| meter_end(row).transpose())
            .collect::<Result<_, _>>()?,
    }))
}

/// The first known reading in the current unit: life-to-date usage, and when it was captured. None: the
/// meter was never read.
pub async fn first_reading(
    tx: &mut TenantTx,
    id: Uuid,
) -> Result<Option<(Quantity, DateTime<Utc>)>, ServiceError> {
    let sql = format!(
        "SELECT
            r.usage,
            r.at
        FROM (
            SELECT
                e.initial_usage AS usage,
                e.added_at AS at
            FROM equipment e
            WHERE e.company_id = $1
              AND e.id = $2
              AND e.unit_since IS NULL
              AND coalesce(e.initial_read, e.initial_usage > 0)
            UNION ALL
            SELECT
                l.usage_after,
                coalesce(l.fact_at, l.captured_at)
            FROM ledger l
            JOIN equipment e
              ON e.company_id = $1
              AND e.id = $2
            WHERE l.company_id = $1
              AND l.equipment_id = $2
              AND l.meter_effect IN ('reading', 'replacement')
              AND (e.unit_since IS NULL OR l.captured_at >= e.unit_since)
              AND {NOT_VOIDED}
        ) r
        WHERE r.usage IS NOT NULL
        ORDER BY r.at
        LIMIT 1"
    );
    Ok(tx
        .query_as(AssertSqlSafe(sql))
        .bind(id)
        .fetch_optional(&mut **tx)
        .await?)
}

/// A text that changes whenever active equipment is added, changed or removed, or fuel is reset.
/// Every change raises a version, so a sum over ids and versions is enough; the index
/// `equipment_versions` covers it.
pub async fn marker(tx: &mut TenantTx) -> Result<String, ServiceError> {
    Ok(tx
        .query_scalar(
            "SELECT concat_ws(
                '.',
                count(*),
                coalesce(sum(uuid_hash_extended(e.id, e.version)), 0),
                (SELECT max(period) FROM fuel_periods WHERE company_id = $1)
            )
            FROM equipment e
            WHERE e.company_id = $1
              AND e.retired_at IS NULL",
        )
        .fetch_one(&mut **tx)
        .await?)
}

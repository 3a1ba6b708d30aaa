use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::equipment::write_error;
use super::rows::{EQUIPMENT_COLUMNS, TASK_COLUMNS};
use super::{END_OF_TIME, FUEL_SUMS, NOT_VOIDED, TimeKey};
use crate::domain::equipment::Retired;

/// A query of retired equipment with the fuel of its whole life. `rest` selects and sorts it.
fn select(rest: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "SELECT
            {EQUIPMENT_COLUMNS},
            {TASK_COLUMNS},
            e.archive_id,
            e.retirement_notes,
            e.retired_by,
            e.retired_at,
            burned.gas,
            burned.diesel
        FROM equipment e
        LEFT JOIN service_tasks t
          ON t.company_id = e.company_id AND t.equipment_id = e.id AND t.position = 0
        CROSS JOIN LATERAL (
            SELECT {FUEL_SUMS}
            FROM ledger l
            WHERE l.company_id = $1
              AND l.equipment_id = e.id
              AND l.fuel > 0
              AND {NOT_VOIDED}
        ) burned
        WHERE e.company_id = $1
          AND e.retired_at IS NOT NULL
          {rest}"
    ))
}

/// Newest first, without parts.
pub async fn list(
    tx: &mut TenantTx,
    before: Option<TimeKey>,
    limit: i64,
) -> Result<Vec<Retired>, ServiceError> {
    let (at, id) = before.unwrap_or(END_OF_TIME);
    let sql = select(
        "AND (e.retired_at, e.archive_id) < ($2, $3)
        ORDER BY e.retired_at DESC, e.archive_id DESC
        LIMIT $4",
    );
    Ok(tx
        .query_as(sql)
        .bind(at)
        .bind(id)
        .bind(limit)
        .fetch_all(&mut **tx)
        .await?)
}

/// Finds retired equipment by its equipment id.
pub async fn find(tx: &mut TenantTx, id: Uuid) -> Result<Option<Retired>, ServiceError> {
    Ok(tx
        .query_as(select("AND e.id = $2"))
        .bind(id)
        .fetch_optional(&mut **tx)
        .await?)
}

/// Locks a row of the archive until commit.
pub async fn lock(tx: &mut TenantTx, archive_id: Uuid) -> Result<Option<Retired>, ServiceError> {
    let sql = select("AND e.archive_id = $2 FOR NO KEY UPDATE OF e");
    Ok(tx
        .query_as(sql)
        .bind(archive_id)
        .fetch_optional(&mut **tx)
        .await?)
}

/// Retires equipment, under its row lock, and returns its new version. `by` is the name of the person.
pub async fn retire(
    tx: &mut TenantTx,
    id: Uuid,
    archive_id: Uuid,
    by: &str,
    notes: &str,
    now: DateTime<Utc>,
) -> Result<i64, ServiceError> {
    Ok(tx
        .query_scalar(
            "UPDATE equipment
            SET retired_at = $3,
                archive_id = $4,
                retired_by = $5,
                retirement_notes = $6,
                updated_at = $3,
                version = version + 1
            WHERE company_id = $1
              AND id = $2
            RETURNING version",
        )
        .bind(id)
        .bind(now)
        .bind(archive_id)
        .bind(by)
        .bind(notes)
        .fetch_one(&mut **tx)
        .await?)
}

/// Restores equipment, under its row lock and the company's, and returns its new version. Fuel of
/// an earlier fuel period is no longer part of the totals.
pub async fn restore(tx: &mut TenantTx, id: Uuid, now: DateTime<Utc>) -> Result<i64, ServiceError> {
    let version = tx
        .query_scalar(
            "UPDATE equipment e
            SET retired_at = NULL,
                archive_id = NULL,
                retired_by = NULL,
                retirement_notes = NULL,
                fuel_period = company.period,
                total_gas = CASE WHEN e.fuel_period = company.period THEN e.total_gas ELSE 0 END,
                total_diesel = CASE WHEN e.fuel_period = company.period THEN e.total_diesel ELSE 0 END,
                updated_at = $3,
                version = e.version + 1
            FROM (
                SELECT coalesce(max(period), 0) AS period
                FROM fuel_periods
                WHERE company_id = $1
            ) company
            WHERE e.company_id = $1
              AND e.id = $2
            RETURNING e.version",
        )
        .bind(id)
        .bind(now)
        .fetch_one(&mut **tx)
        .await
        .map_err(write_error)?;
    Ok(version)
}

//! Meters and fuel totals.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::{TenantRead, TenantTx, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, FromRow, PgConnection, Row as _};
use uuid::Uuid;

use super::columns::word;
use crate::domain::kinds::EquipmentFuel;
use crate::domain::ledger::Subject;
use crate::domain::meter::MeterState;
use crate::domain::timeline::Dial;
use crate::domain::typical_usage::DailyUse;

#[derive(Clone, Debug)]
pub struct Meter {
    pub subject: Subject,
    pub dial: Dial,
    /// When the last fact about the meter was captured.
    pub known_at: DateTime<Utc>,
    /// Since when the meter counts in its unit. None: always.
    pub unit_since: Option<DateTime<Utc>>,
    pub fuel: EquipmentFuel,
    pub daily_use: DailyUse,
    pub usual_fill: Option<Quantity>,
    pub retired: bool,
}

const COLUMNS: &str = "
    id,
    name,
    unit,
    current_usage,
    meter_offset,
    meter_read_at,
    greatest(last_fact_at, meter_read_at, added_at) AS known_at,
    unit_since,
    fuel,
    use_low,
    use_usual,
    use_high,
    use_days,
    use_sums,
    use_zone,
    usual_fill,
    retired_at IS NOT NULL AS retired";

impl FromRow<'_, PgRow> for Meter {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            subject: Subject::from_row(row)?,
            dial: Dial {
                state: MeterState::from_row(row)?,
                read_at: row.try_get("meter_read_at")?,
            },
            known_at: row.try_get("known_at")?,
            unit_since: row.try_get("unit_since")?,
            fuel: word(row, "fuel", EquipmentFuel::parse)?,
            daily_use: DailyUse::from_row(row)?,
            usual_fill: row.try_get("usual_fill")?,
            retired: row.try_get("retired")?,
        })
    }
}

/// The meter of active equipment.
pub async fn find(reads: &mut TenantRead, id: Uuid) -> Result<Option<Meter>, ServiceError> {
    let tenant = reads.tenant();
    let found = find_all(reads, tenant, &[id]).await?;
    Ok(found.into_iter().find(|meter| !meter.retired))
}

/// The meters of active and retired equipment.
pub async fn find_all(
    connection: &mut PgConnection,
    tenant: Tenant,
    ids: &[Uuid],
) -> Result<Vec<Meter>, ServiceError> {
    let sql = scoped(&format!(
        "SELECT {COLUMNS}
        FROM equipment
        WHERE company_id = $1
          AND id = ANY($2)"
    ));
    meters(connection, tenant, ids, sql).await
}

async fn meters(
    connection: &mut PgConnection,
    tenant: Tenant,
    ids: &[Uuid],
    sql: String,
) -> Result<Vec<Meter>, ServiceError> {
    Ok(sqlx::query_as(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(ids)
        .fetch_all(connection)
        .await?)
}

/// Locks active equipment until commit and returns its meter. Every change except `RecordUsage`
/// starts with this.
pub async fn lock(tx: &mut TenantTx, id: Uuid) -> Result<Option<Meter>, ServiceError> {
    Ok(lock_all(tx, &[id]).await?.pop())
}

/// Locks active equipment until commit and returns its meters. Rows are locked in the order of
/// their ids to avoid deadlocks.
pub async fn lock_all(tx: &mut TenantTx, ids: &[Uuid]) -> Result<Vec<Meter>, ServiceError> {
    let sql = format!(
        "SELECT {COLUMNS}
        FROM equipment
        WHERE company_id = $1
          AND id = ANY($2)
          AND retired_at IS NULL
        ORDER BY id
        FOR NO KEY UPDATE"
    );
    let tenant = tx.tenant();
    meters(tx, tenant, ids, sql).await
}

/// When the last service or edited mark of each machine was captured. Read it after the lock.
pub async fn last_marks(
    tx: &mut TenantTx,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, DateTime<Utc>)>, ServiceError> {
    Ok(tx
        .query_as(
            "SELECT
                m.id,
                mark.at
            FROM unnest($2::uuid[]) m (id)
            CROSS JOIN LATERAL (
                SELECT max(l.captured_at) AS at
                FROM ledger l
                WHERE l.company_id = $1
                  AND l.equipment_id = m.id
                  AND l.mark IS NOT NULL
            ) mark
            WHERE mark.at IS NOT NULL",
        )
        .bind(ids)
        .fetch_all(&mut **tx)
        .await?)
}

//! Deleted equipment.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, FromRow};
use uuid::Uuid;

use super::NOT_VOIDED;
use super::columns::word;
use crate::domain::kinds::EquipmentFuel;
use crate::domain::ledger::Subject;

pub struct Deleted {
    pub subject: Subject,
    pub fuel: EquipmentFuel,
}

impl FromRow<'_, PgRow> for Deleted {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            subject: Subject::from_row(row)?,
            fuel: word(row, "fuel", EquipmentFuel::parse)?,
        })
    }
}

/// Records equipment that is about to be deleted, locks it and keeps its fuel. Voided fuel does not
/// count.
pub async fn insert(tx: &mut TenantTx, id: Uuid, now: DateTime<Utc>) -> Result<(), ServiceError> {
    tx.query(
        "INSERT INTO deleted_equipment (company_id, equipment_id, name, unit, fuel, deleted_at)
        SELECT company_id, id, name, unit, fuel, $3
        FROM equipment
        WHERE company_id = $1
          AND id = $2
          AND retired_at IS NULL
        FOR UPDATE
        RETURNING 1",
    )
    .bind(id)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    // A separate statement, so that it sees entries that were added before the lock.
    let sql = format!(
        "INSERT INTO deleted_fuel (company_id, id, captured_at, fuel_period, fuel, fuel_kind)
        SELECT company_id, id, captured_at, fuel_period, fuel, fuel_kind
        FROM ledger l
        WHERE company_id = $1
          AND equipment_id = $2
          AND fuel > 0
          AND {NOT_VOIDED}
        RETURNING 1"
    );
    let statement = tx.query(AssertSqlSafe(sql)).bind(id);
    tx.run(statement).await
}

pub async fn find_all(tx: &mut TenantTx, ids: &[Uuid]) -> Result<Vec<Deleted>, ServiceError> {
    Ok(tx
        .query_as(
            "SELECT
                equipment_id AS id,
                name,
                unit,
                fuel
            FROM deleted_equipment
            WHERE company_id = $1
              AND equipment_id = ANY($2)",
        )
        .bind(ids)
        .fetch_all(&mut **tx)
        .await?)
}

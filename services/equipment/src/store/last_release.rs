//! Marks that entries of the last release lack. Processes of that release run beside this one during a
//! rollout.

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

/// A row without its mark.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct Unmarked {
    pub equipment_id: Uuid,
    pub equipment_name: String,
    /// The update whose entry was voided. None: the unit changed.
    pub update_id: Option<Uuid>,
}

/// The entries of edits in another unit than the entry before.
const UNIT_CHANGES: &str = "
    SELECT id, equipment_id, at, meter_effect = 'reading' AND new_unit IS NULL AS is_unmarked
    FROM (
        SELECT
            id,
            equipment_id,
            coalesce(fact_at, captured_at) AS at,
            kind,
            meter_effect,
            new_unit,
            unit <> lag(unit) OVER (
                PARTITION BY equipment_id ORDER BY sequence, recorded_at, id
            ) AS is_changed
        FROM ledger
        WHERE company_id = $1
          AND equipment_id = ANY($2)
    ) entries
    WHERE kind = 'edit'
      AND is_changed";

/// The updates of voided entries with the number of voids and the last one.
const VOIDS: &str = "
    SELECT DISTINCT ON (coalesce(l.update_id, l.reapplies))
        coalesce(l.update_id, l.reapplies) AS update_id,
        l.equipment_id,
        count(*) OVER (PARTITION BY coalesce(l.update_id, l.reapplies))::integer AS voids,
        v.voided_at,
        v.reason,
        v.undone,
        v.actor_name
    FROM ledger_voids v
    JOIN ledger l
      ON l.company_id = $1
     AND l.id = v.entry_id
    WHERE v.company_id = $1
      AND v.equipment_id = ANY($2)
      AND coalesce(l.update_id, l.reapplies) IS NOT NULL
    ORDER BY coalesce(l.update_id, l.reapplies), v.voided_at DESC";

/// Equipment with a change of the unit that is not marked, or whose last one is not known.
pub async fn unmarked_units(
    tx: &mut TenantTx,
    equipment: &[Uuid],
) -> Result<Vec<Unmarked>, ServiceError> {
    let sql = format!(
        "SELECT DISTINCT
            e.id AS equipment_id,
            e.name AS equipment_name,
            NULL::uuid AS update_id
        FROM ({UNIT_CHANGES}) c
        JOIN equipment e
          ON e.company_id = $1
         AND e.id = c.equipment_id
        WHERE c.is_unmarked
           OR e.unit_since IS NULL
           OR e.unit_since < c.at"
    );
    unmarked(tx, equipment, sql).await
}

/// Updates whose entries were voided more often than is known.
pub async fn unmarked_voids(
    tx: &mut TenantTx,
    equipment: &[Uuid],
) -> Result<Vec<Unmarked>, ServiceError> {
    let sql = format!(
        "SELECT
            e.id AS equipment_id,
            e.name AS equipment_name,
            a.update_id
        FROM ({VOIDS}) v
        JOIN applied_updates a
          ON a.company_id = $1
         AND a.update_id = v.update_id
         AND a.voids < v.voids
        JOIN equipment e
          ON e.company_id = $1
         AND e.id = v.equipment_id"
    );
    unmarked(tx, equipment, sql).await
}

async fn unmarked(
    tx: &mut TenantTx,
    equipment: &[Uuid],
    sql: String,
) -> Result<Vec<Unmarked>, ServiceError> {
    Ok(tx
        .query_as(AssertSqlSafe(sql))
        .bind(equipment)
        .fetch_all(&mut **tx)
        .await?)
}

/// Marks changes of the unit, and when the unit last changed. Consistent only under the row locks.
pub async fn mark_units(tx: &mut TenantTx, equipment: &[Uuid]) -> Result<(), ServiceError> {
    let sql = format!(
        "WITH changes AS ({UNIT_CHANGES}
        ), marked AS (
            UPDATE ledger l
            SET new_unit = true
            FROM changes c
            WHERE l.company_id = $1
              AND l.id = c.id
              AND c.is_unmarked
        )
        UPDATE equipment e
        SET unit_since = c.at,
            version = e.version + 1
        FROM (
            SELECT equipment_id, max(at) AS at
            FROM changes
            GROUP BY equipment_id
        ) c
        WHERE e.company_id = $1
          AND e.id = c.equipment_id
          AND (e.unit_since IS NULL OR e.unit_since < c.at)"
    );
    mark(tx, equipment, sql).await
}

/// Marks updates as voided. Consistent only under the row locks.
pub async fn mark_voids(tx: &mut TenantTx, equipment: &[Uuid]) -> Result<(), ServiceError> {
    let sql = format!(
        "UPDATE applied_updates a
        SET voids = v.voids,
            voided_at = v.voided_at,
            void_reason = v.reason,
            void_undone = v.undone,
            voided_by = v.actor_name
        FROM ({VOIDS}) v
        WHERE a.company_id = $1
          AND a.update_id = v.update_id
          AND a.voids < v.voids"
    );
    mark(tx, equipment, sql).await
}

async fn mark(tx: &mut TenantTx, equipment: &[Uuid], sql: String) -> Result<(), ServiceError> {
    let statement = tx.query(AssertSqlSafe(sql)).bind(equipment);
    tx.run(statement).await
}

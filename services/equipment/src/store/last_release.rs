//! Marks that entries of the last release lack. Processes of that release run beside this one during a
//! rollout.

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

/// A row that was marked.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct Marked {
    pub equipment_id: Uuid,
    pub equipment_name: String,
    /// The update whose entry was voided. None: the unit changed.
    pub update_id: Option<Uuid>,
}

/// Marks changes of the unit: the entries of edits with a reading in another unit than the entry
/// before, and when the unit last changed.
pub async fn mark_units(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: &[Uuid],
) -> Result<Vec<Marked>, ServiceError> {
    let marked = sqlx::query_as(
        "WITH changes AS (
            SELECT id, equipment_id, at, meter_effect, new_unit
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
              AND is_changed
        ), marked AS (
            UPDATE ledger l
            SET new_unit = true
            FROM changes c
            WHERE l.company_id = $1
              AND l.id = c.id
              AND l.meter_effect = 'reading'
              AND l.new_unit IS NULL
            RETURNING l.equipment_id
        ), dated AS (
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
              AND (e.unit_since IS NULL OR e.unit_since < c.at)
            RETURNING e.id
        )
        SELECT
            e.id AS equipment_id,
            e.name AS equipment_name,
            NULL::uuid AS update_id
        FROM equipment e
        WHERE e.company_id = $1
          AND e.id IN (SELECT equipment_id FROM marked UNION SELECT id FROM dated)",
    )
    .bind(tenant.company_id())
    .bind(equipment)
    .fetch_all(connection)
    .await?;
    Ok(marked)
}

/// Marks updates as voided whose entries were voided more often than is known.
pub async fn mark_voids(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: &[Uuid],
) -> Result<Vec<Marked>, ServiceError> {
    let marked = sqlx::query_as(
        "UPDATE applied_updates a
        SET voids = v.voids,
            voided_at = v.voided_at,
            void_reason = v.reason,
            void_undone = v.undone,
            voided_by = v.actor_name
        FROM (
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
            ORDER BY coalesce(l.update_id, l.reapplies), v.voided_at DESC
        ) v
        JOIN equipment e
          ON e.company_id = $1
         AND e.id = v.equipment_id
        WHERE a.company_id = $1
          AND a.update_id = v.update_id
          AND a.voids < v.voids
        RETURNING
            e.id AS equipment_id,
            e.name AS equipment_name,
            a.update_id",
    )
    .bind(tenant.company_id())
    .bind(equipment)
    .fetch_all(connection)
    .await?;
    Ok(marked)
}

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::entries::mark_columns;
use crate::domain::ledger::{Fact, StoredEntry, Voiding};

/// Voids an entry, under the row lock of its equipment.
pub async fn insert(
    tx: &mut TenantTx,
    equipment: Uuid,
    entry: Uuid,
    actor: Uuid,
    voiding: &Voiding,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "INSERT INTO ledger_voids (
                company_id,
                entry_id,
                equipment_id,
                reason,
                undone,
                actor_id,
                actor_name,
                voided_at,
                usage_before,
                usage_after,
                replaced_by
            ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(entry)
        .bind(equipment)
        .bind(&voiding.reason)
        .bind(voiding.undone)
        .bind(actor)
        .bind(&voiding.by)
        .bind(voiding.at)
        .bind(voiding.usage.map(|moved| moved.before))
        .bind(voiding.usage.map(|moved| moved.after))
        .bind(voiding.replaced_by);
    tx.run(statement).await
}

/// What a corrected service has from the entry that it replaces.
const KEPT_COLUMNS: &str = "
    equipment_id,
    equipment_name,
    unit,
    fuel_period,
    sequence,
    kind,
    note_type,
    actor_id,
    actor_name,
    source,
    recorded_at,
    usage_before,
    usage_after,
    reading,
    meter_effect,
    task_id,
    task_name,
    mark";

/// Inserts a corrected service with its fact, under the row lock of its equipment.
pub async fn insert_replacement(
    tx: &mut TenantTx,
    service: &StoredEntry,
    fact: &Fact,
) -> Result<(), ServiceError> {
    let mark_usage = fact.mark.and_then(|(_, usage, _)| mark_columns(usage).1);
    let sql = format!(
        "INSERT INTO ledger (
            company_id,
            id,
            replaces,
            cost,
            performed_on,
            content,
            captured_at,
            fact_at,
            mark_usage,
            mark_date,
            {KEPT_COLUMNS}
        )
        SELECT
            company_id,
            $3,
            id,
            $4,
            $5,
            $6,
            $7,
            CASE WHEN captured_at = $7 THEN fact_at END,
            $8,
            $9,
            {KEPT_COLUMNS}
        FROM ledger
        WHERE company_id = $1
          AND id = $2
        RETURNING 1"
    );
    let statement = tx
        .query(AssertSqlSafe(sql))
        .bind(service.replaces)
        .bind(service.id)
        .bind(service.cost)
        .bind(service.performed_on)
        .bind(&service.content)
        .bind(service.captured_at)
        .bind(mark_usage)
        .bind(fact.mark.and_then(|(.., start)| start));
    tx.run(statement).await
}

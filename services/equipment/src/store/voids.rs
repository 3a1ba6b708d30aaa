use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::ledger::Voiding;

/// Voids an entry, under the row lock of its equipment.
pub async fn insert(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: Uuid,
    entry: Uuid,
    actor: Uuid,
    voiding: &Voiding,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO ledger_voids (
            company_id,
            entry_id,
            equipment_id,
            reason,
            actor_id,
            actor_name,
            voided_at,
            usage_before,
            usage_after
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(tenant.company_id())
    .bind(entry)
    .bind(equipment)
    .bind(&voiding.reason)
    .bind(actor)
    .bind(&voiding.by)
    .bind(voiding.at)
    .bind(voiding.usage.map(|moved| moved.before.hundredths()))
    .bind(voiding.usage.map(|moved| moved.after.hundredths()))
    .execute(connection)
    .await?;
    Ok(())
}

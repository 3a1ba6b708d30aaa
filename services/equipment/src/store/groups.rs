//! What a company groups its equipment by.

use std::collections::HashMap;

use hourmeter_runtime::db::{TenantRead, scoped};
use hourmeter_runtime::error::ServiceError;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

/// The groups of active equipment in natural order, at most 500.
pub async fn names(reads: &mut TenantRead) -> Result<Vec<String>, ServiceError> {
    let sql = scoped(
        "SELECT equipment_group
        FROM equipment
        WHERE company_id = $1
          AND retired_at IS NULL
          AND equipment_group IS NOT NULL
        GROUP BY equipment_group
        ORDER BY equipment_group COLLATE natural_order
        LIMIT 500",
    );
    Ok(sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(reads.tenant().company_id())
        .fetch_all(&mut **reads)
        .await?)
}

/// The groups of these pieces of equipment, also retired; those without a group are left out.
pub async fn by_equipment(
    reads: &mut TenantRead,
    equipment: &[Uuid],
) -> Result<HashMap<Uuid, String>, ServiceError> {
    let sql = scoped(
        "SELECT id, equipment_group
        FROM equipment
        WHERE company_id = $1
          AND id = ANY($2)
          AND equipment_group IS NOT NULL",
    );
    let groups: Vec<(Uuid, String)> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(reads.tenant().company_id())
        .bind(equipment)
        .fetch_all(&mut **reads)
        .await?;
    Ok(groups.into_iter().collect())
}

use hourmeter_runtime::db::{TenantTx, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, FromRow, PgConnection, Row as _};
use uuid::Uuid;

use super::columns::{OfMachine, by_machine, column, optional_count};
use crate::domain::equipment::{Equipment, ServicePart};

impl FromRow<'_, PgRow> for ServicePart {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            part: row.try_get("part")?,
            part_number: row.try_get("part_number")?,
            quantity: optional_count(row, "quantity")?,
        })
    }
}

/// Reads the parts of all equipment in one query.
pub async fn attach(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: &mut [Equipment],
) -> Result<(), ServiceError> {
    let sql = scoped(
        "SELECT
            equipment_id,
            part,
            part_number,
            quantity::integer AS quantity
        FROM service_parts
        WHERE company_id = $1
          AND equipment_id = ANY($2)
        ORDER BY equipment_id, position",
    );
    let rows: Vec<OfMachine<ServicePart>> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(column(equipment, |item| item.id))
        .fetch_all(connection)
        .await?;
    let mut parts = by_machine(rows);
    for item in equipment {
        item.details.parts = parts.remove(&item.id).unwrap_or_default();
    }
    Ok(())
}

/// Inserts parts in order, in one statement.
pub async fn insert(
    tx: &mut TenantTx,
    equipment: Uuid,
    parts: &[ServicePart],
) -> Result<(), ServiceError> {
    if parts.is_empty() {
        return Ok(());
    }
    let statement = tx
        .query(
            "INSERT INTO service_parts (
                company_id,
                id,
                equipment_id,
                position,
                part,
                part_number,
                quantity
            )
            SELECT $1, row.id, $2, row.position - 1, row.part, row.part_number, row.quantity
            FROM unnest($3::uuid[], $4::text[], $5::text[], $6::bigint[])
                WITH ORDINALITY AS row (id, part, part_number, quantity, position)
            RETURNING 1",
        )
        .bind(equipment)
        .bind(column(parts, |_| Uuid::now_v7()))
        .bind(column(parts, |part| part.part.as_str()))
        .bind(column(parts, |part| part.part_number.as_deref()))
        .bind(column(parts, |part| part.quantity.map(i64::from)));
    tx.run(statement).await
}

/// Replaces all parts, under the row lock of their equipment.
pub async fn replace(
    tx: &mut TenantTx,
    equipment: Uuid,
    parts: &[ServicePart],
) -> Result<(), ServiceError> {
    tx.query("DELETE FROM service_parts WHERE company_id = $1 AND equipment_id = $2")
        .bind(equipment)
        .execute(&mut **tx)
        .await?;
    insert(tx, equipment, parts).await
}

use hourmeter_runtime::db::scoped;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use crate::domain::equipment::{Equipment, ServicePart};

#[derive(sqlx_macros::FromRow)]
struct PartRow {
    equipment_id: Uuid,
    part: String,
    part_number: Option<String>,
    quantity: Option<i64>,
}

/// Reads the parts of all equipment in one query.
pub async fn attach(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: &mut [Equipment],
) -> Result<(), ServiceError> {
    let ids: Vec<Uuid> = equipment.iter().map(|item| item.id).collect();
    let sql = scoped(
        "SELECT
            equipment_id,
            part,
            part_number,
            quantity
        FROM service_parts
        WHERE company_id = $1
          AND equipment_id = ANY($2)
        ORDER BY equipment_id, position",
    );
    let rows: Vec<PartRow> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(&ids)
        .fetch_all(connection)
        .await?;
    for item in equipment {
        // Rows are sorted by equipment.
        let start = rows.partition_point(|row| row.equipment_id < item.id);
        let own = rows[start..]
            .iter()
            .take_while(|row| row.equipment_id == item.id);
        item.details.parts = own.map(part).collect::<Result<_, ServiceError>>()?;
    }
    Ok(())
}

fn part(row: &PartRow) -> Result<ServicePart, ServiceError> {
    let quantity = row.quantity.map(u32::try_from).transpose();
    Ok(ServicePart {
        part: row.part.clone(),
        part_number: row.part_number.clone(),
        quantity: quantity.map_err(ServiceError::internal)?,
    })
}

/// Inserts parts in order, in one statement.
pub async fn insert(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: Uuid,
    parts: &[ServicePart],
) -> Result<(), ServiceError> {
    if parts.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = parts.iter().map(|_| Uuid::now_v7()).collect();
    let names: Vec<&str> = parts.iter().map(|part| part.part.as_str()).collect();
    let numbers: Vec<Option<&str>> = parts
        .iter()
        .map(|part| part.part_number.as_deref())
        .collect();
    let quantities: Vec<Option<i64>> = parts
        .iter()
        .map(|part| part.quantity.map(i64::from))
        .collect();
    sqlx::query(
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
    .bind(tenant.company_id())
    .bind(equipment)
    .bind(&ids)
    .bind(&names)
    .bind(&numbers)
    .bind(&quantities)
    .execute(connection)
    .await?;
    Ok(())
}

/// Replaces all parts, under the row lock of their equipment.
pub async fn replace(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: Uuid,
    parts: &[ServicePart],
) -> Result<(), ServiceError> {
    sqlx::query("DELETE FROM service_parts WHERE company_id = $1 AND equipment_id = $2")
        .bind(tenant.company_id())
        .bind(equipment)
        .execute(&mut *connection)
        .await?;
    insert(connection, tenant, equipment, parts).await
}

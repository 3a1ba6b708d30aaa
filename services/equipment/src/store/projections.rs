//! Reads projections with the entries they derive from, and stores them.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::projection_rows::{FactRow, PlanRow, ProjectionCheck, StoredRow};
use crate::domain::fold::{Marks, Projection};

/// Ids of companies with equipment, after a given one.
pub async fn companies(
    connection: &mut PgConnection,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, ServiceError> {
    let rows: Vec<(Uuid,)> =
        sqlx::query_as("SELECT company_id FROM companies_with_equipment($1, $2)")
            .bind(after)
            .bind(limit)
            .fetch_all(connection)
            .await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Ids of active and retired equipment, after a given one.
pub async fn ids(
    connection: &mut PgConnection,
    tenant: Tenant,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, ServiceError> {
    let rows: Vec<(Uuid,)> = sqlx::query_as(
        "SELECT id
        FROM equipment
        WHERE company_id = $1
          AND id > $2
        ORDER BY id
        LIMIT $3",
    )
    .bind(tenant.company_id())
    .bind(after)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Locks equipment, active or retired, until commit. False: not found.
pub async fn lock(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
) -> Result<bool, ServiceError> {
    let found = sqlx::query(
        "SELECT 1
        FROM equipment
        WHERE company_id = $1
          AND id = $2
        FOR NO KEY UPDATE",
    )
    .bind(tenant.company_id())
    .bind(id)
    .fetch_optional(connection)
    .await?;
    Ok(found.is_some())
}

/// Sorted by id. Consistent only under the row locks.
pub async fn load(
    connection: &mut PgConnection,
    tenant: Tenant,
    ids: &[Uuid],
) -> Result<Vec<ProjectionCheck>, ServiceError> {
    let rows: Vec<StoredRow> = sqlx::query_as(
        "SELECT
            id,
            name,
            initial_usage,
            added_at,
            fuel_period,
            current_usage,
            meter_offset,
            usual_daily_use,
            usual_fill,
            meter_read_at,
            total_gas,
            total_diesel,
            approaching_usage,
            due_usage,
            overdue_usage,
            next_date
        FROM equipment
        WHERE company_id = $1
          AND id = ANY($2)
        ORDER BY id",
    )
    .bind(tenant.company_id())
    .bind(ids)
    .fetch_all(&mut *connection)
    .await?;
    let mut checks: BTreeMap<Uuid, ProjectionCheck> = rows
        .into_iter()
        .map(|row| (row.id, ProjectionCheck::from(row)))
        .collect();
    for row in plans(&mut *connection, tenant, ids).await? {
        if let Some(item) = checks.get_mut(&row.equipment_id) {
            item.stored.tasks.insert(row.id, row.marks());
            item.initial.tasks.push(row.plan()?);
        }
    }
    for row in facts(connection, tenant, ids).await? {
        if let Some(item) = checks.get_mut(&row.equipment_id) {
            item.facts.push(row.fact()?);
        }
    }
    Ok(checks.into_values().collect())
}

async fn plans(
    connection: &mut PgConnection,
    tenant: Tenant,
    ids: &[Uuid],
) -> Result<Vec<PlanRow>, ServiceError> {
    let rows = sqlx::query_as(
        "SELECT
            equipment_id,
            id,
            usage_interval,
            calendar_interval,
            calendar_unit,
            initial_last_usage,
            initial_start_date,
            last_usage,
            start_date,
            next_date
        FROM service_tasks
        WHERE company_id = $1
          AND equipment_id = ANY($2)
        ORDER BY equipment_id, position",
    )
    .bind(tenant.company_id())
    .bind(ids)
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

/// Entries that count and affect projections, in ledger order.
async fn facts(
    connection: &mut PgConnection,
    tenant: Tenant,
    ids: &[Uuid],
) -> Result<Vec<FactRow>, ServiceError> {
    let rows = sqlx::query_as(
        "SELECT
            l.equipment_id,
            l.id,
            l.captured_at,
            l.usage_before,
            l.usage_after,
            l.meter_effect,
            l.unit = e.unit AS same_unit,
            l.meter_change,
            l.meter_final,
            l.meter_start,
            l.fuel,
            l.fuel_kind,
            l.fuel_period,
            l.task_id,
            l.mark,
            l.mark_usage,
            l.mark_date,
            CASE WHEN l.kind = 'service' THEN l.performed_on END AS service_day
        FROM ledger l
        JOIN equipment e
          ON e.company_id = l.company_id
         AND e.id = l.equipment_id
        WHERE l.company_id = $1
          AND l.equipment_id = ANY($2)
          AND (
              l.meter_effect IS NOT NULL
              OR l.fuel > 0
              OR l.mark IS NOT NULL
              OR l.kind = 'service'
          )
          AND NOT EXISTS (
              SELECT 1
              FROM ledger_voids v
              WHERE v.company_id = $1
                AND v.equipment_id = ANY($2)
                AND v.entry_id = l.id
          )
        ORDER BY l.equipment_id, l.sequence, l.recorded_at, l.id",
    )
    .bind(tenant.company_id())
    .bind(ids)
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

/// Stores projections under the row lock of their equipment, and raises its version.
pub async fn store(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
    projection: &Projection,
    updated_at: Option<DateTime<Utc>>,
) -> Result<(), ServiceError> {
    let [approaching, due, overdue] = projection.due.hundredths();
    sqlx::query(
        "UPDATE equipment
        SET current_usage = $3,
            meter_read_at = $4,
            total_gas = $5,
            total_diesel = $6,
            approaching_usage = $7,
            due_usage = $8,
            overdue_usage = $9,
            next_date = $10,
            meter_offset = $12,
            usual_daily_use = $13,
            usual_fill = $14,
            updated_at = coalesce($11, updated_at),
            version = version + 1
        WHERE company_id = $1
          AND id = $2",
    )
    .bind(tenant.company_id())
    .bind(id)
    .bind(projection.meter.usage.hundredths())
    .bind(projection.read_at)
    .bind(projection.gas.hundredths())
    .bind(projection.diesel.hundredths())
    .bind(approaching)
    .bind(due)
    .bind(overdue)
    .bind(projection.due.next_date)
    .bind(updated_at)
    .bind(projection.meter.offset.hundredths())
    .bind(projection.typical.daily_use.map(Quantity::hundredths))
    .bind(projection.typical.fill.map(Quantity::hundredths))
    .execute(&mut *connection)
    .await?;
    store_marks(connection, tenant, id, &projection.tasks).await
}

/// Stores all marks in one statement that changes only rows that differ.
async fn store_marks(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: Uuid,
    tasks: &BTreeMap<Uuid, Marks>,
) -> Result<(), ServiceError> {
    let ids: Vec<Uuid> = tasks.keys().copied().collect();
    let last: Vec<Option<i64>> = tasks
        .values()
        .map(|marks| marks.last_usage.map(Quantity::hundredths))
        .collect();
    let starts: Vec<Option<NaiveDate>> = tasks.values().map(|marks| marks.start).collect();
    let nexts: Vec<Option<NaiveDate>> = tasks.values().map(|marks| marks.next).collect();
    sqlx::query(
        "UPDATE service_tasks t
        SET last_usage = row.last_usage,
            start_date = row.start_date,
            next_date = row.next_date
        FROM unnest($3::uuid[], $4::bigint[], $5::date[], $6::date[])
            AS row (id, last_usage, start_date, next_date)
        WHERE t.company_id = $1
          AND t.equipment_id = $2
          AND t.id = row.id
          AND (t.last_usage, t.start_date, t.next_date)
              IS DISTINCT FROM (row.last_usage, row.start_date, row.next_date)",
    )
    .bind(tenant.company_id())
    .bind(equipment)
    .bind(&ids)
    .bind(&last)
    .bind(&starts)
    .bind(&nexts)
    .execute(connection)
    .await?;
    Ok(())
}

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::{TenantTx, scoped};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Identity, Tenant};
use sqlx::error::DatabaseError;
use sqlx::{AssertSqlSafe, FromRow as _, PgConnection, Row as _};
use uuid::Uuid;

use super::columns::triple_columns;
use super::rows::{EQUIPMENT_COLUMNS, TASK_COLUMNS};
use super::{parts, tasks};
use crate::domain::change::MeterStart;
use crate::domain::due::due_points;
use crate::domain::equipment::{Details, Equipment, ServiceTask};
use crate::domain::typical_usage::DailyUse;
use crate::refusals;

/// Finds active equipment with all its tasks and parts. `known_at` includes services.
pub async fn find(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
) -> Result<Option<Equipment>, ServiceError> {
    let sql = scoped(&format!(
        "SELECT {EQUIPMENT_COLUMNS}, e.use_sums, e.use_zone, {TASK_COLUMNS},
          EXISTS (
            SELECT FROM service_parts p WHERE p.company_id = $1 AND p.equipment_id = $2
          ) AS with_parts,
          (
            SELECT max(l.captured_at)
            FROM ledger l
            WHERE l.company_id = $1
              AND l.equipment_id = $2
              AND l.mark IS NOT NULL
          ) AS last_mark_at
        FROM equipment e
        LEFT JOIN service_tasks t
          ON t.company_id = e.company_id AND t.equipment_id = e.id
        WHERE e.company_id = $1
          AND e.id = $2
          AND e.retired_at IS NULL
        ORDER BY t.position"
    ));
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(id)
        .fetch_all(&mut *connection)
        .await?;
    let Some((first, more)) = rows.split_first() else {
        return Ok(None);
    };
    let last_mark_at: Option<DateTime<Utc>> = first.try_get("last_mark_at")?;
    let item = Equipment::from_row(first)?;
    let mut item = Equipment {
        known_at: last_mark_at.map_or(item.known_at, |at| item.known_at.max(at)),
        daily_use: DailyUse::from_row(first)?,
        more_tasks: more
            .iter()
            .map(ServiceTask::from_row)
            .collect::<Result<_, _>>()?,
        ..item
    };
    if first.try_get("with_parts")? {
        parts::attach(connection, tenant, std::slice::from_mut(&mut item)).await?;
    }
    Ok(Some(item))
}

/// Includes retired equipment.
pub async fn exists(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
) -> Result<bool, ServiceError> {
    let sql = scoped("SELECT 1 FROM equipment WHERE company_id = $1 AND id = $2");
    let found = sqlx::query(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(id)
        .fetch_optional(connection)
        .await?;
    Ok(found.is_some())
}

/// Counts active equipment.
pub async fn count(tx: &mut TenantTx) -> Result<i64, ServiceError> {
    Ok(tx
        .query_scalar("SELECT count(*) FROM equipment WHERE company_id = $1 AND retired_at IS NULL")
        .fetch_one(&mut **tx)
        .await?)
}

/// Counts the active equipment of each of these companies that has any.
pub async fn count_of_companies(
    connection: &mut PgConnection,
    company_ids: &[Uuid],
) -> Result<Vec<(Uuid, i64)>, ServiceError> {
    Ok(
        sqlx::query_as("SELECT company_id, active FROM count_equipment($1)")
            .bind(company_ids)
            .fetch_all(connection)
            .await?,
    )
}

pub async fn insert(
    tx: &mut TenantTx,
    identity: &Identity,
    id: Uuid,
    details: &Details,
    start: MeterStart,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let points = due_points(&[details.task.counted(start.is_read)]);
    let [approaching, due, overdue] = triple_columns(points.usage);
    tx.query(
        "INSERT INTO equipment (
            company_id,
            id,
            name,
            kind,
            serial_number,
            unit_number,
            unit,
            initial_usage,
            current_usage,
            meter_read_at,
            lifespan,
            alert_threshold,
            fuel,
            description,
            added_at,
            updated_at,
            approaching_usage,
            due_usage,
            overdue_usage,
            next_date,
            initial_offset,
            meter_offset,
            initial_read,
            last_fact_at,
            operational_status,
            use_days,
            use_sums,
            use_zone,
            equipment_group,
            fuel_period
        )
        SELECT
            $1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, $13, $14, $14, $15, $16, $17,
            $18, $19, $19, $20, $14, $21, '{}', '{}', $22, $23, coalesce(max(period), 0)
        FROM fuel_periods
        WHERE company_id = $1
        RETURNING 1",
    )
    .bind(id)
    .bind(&details.name)
    .bind(details.kind.as_str())
    .bind(&details.serial_number)
    .bind(&details.unit_number)
    .bind(details.unit.as_str())
    .bind(details.current_usage)
    .bind(start.is_read.then_some(now))
    .bind(details.lifespan.threshold)
    .bind(i64::from(details.lifespan.alert_threshold))
    .bind(details.fuel.as_str())
    .bind(&details.description)
    .bind(now)
    .bind(approaching)
    .bind(due)
    .bind(overdue)
    .bind(points.next_date)
    .bind(start.offset)
    .bind(start.is_read)
    .bind(details.operational_status.as_str())
    .bind(identity.time_zone.name())
    .bind(&details.group)
    .execute(&mut **tx)
    .await
    .map_err(write_error)?;
    let form_task = ServiceTask {
        id: Uuid::now_v7(),
        from_form: true,
        recurrence: details.task,
        ..ServiceTask::default()
    };
    tasks::insert(tx, id, &form_task, now).await?;
    parts::insert(tx, id, &details.parts).await
}

/// Stores edited fields, except meter, service task and parts, under the row lock. Posting the
/// entry raises the version. `unit_since` is set if the unit changes.
pub async fn update(
    tx: &mut TenantTx,
    id: Uuid,
    details: &Details,
    unit_since: Option<DateTime<Utc>>,
) -> Result<(), ServiceError> {
    tx.query(
        "UPDATE equipment
        SET name = $3,
            kind = $4,
            serial_number = $5,
            unit = $6,
            lifespan = $7,
            alert_threshold = $8,
            fuel = $9,
            description = $10,
            unit_number = $11,
            operational_status = $12,
            unit_since = coalesce($13, unit_since),
            equipment_group = $14
        WHERE company_id = $1
          AND id = $2",
    )
    .bind(id)
    .bind(&details.name)
    .bind(details.kind.as_str())
    .bind(&details.serial_number)
    .bind(details.unit.as_str())
    .bind(details.lifespan.threshold)
    .bind(i64::from(details.lifespan.alert_threshold))
    .bind(details.fuel.as_str())
    .bind(&details.description)
    .bind(&details.unit_number)
    .bind(details.operational_status.as_str())
    .bind(unit_since)
    .bind(&details.group)
    .execute(&mut **tx)
    .await
    .map_err(write_error)?;
    Ok(())
}

/// Returns `UNIT_NUMBER_TAKEN` for a unit number of other active equipment.
pub fn write_error(error: sqlx::Error) -> ServiceError {
    let database = error.as_database_error();
    // From Citus an error names the constraint of a shard, and only in its text.
    let is_taken = |error: &dyn DatabaseError| error.message().contains("equipment_unit_numbers");
    if !database.is_some_and(|error| error.is_unique_violation() && is_taken(error)) {
        return error.into();
    }
    let message = refusals::UNIT_NUMBER_TAKEN;
    ServiceError {
        fields: vec![("unitNumber".to_owned(), message.into())],
        ..ServiceError::new(Kind::AlreadyExists, message)
    }
}

/// Deletes active equipment with everything that belongs to it, and returns its name.
pub async fn delete(tx: &mut TenantTx, id: Uuid) -> Result<Option<String>, ServiceError> {
    Ok(tx
        .query_scalar(
            "DELETE FROM equipment
            WHERE company_id = $1 AND id = $2 AND retired_at IS NULL
            RETURNING name",
        )
        .bind(id)
        .fetch_optional(&mut **tx)
        .await?)
}

/// Names of other active equipment with this name and with this serial number, ignoring case.
pub async fn duplicates(
    tx: &mut TenantTx,
    id: Uuid,
    name: Option<&str>,
    serial_number: Option<&str>,
) -> Result<(Option<String>, Option<String>), ServiceError> {
    Ok(tx
        .query_as(
            "SELECT
                min(name) FILTER (WHERE lower(name) = lower($3)),
                min(name) FILTER (WHERE lower(serial_number) = lower($4))
            FROM equipment
            WHERE company_id = $1
              AND id <> $2
              AND retired_at IS NULL",
        )
        .bind(id)
        .bind(name)
        .bind(serial_number)
        .fetch_one(&mut **tx)
        .await?)
}

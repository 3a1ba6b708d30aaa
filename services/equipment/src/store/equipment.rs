//! Equipment and its first service task.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::quantity::Quantity;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::parts;
use super::rows::{EQUIPMENT_COLUMNS, EquipmentRow, TASK_COLUMNS, TaskRow, fold};
use crate::domain::equipment::{Body, Equipment, ServiceTask};
use crate::domain::kinds::EquipmentType;

/// What a list shows.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only this type.
    pub kind: Option<EquipmentType>,
    /// Part of name or serial number.
    pub search: Option<String>,
}

/// Where a list goes on: sort key and id.
pub type Key = (String, Uuid);

/// A piece of equipment in a list.
#[derive(sqlx::FromRow)]
struct ListRow {
    #[sqlx(flatten)]
    item: EquipmentRow,
    with_parts: bool,
}

/// Part of a list.
#[derive(Debug, Default)]
pub struct Listed {
    /// By name, with tasks and without parts.
    pub equipment: Vec<Equipment>,
    /// Whether anything of the company has parts at all. Most companies have none, and are spared
    /// asking for them.
    pub with_parts: bool,
}

/// Active equipment after a key, by name, with its tasks and without parts.
pub async fn list(
    connection: &mut PgConnection,
    company: Uuid,
    filter: &Filter,
    after: Option<&Key>,
    limit: Option<i64>,
) -> Result<Listed, Failure> {
    // Nobody's name is empty, so the beginning needs no case of its own.
    let (name, id) = after.map_or(("", Uuid::nil()), |(name, id)| (name, *id));
    let sql = format!(
        "SELECT {EQUIPMENT_COLUMNS}, {TASK_COLUMNS},
            EXISTS (SELECT FROM service_parts p WHERE p.company_id = $1) AS with_parts
        FROM (
            SELECT *
            FROM equipment
            WHERE company_id = $1
              AND retired_at IS NULL
              AND (sort_key, id) > ($2, $3)
              AND ($4::text IS NULL OR kind = $4)
              AND ($5::text IS NULL OR name ILIKE $5 OR serial_number ILIKE $5)
            ORDER BY sort_key, id
            LIMIT $6
        ) e
        LEFT JOIN service_tasks t
          ON t.company_id = e.company_id AND t.equipment_id = e.id AND t.company_id = $1
        ORDER BY e.sort_key, e.id, t.position"
    );
    let rows: Vec<ListRow> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(company)
        .bind(name)
        .bind(id)
        .bind(filter.kind.map(EquipmentType::word))
        .bind(filter.search.as_deref().map(containing))
        .bind(limit)
        .fetch_all(connection)
        .await?;
    Ok(Listed {
        with_parts: rows.first().is_some_and(|row| row.with_parts),
        equipment: fold(rows.into_iter().map(|row| row.item).collect())?,
    })
}

/// A pattern for texts that contain this one, with nothing in it standing for anything else.
fn containing(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_");
    format!("%{escaped}%")
}

/// One active piece of equipment, whole.
pub async fn find(
    connection: &mut PgConnection,
    company: Uuid,
    id: Uuid,
) -> Result<Option<Equipment>, Failure> {
    let sql = format!(
        "SELECT {EQUIPMENT_COLUMNS}, {TASK_COLUMNS}
        FROM equipment e
        LEFT JOIN service_tasks t
          ON t.company_id = e.company_id AND t.equipment_id = e.id
        WHERE e.company_id = $1
          AND e.id = $2
          AND e.retired_at IS NULL
        ORDER BY t.position"
    );
    let rows: Vec<EquipmentRow> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(company)
        .bind(id)
        .fetch_all(&mut *connection)
        .await?;
    let mut found = fold(rows)?;
    parts::attach(connection, company, &mut found).await?;
    Ok(found.pop())
}

/// Whether it exists, active or retired.
pub async fn exists(
    connection: &mut PgConnection,
    company: Uuid,
    id: Uuid,
) -> Result<bool, Failure> {
    let found = sqlx::query("SELECT 1 FROM equipment WHERE company_id = $1 AND id = $2")
        .bind(company)
        .bind(id)
        .fetch_optional(connection)
        .await?;
    Ok(found.is_some())
}

/// How many are active.
pub async fn count(connection: &mut PgConnection, company: Uuid) -> Result<i64, Failure> {
    let (count,) = sqlx::query_as(
        "SELECT count(*) FROM equipment WHERE company_id = $1 AND retired_at IS NULL",
    )
    .bind(company)
    .fetch_one(connection)
    .await?;
    Ok(count)
}

#[derive(sqlx::FromRow)]
struct MeterRow {
    id: Uuid,
    current_usage: i64,
    #[sqlx(flatten)]
    task: TaskRow,
}

/// Meter and tasks of all active equipment: what its status is made of.
pub async fn meters_and_tasks(
    connection: &mut PgConnection,
    company: Uuid,
) -> Result<Vec<(Quantity, Vec<ServiceTask>)>, Failure> {
    let sql = format!(
        "SELECT e.id, e.current_usage, {TASK_COLUMNS}
        FROM equipment e
        LEFT JOIN service_tasks t
          ON t.company_id = e.company_id AND t.equipment_id = e.id
        WHERE e.company_id = $1
          AND e.retired_at IS NULL
        ORDER BY e.id"
    );
    let rows: Vec<MeterRow> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(company)
        .fetch_all(connection)
        .await?;
    let mut found: Vec<(Quantity, Vec<ServiceTask>)> = Vec::with_capacity(rows.len());
    let mut last = None;
    for row in rows {
        if last != Some(row.id) {
            let usage = Quantity::from_hundredths(row.current_usage);
            found.push((usage, Vec::new()));
            last = Some(row.id);
        }
        if let Some((_, tasks)) = found.last_mut() {
            tasks.extend(row.task.task()?);
        }
    }
    Ok(found)
}

/// Stores new equipment.
pub async fn insert(
    connection: &mut PgConnection,
    company: Uuid,
    id: Uuid,
    body: &Body,
    now: DateTime<Utc>,
) -> Result<(), Failure> {
    sqlx::query(
        "INSERT INTO equipment (
            company_id,
            id,
            name,
            kind,
            serial_number,
            unit,
            initial_usage,
            current_usage,
            meter_read_at,
            lifespan,
            alert_threshold,
            fuel,
            description,
            added_at,
            updated_at
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, $12, $13, $13)",
    )
    .bind(company)
    .bind(id)
    .bind(&body.name)
    .bind(body.kind.word())
    .bind(&body.serial_number)
    .bind(body.unit.word())
    .bind(body.current_usage.hundredths())
    // A meter at 0 was not read; a first reading from the field is never late.
    .bind((!body.current_usage.is_zero()).then_some(now))
    .bind(body.lifespan.threshold.map(Quantity::hundredths))
    .bind(i64::from(body.lifespan.alert_threshold))
    .bind(body.fuel.word())
    .bind(&body.description)
    .bind(now)
    .execute(&mut *connection)
    .await?;
    insert_task(&mut *connection, company, id, &body.task).await?;
    parts::insert(connection, company, id, &body.parts).await
}

async fn insert_task(
    connection: &mut PgConnection,
    company: Uuid,
    equipment: Uuid,
    task: &ServiceTask,
) -> Result<(), Failure> {
    let schedule = task.schedule;
    sqlx::query(
        "INSERT INTO service_tasks (
            company_id,
            id,
            equipment_id,
            position,
            usage_interval,
            last_usage,
            start_date,
            calendar_interval,
            calendar_unit,
            next_date
        ) VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9)",
    )
    .bind(company)
    .bind(Uuid::now_v7())
    .bind(equipment)
    .bind(task.interval.hundredths())
    .bind(task.last_usage.map(Quantity::hundredths))
    .bind(schedule.map(|schedule| schedule.start))
    .bind(schedule.map(|schedule| i64::from(schedule.interval)))
    .bind(schedule.map(|schedule| schedule.unit.word()))
    .bind(schedule.map(|schedule| schedule.next))
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores what a person changed, except the meter and the parts, under the row lock. The posting
/// that goes with it raises the version.
pub async fn update(
    connection: &mut PgConnection,
    company: Uuid,
    id: Uuid,
    body: &Body,
) -> Result<(), Failure> {
    sqlx::query(
        "UPDATE equipment
        SET name = $3,
            kind = $4,
            serial_number = $5,
            unit = $6,
            lifespan = $7,
            alert_threshold = $8,
            fuel = $9,
            description = $10
        WHERE company_id = $1
          AND id = $2",
    )
    .bind(company)
    .bind(id)
    .bind(&body.name)
    .bind(body.kind.word())
    .bind(&body.serial_number)
    .bind(body.unit.word())
    .bind(body.lifespan.threshold.map(Quantity::hundredths))
    .bind(i64::from(body.lifespan.alert_threshold))
    .bind(body.fuel.word())
    .bind(&body.description)
    .execute(&mut *connection)
    .await?;
    update_task(connection, company, id, &body.task).await
}

/// Stores the first service task, under the row lock of its equipment.
pub async fn update_task(
    connection: &mut PgConnection,
    company: Uuid,
    equipment: Uuid,
    task: &ServiceTask,
) -> Result<(), Failure> {
    let schedule = task.schedule;
    sqlx::query(
        "UPDATE service_tasks
        SET usage_interval = $3,
            last_usage = $4,
            start_date = $5,
            calendar_interval = $6,
            calendar_unit = $7,
            next_date = $8
        WHERE company_id = $1
          AND equipment_id = $2
          AND position = 0",
    )
    .bind(company)
    .bind(equipment)
    .bind(task.interval.hundredths())
    .bind(task.last_usage.map(Quantity::hundredths))
    .bind(schedule.map(|schedule| schedule.start))
    .bind(schedule.map(|schedule| i64::from(schedule.interval)))
    .bind(schedule.map(|schedule| schedule.unit.word()))
    .bind(schedule.map(|schedule| schedule.next))
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes active equipment with all that hangs on it; false: there is none.
pub async fn delete(
    connection: &mut PgConnection,
    company: Uuid,
    id: Uuid,
) -> Result<bool, Failure> {
    let deleted = sqlx::query(
        "DELETE FROM equipment WHERE company_id = $1 AND id = $2 AND retired_at IS NULL",
    )
    .bind(company)
    .bind(id)
    .execute(connection)
    .await?;
    Ok(deleted.rows_affected() > 0)
}

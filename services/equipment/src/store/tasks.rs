//! Service tasks.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::db::{TenantTx, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, PgConnection, Postgres};
use uuid::Uuid;

use super::NOT_VOIDED;
use super::columns::{OfMachine, by_machine, column};
use super::rows::TASK_COLUMNS;
use super::rules::{basis_column, warning_columns};
use crate::domain::equipment::{Equipment, ServiceTask, Snoozed};
use crate::domain::rule::SnoozeEnd;

/// Reads the tasks other than the forms' of all equipment in one query.
pub async fn attach(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: &mut [Equipment],
) -> Result<(), ServiceError> {
    let sql = scoped(&format!(
        "SELECT t.equipment_id, {TASK_COLUMNS}
        FROM service_tasks t
        WHERE t.company_id = $1
          AND t.equipment_id = ANY($2)
          AND t.position > 0
        ORDER BY t.equipment_id, t.position"
    ));
    let rows: Vec<OfMachine<ServiceTask>> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(column(equipment, |item| item.id))
        .fetch_all(connection)
        .await?;
    let mut tasks = by_machine(rows);
    for item in equipment {
        item.more_tasks = tasks.remove(&item.id).unwrap_or_default();
    }
    Ok(())
}

/// Inserts a task after the others, under the row lock of its equipment. Its marks are the initial
/// ones of the ledger, from `created_at` on.
pub async fn insert(
    tx: &mut TenantTx,
    equipment: Uuid,
    task: &ServiceTask,
    created_at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "INSERT INTO service_tasks (
            company_id,
            id,
            equipment_id,
            position,
            created_at,
            name,
            usage_interval,
            last_usage,
            initial_last_usage,
            start_date,
            initial_start_date,
            calendar_interval,
            calendar_unit,
            next_date,
            basis,
            first_usage,
            first_date,
            warning_percent,
            warning_usage,
            warning_days
        )
        SELECT
            $1, $2, $3, coalesce(max(position) + 1, 0), $17, $4, $5, $6, $6, $7, $7, $8, $9, $10, $11,
            $12, $13, $14, $15, $16
        FROM service_tasks
        WHERE company_id = $1
          AND equipment_id = $3
        RETURNING 1",
    )
    .bind(task.id)
    .bind(equipment);
    let statement = bind_plan(statement, task).bind(created_at);
    tx.run(statement).await
}

/// Updates a task, under the row lock of its equipment.
pub async fn update(
    tx: &mut TenantTx,
    equipment: Uuid,
    task: &ServiceTask,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE service_tasks
            SET name = $4,
                usage_interval = $5,
                last_usage = $6,
                start_date = $7,
                calendar_interval = $8,
                calendar_unit = $9,
                next_date = $10,
                basis = $11,
                first_usage = $12,
                first_date = $13,
                warning_percent = $14,
                warning_usage = $15,
                warning_days = $16
            WHERE company_id = $1
              AND equipment_id = $2
              AND id = $3",
        )
        .bind(equipment)
        .bind(task.id);
    bind_plan(statement, task).execute(&mut **tx).await?;
    Ok(())
}

/// Binds the columns that both statements set, in the same order.
fn bind_plan<'q>(
    statement: Query<'q, Postgres, PgArguments>,
    task: &'q ServiceTask,
) -> Query<'q, Postgres, PgArguments> {
    let (schedule, rule) = (task.recurrence.schedule, &task.recurrence.rule);
    let (percent, units) = warning_columns(rule.usage_warning);
    statement
        .bind(&task.name)
        .bind(task.recurrence.interval)
        .bind(task.recurrence.last_usage)
        .bind(schedule.map(|schedule| schedule.start))
        .bind(schedule.map(|schedule| i64::from(schedule.interval)))
        .bind(schedule.map(|schedule| schedule.unit.as_str()))
        .bind(schedule.map(|schedule| schedule.next))
        .bind(basis_column(rule.basis))
        .bind(rule.first_usage)
        .bind(rule.first_date)
        .bind(percent)
        .bind(units)
        .bind(rule.warning_days.map(i64::from))
}

/// Stores until when and why tasks are snoozed; None: they count. Under the row lock of their
/// equipment.
pub async fn snooze(
    tx: &mut TenantTx,
    equipment: Uuid,
    tasks: &[Uuid],
    snooze: Option<(SnoozeEnd, &Snoozed)>,
) -> Result<(), ServiceError> {
    let end = snooze.map(|(end, _)| end);
    let (date, usage) = match end {
        None => (None, None),
        Some(SnoozeEnd::Date(date)) => (Some(date), None),
        Some(SnoozeEnd::Usage(usage)) => (None, Some(usage)),
    };
    let statement = tx
        .query(
            "UPDATE service_tasks
            SET snoozed_until_date = $4,
                snoozed_until_usage = $5,
                snooze_reason = $6,
                snoozed_by = $7,
                snoozed_at = $8
            WHERE company_id = $1
              AND equipment_id = $2
              AND id = ANY($3)",
        )
        .bind(equipment)
        .bind(tasks)
        .bind(date)
        .bind(usage)
        .bind(snooze.map(|(_, snoozed)| snoozed.reason.as_str()))
        .bind(snooze.map(|(_, snoozed)| snoozed.by.as_str()))
        .bind(snooze.map(|(_, snoozed)| snoozed.at));
    tx.run(statement).await
}

/// Deletes a task, under the row lock of its equipment.
pub async fn delete(tx: &mut TenantTx, equipment: Uuid, task: Uuid) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "DELETE FROM service_tasks
            WHERE company_id = $1
              AND equipment_id = $2
              AND id = $3",
        )
        .bind(equipment)
        .bind(task);
    tx.run(statement).await
}

/// Days of the latest services by task. Services without a task id are the form's.
pub async fn last_done(
    tx: &mut TenantTx,
    equipment: Uuid,
) -> Result<HashMap<Option<Uuid>, NaiveDate>, ServiceError> {
    let sql = format!(
        "SELECT
            l.task_id,
            max(l.performed_on)
        FROM ledger l
        WHERE l.company_id = $1
          AND l.equipment_id = $2
          AND l.kind = 'service'
          AND l.performed_on IS NOT NULL
          AND {NOT_VOIDED}
        GROUP BY l.task_id"
    );
    let rows: Vec<(Option<Uuid>, NaiveDate)> = tx
        .query_as(AssertSqlSafe(sql))
        .bind(equipment)
        .fetch_all(&mut **tx)
        .await?;
    Ok(rows.into_iter().collect())
}

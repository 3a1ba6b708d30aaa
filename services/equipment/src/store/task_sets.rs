//! Task sets, their items, and the service tasks that come from them.

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, FromRow, Postgres, Row as _};
use uuid::Uuid;

use super::columns::{column, optional_count, optional_word, word};
use super::rules::{basis_column, shared_rule, warning_columns};
use crate::domain::kinds::{CalendarUnit, MeterUnit};
use crate::domain::task_sets::{Item, TaskSet, Template};

mod links;

pub use links::{OwnedLink, links, replace_links};

/// A set without its items.
impl FromRow<'_, PgRow> for TaskSet {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            unit: word(row, "unit", MeterUnit::parse)?,
            items: Vec::new(),
            revision: row.try_get("revision")?,
        })
    }
}

impl FromRow<'_, PgRow> for Template {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let interval = optional_count(row, "calendar_interval")?;
        let unit = optional_word(row, "calendar_unit", CalendarUnit::parse)?;
        let rule = shared_rule(row)?;
        Ok(Self {
            name: row.try_get("name")?,
            interval: row.try_get("usage_interval")?,
            calendar: interval.zip(unit),
            basis: rule.basis,
            usage_warning: rule.usage_warning,
            warning_days: rule.warning_days,
        })
    }
}

#[derive(sqlx_macros::FromRow)]
struct ItemRow {
    set_id: Uuid,
    id: Uuid,
    #[sqlx(flatten)]
    template: Template,
}

/// Active machines that have a set.
#[derive(Clone, Copy, Debug, sqlx_macros::FromRow)]
pub struct Use {
    pub set_id: Uuid,
    pub machines: i64,
    /// Those without the last changes of the set.
    pub outdated: i64,
}

/// All sets of the company, unsorted.
pub async fn list(tx: &mut TenantTx) -> Result<Vec<TaskSet>, ServiceError> {
    let mut sets: Vec<TaskSet> = tx
        .query_as(
            "SELECT id, name, unit, revision
            FROM task_sets
            WHERE company_id = $1",
        )
        .fetch_all(&mut **tx)
        .await?;
    let sql = format!(
        "SELECT set_id, id, {TEMPLATE_COLUMNS}
        FROM task_set_items
        WHERE company_id = $1
        ORDER BY set_id, position"
    );
    let items: Vec<ItemRow> = tx.query_as(AssertSqlSafe(sql)).fetch_all(&mut **tx).await?;
    for row in items {
        if let Some(set) = sets.iter_mut().find(|set| set.id == row.set_id) {
            let (id, template) = (row.id, row.template);
            set.items.push(Item { id, template });
        }
    }
    Ok(sets)
}

/// Keeps a set from being changed or deleted until commit. Returns false if there is none.
pub async fn lock(tx: &mut TenantTx, id: Uuid) -> Result<bool, ServiceError> {
    let found = tx
        .query("SELECT FROM task_sets WHERE company_id = $1 AND id = $2 FOR SHARE")
        .bind(id)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(found.is_some())
}

/// Counts the active machines of each set.
pub async fn uses(tx: &mut TenantTx) -> Result<Vec<Use>, ServiceError> {
    Ok(tx
        .query_as(
            "SELECT
                l.set_id,
                count(DISTINCT l.equipment_id) AS machines,
                count(DISTINCT l.equipment_id) FILTER (WHERE l.revision < s.revision) AS outdated
            FROM task_set_links l
            JOIN task_sets s
              ON s.company_id = l.company_id AND s.id = l.set_id
            JOIN equipment e
              ON e.company_id = l.company_id AND e.id = l.equipment_id AND e.retired_at IS NULL
            WHERE l.company_id = $1
            GROUP BY l.set_id",
        )
        .fetch_all(&mut **tx)
        .await?)
}

/// Inserts a set or replaces it with its items.
pub async fn store(tx: &mut TenantTx, set: &TaskSet) -> Result<(), ServiceError> {
    tx.query(
        "INSERT INTO task_sets (company_id, id, name, unit, revision)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (company_id, id) DO UPDATE
        SET name = excluded.name,
            unit = excluded.unit,
            revision = excluded.revision",
    )
    .bind(set.id)
    .bind(&set.name)
    .bind(set.unit.as_str())
    .bind(set.revision)
    .execute(&mut **tx)
    .await?;
    tx.query("DELETE FROM task_set_items WHERE company_id = $1 AND set_id = $2")
        .bind(set.id)
        .execute(&mut **tx)
        .await?;
    let sql = format!(
        "INSERT INTO task_set_items (company_id, set_id, id, position, {TEMPLATE_COLUMNS})
        SELECT $1, $2, id, position - 1, {TEMPLATE_COLUMNS}
        FROM unnest($3::uuid[], {TEMPLATE_ARRAYS})
            WITH ORDINALITY AS row (id, {TEMPLATE_COLUMNS}, position)
        RETURNING 1"
    );
    let statement = tx
        .query(AssertSqlSafe(sql))
        .bind(set.id)
        .bind(column(&set.items, |item| item.id));
    let templates = column(&set.items, |item| &item.template);
    bind_templates(statement, &templates)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Marks the machines of a set as up to date after a change of its name or unit.
pub async fn pass_revision(
    tx: &mut TenantTx,
    id: Uuid,
    from: i64,
    to: i64,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE task_set_links
            SET revision = $4
            WHERE company_id = $1
              AND set_id = $2
              AND revision = $3",
        )
        .bind(id)
        .bind(from)
        .bind(to);
    tx.run(statement).await
}

/// Deletes a set, and with it which tasks come from it. Returns false if there is none.
pub async fn delete(tx: &mut TenantTx, id: Uuid) -> Result<bool, ServiceError> {
    let deleted = tx
        .query("DELETE FROM task_sets WHERE company_id = $1 AND id = $2")
        .bind(id)
        .execute(&mut **tx)
        .await?;
    Ok(deleted.rows_affected() > 0)
}

/// Ids of the machines that have a set.
pub async fn machines(tx: &mut TenantTx, set: Uuid) -> Result<Vec<Uuid>, ServiceError> {
    Ok(tx
        .query_scalar(
            "SELECT DISTINCT equipment_id
            FROM task_set_links
            WHERE company_id = $1
              AND set_id = $2",
        )
        .bind(set)
        .fetch_all(&mut **tx)
        .await?)
}

/// What a set determines of a task: columns of items and of links.
const TEMPLATE_COLUMNS: &str = "
    name,
    usage_interval,
    calendar_interval,
    calendar_unit,
    basis,
    warning_percent,
    warning_usage,
    warning_days";

/// These columns as the parameters of [`bind_templates`].
const TEMPLATE_ARRAYS: &str = "
    $4::text[],
    $5::bigint[],
    $6::bigint[],
    $7::text[],
    $8::text[],
    $9::bigint[],
    $10::bigint[],
    $11::bigint[]";

fn bind_templates<'q>(
    statement: Query<'q, Postgres, PgArguments>,
    templates: &[&Template],
) -> Query<'q, Postgres, PgArguments> {
    let calendar = |template: &Template| template.calendar.unzip();
    let warning = |template: &Template| warning_columns(template.usage_warning);
    statement
        .bind(column(templates, |template| template.name.as_str()))
        .bind(column(templates, |template| template.interval))
        .bind(column(templates, |template| {
            calendar(template).0.map(i64::from)
        }))
        .bind(column(templates, |template| {
            calendar(template).1.map(CalendarUnit::as_str)
        }))
        .bind(column(templates, |template| basis_column(template.basis)))
        .bind(column(templates, |template| warning(template).0))
        .bind(column(templates, |template| warning(template).1))
        .bind(column(templates, |template| {
            template.warning_days.map(i64::from)
        }))
}

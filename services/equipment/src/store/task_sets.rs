//! Task sets, their items, and the service tasks that come from them.

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::rules::{SharedRuleRow, basis_column, warning_columns};
use super::unknown_value;
use crate::domain::kinds::{CalendarUnit, MeterUnit};
use crate::domain::task_sets::{Item, TaskSet, Template};

mod links;

pub use links::{OwnedLink, links, replace_links};

#[derive(sqlx_macros::FromRow)]
struct SetRow {
    id: Uuid,
    name: String,
    unit: String,
    revision: i64,
}

#[derive(sqlx_macros::FromRow)]
struct ItemRow {
    set_id: Uuid,
    id: Uuid,
    #[sqlx(flatten)]
    template: TemplateRow,
}

#[derive(sqlx_macros::FromRow)]
struct TemplateRow {
    name: String,
    usage_interval: i64,
    calendar_interval: Option<i32>,
    calendar_unit: Option<String>,
    #[sqlx(flatten)]
    rule: SharedRuleRow,
}

/// Active machines that have a set.
#[derive(Clone, Copy, Debug, sqlx_macros::FromRow)]
pub struct Use {
    pub set_id: Uuid,
    pub machines: i64,
    /// Those without the last changes of the set.
    pub outdated: i64,
}

impl TryFrom<TemplateRow> for Template {
    type Error = ServiceError;

    fn try_from(row: TemplateRow) -> Result<Self, ServiceError> {
        let unit = |text: String| CalendarUnit::parse(&text).ok_or_else(|| unknown_value(&text));
        let unit = row.calendar_unit.map(unit).transpose()?;
        let interval = row.calendar_interval.map(u32::try_from).transpose();
        let rule = row.rule.rule()?;
        Ok(Self {
            name: row.name,
            interval: Quantity::from_hundredths(row.usage_interval),
            calendar: interval.map_err(ServiceError::internal)?.zip(unit),
            basis: rule.basis,
            usage_warning: rule.usage_warning,
            warning_days: rule.warning_days,
        })
    }
}

/// All sets of the company, unsorted.
pub async fn list(
    connection: &mut PgConnection,
    tenant: Tenant,
) -> Result<Vec<TaskSet>, ServiceError> {
    let sets: Vec<SetRow> = sqlx::query_as(
        "SELECT id, name, unit, revision
        FROM task_sets
        WHERE company_id = $1",
    )
    .bind(tenant.company_id())
    .fetch_all(&mut *connection)
    .await?;
    let items: Vec<ItemRow> = sqlx::query_as(
        "SELECT
            set_id,
            id,
            name,
            usage_interval,
            calendar_interval,
            calendar_unit,
            basis,
            warning_percent,
            warning_usage,
            warning_days
        FROM task_set_items
        WHERE company_id = $1
        ORDER BY set_id, position",
    )
    .bind(tenant.company_id())
    .fetch_all(connection)
    .await?;
    let mut found: Vec<TaskSet> = sets.into_iter().map(set).collect::<Result<_, _>>()?;
    for row in items {
        if let Some(set) = found.iter_mut().find(|set| set.id == row.set_id) {
            let (id, template) = (row.id, row.template.try_into()?);
            set.items.push(Item { id, template });
        }
    }
    Ok(found)
}

fn set(row: SetRow) -> Result<TaskSet, ServiceError> {
    Ok(TaskSet {
        id: row.id,
        unit: MeterUnit::parse(&row.unit).ok_or_else(|| unknown_value(&row.unit))?,
        name: row.name,
        items: Vec::new(),
        revision: row.revision,
    })
}

/// Keeps a set from being changed or deleted until commit. Returns false if there is none.
pub async fn lock(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
) -> Result<bool, ServiceError> {
    let found = sqlx::query("SELECT FROM task_sets WHERE company_id = $1 AND id = $2 FOR SHARE")
        .bind(tenant.company_id())
        .bind(id)
        .fetch_optional(connection)
        .await?;
    Ok(found.is_some())
}

/// Counts the active machines of each set.
pub async fn uses(connection: &mut PgConnection, tenant: Tenant) -> Result<Vec<Use>, ServiceError> {
    let rows = sqlx::query_as(
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
    .bind(tenant.company_id())
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

/// Inserts a set or replaces it with its items.
pub async fn store(
    connection: &mut PgConnection,
    tenant: Tenant,
    set: &TaskSet,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO task_sets (company_id, id, name, unit, revision)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (company_id, id) DO UPDATE
        SET name = excluded.name,
            unit = excluded.unit,
            revision = excluded.revision",
    )
    .bind(tenant.company_id())
    .bind(set.id)
    .bind(&set.name)
    .bind(set.unit.as_str())
    .bind(set.revision)
    .execute(&mut *connection)
    .await?;
    sqlx::query("DELETE FROM task_set_items WHERE company_id = $1 AND set_id = $2")
        .bind(tenant.company_id())
        .bind(set.id)
        .execute(&mut *connection)
        .await?;
    let ids: Vec<Uuid> = set.items.iter().map(|item| item.id).collect();
    let columns = Columns::of(set.items.iter().map(|item| &item.template));
    sqlx::query(
        "INSERT INTO task_set_items (
            company_id,
            set_id,
            id,
            position,
            name,
            usage_interval,
            calendar_interval,
            calendar_unit,
            basis,
            warning_percent,
            warning_usage,
            warning_days
        )
        SELECT
            $1, $2, row.id, row.position - 1, row.name, row.interval, row.calendar, row.unit,
            row.basis, row.percent, row.units, row.days
        FROM unnest(
            $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::bigint[],
            $10::bigint[], $11::bigint[]
        ) WITH ORDINALITY
            AS row (id, name, interval, calendar, unit, basis, percent, units, days, position)
        RETURNING 1",
    )
    .bind(tenant.company_id())
    .bind(set.id)
    .bind(&ids)
    .bind(&columns.names)
    .bind(&columns.intervals)
    .bind(&columns.calendars)
    .bind(&columns.units)
    .bind(&columns.bases)
    .bind(&columns.warning_percents)
    .bind(&columns.warning_usages)
    .bind(&columns.warning_days)
    .execute(connection)
    .await?;
    Ok(())
}

/// Marks the machines of a set as up to date after a change of its name or unit.
pub async fn pass_revision(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
    from: i64,
    to: i64,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE task_set_links
        SET revision = $4
        WHERE company_id = $1
          AND set_id = $2
          AND revision = $3",
    )
    .bind(tenant.company_id())
    .bind(id)
    .bind(from)
    .bind(to)
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes a set, and with it which tasks come from it. Returns false if there is none.
pub async fn delete(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
) -> Result<bool, ServiceError> {
    let deleted = sqlx::query("DELETE FROM task_sets WHERE company_id = $1 AND id = $2")
        .bind(tenant.company_id())
        .bind(id)
        .execute(connection)
        .await?;
    Ok(deleted.rows_affected() > 0)
}

/// Ids of the machines that have a set.
pub async fn machines(
    connection: &mut PgConnection,
    tenant: Tenant,
    set: Uuid,
) -> Result<Vec<Uuid>, ServiceError> {
    let ids = sqlx::query_scalar(
        "SELECT DISTINCT equipment_id
        FROM task_set_links
        WHERE company_id = $1
          AND set_id = $2",
    )
    .bind(tenant.company_id())
    .bind(set)
    .fetch_all(connection)
    .await?;
    Ok(ids)
}

/// Templates as columns for `unnest`.
#[derive(Default)]
struct Columns<'a> {
    names: Vec<&'a str>,
    intervals: Vec<i64>,
    calendars: Vec<Option<i64>>,
    units: Vec<Option<&'static str>>,
    bases: Vec<Option<&'static str>>,
    warning_percents: Vec<Option<i64>>,
    warning_usages: Vec<Option<i64>>,
    warning_days: Vec<Option<i64>>,
}

impl<'a> Columns<'a> {
    fn of(templates: impl Iterator<Item = &'a Template>) -> Self {
        let mut columns = Self::default();
        for template in templates {
            columns.names.push(&template.name);
            columns.intervals.push(template.interval.hundredths());
            let calendar = template.calendar;
            columns
                .calendars
                .push(calendar.map(|(interval, _)| interval.into()));
            columns.units.push(calendar.map(|(_, unit)| unit.as_str()));
            columns.bases.push(basis_column(template.basis));
            let (percent, units) = warning_columns(template.usage_warning);
            columns.warning_percents.push(percent);
            columns.warning_usages.push(units);
            let days = template.warning_days.map(i64::from);
            columns.warning_days.push(days);
        }
        columns
    }
}

//! Which tasks of machines come from which items.

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Columns, TemplateRow};
use crate::domain::task_sets::{Link, TaskSet};

#[derive(sqlx_macros::FromRow)]
struct LinkRow {
    set_id: Uuid,
    equipment_id: Uuid,
    item_id: Uuid,
    task_id: Uuid,
    #[sqlx(flatten)]
    applied: TemplateRow,
}

/// A task of a machine, and the set that it comes from.
#[derive(Clone, Debug)]
pub struct OwnedLink {
    pub set: Uuid,
    pub equipment: Uuid,
    pub link: Link,
}

/// The tasks of machines that come from sets.
pub async fn links(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: &[Uuid],
) -> Result<Vec<OwnedLink>, ServiceError> {
    let rows: Vec<LinkRow> = sqlx::query_as(
        "SELECT
            set_id,
            equipment_id,
            item_id,
            task_id,
            name,
            usage_interval,
            calendar_interval,
            calendar_unit,
            basis,
            warning_percent,
            warning_usage,
            warning_days
        FROM task_set_links
        WHERE company_id = $1
          AND equipment_id = ANY($2)
        ORDER BY equipment_id, item_id",
    )
    .bind(tenant.company_id())
    .bind(equipment)
    .fetch_all(connection)
    .await?;
    let link = |row: LinkRow| {
        Ok(OwnedLink {
            set: row.set_id,
            equipment: row.equipment_id,
            link: Link {
                item: row.item_id,
                task: row.task_id,
                applied: row.applied.try_into()?,
            },
        })
    };
    rows.into_iter().map(link).collect()
}

/// Replaces which tasks of a machine come from a set, under the row lock of the machine.
pub async fn replace_links(
    connection: &mut PgConnection,
    tenant: Tenant,
    equipment: Uuid,
    set: &TaskSet,
    links: &[Link],
) -> Result<(), ServiceError> {
    sqlx::query(
        "DELETE FROM task_set_links
        WHERE company_id = $1
          AND equipment_id = $2
          AND set_id = $3",
    )
    .bind(tenant.company_id())
    .bind(equipment)
    .bind(set.id)
    .execute(&mut *connection)
    .await?;
    let items: Vec<Uuid> = links.iter().map(|link| link.item).collect();
    let tasks: Vec<Uuid> = links.iter().map(|link| link.task).collect();
    let columns = Columns::of(links.iter().map(|link| &link.applied));
    sqlx::query(
        "INSERT INTO task_set_links (
            company_id,
            equipment_id,
            set_id,
            revision,
            item_id,
            task_id,
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
            $1, $2, $3, $4, row.item, row.task, row.name, row.interval, row.calendar, row.unit,
            row.basis, row.percent, row.units, row.days
        FROM unnest(
            $5::uuid[], $6::uuid[], $7::text[], $8::bigint[], $9::bigint[], $10::text[], $11::text[],
            $12::bigint[], $13::bigint[], $14::bigint[]
        ) AS row (item, task, name, interval, calendar, unit, basis, percent, units, days)
        RETURNING 1",
    )
    .bind(tenant.company_id())
    .bind(equipment)
    .bind(set.id)
    .bind(set.revision)
    .bind(&items)
    .bind(&tasks)
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

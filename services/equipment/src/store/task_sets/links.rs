//! Which tasks of machines come from which items.

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, FromRow, Row as _};
use uuid::Uuid;

use super::{TEMPLATE_ARRAYS, TEMPLATE_COLUMNS, bind_templates};
use crate::domain::task_sets::{Link, TaskSet, Template};
use crate::store::columns::column;

/// A task of a machine, and the set that it comes from.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct OwnedLink {
    #[sqlx(rename = "set_id")]
    pub set: Uuid,
    #[sqlx(rename = "equipment_id")]
    pub equipment: Uuid,
    #[sqlx(flatten)]
    pub link: Link,
}

impl FromRow<'_, PgRow> for Link {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            item: row.try_get("item_id")?,
            task: row.try_get("task_id")?,
            applied: Template::from_row(row)?,
        })
    }
}

/// The tasks of machines that come from sets.
pub async fn links(tx: &mut TenantTx, equipment: &[Uuid]) -> Result<Vec<OwnedLink>, ServiceError> {
    let sql = format!(
        "SELECT set_id, equipment_id, item_id, task_id, {TEMPLATE_COLUMNS}
        FROM task_set_links
        WHERE company_id = $1
          AND equipment_id = ANY($2)
        ORDER BY equipment_id, item_id"
    );
    Ok(tx
        .query_as(AssertSqlSafe(sql))
        .bind(equipment)
        .fetch_all(&mut **tx)
        .await?)
}

/// Replaces which tasks of a machine come from a set, under the row lock of the machine.
pub async fn replace_links(
    tx: &mut TenantTx,
    equipment: Uuid,
    set: &TaskSet,
    links: &[Link],
) -> Result<(), ServiceError> {
    tx.query(
        "DELETE FROM task_set_links
        WHERE company_id = $1
          AND equipment_id = $2
          AND set_id = $3",
    )
    .bind(equipment)
    .bind(set.id)
    .execute(&mut **tx)
    .await?;
    let sql = format!(
        "INSERT INTO task_set_links (
            company_id,
            equipment_id,
            set_id,
            revision,
            item_id,
            task_id,
            {TEMPLATE_COLUMNS}
        )
        SELECT $1, $12, $2, $13, item, task, {TEMPLATE_COLUMNS}
        FROM unnest($3::uuid[], {TEMPLATE_ARRAYS}, $14::uuid[])
            AS row (item, {TEMPLATE_COLUMNS}, task)
        RETURNING 1"
    );
    let statement = tx
        .query(AssertSqlSafe(sql))
        .bind(set.id)
        .bind(column(links, |link| link.item));
    bind_templates(statement, &column(links, |link| &link.applied))
        .bind(equipment)
        .bind(set.revision)
        .bind(column(links, |link| link.task))
        .execute(&mut **tx)
        .await?;
    Ok(())
}

//! Which machines people watch.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::{TenantRead, TenantTx};
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

use super::Reader;
use crate::watch::Watch;

/// Whether the person of the watches `w` watches the machine of the notification `n`.
macro_rules! watched {
    () => {
        "(
            w.person_id IS NULL
            OR n.equipment_id IS NULL
            OR n.equipment_id = ANY (w.equipment_ids)
            OR n.equipment_group = ANY (w.equipment_groups)
        )"
    };
}
pub(super) use watched;

#[derive(sqlx_macros::FromRow)]
struct Row {
    person_id: Uuid,
    #[sqlx(flatten)]
    watch: Watch,
}

/// None: the usual machines.
pub async fn find(reads: &mut TenantRead, person_id: Uuid) -> Result<Option<Watch>, ServiceError> {
    let watch = reads.query_as(
        "SELECT equipment_ids, equipment_groups
        FROM watches
        WHERE company_id = $1 AND person_id = $2",
    );
    Ok(watch.bind(person_id).fetch_optional(&mut **reads).await?)
}

/// Those of the company's owner and managers, by person.
pub async fn all(reads: &mut TenantRead) -> Result<HashMap<Uuid, Watch>, ServiceError> {
    let query = reads.query_as(
        "SELECT person_id, equipment_ids, equipment_groups
        FROM watches
        WHERE company_id = $1 AND is_manager",
    );
    let rows: Vec<Row> = query.fetch_all(&mut **reads).await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.person_id, row.watch))
        .collect())
}

pub async fn set(
    tx: &mut TenantTx,
    reader: Reader,
    watch: &Watch,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "INSERT INTO watches (
            company_id,
            person_id,
            is_manager,
            equipment_ids,
            equipment_groups,
            changed_at
        ) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (company_id, person_id) DO UPDATE
        SET is_manager = excluded.is_manager,
            equipment_ids = excluded.equipment_ids,
            equipment_groups = excluded.equipment_groups,
            changed_at = excluded.changed_at",
    );
    let statement = statement
        .bind(reader.person_id)
        .bind(reader.is_manager)
        .bind(&watch.equipment_ids)
        .bind(&watch.groups)
        .bind(now);
    tx.run(statement).await
}

/// Returns to the usual machines.
pub async fn clear(tx: &mut TenantTx, person_id: Uuid) -> Result<(), ServiceError> {
    let statement = tx.query("DELETE FROM watches WHERE company_id = $1 AND person_id = $2");
    tx.run(statement.bind(person_id)).await
}

/// The operators who have chosen machines, and whether the machine of a notification is one of them.
pub async fn operators(
    reads: &mut TenantRead,
    number: i64,
) -> Result<Vec<(Uuid, bool)>, ServiceError> {
    const OPERATORS: &str = concat!(
        "SELECT w.person_id, coalesce(",
        watched!(),
        ", false) AS watches
        FROM notifications n
        JOIN watches w ON w.company_id = $1 AND NOT w.is_manager
        WHERE n.company_id = $1 AND n.number = $2"
    );
    let found = reads.query_as(OPERATORS);
    Ok(found.bind(number).fetch_all(&mut **reads).await?)
}

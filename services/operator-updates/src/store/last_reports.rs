use chrono::{DateTime, Utc};
use hourmeter_runtime::db::{TenantRead, TenantTx};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::page::Page;
use uuid::Uuid;

/// People with updates and when their newest one was received, by id. Each step of the recursion is one
/// lookup in `updates_newest_by_operator`: a `GROUP BY` would read all updates of the company.
pub async fn list(
    tx: &mut TenantTx,
    page: &Page<Uuid>,
) -> Result<Vec<(Uuid, DateTime<Utc>)>, ServiceError> {
    let rows = tx.query_as(
        "WITH RECURSIVE last AS (
            (
                SELECT operator_id, created_at
                FROM updates
                WHERE company_id = $1 AND operator_id > $2
                ORDER BY operator_id, created_at DESC
                LIMIT 1
            )
            UNION ALL
            SELECT next.operator_id, next.created_at
            FROM last
            CROSS JOIN LATERAL (
                SELECT operator_id, created_at
                FROM updates
                WHERE company_id = $1 AND operator_id > last.operator_id
                ORDER BY operator_id, created_at DESC
                LIMIT 1
            ) next
        )
        SELECT operator_id, created_at AS received_at
        FROM (SELECT operator_id, created_at FROM last LIMIT $3) page
        ORDER BY operator_id",
    );
    let rows = rows
        .bind(page.after.unwrap_or_default())
        .bind(page.sql_limit());
    Ok(rows.fetch_all(&mut **tx).await?)
}

/// Machines and the operators who have reported on them since then, each pair once.
pub async fn recent_operators(
    reads: &mut TenantRead,
    equipment: &[Uuid],
    since: DateTime<Utc>,
) -> Result<Vec<(Uuid, Uuid)>, ServiceError> {
    let rows = reads.query_as(
        "SELECT DISTINCT equipment_id, operator_id
        FROM updates
        WHERE company_id = $1 AND created_at >= $2 AND equipment_id = ANY ($3)",
    );
    let rows = rows.bind(since).bind(equipment);
    Ok(rows.fetch_all(&mut **reads).await?)
}

//! Updates that wait for review.

use std::collections::BTreeMap;

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

use super::updates;
use crate::domain::update::{Status, Update};

/// Equipment with flagged updates first, then by name; updates of a machine by capture
/// time.
pub async fn list_review(tx: &mut TenantTx, limit: i64) -> Result<Vec<Update>, ServiceError> {
    let query = tx.query_scalar(
        "SELECT id
        FROM (
            SELECT
                id,
                equipment_id,
                captured_at,
                bool_or(flags <> '{}') OVER (PARTITION BY equipment_id) AS is_flagged,
                -- One name for each, though it may have been renamed between two reports.
                first_value(lower(equipment_name)) OVER (
                    PARTITION BY equipment_id
                    ORDER BY created_at DESC, id DESC
                ) AS name
            FROM updates
            WHERE company_id = $1 AND status = 'pending'
        ) waiting
        ORDER BY is_flagged DESC, name, equipment_id, captured_at, id
        LIMIT $2",
    );
    let ids: Vec<Uuid> = query.bind(limit).fetch_all(&mut **tx).await?;
    // A separate statement, because the planner would scan the table for a join.
    let mut rows = updates::find_all(tx, &ids).await?;
    rows.retain(|row| row.status == Status::Pending);
    let places: BTreeMap<Uuid, usize> = ids.into_iter().zip(0..).collect();
    rows.sort_by_key(|row| places.get(&row.id).copied());
    Ok(rows)
}

/// Numbers of pending and of flagged updates.
pub async fn count_review(tx: &mut TenantTx) -> Result<(i64, i64), ServiceError> {
    let counts = tx.query_as(
        "SELECT count(*), count(*) FILTER (WHERE flags <> '{}')
        FROM updates
        WHERE company_id = $1 AND status = 'pending'",
    );
    Ok(counts.fetch_one(&mut **tx).await?)
}

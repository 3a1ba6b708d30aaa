//! Updates that were applied.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::ledger::MeterMove;

/// The reading before and after an update. None: it applied no reading.
pub type Outcome = Option<MeterMove>;

#[derive(Clone, Copy, Debug)]
pub struct Applied {
    pub update_id: Uuid,
    pub equipment: Uuid,
    pub outcome: Outcome,
}

#[derive(sqlx_macros::FromRow)]
struct AppliedRow {
    update_id: Uuid,
    usage_before: Option<i64>,
    usage_after: Option<i64>,
}

/// Outcomes of those updates that were applied already.
pub async fn find(
    connection: &mut PgConnection,
    tenant: Tenant,
    update_ids: &[Uuid],
) -> Result<HashMap<Uuid, Outcome>, ServiceError> {
    let rows: Vec<AppliedRow> = sqlx::query_as(
        "SELECT
            update_id,
            usage_before,
            usage_after
        FROM applied_updates
        WHERE company_id = $1
          AND update_id = ANY($2)",
    )
    .bind(tenant.company_id())
    .bind(update_ids)
    .fetch_all(connection)
    .await?;
    let outcome = |row: &AppliedRow| {
        let both = row.usage_before.zip(row.usage_after);
        both.map(|(before, after)| MeterMove {
            before: Quantity::from_hundredths(before),
            after: Quantity::from_hundredths(after),
        })
    };
    let outcomes = rows.iter().map(|row| (row.update_id, outcome(row)));
    Ok(outcomes.collect())
}

/// Records updates as applied, in the order of their ids to avoid deadlocks. Fails if another
/// transaction has recorded one since `find`; a retry then finds its outcome.
pub async fn insert(
    connection: &mut PgConnection,
    tenant: Tenant,
    applied: &[Applied],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let mut applied = applied.to_vec();
    applied.sort_unstable_by_key(|row| row.update_id);
    let ids: Vec<Uuid> = applied.iter().map(|row| row.update_id).collect();
    let equipment: Vec<Uuid> = applied.iter().map(|row| row.equipment).collect();
    let quantities = |of: fn(MeterMove) -> Quantity| -> Vec<Option<i64>> {
        let rows = applied.iter();
        rows.map(|row| row.outcome.map(|moved| of(moved).hundredths()))
            .collect()
    };
    let result = sqlx::query(
        "INSERT INTO applied_updates (
            company_id,
            update_id,
            equipment_id,
            usage_before,
            usage_after,
            applied_at
        )
        SELECT
            $1,
            row.*,
            $6
        FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[])
            AS row (update_id, equipment_id, usage_before, usage_after)",
    )
    .bind(tenant.company_id())
    .bind(ids)
    .bind(equipment)
    .bind(quantities(|moved| moved.before))
    .bind(quantities(|moved| moved.after))
    .bind(now)
    .execute(connection)
    .await;
    match result {
        Err(error) if is_repeat(&error) => Err(ServiceError::unavailable(error)),
        other => Ok(other.map(drop)?),
    }
}

fn is_repeat(error: &sqlx::Error) -> bool {
    let error = error.as_database_error();
    error.is_some_and(|error| error.constraint() == Some("applied_updates_once"))
}

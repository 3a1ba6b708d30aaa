//! Submissions that took effect.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::ledger::MeterMove;

/// What a submission did: the meter before and after, or none when no reading was applied.
pub type Outcome = Option<MeterMove>;

/// What a submission did, if it took effect already.
pub async fn find(
    connection: &mut PgConnection,
    company: Uuid,
    update_id: Uuid,
) -> Result<Option<Outcome>, Failure> {
    let row: Option<(Option<i64>, Option<i64>)> = sqlx::query_as(
        "SELECT
            usage_before,
            usage_after
        FROM applied_updates
        WHERE company_id = $1
          AND update_id = $2",
    )
    .bind(company)
    .bind(update_id)
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|(before, after)| {
        before.zip(after).map(|(before, after)| MeterMove {
            before: Quantity::from_hundredths(before),
            after: Quantity::from_hundredths(after),
        })
    }))
}

/// Notes that a submission takes effect in this transaction. When another one has noted it in the
/// meantime, this one must not commit; trying again finds the other's outcome.
pub async fn insert(
    connection: &mut PgConnection,
    company: Uuid,
    update_id: Uuid,
    equipment: Uuid,
    outcome: Outcome,
    now: DateTime<Utc>,
) -> Result<(), Failure> {
    let result = sqlx::query(
        "INSERT INTO applied_updates (
            company_id,
            update_id,
            equipment_id,
            usage_before,
            usage_after,
            applied_at
        ) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(company)
    .bind(update_id)
    .bind(equipment)
    .bind(outcome.map(|moved| moved.before.hundredths()))
    .bind(outcome.map(|moved| moved.after.hundredths()))
    .bind(now)
    .execute(connection)
    .await;
    match result {
        Err(error) if is_repeat(&error) => Err(Failure::unavailable(error)),
        other => Ok(other.map(drop)?),
    }
}

fn is_repeat(error: &sqlx::Error) -> bool {
    let error = error.as_database_error();
    error.is_some_and(|error| error.constraint() == Some("applied_updates_once"))
}

//! The row that stands for a company.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use sqlx::PgConnection;
use uuid::Uuid;

/// Locks the company's row until commit, making it first if need be. Whoever raises the number of
/// its equipment does this before counting.
pub async fn lock(
    connection: &mut PgConnection,
    company: Uuid,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO company_state (company_id, claimed_at)
        VALUES ($1, $2)
        ON CONFLICT (company_id) DO UPDATE SET claimed_at = excluded.claimed_at",
    )
    .bind(company)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

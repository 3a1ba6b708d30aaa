//! The company's row, which serves as a lock.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;

/// Creates the company's row if needed and locks it until commit. Required before equipment is
/// counted for adding one.
pub async fn lock(
    connection: &mut PgConnection,
    tenant: Tenant,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO company_state (company_id, claimed_at)
        VALUES ($1, $2)
        ON CONFLICT (company_id) DO UPDATE SET claimed_at = excluded.claimed_at",
    )
    .bind(tenant.company_id())
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

//! The company's row, which serves as a lock and keeps the company's time zone for calls without a
//! person.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Tenant};
use sqlx::PgConnection;

/// Creates the company's row if needed and locks it until commit. Required before equipment is
/// counted for adding one.
pub async fn lock(
    connection: &mut PgConnection,
    identity: &Identity,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO company_state (company_id, claimed_at, time_zone)
        VALUES ($1, $2, $3)
        ON CONFLICT (company_id) DO UPDATE
        SET claimed_at = excluded.claimed_at,
            time_zone = excluded.time_zone",
    )
    .bind(identity.company_id)
    .bind(now)
    .bind(identity.time_zone.name())
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores the company's time zone if it has changed. Call it before equipment is locked.
pub async fn set_time_zone(
    connection: &mut PgConnection,
    identity: &Identity,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let known = time_zone(&mut *connection, identity.tenant()).await?;
    if known == Some(identity.time_zone) {
        return Ok(());
    }
    lock(connection, identity, now).await
}

/// The company's time zone, as of the last change by a person. None: not known.
pub async fn time_zone(
    connection: &mut PgConnection,
    tenant: Tenant,
) -> Result<Option<Tz>, ServiceError> {
    let zone: Option<Option<String>> =
        sqlx::query_scalar("SELECT time_zone FROM company_state WHERE company_id = $1")
            .bind(tenant.company_id())
            .fetch_optional(connection)
            .await?;
    Ok(zone.flatten().and_then(|zone| zone.parse().ok()))
}

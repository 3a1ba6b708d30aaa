//! The company's row, which serves as a lock and keeps the company's time zone for calls without a
//! person.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Identity;

/// Creates the company's row if needed and locks it until commit. Required before equipment is
/// counted for adding one.
pub async fn lock(
    tx: &mut TenantTx,
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
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Stores the company's time zone if it has changed. Call it before equipment is locked.
pub async fn set_time_zone(
    tx: &mut TenantTx,
    identity: &Identity,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let known = time_zone(tx).await?;
    if known == Some(identity.time_zone) {
        return Ok(());
    }
    lock(tx, identity, now).await
}

/// The company's time zone, as of the last change by a person. None: not known.
pub async fn time_zone(tx: &mut TenantTx) -> Result<Option<Tz>, ServiceError> {
    let zone: Option<Option<String>> = tx
        .query_scalar("SELECT time_zone FROM company_state WHERE company_id = $1")
        .fetch_optional(&mut **tx)
        .await?;
    Ok(zone.flatten().and_then(|zone| zone.parse().ok()))
}

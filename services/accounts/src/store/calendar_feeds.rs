//! Secrets of calendar addresses. A person has at most one.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

use super::sessions::Resolved;

/// When the person's address was created. None: there is none.
pub async fn created_at(
    tx: &mut TenantTx,
    user_id: Uuid,
) -> Result<Option<DateTime<Utc>>, ServiceError> {
    let created_at = tx
        .query_scalar("SELECT calendar_created_at FROM users WHERE company_id = $1 AND id = $2")
        .bind(user_id)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(created_at.flatten())
}

/// Replaces the person's address; false if the person is gone.
pub async fn set(
    tx: &mut TenantTx,
    user_id: Uuid,
    hash: &[u8; 32],
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let update = tx
        .query(
            "UPDATE users
            SET calendar_secret_hash = $3, calendar_created_at = $4
            WHERE company_id = $1 AND id = $2 AND role IN ('owner', 'manager')",
        )
        .bind(user_id)
        .bind(hash.as_slice())
        .bind(now);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

/// Returns whether there was an address.
pub async fn delete(tx: &mut TenantTx, user_id: Uuid) -> Result<bool, ServiceError> {
    let update = tx
        .query(
            "UPDATE users
            SET calendar_secret_hash = NULL, calendar_created_at = NULL
            WHERE company_id = $1 AND id = $2 AND calendar_secret_hash IS NOT NULL",
        )
        .bind(user_id);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

/// Finds company and person of an address.
pub const FIND: &str = "SELECT * FROM find_calendar_feed($1)";

/// What the person of an address reads with, in place of a session.
#[derive(Debug, sqlx_macros::FromRow)]
pub struct FeedSession {
    #[sqlx(flatten)]
    pub session: Resolved,
    pub language: Option<String>,
}

/// None if the address has ended meanwhile.
pub async fn session(
    tx: &mut TenantTx,
    user_id: Uuid,
    hash: &[u8; 32],
) -> Result<Option<FeedSession>, ServiceError> {
    let session = tx
        .query_as(
            "SELECT
                u.id AS session_id,
                u.company_id,
                u.id AS user_id,
                u.role,
                'full' AS scope,
                u.calendar_created_at AS auth_time,
                u.first_name,
                u.last_name,
                u.language,
                c.name AS company_name,
                c.time_zone,
                c.auto_apply_updates,
                c.created_at AS company_created_at,
                c.owner_id,
                NULL::integer AS new_token_seconds,
                false AS second_factor_missing,
                c.stale_after_days
            FROM users u
            JOIN companies c ON c.company_id = u.company_id
            WHERE u.company_id = $1
              AND u.id = $2
              AND u.calendar_secret_hash = $3
              AND u.role IN ('owner', 'manager')",
        )
        .bind(user_id)
        .bind(hash.as_slice());
    Ok(session.fetch_optional(&mut **tx).await?)
}

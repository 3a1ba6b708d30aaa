//! Secrets of mailed links. A person has at most one: it verifies the address, or, if the address is
//! verified, sets a new password.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

/// Replaces the person's link.
pub async fn set(
    tx: &mut TenantTx,
    user_id: Uuid,
    hash: &[u8; 32],
    expires_at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE users
            SET mail_link_hash = $3, mail_link_expires_at = $4
            WHERE company_id = $1 AND id = $2",
        )
        .bind(user_id)
        .bind(hash.as_slice())
        .bind(expires_at);
    tx.run(statement).await
}

/// Finds company and person of a link.
pub const FIND: &str = "SELECT * FROM find_mail_link($1)";

/// Consumes a link. `verifies`: it verifies the address, which must not be verified; otherwise it must
/// be. False if the link is used or expired, or has the other purpose.
pub async fn consume(
    tx: &mut TenantTx,
    user_id: Uuid,
    hash: &[u8; 32],
    verifies: bool,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let update = tx
        .query(
            "UPDATE users
            SET email_verified_at = coalesce(email_verified_at, $4),
                mail_link_hash = NULL,
                mail_link_expires_at = NULL
            WHERE company_id = $1
              AND id = $2
              AND mail_link_hash = $3
              AND mail_link_expires_at > $4
              AND (email_verified_at IS NULL) = $5",
        )
        .bind(user_id)
        .bind(hash.as_slice())
        .bind(now)
        .bind(verifies);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

/// How long a link works.
pub const VERIFICATION: TimeDelta = TimeDelta::hours(24);
pub const RECOVERY: TimeDelta = TimeDelta::minutes(30);

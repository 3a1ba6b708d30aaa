//! Secrets of mailed links. A person has at most one.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

const HOURS: i32 = 24;

/// Replaces the person's link. The address must not be verified.
pub async fn set(
    connection: &mut PgConnection,
    tenant: Tenant,
    user_id: Uuid,
    hash: &[u8; 32],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE users
        SET mail_link_hash = $3, mail_link_expires_at = $4 + make_interval(hours => $5)
        WHERE company_id = $1 AND id = $2",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(hash.as_slice())
    .bind(now)
    .bind(HOURS)
    .execute(connection)
    .await?;
    Ok(())
}

/// Company and person of a link.
pub async fn find(
    connection: &mut PgConnection,
    hash: &[u8; 32],
) -> Result<Option<(Tenant, Uuid)>, ServiceError> {
    let found: Option<(Uuid, Uuid)> = sqlx::query_as("SELECT * FROM find_mail_link($1)")
        .bind(hash.as_slice())
        .fetch_optional(connection)
        .await?;
    Ok(found.map(|(company_id, user_id)| (Tenant::from_lookup(company_id), user_id)))
}

/// Consumes a link and verifies the person's address. False if the link is used or expired.
pub async fn verify(
    connection: &mut PgConnection,
    tenant: Tenant,
    user_id: Uuid,
    hash: &[u8; 32],
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let done = sqlx::query(
        "UPDATE users
        SET email_verified_at = $4, mail_link_hash = NULL, mail_link_expires_at = NULL
        WHERE company_id = $1 AND id = $2 AND mail_link_hash = $3 AND mail_link_expires_at > $4",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(hash.as_slice())
    .bind(now)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

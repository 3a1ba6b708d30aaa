//! Confirming the password of a running session.

use chrono::{DateTime, Utc};
use hourmeter_proto::accounts::v1::Scope;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use super::sign_in::{Candidate, Credential};
use super::{hashed, role, scope};
use crate::domain::token::Token;

/// A running session whose password is to be confirmed.
#[derive(Clone, Debug)]
pub struct ToConfirm {
    /// The session.
    pub session_id: Uuid,
    /// Its person.
    pub candidate: Candidate,
    /// How far it reaches.
    pub scope: Scope,
    /// Kept for 30 days.
    pub remember: bool,
}

#[derive(sqlx::FromRow)]
struct ToConfirmRow {
    session_id: Uuid,
    company_id: Uuid,
    user_id: Uuid,
    role: String,
    scope: String,
    remember: bool,
    password_hash: Option<String>,
    password_pepper_id: Option<String>,
    password_set_at: Option<DateTime<Utc>>,
}

/// The running session of a token, with its person's password.
pub async fn find(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<Option<ToConfirm>, Failure> {
    let row: Option<ToConfirmRow> = sqlx::query_as(
        "SELECT
            session_id,
            company_id,
            user_id,
            role,
            scope,
            remember,
            password_hash,
            password_pepper_id,
            password_set_at
        FROM find_reauthentication($1)",
    )
    .bind(token.sid())
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| ToConfirm {
        session_id: row.session_id,
        candidate: Candidate {
            tenant: Tenant::found_by_lookup(row.company_id),
            user_id: row.user_id,
            role: role(&row.role),
            own: Credential {
                hashed: hashed(row.password_hash, row.password_pepper_id),
                set_at: row.password_set_at,
            },
        },
        scope: scope(&row.scope),
        remember: row.remember,
    }))
}

/// Puts a running session under a new token. False when it has ended, or was put under another
/// token, in between.
pub async fn confirm(
    connection: &mut PgConnection,
    tenant: Tenant,
    session_id: Uuid,
    old: &Token,
    new: &Token,
) -> Result<bool, Failure> {
    let done = sqlx::query(
        "UPDATE sessions
        SET sid = $4,
            auth_time = now(),
            last_seen = now(),
            expire = CASE
                WHEN idle IS NULL THEN absolute_expires
                ELSE least(absolute_expires, now() + idle)
            END
        WHERE company_id = $1 AND id = $2 AND sid = $3
          AND revoked_at IS NULL AND expire > now()",
    )
    .bind(tenant.company_id())
    .bind(session_id)
    .bind(old.sid())
    .bind(new.sid())
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

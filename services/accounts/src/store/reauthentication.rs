//! Reauthentication of sessions.

use hourmeter_proto::accounts::v1::Scope;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgConnection, Row as _};
use uuid::Uuid;

use super::scope;
use super::sign_in::Candidate;
use crate::domain::access::display_name;
use crate::domain::token::Token;

/// An active session with the password hash of its person.
#[derive(Clone, Debug)]
pub struct SessionToConfirm {
    pub session_id: Uuid,
    pub candidate: Candidate,
    pub scope: Scope,
    /// Lives 30 days.
    pub remember: bool,
    pub display_name: String,
}

impl FromRow<'_, PgRow> for SessionToConfirm {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let candidate = Candidate::from_row(row)?;
        let scope = scope(row.try_get("scope")?);
        let (first, last) = (row.try_get("first_name")?, row.try_get("last_name")?);
        let company = row.try_get("company_name")?;
        Ok(Self {
            session_id: row.try_get("session_id")?,
            display_name: display_name(candidate.role, scope, first, last, company),
            candidate,
            scope,
            remember: row.try_get("remember")?,
        })
    }
}

pub async fn find(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<Option<SessionToConfirm>, ServiceError> {
    let found = sqlx::query_as("SELECT * FROM find_reauthentication($1)").bind(token.sid());
    Ok(found.fetch_optional(connection).await?)
}

/// Replaces all tokens of an active session by a new one. False if the session ended or got another
/// token meanwhile.
pub async fn confirm(
    tx: &mut TenantTx,
    session_id: Uuid,
    old: &Token,
    new: &Token,
) -> Result<bool, ServiceError> {
    // Locked first, so that a concurrent rotation is visible.
    tx.query(
        "SELECT FROM sessions
        WHERE company_id = $1 AND id = $2
        FOR UPDATE",
    )
    .bind(session_id)
    .execute(&mut **tx)
    .await?;
    let done = tx
        .query(
            "UPDATE sessions
            SET sid = $4,
                token_at = now(),
                next_sid = NULL,
                next_at = NULL,
                auth_time = now(),
                last_seen = now(),
                expire = CASE
                    WHEN idle IS NULL THEN absolute_expires
                    ELSE least(absolute_expires, now() + idle)
                END
            WHERE company_id = $1 AND id = $2 AND revoked_at IS NULL AND expire > now()
              AND (sid = $3 OR next_sid = $3 OR EXISTS (
                SELECT FROM retired_tokens t
                WHERE t.company_id = $1 AND t.session_id = $2 AND t.sid = $3 AND t.valid_until > now()
              ))",
        )
        .bind(session_id)
        .bind(old.sid())
        .bind(new.sid())
        .execute(&mut **tx)
        .await?;
    // Requests in flight with the old token must not count as reuse.
    tx.query("DELETE FROM retired_tokens WHERE company_id = $1 AND session_id = $2")
        .bind(session_id)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

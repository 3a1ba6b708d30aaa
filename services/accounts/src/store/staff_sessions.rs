//! Sessions of support staff: 15 minutes idle, 8 hours in total, by the database's clock.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use sqlx::PgConnection;
use uuid::Uuid;

use super::staff::{self, Staff};
use crate::domain::access::{MAX_SESSIONS, STAFF_LIFETIME};
use crate::domain::token::Token;

pub async fn insert(
    connection: &mut PgConnection,
    staff_id: Uuid,
    token: &Token,
    address_prefix: &str,
) -> Result<Uuid, ServiceError> {
    let id = Uuid::now_v7();
    sqlx::query(
        "INSERT INTO staff_sessions (
            id,
            sid,
            staff_id,
            ip_prefix,
            expire,
            absolute_expires
        ) VALUES (
            $1, $2, $3, $4,
            now() + make_interval(secs => $5),
            now() + make_interval(secs => $6)
        )",
    )
    .bind(id)
    .bind(token.sid())
    .bind(staff_id)
    .bind(address_prefix)
    .bind(STAFF_LIFETIME.idle.map(f64::from))
    .bind(f64::from(STAFF_LIFETIME.total))
    .execute(connection)
    .await?;
    Ok(id)
}

/// Ends the person's oldest sessions to make room for one more. The person's row must be locked.
pub async fn evict_oldest(
    connection: &mut PgConnection,
    staff_id: Uuid,
) -> Result<Vec<Uuid>, ServiceError> {
    let ended = sqlx::query_scalar(
        "UPDATE staff_sessions
        SET revoked_at = now()
        WHERE id IN (
            SELECT id
            FROM staff_sessions
            WHERE staff_id = $1 AND revoked_at IS NULL AND expire > now()
            ORDER BY created_at DESC, id DESC
            OFFSET $2
        )
        RETURNING id",
    )
    .bind(staff_id)
    .bind(MAX_SESSIONS - 1);
    Ok(ended.fetch_all(connection).await?)
}

/// Deletes the person's sessions that ended more than a day ago; returns those that had expired.
pub async fn delete_ended(
    connection: &mut PgConnection,
    staff_id: Uuid,
) -> Result<Vec<Uuid>, ServiceError> {
    let gone: Vec<(Uuid, bool)> = sqlx::query_as(
        "DELETE FROM staff_sessions
        WHERE staff_id = $1 AND least(revoked_at, expire) < now() - interval '1 day'
        RETURNING id, revoked_at IS NULL",
    )
    .bind(staff_id)
    .fetch_all(connection)
    .await?;
    let expired = gone.into_iter().filter(|(_, expired)| *expired);
    Ok(expired.map(|(id, _)| id).collect())
}

/// Ends all sessions of a person except `kept`.
pub async fn end_all(
    connection: &mut PgConnection,
    staff_id: Uuid,
    kept: Option<Uuid>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE staff_sessions
        SET revoked_at = now()
        WHERE staff_id = $1 AND id IS DISTINCT FROM $2 AND revoked_at IS NULL",
    )
    .bind(staff_id)
    .bind(kept)
    .execute(connection)
    .await?;
    Ok(())
}

#[derive(Debug, sqlx_macros::FromRow)]
pub struct Resolved {
    pub session_id: Uuid,
    pub staff_id: Uuid,
    pub name: String,
    pub auth_time: DateTime<Utc>,
}

/// Resolves an active session; records its use at most once a minute.
pub async fn resolve(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<Option<Resolved>, ServiceError> {
    let resolved = sqlx::query_as(
        "WITH live AS (
            SELECT s.id, s.staff_id, p.name, s.auth_time
            FROM staff_sessions s
            JOIN staff p ON p.id = s.staff_id
            WHERE s.sid = $1 AND s.revoked_at IS NULL AND s.expire > now()
              AND s.absolute_expires > now()
        ), touched AS (
            UPDATE staff_sessions s
            SET last_seen = now(),
                expire = least(s.absolute_expires, now() + make_interval(secs => $2))
            FROM live
            WHERE s.id = live.id AND s.revoked_at IS NULL
              AND s.last_seen < now() - interval '1 minute'
        )
        SELECT
            id AS session_id,
            staff_id,
            name,
            auth_time
        FROM live",
    )
    .bind(token.sid())
    .bind(STAFF_LIFETIME.idle.map(f64::from));
    Ok(resolved.fetch_optional(connection).await?)
}

/// Resolves an active session without recording use; writes nothing for any token.
pub async fn peek(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<Option<Resolved>, ServiceError> {
    let found = sqlx::query_as(
        "SELECT
            s.id AS session_id,
            s.staff_id,
            p.name,
            s.auth_time
        FROM staff_sessions s
        JOIN staff p ON p.id = s.staff_id
        WHERE s.sid = $1 AND s.revoked_at IS NULL AND s.expire > now()
          AND s.absolute_expires > now()",
    )
    .bind(token.sid());
    Ok(found.fetch_optional(connection).await?)
}

/// Finds the active session of a token with its person.
pub async fn find(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<Option<(Uuid, Staff)>, ServiceError> {
    let Some(session) = resolve(connection, token).await? else {
        return Ok(None);
    };
    let staff = staff::find(connection, session.staff_id).await?;
    Ok(staff.map(|staff| (session.session_id, staff)))
}

/// Replaces the token of an active session. False if the session ended or got another token meanwhile.
pub async fn confirm(
    connection: &mut PgConnection,
    session_id: Uuid,
    old: &Token,
    new: &Token,
) -> Result<bool, ServiceError> {
    let update = sqlx::query(
        "UPDATE staff_sessions
        SET sid = $3,
            auth_time = now(),
            last_seen = now(),
            expire = least(absolute_expires, now() + make_interval(secs => $4))
        WHERE id = $1 AND sid = $2
          AND revoked_at IS NULL AND expire > now() AND absolute_expires > now()",
    )
    .bind(session_id)
    .bind(old.sid())
    .bind(new.sid())
    .bind(STAFF_LIFETIME.idle.map(f64::from));
    Ok(update.execute(connection).await?.rows_affected() == 1)
}

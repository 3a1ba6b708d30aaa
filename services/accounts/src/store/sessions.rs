//! Sessions; lifetimes are measured by the database's clock.

use chrono::{DateTime, Utc};
use hourmeter_proto::accounts::v1::{Role, Scope};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::PgConnection;
use uuid::Uuid;

use super::audit::{AuditContext, Event};
use super::{role_name, scope_name};
use crate::domain::access::{MAX_SESSIONS, lifetime};
use crate::domain::token::Token;

#[derive(Clone, Copy, Debug)]
pub struct NewSession {
    pub user_id: Uuid,
    pub role: Role,
    pub scope: Scope,
    /// Lives 30 days.
    pub remember: bool,
    /// The audit detail: the kind of name that was entered.
    pub via: &'static str,
}

pub async fn insert(
    tx: &mut TenantTx,
    session: &NewSession,
    token: &Token,
    address_prefix: &str,
) -> Result<Uuid, ServiceError> {
    let id = Uuid::now_v7();
    let life = lifetime(session.scope, session.remember);
    tx.query(
        "INSERT INTO sessions (
            company_id,
            id,
            sid,
            sess,
            user_id,
            role,
            scope,
            remember,
            ip_prefix,
            idle,
            expire,
            absolute_expires
        ) VALUES (
            $1, $2, $3, jsonb_build_object('via', $4::text), $5, $6, $7, $8, $9,
            make_interval(secs => $10),
            now() + make_interval(secs => coalesce($10, $11)),
            now() + make_interval(secs => $11)
        )",
    )
    .bind(id)
    .bind(token.sid())
    .bind(session.via)
    .bind(session.user_id)
    .bind(role_name(session.role))
    .bind(scope_name(session.scope))
    .bind(session.remember)
    .bind(address_prefix)
    .bind(life.idle.map(f64::from))
    .bind(f64::from(life.total))
    .execute(&mut **tx)
    .await?;
    Ok(id)
}

/// Ends the person's oldest sessions of this scope to make room for one more. The person's row must
/// be locked.
pub async fn evict_oldest(
    tx: &mut TenantTx,
    user_id: Uuid,
    scope: Scope,
) -> Result<Vec<Uuid>, ServiceError> {
    let ended = tx
        .query_scalar(
            "UPDATE sessions
            SET revoked_at = now()
            WHERE company_id = $1 AND id IN (
                SELECT id
                FROM sessions
                WHERE company_id = $1 AND user_id = $2 AND scope = $3
                  AND revoked_at IS NULL AND expire > now()
                ORDER BY created_at DESC, id DESC
                OFFSET $4
            )
            RETURNING id",
        )
        .bind(user_id)
        .bind(scope_name(scope))
        .bind(MAX_SESSIONS - 1);
    Ok(ended.fetch_all(&mut **tx).await?)
}

/// Deletes the person's sessions that ended more than a day ago; returns those that had expired.
pub async fn delete_ended(tx: &mut TenantTx, user_id: Uuid) -> Result<Vec<Uuid>, ServiceError> {
    let gone: Vec<(Uuid, bool)> = tx
        .query_as(
            "DELETE FROM sessions
            WHERE company_id = $1 AND user_id = $2
              AND least(revoked_at, expire) < now() - interval '1 day'
            RETURNING id, revoked_at IS NULL",
        )
        .bind(user_id)
        .fetch_all(&mut **tx)
        .await?;
    let expired = gone.into_iter().filter(|(_, expired)| *expired);
    Ok(expired.map(|(id, _)| id).collect())
}

/// Ends the session of a token, of a person or of staff, if there is one.
pub async fn end(
    connection: &mut PgConnection,
    token: &Token,
    event: Event,
    context: &AuditContext,
) -> Result<(), ServiceError> {
    sqlx::query(
        "SELECT
            end_session($1, $2, $3, $4, $5),
            end_staff_session($1, $6, $3, $4, $5)",
    )
    .bind(token.sid())
    .bind(Uuid::now_v7())
    .bind(event.name())
    .bind(context.request_id)
    .bind(&context.address_prefix)
    .bind(Uuid::now_v7())
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends all sessions with operator scope in the company.
pub async fn end_operator_scope(tx: &mut TenantTx) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE sessions
        SET revoked_at = now()
        WHERE company_id = $1 AND scope = 'operator' AND revoked_at IS NULL",
    );
    tx.run(statement).await
}

/// Ends all sessions of a person except `kept`.
pub async fn end_all(
    tx: &mut TenantTx,
    user_id: Uuid,
    kept: Option<Uuid>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE sessions
            SET revoked_at = now()
            WHERE company_id = $1 AND user_id = $2 AND id IS DISTINCT FROM $3 AND revoked_at IS NULL",
        )
        .bind(user_id)
        .bind(kept);
    tx.run(statement).await
}

/// Those of these sessions that are active.
pub async fn active(tx: &mut TenantTx, ids: &[Uuid]) -> Result<Vec<Uuid>, ServiceError> {
    let active = sqlx::query_scalar(
        "SELECT id
        FROM sessions
        WHERE company_id = $1 AND id = ANY ($2) AND revoked_at IS NULL AND expire > now()",
    );
    let active = active.bind(tx.tenant().company_id()).bind(ids);
    Ok(active.fetch_all(&mut **tx).await?)
}

#[derive(Debug, sqlx_macros::FromRow)]
pub struct Resolved {
    pub session_id: Uuid,
    pub company_id: Uuid,
    pub user_id: Uuid,
    pub role: String,
    pub scope: String,
    pub auth_time: DateTime<Utc>,
    pub first_name: String,
    pub last_name: String,
    pub company_name: String,
    pub time_zone: String,
    pub auto_apply_updates: bool,
    pub company_created_at: DateTime<Utc>,
    pub owner_id: Uuid,
    /// Lifetime of the offered new token in seconds; None: it was not used.
    pub new_token_seconds: Option<i32>,
    pub second_factor_missing: bool,
    pub stale_after_days: i32,
}

/// Resolves an active session and records its use. `new` becomes the next token when a rotation is
/// due; `context` is recorded if the token was already replaced. One round trip.
pub async fn resolve(
    connection: &mut PgConnection,
    token: &Token,
    new: &Token,
    context: &AuditContext,
) -> Result<Option<Resolved>, ServiceError> {
    let resolved = sqlx::query_as(
        "SELECT
            *,
            second_factor_missing(company_id, user_id, role, scope) AS second_factor_missing,
            company_stale_after_days(company_id) AS stale_after_days
        FROM use_session($1, $2, $3, $4, $5)",
    )
    .bind(token.sid())
    .bind(new.sid())
    .bind(Uuid::now_v7())
    .bind(context.request_id)
    .bind(&context.address_prefix);
    Ok(resolved.fetch_optional(connection).await?)
}

/// Resolves an active session; writes nothing for any token.
pub async fn peek(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<Option<Resolved>, ServiceError> {
    let found = sqlx::query_as(
        "SELECT
            *,
            NULL::integer AS new_token_seconds,
            second_factor_missing(company_id, user_id, role, scope) AS second_factor_missing,
            company_stale_after_days(company_id) AS stale_after_days
        FROM peek_session($1)",
    )
    .bind(token.sid());
    Ok(found.fetch_optional(connection).await?)
}

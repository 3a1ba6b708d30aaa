//! The outbox of security events for the notifications service.

use chrono::{DateTime, Utc};
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::{self, SecurityEventKind};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::facts::FactOutbox;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use super::audit::AuditContext;

/// The table `security_events`.
pub struct SecurityEvents;

#[derive(sqlx_macros::FromRow)]
pub struct SecurityEvent {
    id: Uuid,
    user_id: Uuid,
    kind: String,
    browser: String,
    former_email: Option<String>,
    happened_at: DateTime<Utc>,
}

/// Records what happened to the account of an owner or manager; operators get no mail. Call it in the
/// transaction of the change.
pub async fn record(
    tx: &mut TenantTx,
    user_id: Uuid,
    kind: SecurityEventKind,
    context: &AuditContext,
) -> Result<(), ServiceError> {
    record_with_former_email(tx, user_id, kind, None, context).await
}

/// [`record`] with the verified address before a new one.
pub async fn record_with_former_email(
    tx: &mut TenantTx,
    user_id: Uuid,
    kind: SecurityEventKind,
    former_email: Option<&str>,
    context: &AuditContext,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "INSERT INTO security_events (
                company_id,
                id,
                user_id,
                kind,
                browser,
                former_email,
                happened_at,
                next_try_at
            )
            SELECT company_id, $3, id, $4, $5, $6, now(), now()
            FROM users
            WHERE company_id = $1 AND id = $2 AND role IN ('owner', 'manager')",
        )
        .bind(user_id)
        .bind(Uuid::now_v7())
        .bind(kind.as_str_name())
        .bind(&context.browser)
        .bind(former_email);
    tx.run(statement).await
}

impl FactOutbox for SecurityEvents {
    type Row = SecurityEvent;

    async fn claim(
        connection: &mut PgConnection,
        tenant: Tenant,
        at_most: i64,
        retry_seconds: i32,
    ) -> Result<Vec<SecurityEvent>, ServiceError> {
        let claimed = sqlx::query_as(
            "WITH due AS (
                SELECT id
                FROM security_events
                WHERE company_id = $1 AND next_try_at <= now()
                ORDER BY next_try_at
                LIMIT $2
                FOR UPDATE SKIP LOCKED
            )
            UPDATE security_events e
            SET next_try_at = now() + make_interval(secs => $3)
            FROM due
            WHERE e.company_id = $1 AND e.id = due.id
            RETURNING e.id, e.user_id, e.kind, e.browser, e.former_email, e.happened_at",
        )
        .bind(tenant.company_id())
        .bind(at_most)
        .bind(retry_seconds);
        Ok(claimed.fetch_all(connection).await?)
    }

    async fn delete(
        connection: &mut PgConnection,
        tenant: Tenant,
        events: &[SecurityEvent],
    ) -> Result<(), ServiceError> {
        sqlx::query("DELETE FROM security_events WHERE company_id = $1 AND id = ANY ($2)")
            .bind(tenant.company_id())
            .bind(events.iter().map(|event| event.id).collect::<Vec<_>>())
            .execute(connection)
            .await?;
        Ok(())
    }

    /// None: a kind of a later release, which ran before.
    fn message(event: &SecurityEvent) -> Option<v1::Fact> {
        let kind = SecurityEventKind::from_str_name(&event.kind)?;
        Some(v1::Fact {
            key: format!("security:{}", event.id),
            happened_at: Some(timestamp(event.happened_at)),
            actor_id: String::new(),
            what: Some(What::SecurityEvent(v1::SecurityEvent {
                person_id: event.user_id.to_string(),
                kind: kind.into(),
                browser: event.browser.clone(),
                former_address: event.former_email.clone().unwrap_or_default(),
            })),
        })
    }
}

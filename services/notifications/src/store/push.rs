//! Browsers that show notifications.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::scoped;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::Reader;
use super::watches::watched;
use crate::push::BrowserKeys;

/// Browsers of a person; the oldest are removed beyond.
const MAX_OF_PERSON: i64 = 10;

#[derive(Debug, sqlx_macros::FromRow)]
pub struct Subscription {
    pub id: Uuid,
    pub person_id: Uuid,
    pub session_id: Uuid,
    pub is_manager: bool,
    pub endpoint: String,
    p256dh: Vec<u8>,
    auth: Vec<u8>,
    pub language: String,
}

impl Subscription {
    pub const fn reader(&self) -> Reader {
        Reader {
            person_id: self.person_id,
            is_manager: self.is_manager,
        }
    }

    pub fn keys(&self) -> BrowserKeys {
        BrowserKeys {
            p256dh: self.p256dh.clone(),
            auth: self.auth.clone(),
        }
    }
}

#[derive(Debug)]
pub struct NewSubscription {
    pub session_id: Uuid,
    pub endpoint: String,
    pub keys: BrowserKeys,
    pub language: &'static str,
}

/// Adds a browser of the reader, or replaces what was added for it before.
pub async fn add(
    connection: &mut PgConnection,
    tenant: Tenant,
    reader: Reader,
    new: &NewSubscription,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO push_subscriptions (
            company_id,
            id,
            person_id,
            session_id,
            is_manager,
            endpoint,
            p256dh,
            auth,
            language,
            created_at
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (company_id, endpoint) DO UPDATE
        SET id = CASE
                WHEN push_subscriptions.person_id = excluded.person_id THEN push_subscriptions.id
                ELSE excluded.id
            END,
            person_id = excluded.person_id,
            session_id = excluded.session_id,
            is_manager = excluded.is_manager,
            p256dh = excluded.p256dh,
            auth = excluded.auth,
            language = excluded.language,
            created_at = excluded.created_at",
    )
    .bind(tenant.company_id())
    .bind(Uuid::now_v7())
    .bind(reader.person_id)
    .bind(new.session_id)
    .bind(reader.is_manager)
    .bind(&new.endpoint)
    .bind(&new.keys.p256dh)
    .bind(&new.keys.auth)
    .bind(new.language)
    .bind(now)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "DELETE FROM push_subscriptions
        WHERE company_id = $1 AND person_id = $2 AND id IN (
            SELECT id
            FROM push_subscriptions
            WHERE company_id = $1 AND person_id = $2
            ORDER BY created_at DESC, id DESC
            OFFSET $3
        )",
    )
    .bind(tenant.company_id())
    .bind(reader.person_id)
    .bind(MAX_OF_PERSON)
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes a browser of a person.
pub async fn remove(
    connection: &mut PgConnection,
    tenant: Tenant,
    person_id: Uuid,
    endpoint: &str,
) -> Result<(), ServiceError> {
    sqlx::query(
        "DELETE FROM push_subscriptions
        WHERE company_id = $1 AND person_id = $2 AND endpoint = $3",
    )
    .bind(tenant.company_id())
    .bind(person_id)
    .bind(endpoint)
    .execute(connection)
    .await?;
    Ok(())
}

pub async fn find(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
) -> Result<Option<Subscription>, ServiceError> {
    let query = scoped(
        "SELECT id, person_id, session_id, is_manager, endpoint, p256dh, auth, language
        FROM push_subscriptions
        WHERE company_id = $1 AND id = $2",
    );
    let subscription = sqlx::query_as(AssertSqlSafe(query))
        .bind(tenant.company_id())
        .bind(id);
    Ok(subscription.fetch_optional(connection).await?)
}

pub async fn delete(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
) -> Result<(), ServiceError> {
    sqlx::query("DELETE FROM push_subscriptions WHERE company_id = $1 AND id = $2")
        .bind(tenant.company_id())
        .bind(id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Queues these notifications for the browsers of those whom they notify and who want that. A browser
/// gets at most one push a minute; more are gathered.
pub async fn queue(
    connection: &mut PgConnection,
    tenant: Tenant,
    numbers: &[i64],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    const QUEUE: &str = concat!(
        "INSERT INTO messages (
            company_id,
            id,
            person_id,
            kind,
            state,
            next_try_at,
            created_at,
            subscription_id,
            notification_number
        )
        SELECT
            $1,
            gen_random_uuid(),
            s.person_id,
            'push',
            'queued',
            coalesce(
                (
                    SELECT max(p.done_at) + interval '1 minute'
                    FROM messages p
                    WHERE p.company_id = $1
                      AND p.person_id = s.person_id
                      AND p.subscription_id = s.id
                      AND p.kind = 'push'
                      AND p.state = 'sent'
                      AND p.done_at > now() - interval '1 minute'
                ),
                now()
            ),
            $3,
            s.id,
            n.number
        FROM notifications n
        JOIN push_subscriptions s
            ON s.company_id = $1
            AND (s.person_id = n.person_id OR (s.is_manager AND n.person_id IS NULL))
            AND s.person_id IS DISTINCT FROM n.actor_id
        LEFT JOIN settings t ON t.company_id = $1 AND t.person_id = s.person_id
        LEFT JOIN watches w ON w.company_id = $1 AND w.person_id = s.person_id
        WHERE n.company_id = $1
          AND n.number = ANY ($2)
          AND CASE n.fact ->> 'kind'
              WHEN 'flagged_update' THEN coalesce(t.flagged_push, true)
              WHEN 'returned_update' THEN coalesce(t.returned_push, true)
              ELSE coalesce(t.status_push, NOT s.is_manager)
          END
          AND (n.person_id IS NOT NULL OR ",
        watched!(),
        ") RETURNING 1"
    );
    sqlx::query(QUEUE)
        .bind(tenant.company_id())
        .bind(numbers)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(())
}

/// Queues a test for the browsers of a person, unless one was queued in the last minute.
pub async fn queue_test(
    connection: &mut PgConnection,
    tenant: Tenant,
    person_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO messages (
            company_id,
            id,
            person_id,
            kind,
            state,
            next_try_at,
            created_at,
            subscription_id
        )
        SELECT $1, gen_random_uuid(), $2, 'test_push', 'queued', now(), $3, s.id
        FROM push_subscriptions s
        WHERE s.company_id = $1 AND s.person_id = $2 AND NOT EXISTS (
            SELECT FROM messages
            WHERE company_id = $1
              AND person_id = $2
              AND kind = 'test_push'
              AND created_at > $3 - interval '1 minute'
        )
        RETURNING 1",
    )
    .bind(tenant.company_id())
    .bind(person_id)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

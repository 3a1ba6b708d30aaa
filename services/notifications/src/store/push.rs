//! Browsers that show notifications.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::{TenantRead, TenantTx};
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

use super::Reader;
use crate::push::BrowserKeys;

/// Browsers of a person; the oldest are removed beyond.
const MAX_OF_PERSON: i64 = 10;

#[derive(Debug, sqlx_macros::FromRow)]
pub struct Subscription {
    pub id: Uuid,
    #[sqlx(flatten)]
    pub reader: Reader,
    pub session_id: Uuid,
    pub endpoint: String,
    #[sqlx(flatten)]
    pub keys: BrowserKeys,
    pub language: String,
}

#[derive(Debug)]
pub struct NewSubscription {
    pub session_id: Uuid,
    pub endpoint: String,
    pub keys: BrowserKeys,
    pub language: String,
}

/// Adds a browser of the reader, or replaces what was added for it before.
pub async fn add(
    tx: &mut TenantTx,
    reader: Reader,
    new: &NewSubscription,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx.query(
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
    );
    let statement = statement
        .bind(Uuid::now_v7())
        .bind(reader.person_id)
        .bind(new.session_id)
        .bind(reader.is_manager)
        .bind(&new.endpoint)
        .bind(&new.keys.p256dh)
        .bind(&new.keys.auth)
        .bind(&new.language)
        .bind(now);
    tx.run(statement).await?;
    let statement = tx.query(
        "DELETE FROM push_subscriptions
        WHERE company_id = $1 AND person_id = $2 AND id IN (
            SELECT id
            FROM push_subscriptions
            WHERE company_id = $1 AND person_id = $2
            ORDER BY created_at DESC, id DESC
            OFFSET $3
        )",
    );
    tx.run(statement.bind(reader.person_id).bind(MAX_OF_PERSON))
        .await
}

/// Removes a browser of a person.
pub async fn remove(
    tx: &mut TenantTx,
    person_id: Uuid,
    endpoint: &str,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "DELETE FROM push_subscriptions
        WHERE company_id = $1 AND person_id = $2 AND endpoint = $3",
    );
    tx.run(statement.bind(person_id).bind(endpoint)).await
}

pub async fn find(reads: &mut TenantRead, id: Uuid) -> Result<Option<Subscription>, ServiceError> {
    let subscription = reads.query_as(
        "SELECT id, person_id, session_id, is_manager, endpoint, p256dh, auth, language
        FROM push_subscriptions
        WHERE company_id = $1 AND id = $2",
    );
    Ok(subscription.bind(id).fetch_optional(&mut **reads).await?)
}

pub async fn delete(tx: &mut TenantTx, id: Uuid) -> Result<(), ServiceError> {
    let statement = tx.query("DELETE FROM push_subscriptions WHERE company_id = $1 AND id = $2");
    tx.run(statement.bind(id)).await
}

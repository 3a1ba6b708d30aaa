//! Idempotent requests: a repeat with the same `idempotency-key` has no second effect and returns
//! the first response.
//!
//! The key is claimed in the transaction of the change, which also stores the response. A repeat
//! that arrives while the first request runs waits on the primary key, at most for the lock
//! timeout, and then fails with `IDEMPOTENCY_KEY_IN_PROGRESS`. Requests without a key are not
//! deduplicated.
//!
//! [`run_once`] is for work outside one transaction, such as a call to the payment provider: it
//! commits the claim first and stores the response afterwards.
//!
//! Each service creates the table `idempotency_keys` in its migrations. The table has an unsalted
//! hash of the request, so requests with a password or a security answer must not claim a key.

use std::ops::{Deref, DerefMut};

use chrono::{DateTime, TimeDelta, Utc};
use http::HeaderMap;
use prost::Message;
use sha2::{Digest as _, Sha256};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::clock::Clock;
use crate::db::{Database, TenantTx};
use crate::error::{Kind, ServiceError};
use crate::identity::{Identity, Tenant};
use crate::refusals;

/// Metadata key of the idempotency key.
pub const IDEMPOTENCY_HEADER: &str = "idempotency-key";
/// Maximum length of a key in bytes.
const MAX_KEY: usize = 255;
/// How long a key is remembered.
const KEPT_FOR: TimeDelta = TimeDelta::hours(24);
/// A claim without a response is abandoned after this time, because its process must have died.
/// Longer than any deadline.
const ABANDONED_AFTER: TimeDelta = TimeDelta::seconds(60);

/// A client's key for one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    route: &'static str,
    text: String,
    request_hash: Vec<u8>,
}

impl Key {
    /// Reads the key of a request to `route`; None if the client sent no key.
    pub fn read<T: Message>(
        request: &tonic::Request<T>,
        route: &'static str,
    ) -> Result<Option<Self>, ServiceError> {
        let text = key_in(request.metadata().as_ref())?;
        Ok(text.map(|text| Self {
            route,
            text: text.to_owned(),
            request_hash: Sha256::digest(request.get_ref().encode_to_vec()).to_vec(),
        }))
    }
}

/// Validates the key in the headers of a request; None if the client sent no key.
pub fn key_in(headers: &HeaderMap) -> Result<Option<&str>, ServiceError> {
    let mut sent = headers.get_all(IDEMPOTENCY_HEADER).iter();
    let Some(first) = sent.next() else {
        return Ok(None);
    };
    let printable = |text: &&str| text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let text = first.to_str().ok().filter(printable);
    let text = text.filter(|text| (1..=MAX_KEY).contains(&text.len()));
    let text = text.filter(|_| sent.next().is_none());
    let invalid = || ServiceError::field("Idempotency-Key", refusals::IDEMPOTENCY_KEY_INVALID);
    text.map(Some).ok_or_else(invalid)
}

/// Whether a request is new or a repeat.
#[derive(Debug)]
pub enum Outcome<A> {
    /// A new request, to be run in this transaction.
    New(IdempotentTx),
    /// A repeat, with the first response.
    Repeat(A),
}

/// The transaction of a request. Dropping it rolls back the changes and the claim of the key.
#[derive(Debug)]
pub struct IdempotentTx {
    tx: TenantTx,
    claim: Option<KeyClaim>,
}

/// The claim of a key by a user's request.
#[derive(Debug)]
struct KeyClaim {
    company_id: Uuid,
    user_id: Uuid,
    key: Key,
}

/// Claims the key, or returns the stored response to it. Fails with `IDEMPOTENCY_KEY_REUSED` if the
/// key was used for a different request.
pub async fn begin<A: Message + Default>(
    mut tx: TenantTx,
    identity: &Identity,
    key: Option<Key>,
    now: DateTime<Utc>,
) -> Result<Outcome<A>, ServiceError> {
    let Some(key) = key else {
        return Ok(Outcome::New(IdempotentTx { tx, claim: None }));
    };
    let claim = KeyClaim::new(tx.tenant(), identity.user_id, key);
    if claim.insert(&mut tx, now).await? {
        let claim = Some(claim);
        return Ok(Outcome::New(IdempotentTx { tx, claim }));
    }
    // None: the claim was released in between.
    let response = claim.stored_response(&mut tx, now).await?;
    let response = response.ok_or_else(ServiceError::key_in_progress)?;
    Ok(Outcome::Repeat(response))
}

/// Returns the stored response to this request, if there is one. Claims no key.
pub async fn stored_response<A: Message + Default>(
    tx: &mut TenantTx,
    identity: &Identity,
    key: Option<&Key>,
    now: DateTime<Utc>,
) -> Result<Option<A>, ServiceError> {
    let Some(key) = key.cloned() else {
        return Ok(None);
    };
    let claim = KeyClaim::new(tx.tenant(), identity.user_id, key);
    claim.stored_response(tx, now).await
}

/// Runs work outside one transaction, once per key of `user_id`. The claim is committed before the
/// work starts, and released if the work fails. Spawn a task for it, because a dropped future
/// leaves the claim unfinished.
pub async fn run_once<A: Message + Default>(
    database: &Database,
    (tenant, user_id): (Tenant, Uuid),
    key: Option<Key>,
    clock: &Clock,
    work: impl Future<Output = Result<A, ServiceError>>,
) -> Result<A, ServiceError> {
    let Some(key) = key else {
        return work.await;
    };
    let now = clock.now();
    let claim = KeyClaim::new(tenant, user_id, key);
    let mut tx = database.tenant(tenant).await?;
    if !claim.insert(&mut tx, now).await? {
        let response = claim.stored_response(&mut tx, now).await?;
        return response.ok_or_else(ServiceError::key_in_progress);
    }
    tx.commit().await?;
    let result = work.await;
    let stored = async {
        let mut tx = database.tenant(tenant).await?;
        match &result {
            Ok(response) => claim.store(&mut tx, response).await?,
            Err(_) => claim.release(&mut tx, now).await?,
        }
        tx.commit().await
    };
    if let Err(error) = stored.await {
        tracing::warn!(error = ?error.cause, "failed to store the response to an idempotency key");
    }
    result
}

impl IdempotentTx {
    /// Stores the response for repeats and commits. Send the response only afterwards.
    pub async fn finish<A: Message>(mut self, response: &A) -> Result<(), ServiceError> {
        if let Some(claim) = &self.claim {
            claim.store(&mut self.tx, response).await?;
        }
        self.tx.commit().await
    }
}

impl Deref for IdempotentTx {
    type Target = TenantTx;

    fn deref(&self) -> &TenantTx {
        &self.tx
    }
}

impl DerefMut for IdempotentTx {
    fn deref_mut(&mut self) -> &mut TenantTx {
        &mut self.tx
    }
}

impl KeyClaim {
    const fn new(tenant: Tenant, user_id: Uuid, key: Key) -> Self {
        Self {
            company_id: tenant.company_id(),
            user_id,
            key,
        }
    }

    /// Claims the key; false if it is already claimed. Waits for a transaction that is claiming it.
    /// Deletes old keys in one of 16 calls.
    async fn insert(
        &self,
        connection: &mut PgConnection,
        now: DateTime<Utc>,
    ) -> Result<bool, ServiceError> {
        let done = sqlx::query(
            "INSERT INTO idempotency_keys AS claimed (
                company_id,
                user_id,
                route,
                key,
                request_hash,
                created_at
            ) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (company_id, user_id, route, key) DO UPDATE
            SET request_hash = excluded.request_hash,
                answer = NULL,
                created_at = excluded.created_at
            WHERE claimed.created_at < $7
               OR (claimed.answer IS NULL AND claimed.created_at < $8)",
        )
        .bind(self.company_id)
        .bind(self.user_id)
        .bind(self.key.route)
        .bind(&self.key.text)
        .bind(&self.key.request_hash)
        .bind(now)
        .bind(now - KEPT_FOR)
        .bind(now - ABANDONED_AFTER)
        .execute(&mut *connection)
        .await
        .map_err(in_progress)?;
        let is_ours = done.rows_affected() == 1;
        // One claim in 16 deletes more keys than 16 claims add.
        if is_ours && now.timestamp_micros() % 16 == 0 {
            delete_old(connection, self.company_id, now).await?;
        }
        Ok(is_ours)
    }

    /// The stored response; None: the key is not claimed or has expired.
    async fn stored_response<A: Message + Default>(
        &self,
        connection: &mut PgConnection,
        now: DateTime<Utc>,
    ) -> Result<Option<A>, ServiceError> {
        let row: Option<(Vec<u8>, Option<Vec<u8>>)> = sqlx::query_as(
            "SELECT
                request_hash,
                answer
            FROM idempotency_keys
            WHERE company_id = $1
              AND user_id = $2
              AND route = $3
              AND key = $4
              AND created_at >= $5",
        )
        .bind(self.company_id)
        .bind(self.user_id)
        .bind(self.key.route)
        .bind(&self.key.text)
        .bind(now - KEPT_FOR)
        .fetch_optional(connection)
        .await?;
        let Some((request_hash, response)) = row else {
            return Ok(None);
        };
        if request_hash != self.key.request_hash {
            let reused = refusals::IDEMPOTENCY_KEY_REUSED;
            return Err(ServiceError::new(Kind::KeyReused, reused));
        }
        let response = response.ok_or_else(ServiceError::key_in_progress)?;
        let response = A::decode(response.as_slice()).map_err(ServiceError::internal)?;
        Ok(Some(response))
    }

    /// Releases the key after failed work; a later claim of another request stays.
    async fn release(
        &self,
        connection: &mut PgConnection,
        claimed_at: DateTime<Utc>,
    ) -> Result<(), ServiceError> {
        sqlx::query(
            "DELETE FROM idempotency_keys
            WHERE company_id = $1
              AND user_id = $2
              AND route = $3
              AND key = $4
              AND created_at = $5
              AND answer IS NULL",
        )
        .bind(self.company_id)
        .bind(self.user_id)
        .bind(self.key.route)
        .bind(&self.key.text)
        .bind(claimed_at)
        .execute(connection)
        .await?;
        Ok(())
    }

    async fn store<A: Message>(
        &self,
        connection: &mut PgConnection,
        response: &A,
    ) -> Result<(), ServiceError> {
        sqlx::query(
            "UPDATE idempotency_keys
            SET answer = $5
            WHERE company_id = $1
              AND user_id = $2
              AND route = $3
              AND key = $4",
        )
        .bind(self.company_id)
        .bind(self.user_id)
        .bind(self.key.route)
        .bind(&self.key.text)
        .bind(response.encode_to_vec())
        .execute(connection)
        .await?;
        Ok(())
    }
}

/// Maps a lock timeout of a claim to `IDEMPOTENCY_KEY_IN_PROGRESS`.
fn in_progress(error: sqlx::Error) -> ServiceError {
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    let error_code = sqlx::error::DatabaseError::code;
    let code = error.as_database_error().and_then(error_code);
    if code.as_deref() == Some(LOCK_NOT_AVAILABLE) {
        ServiceError::key_in_progress()
    } else {
        error.into()
    }
}

/// Deletes up to 50 expired keys of the company.
async fn delete_old(
    connection: &mut PgConnection,
    company_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        // As a subquery, each run of it in a nested loop would find 50 other keys.
        "WITH old AS MATERIALIZED (
            SELECT user_id, route, key
            FROM idempotency_keys
            WHERE company_id = $1
              AND created_at < $2
            ORDER BY created_at
            LIMIT 50
            FOR UPDATE SKIP LOCKED
        )
        DELETE FROM idempotency_keys k
        USING old
        WHERE k.company_id = $1
          AND (k.user_id, k.route, k.key) = (old.user_id, old.route, old.key)",
    )
    .bind(company_id)
    .bind(now - KEPT_FOR)
    .execute(connection)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use hourmeter_proto::common::v1::PageRequest;
    use tonic::Request;
    use tonic::metadata::AsciiMetadataValue;

    use super::*;

    fn request(limit: u32, keys: &[&[u8]]) -> Request<PageRequest> {
        let mut request = Request::new(PageRequest {
            limit,
            cursor: String::new(),
        });
        for key in keys {
            let value = AsciiMetadataValue::try_from(*key).expect("a header value");
            request.metadata_mut().append(IDEMPOTENCY_HEADER, value);
        }
        request
    }

    #[test]
    fn key_read_accepts_printable_text_up_to_the_limit() {
        let longest = [b'k'; MAX_KEY];
        for key in [b"~".as_slice(), b"a key 7!", &longest] {
            let read = Key::read(&request(1, &[key]), "R").expect("a good key");
            assert_eq!(read.expect("a key").text.as_bytes(), key);
        }
        let longer = [b'k'; MAX_KEY + 1];
        for keys in [
            [b"".as_slice()].as_slice(),
            &[&longer],
            &[b"a\tb"],
            &["ñ".as_bytes()],
            &[b"a", b"a"],
        ] {
            let failure = Key::read(&request(1, keys), "R").expect_err("a bad key");
            assert_eq!(failure.kind, Kind::Invalid, "{keys:?}");
            assert_eq!(failure.fields[0].0, "Idempotency-Key");
        }
        assert_eq!(Key::read(&request(1, &[]), "R").expect("none"), None);
    }

    #[test]
    fn key_read_includes_the_request() {
        let key = |limit| Key::read(&request(limit, &[b"k"]), "R").expect("a key");
        assert_eq!(key(1), key(1));
        assert_ne!(key(1), key(2));
    }
}

//! When people get the digest.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::db::{LookupConnection, TenantRead, TenantTx};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

use crate::schedule::{Decision, Schedule};

#[derive(Debug, sqlx_macros::FromRow)]
pub struct Digest {
    pub person_id: Uuid,
    #[sqlx(flatten)]
    pub schedule: Schedule,
    /// Its weekdays before a link in the mail ended it.
    pub former_weekdays: Option<Vec<i32>>,
    next_at: Option<DateTime<Utc>>,
    pub last_day: Option<NaiveDate>,
}

/// None if the person never chose one.
pub async fn find(reads: &mut TenantRead, person_id: Uuid) -> Result<Option<Digest>, ServiceError> {
    let digest = reads.query_as(
        "SELECT person_id, minute, weekdays, former_weekdays, next_at, last_day
        FROM digests
        WHERE company_id = $1 AND person_id = $2",
    );
    Ok(digest.bind(person_id).fetch_optional(&mut **reads).await?)
}

/// Stores a schedule, which is decided on at once.
pub async fn set(
    tx: &mut TenantTx,
    person_id: Uuid,
    schedule: &Schedule,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    store(tx, person_id, schedule, now, true).await
}

/// Stores the usual schedule of a person who has none.
pub async fn start(
    tx: &mut TenantTx,
    person_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let schedule = Schedule::default();
    store(tx, person_id, &schedule, now, false).await
}

async fn store(
    tx: &mut TenantTx,
    person_id: Uuid,
    schedule: &Schedule,
    now: DateTime<Utc>,
    replaces: bool,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "INSERT INTO digests (company_id, person_id, minute, weekdays, next_at)
        VALUES ($1, $2, $3, $4, CASE WHEN $4 <> '{}' THEN $5 END)
        ON CONFLICT (company_id, person_id) DO UPDATE
        SET minute = excluded.minute,
            weekdays = excluded.weekdays,
            former_weekdays = NULL,
            next_at = excluded.next_at
        WHERE $6",
    );
    let statement = statement
        .bind(person_id)
        .bind(schedule.minute)
        .bind(&schedule.weekdays)
        .bind(now)
        .bind(replaces);
    tx.run(statement).await
}

/// Ends the digest of a person.
pub async fn stop(tx: &mut TenantTx, person_id: Uuid) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE digests
        SET weekdays = '{}', former_weekdays = weekdays, next_at = NULL
        WHERE company_id = $1 AND person_id = $2 AND weekdays <> '{}'",
    );
    tx.run(statement.bind(person_id)).await
}

/// Companies with a digest to decide on.
pub async fn due_companies(
    lookup: &mut LookupConnection,
    now: DateTime<Utc>,
    at_most: i32,
) -> Result<Vec<Uuid>, ServiceError> {
    let due = sqlx::query_scalar("SELECT due_digests($1, $2)")
        .bind(now)
        .bind(at_most);
    Ok(due.fetch_all(&mut **lookup).await?)
}

/// Digests of the company to decide on.
pub async fn due(
    tx: &mut TenantTx,
    now: DateTime<Utc>,
    at_most: i64,
) -> Result<Vec<Digest>, ServiceError> {
    let due = tx.query_as(
        "SELECT person_id, minute, weekdays, former_weekdays, next_at, last_day
        FROM digests
        WHERE company_id = $1 AND next_at <= $2
        ORDER BY next_at
        LIMIT $3",
    );
    Ok(due.bind(now).bind(at_most).fetch_all(&mut **tx).await?)
}

/// Stores a decision. False if another process was first or the person has changed the schedule since.
pub async fn decide(
    tx: &mut TenantTx,
    digest: &Digest,
    decision: Decision,
) -> Result<bool, ServiceError> {
    let statement = tx.query(
        "UPDATE digests
        SET next_at = $4, last_day = coalesce($5, last_day)
        WHERE company_id = $1
          AND person_id = $2
          AND next_at = $3
          AND last_day IS NOT DISTINCT FROM $6",
    );
    let done = statement
        .bind(digest.person_id)
        .bind(digest.next_at)
        .bind(decision.next_at)
        .bind(decision.due)
        .bind(digest.last_day)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes the digest of a person who was removed.
pub async fn delete(tx: &mut TenantTx, person_id: Uuid) -> Result<(), ServiceError> {
    let statement = tx.query("DELETE FROM digests WHERE company_id = $1 AND person_id = $2");
    tx.run(statement.bind(person_id)).await
}

/// The secret of the link that ends a person's digest.
pub async fn unsubscribe_key(
    reads: &mut TenantRead,
    person_id: Uuid,
) -> Result<Option<Uuid>, ServiceError> {
    let key = reads.query_scalar(
        "SELECT unsubscribe_key FROM digests WHERE company_id = $1 AND person_id = $2",
    );
    Ok(key.bind(person_id).fetch_optional(&mut **reads).await?)
}

/// Company and person of a link that ends a digest.
pub async fn find_unsubscribe(
    lookup: &mut LookupConnection,
    key: Uuid,
) -> Result<Option<(Tenant, Uuid)>, ServiceError> {
    let found: Option<(Uuid, Uuid)> = sqlx::query_as("SELECT * FROM find_unsubscribe($1)")
        .bind(key)
        .fetch_optional(&mut **lookup)
        .await?;
    Ok(found.map(|(company_id, person_id)| (Tenant::from_lookup(company_id), person_id)))
}

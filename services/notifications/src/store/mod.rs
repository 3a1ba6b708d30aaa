//! SQL. Functions take the transaction's connection and never commit.

pub mod digests;
pub mod messages;
pub mod push;
pub mod queue;
pub mod settings;
pub mod sms;
pub mod watches;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::{LookupConnection, TenantRead, TenantTx, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::page::Page;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use self::watches::watched;
use crate::fact::{Fact, Notification, Settled, What};

/// Unread notifications are counted up to this number.
const MAX_UNREAD: i64 = 100;

/// Whose notifications are read.
#[derive(Clone, Copy, Debug, sqlx_macros::FromRow)]
pub struct Reader {
    pub person_id: Uuid,
    /// Owner or manager.
    pub is_manager: bool,
}

/// Selects `$columns` of the notifications `n` of the reader `$2` of the company `$1`; `$3`: owner or manager.
/// `$rest` continues the condition or orders. Leaves out kinds of a later release, which other replicas may
/// already record.
macro_rules! select_own {
    ($columns:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            $columns,
            "
            FROM notifications n
            LEFT JOIN read_marks m ON m.company_id = $1 AND m.person_id = $2
            LEFT JOIN read_notifications r
                ON r.company_id = $1 AND r.person_id = $2 AND r.number = n.number
            LEFT JOIN watches w ON w.company_id = $1 AND w.person_id = $2
            WHERE n.company_id = $1
              AND (n.person_id = $2 OR ($3 AND n.person_id IS NULL AND ",
            watched!(),
            "))
              AND n.actor_id IS DISTINCT FROM $2
              AND n.fact->>'kind' IN (
                  'flagged_update', 'returned_update', 'security_event', 'failed_payment',
                  'limit_reached', 'status_change'
              )
              ",
            $rest
        )
    };
}

/// Stores facts, queues messages about them, and returns whom the new ones notify. Holds the company's
/// counter until the commit.
pub async fn record(
    tx: &mut TenantTx,
    now: DateTime<Utc>,
    facts: &[Fact],
) -> Result<Vec<Option<Uuid>>, ServiceError> {
    if facts.is_empty() {
        return Ok(Vec::new());
    }
    let count = i64::try_from(facts.len()).map_err(ServiceError::internal)?;
    let query = tx.query_scalar(
        "INSERT INTO counters (company_id, last_number) VALUES ($1, $2)
         ON CONFLICT (company_id) DO UPDATE SET last_number = counters.last_number + $2
         RETURNING last_number",
    );
    let last: i64 = query.bind(count).fetch_one(&mut **tx).await?;
    let query = tx.query_as(
        "INSERT INTO notifications (
             company_id,
             number,
             origin,
             fact,
             person_id,
             actor_id,
             happened_at,
             created_at,
             equipment_id,
             equipment_group
         )
         SELECT
             $1,
             $2 + f.place,
             f.origin,
             f.fact,
             f.person_id,
             f.actor_id,
             f.happened_at,
             $3,
             f.equipment_id,
             f.equipment_group
         FROM unnest(
                 $4::text[], $5::jsonb[], $6::uuid[], $7::uuid[], $8::timestamptz[], $9::uuid[], $10::text[]
             ) WITH ORDINALITY AS f (
                 origin, fact, person_id, actor_id, happened_at, equipment_id, equipment_group, place
             )
         ON CONFLICT (company_id, origin) DO NOTHING
         RETURNING number, person_id, origin",
    );
    let stored: Vec<(i64, Option<Uuid>, String)> = query
        .bind(last - count)
        .bind(now)
        .bind(column(facts, |fact| fact.key.as_str()))
        .bind(column(facts, |fact| Json(&fact.what)))
        .bind(column(facts, Fact::person_id))
        .bind(column(facts, |fact| fact.actor_id))
        .bind(column(facts, |fact| fact.happened_at))
        .bind(column(facts, |fact| fact.what.equipment_id()))
        .bind(column(facts, |fact| fact.equipment_group.as_deref()))
        .fetch_all(&mut **tx)
        .await?;
    let by_key: HashMap<&str, &Fact> = facts.iter().map(|fact| (&*fact.key, fact)).collect();
    let (mut updates, mut statuses) = (Vec::new(), Vec::new());
    let (mut security, mut plan) = (Vec::new(), Vec::new());
    for (number, _, key) in &stored {
        let Some(fact) = by_key.get(key.as_str()) else {
            continue;
        };
        match fact.what {
            What::FlaggedUpdate { .. } | What::ReturnedUpdate { .. } => updates.push(*number),
            What::SecurityEvent { .. } => security.push((*number, *fact)),
            What::FailedPayment { .. } | What::LimitReached { .. } => plan.push(*number),
            What::StatusChange { .. } => statuses.push(*number),
        }
    }
    let pushed = [updates.as_slice(), &statuses].concat();
    for (statement, numbers) in [
        (queue::PUSH, &pushed),
        (queue::SMS, &pushed),
        (queue::OPERATORS, &statuses),
        (queue::FLAGGED_MAIL, &updates),
        (queue::PLAN_MAIL, &plan),
    ] {
        queue::about(tx, statement, numbers, now).await?;
    }
    queue::security_mail(tx, &security, now).await?;
    Ok(stored.into_iter().map(|(_, person, _)| person).collect())
}

fn column<'r, R, T>(rows: &'r [R], of: impl Fn(&'r R) -> T) -> Vec<T> {
    rows.iter().map(of).collect()
}

/// Stores whether flagged updates are settled, and returns whether that changed anything. The counter
/// changes too, so that open pages count again.
pub async fn settle(tx: &mut TenantTx, updates: &[Settled]) -> Result<bool, ServiceError> {
    let statement = tx.query(
        "UPDATE notifications n
        SET settled = u.is_settled
        FROM unnest($2::text[], $3::boolean[]) AS u (origin, is_settled)
        WHERE n.company_id = $1 AND n.origin = u.origin AND n.settled <> u.is_settled",
    );
    let done = statement
        .bind(column(updates, |update| {
            format!("flagged:{}", update.update_id)
        }))
        .bind(column(updates, |update| update.is_settled))
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    let statement =
        tx.query("UPDATE counters SET last_number = last_number + 1 WHERE company_id = $1");
    tx.run(statement).await?;
    Ok(true)
}

/// Those of these notifications that the reader has not read, oldest first.
pub async fn unread(
    reads: &mut TenantRead,
    reader: Reader,
    numbers: &[i64],
) -> Result<Vec<Notification>, ServiceError> {
    const UNREAD: &str = select_own!(
        "n.number, n.happened_at, n.fact, false AS read",
        "AND n.number = ANY ($4)
         AND NOT n.settled AND n.number > coalesce(m.read_until, 0) AND r.number IS NULL
         ORDER BY n.number"
    );
    let unread = reads
        .query_as(UNREAD)
        .bind(reader.person_id)
        .bind(reader.is_manager)
        .bind(numbers);
    Ok(unread.fetch_all(&mut **reads).await?)
}

/// The fact of a notification, without its former address.
pub async fn stored_fact(
    reads: &mut TenantRead,
    number: i64,
) -> Result<Option<Fact>, ServiceError> {
    let fact = reads.query_as(
        "SELECT origin, happened_at, actor_id, fact, equipment_group
        FROM notifications
        WHERE company_id = $1 AND number = $2",
    );
    Ok(fact.bind(number).fetch_optional(&mut **reads).await?)
}

/// A notification of a person, read or not.
pub async fn find(
    reads: &mut TenantRead,
    person_id: Uuid,
    number: i64,
) -> Result<Option<Notification>, ServiceError> {
    let notification = reads.query_as(
        "SELECT number, happened_at, fact, false AS read
        FROM notifications
        WHERE company_id = $1 AND person_id = $2 AND number = $3",
    );
    let notification = notification.bind(person_id).bind(number);
    Ok(notification.fetch_optional(&mut **reads).await?)
}

/// A page of the reader's notifications, newest first.
pub async fn list(
    reads: &mut TenantRead,
    reader: Reader,
    unread_only: bool,
    page: &Page<i64>,
) -> Result<Vec<Notification>, ServiceError> {
    const LIST: &str = select_own!(
        "n.number, n.happened_at, n.fact,
        (n.settled OR r.number IS NOT NULL OR n.number <= coalesce(m.read_until, 0)) AS read",
        "AND n.number < $4
         AND NOT (
             $5 AND (n.settled OR r.number IS NOT NULL OR n.number <= coalesce(m.read_until, 0))
         )
         ORDER BY n.number DESC
         LIMIT $6"
    );
    let list = reads
        .query_as(LIST)
        .bind(reader.person_id)
        .bind(reader.is_manager)
        .bind(page.after.unwrap_or(i64::MAX))
        .bind(unread_only)
        .bind(page.sql_limit());
    Ok(list.fetch_all(&mut **reads).await?)
}

/// The number of the reader's unread notifications, at most [`MAX_UNREAD`].
pub async fn count_unread(
    connection: &mut PgConnection,
    tenant: Tenant,
    reader: Reader,
) -> Result<i64, ServiceError> {
    const UNREAD: &str = select_own!(
        "n.number",
        "AND NOT n.settled AND n.number > coalesce(m.read_until, 0) AND r.number IS NULL LIMIT $4"
    );
    let query = format!("SELECT count(*) AS unread FROM ({UNREAD}) found");
    let count = sqlx::query_scalar(AssertSqlSafe(scoped(&query)))
        .bind(tenant.company_id())
        .bind(reader.person_id)
        .bind(reader.is_manager)
        .bind(MAX_UNREAD);
    Ok(count.fetch_one(connection).await?)
}

/// A text that changes with each fact of the company and with what the reader reads and watches.
pub async fn marker(reads: &mut TenantRead, reader: Reader) -> Result<String, ServiceError> {
    let marker = reads.query_scalar(
        "SELECT concat_ws(
             ' ',
             (SELECT last_number FROM counters WHERE company_id = $1),
             (SELECT read_until FROM read_marks WHERE company_id = $1 AND person_id = $2),
             (SELECT count(*) FROM read_notifications WHERE company_id = $1 AND person_id = $2),
             (SELECT changed_at FROM watches WHERE company_id = $1 AND person_id = $2)
         ) AS marker",
    );
    Ok(marker
        .bind(reader.person_id)
        .fetch_one(&mut **reads)
        .await?)
}

pub async fn mark_read(
    tx: &mut TenantTx,
    reader: Reader,
    numbers: &[i64],
) -> Result<(), ServiceError> {
    const MARK: &str = concat!(
        "INSERT INTO read_notifications (company_id, person_id, number) ",
        select_own!(
            "$1, $2, n.number",
            "AND n.number = ANY ($4) AND n.number > coalesce(m.read_until, 0)"
        ),
        " ON CONFLICT DO NOTHING"
    );
    let statement = tx
        .query(MARK)
        .bind(reader.person_id)
        .bind(reader.is_manager)
        .bind(numbers);
    tx.run(statement).await
}

/// Marks the reader's notifications up to a number as read.
pub async fn mark_all_read(
    tx: &mut TenantTx,
    reader: Reader,
    up_to: i64,
) -> Result<(), ServiceError> {
    // Not more than there are, so that later ones stay unread.
    let statement = tx.query(
        "INSERT INTO read_marks (company_id, person_id, read_until)
         SELECT $1, $2, least($3, last_number) FROM counters WHERE company_id = $1
         ON CONFLICT (company_id, person_id) DO UPDATE
         SET read_until = greatest(read_marks.read_until, excluded.read_until)",
    );
    tx.run(statement.bind(reader.person_id).bind(up_to)).await?;
    let statement = tx.query(
        "DELETE FROM read_notifications WHERE company_id = $1 AND person_id = $2 AND number <= $3",
    );
    tx.run(statement.bind(reader.person_id).bind(up_to)).await
}

/// Deletes notifications that are older than 90 days, up to `at_most`, and returns how many.
pub async fn delete_old(lookup: &mut LookupConnection, at_most: i64) -> Result<i64, ServiceError> {
    let deleted = sqlx::query_scalar("SELECT forget_notifications($1)").bind(at_most);
    Ok(deleted.fetch_one(&mut **lookup).await?)
}

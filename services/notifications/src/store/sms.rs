//! Numbers of people, and text messages.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::db::scoped;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::Reader;
use super::watches::watched;

/// Codes that a person may request within a day.
const MAX_CODES: i32 = 3;
/// Codes that the people of a company may request within a day.
const MAX_CODES_OF_COMPANY: i64 = 30;
/// Then the code is not valid any more.
const MAX_WRONG_CODES: i32 = 5;

#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct SmsNumber {
    person_id: Uuid,
    is_manager: bool,
    language: String,
    pub number: String,
    pub is_verified: bool,
}

impl SmsNumber {
    pub const fn reader(&self) -> Reader {
        Reader {
            person_id: self.person_id,
            is_manager: self.is_manager,
        }
    }

    /// Such as "•••• 0199".
    pub fn last_digits(&self) -> String {
        let from = self.number.len().saturating_sub(4);
        format!("•••• {}", self.number.get(from..).unwrap_or_default())
    }

    pub fn is_spanish(&self) -> bool {
        self.language == "es"
    }
}

/// What became of an entered code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    Verified,
    Wrong,
    /// There is no valid code.
    Expired,
}

/// None: the person has no number.
pub async fn find(
    connection: &mut PgConnection,
    tenant: Tenant,
    person_id: Uuid,
) -> Result<Option<SmsNumber>, ServiceError> {
    let query = scoped(
        "SELECT person_id, is_manager, language, number, verified_at IS NOT NULL AS is_verified
        FROM sms_numbers
        WHERE company_id = $1 AND person_id = $2 AND number <> ''",
    );
    let number = sqlx::query_as(AssertSqlSafe(query))
        .bind(tenant.company_id())
        .bind(person_id);
    Ok(number.fetch_optional(connection).await?)
}

/// Stores a number that is not verified. False: the codes of the day are used up.
pub async fn set(
    connection: &mut PgConnection,
    tenant: Tenant,
    reader: Reader,
    (number, language): (&str, &str),
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let day_ago = now - TimeDelta::days(1);
    let of_company: i64 = sqlx::query_scalar(
        "SELECT coalesce(sum(codes_sent), 0)
        FROM sms_numbers
        WHERE company_id = $1 AND codes_since > $2",
    )
    .bind(tenant.company_id())
    .bind(day_ago)
    .fetch_one(&mut *connection)
    .await?;
    if of_company >= MAX_CODES_OF_COMPANY {
        return Ok(false);
    }
    let done = sqlx::query(
        "INSERT INTO sms_numbers AS s (
            company_id,
            person_id,
            is_manager,
            language,
            number,
            codes_sent,
            codes_since
        ) VALUES ($1, $2, $3, $4, $5, 1, $6)
        ON CONFLICT (company_id, person_id) DO UPDATE
        SET is_manager = excluded.is_manager,
            language = excluded.language,
            number = excluded.number,
            verified_at = NULL,
            code_hash = NULL,
            codes_sent = CASE
                WHEN s.codes_since > $8 THEN s.codes_sent + 1
                ELSE 1
            END,
            codes_since = CASE
                WHEN s.codes_since > $8 THEN s.codes_since
                ELSE $6
            END
        WHERE s.codes_sent < $7 OR s.codes_since <= $8",
    )
    .bind(tenant.company_id())
    .bind(reader.person_id)
    .bind(reader.is_manager)
    .bind(language)
    .bind(number)
    .bind(now)
    .bind(MAX_CODES)
    .bind(day_ago)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Removes the person's number; the codes of the day still count.
pub async fn remove(
    connection: &mut PgConnection,
    tenant: Tenant,
    person_id: Uuid,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE sms_numbers
        SET number = '', verified_at = NULL, code_hash = NULL
        WHERE company_id = $1 AND person_id = $2",
    )
    .bind(tenant.company_id())
    .bind(person_id)
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores the code that is sent to the number. False: it is verified, or another one, meanwhile.
pub async fn store_code(
    connection: &mut PgConnection,
    tenant: Tenant,
    number: &SmsNumber,
    hash: &[u8; 32],
    expires_at: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let done = sqlx::query(
        "UPDATE sms_numbers
        SET code_hash = $4, code_expires_at = $5, wrong_codes = 0
        WHERE company_id = $1 AND person_id = $2 AND number = $3 AND verified_at IS NULL",
    )
    .bind(tenant.company_id())
    .bind(number.person_id)
    .bind(&number.number)
    .bind(hash.as_slice())
    .bind(expires_at)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Text messages about notifications that were sent to the person within a day.
pub async fn count_sent(
    connection: &mut PgConnection,
    tenant: Tenant,
    person_id: Uuid,
) -> Result<i64, ServiceError> {
    let query = scoped(
        "SELECT count(*) AS sent
        FROM messages
        WHERE company_id = $1
          AND person_id = $2
          AND kind = 'sms'
          AND state = 'sent'
          AND done_at > now() - interval '1 day'",
    );
    let count = sqlx::query_scalar(AssertSqlSafe(query))
        .bind(tenant.company_id())
        .bind(person_id);
    Ok(count.fetch_one(connection).await?)
}

/// Compares an entered code with the one that was sent. Each one counts, also of concurrent calls.
pub async fn verify(
    connection: &mut PgConnection,
    tenant: Tenant,
    person_id: Uuid,
    hash: Option<[u8; 32]>,
    now: DateTime<Utc>,
) -> Result<Verification, ServiceError> {
    let verified: Option<bool> = sqlx::query_scalar(
        "UPDATE sms_numbers
        SET verified_at = CASE WHEN code_hash = $3 THEN $4 END,
            wrong_codes = wrong_codes + CASE WHEN code_hash = $3 THEN 0 ELSE 1 END,
            code_hash = CASE WHEN code_hash = $3 THEN NULL ELSE code_hash END
        WHERE company_id = $1
          AND person_id = $2
          AND code_hash IS NOT NULL
          AND code_expires_at > $4
          AND wrong_codes < $5
        RETURNING verified_at IS NOT NULL",
    )
    .bind(tenant.company_id())
    .bind(person_id)
    .bind(hash.map(|hash| hash.to_vec()))
    .bind(now)
    .bind(MAX_WRONG_CODES)
    .fetch_optional(connection)
    .await?;
    Ok(match verified {
        Some(true) => Verification::Verified,
        Some(false) => Verification::Wrong,
        None => Verification::Expired,
    })
}

/// Queues text messages about these notifications for those who want them. The first waits a minute for
/// others.
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
            notification_number,
            postponed_until
        )
        SELECT
            $1,
            gen_random_uuid(),
            s.person_id,
            'sms',
            'queued',
            coalesce(q.next_try_at, now() + interval '1 minute'),
            $3,
            n.number,
            q.postponed_until
        FROM notifications n
        JOIN sms_numbers s
            ON s.company_id = $1
            AND s.verified_at IS NOT NULL
            AND (s.person_id = n.person_id OR (s.is_manager AND n.person_id IS NULL))
            AND s.person_id IS DISTINCT FROM n.actor_id
        JOIN settings t ON t.company_id = $1 AND t.person_id = s.person_id
        LEFT JOIN watches w ON w.company_id = $1 AND w.person_id = s.person_id
        LEFT JOIN LATERAL (
            SELECT m.next_try_at, m.postponed_until
            FROM messages m
            WHERE m.company_id = $1
              AND m.person_id = s.person_id
              AND m.kind = 'sms'
              AND m.state = 'queued'
              AND m.attempts = 0
            ORDER BY m.next_try_at
            LIMIT 1
        ) q ON true
        WHERE n.company_id = $1
          AND n.number = ANY ($2)
          AND CASE n.fact ->> 'kind'
              WHEN 'flagged_update' THEN t.flagged_sms
              WHEN 'returned_update' THEN t.returned_sms
              ELSE t.status_sms
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

/// Queues a code for the person's number.
pub async fn queue_code(
    connection: &mut PgConnection,
    tenant: Tenant,
    person_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    // Only the last code is valid.
    sqlx::query(
        "UPDATE messages
        SET state = 'suppressed', done_at = now()
        WHERE company_id = $1 AND person_id = $2 AND kind = 'sms_code' AND state = 'queued'",
    )
    .bind(tenant.company_id())
    .bind(person_id)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO messages (company_id, id, person_id, kind, state, next_try_at, created_at)
        VALUES ($1, $2, $3, 'sms_code', 'queued', now(), $4)",
    )
    .bind(tenant.company_id())
    .bind(Uuid::now_v7())
    .bind(person_id)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

//! Numbers of people, and text messages.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::db::{TenantRead, TenantTx, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::Reader;
use crate::texts::Texts;

/// Codes that a person may request within a day.
const MAX_CODES: i32 = 3;
/// Codes that the people of a company may request within a day.
const MAX_CODES_OF_COMPANY: i64 = 30;
/// Then the code is not valid any more.
const MAX_WRONG_CODES: i32 = 5;

#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct SmsNumber {
    #[sqlx(flatten)]
    pub reader: Reader,
    language: String,
    pub number: String,
    pub is_verified: bool,
}

impl SmsNumber {
    /// Such as "•••• 0199".
    pub fn last_digits(&self) -> String {
        let from = self.number.len().saturating_sub(4);
        format!("•••• {}", self.number.get(from..).unwrap_or_default())
    }

    pub fn texts(&self) -> Texts {
        Texts(self.language == "es")
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
    tx: &mut TenantTx,
    reader: Reader,
    (number, language): (&str, &str),
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let day_ago = now - TimeDelta::days(1);
    let query = tx.query_scalar(
        "SELECT coalesce(sum(codes_sent), 0)
        FROM sms_numbers
        WHERE company_id = $1 AND codes_since > $2",
    );
    let of_company: i64 = query.bind(day_ago).fetch_one(&mut **tx).await?;
    if of_company >= MAX_CODES_OF_COMPANY {
        return Ok(false);
    }
    let statement = tx.query(
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
    );
    let done = statement
        .bind(reader.person_id)
        .bind(reader.is_manager)
        .bind(language)
        .bind(number)
        .bind(now)
        .bind(MAX_CODES)
        .bind(day_ago)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Removes the person's number; the codes of the day still count.
pub async fn remove(tx: &mut TenantTx, person_id: Uuid) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE sms_numbers
        SET number = '', verified_at = NULL, code_hash = NULL
        WHERE company_id = $1 AND person_id = $2",
    );
    tx.run(statement.bind(person_id)).await
}

/// Stores the code that is sent to the number. False: it is verified, or another one, meanwhile.
pub async fn store_code(
    tx: &mut TenantTx,
    number: &SmsNumber,
    hash: &[u8; 32],
    expires_at: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let statement = tx.query(
        "UPDATE sms_numbers
        SET code_hash = $4, code_expires_at = $5, wrong_codes = 0
        WHERE company_id = $1 AND person_id = $2 AND number = $3 AND verified_at IS NULL",
    );
    let done = statement
        .bind(number.reader.person_id)
        .bind(&number.number)
        .bind(hash.as_slice())
        .bind(expires_at)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Text messages about notifications that were sent to the person within a day.
pub async fn count_sent(reads: &mut TenantRead, person_id: Uuid) -> Result<i64, ServiceError> {
    let count = reads.query_scalar(
        "SELECT count(*) AS sent
        FROM messages
        WHERE company_id = $1
          AND person_id = $2
          AND kind = 'sms'
          AND state = 'sent'
          AND done_at > now() - interval '1 day'",
    );
    Ok(count.bind(person_id).fetch_one(&mut **reads).await?)
}

/// Compares an entered code with the one that was sent. Each one counts, also of concurrent calls.
pub async fn verify(
    tx: &mut TenantTx,
    person_id: Uuid,
    hash: Option<[u8; 32]>,
    now: DateTime<Utc>,
) -> Result<Verification, ServiceError> {
    let query = tx.query_scalar(
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
    );
    let verified: Option<bool> = query
        .bind(person_id)
        .bind(hash.map(|hash| hash.to_vec()))
        .bind(now)
        .bind(MAX_WRONG_CODES)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(match verified {
        Some(true) => Verification::Verified,
        Some(false) => Verification::Wrong,
        None => Verification::Expired,
    })
}

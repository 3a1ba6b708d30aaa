//! What support staff see and do across companies, by functions of the lookup role.

use chrono::{DateTime, Utc};
use hourmeter_runtime::audit::AuditContext;
use hourmeter_runtime::error::ServiceError;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::secrets::Sealed;

/// A company, as support staff see it.
#[derive(Debug, sqlx_macros::FromRow)]
pub struct Account {
    /// The company.
    pub id: Uuid,
    /// The business name.
    pub business_name: String,
    /// E-mail of the owner.
    pub email: String,
    /// Whether there is an operator password.
    pub operator_password_set: bool,
    /// When the company signed up.
    pub created_at: DateTime<Utc>,
}

/// What is searched for: an id, or patterns for LIKE.
#[derive(Debug)]
pub struct Search {
    /// The company's id, when it is one.
    pub id: Option<Uuid>,
    /// On the folded business name.
    pub name: String,
    /// On the owner's e-mail.
    pub email: String,
}

/// Companies, newest first, after one that signed up then.
pub async fn accounts(
    connection: &mut PgConnection,
    search: Option<&Search>,
    (before, before_id): (DateTime<Utc>, Uuid),
    limit: i64,
) -> Result<Vec<Account>, ServiceError> {
    let accounts = sqlx::query_as(
        "SELECT
            id,
            business_name,
            email,
            operator_password_set,
            created_at
        FROM list_accounts($1, $2, $3, $4, $5, $6)",
    )
    .bind(search.and_then(|search| search.id))
    .bind(search.map(|search| &search.name))
    .bind(search.map(|search| &search.email))
    .bind(before)
    .bind(before_id)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    Ok(accounts)
}

/// The business name and, if one is set, the sealed operator password of a company; written to the
/// company's log in the same transaction. None: there is no such company.
pub async fn reveal(
    connection: &mut PgConnection,
    company_id: Uuid,
    staff_id: Uuid,
    trail: &AuditContext,
    reason: &str,
) -> Result<Option<(String, Option<Sealed>)>, ServiceError> {
    type Row = (String, Option<String>, Option<Vec<u8>>, Option<Vec<u8>>);
    let row: Option<Row> = sqlx::query_as(
        "SELECT
            business_name,
            key_id,
            nonce,
            sealed_box
        FROM reveal_for_support($1, $2, $3, $4, $5, $6)",
    )
    .bind(company_id)
    .bind(Uuid::now_v7())
    .bind(staff_id)
    .bind(trail.request_id)
    .bind(&trail.address_prefix)
    .bind(reason)
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|(name, key_id, nonce, sealed_box)| {
        let sealed = key_id
            .zip(nonce)
            .zip(sealed_box)
            .map(|((key_id, nonce), sealed_box)| Sealed {
                key_id,
                nonce,
                sealed_box,
            });
        (name, sealed)
    }))
}

/// Holds the person's row and answers, if so many were revealed by that person within 24 hours,
/// for how many seconds that stays so. None when the person is gone. For a transaction that sees
/// the platform's log.
pub async fn wait_to_reveal(
    connection: &mut PgConnection,
    staff_id: Uuid,
    most: i64,
) -> Result<Option<Option<u64>>, ServiceError> {
    let held = sqlx::query("SELECT FROM staff WHERE id = $1 FOR NO KEY UPDATE")
        .bind(staff_id)
        .fetch_optional(&mut *connection)
        .await?;
    if held.is_none() {
        return Ok(None);
    }
    let seconds: Option<i64> = sqlx::query_scalar(
        "SELECT ceil(extract(epoch FROM at + interval '24 hours' - now()))::bigint
        FROM audit_events
        WHERE company_id = '00000000-0000-0000-0000-000000000000' AND actor_id = $1
          AND event = 'operator_password_revealed_by_support' AND outcome = 'success'
          AND at > now() - interval '24 hours'
        ORDER BY at DESC
        OFFSET $2 LIMIT 1",
    )
    .bind(staff_id)
    .bind(most - 1)
    .fetch_optional(connection)
    .await?;
    Ok(Some(seconds.map(|seconds| {
        u64::try_from(seconds).unwrap_or_default().max(1)
    })))
}

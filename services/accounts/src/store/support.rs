//! Access of support staff to all companies, through functions of the lookup role.

use chrono::{DateTime, Utc};
use hourmeter_runtime::audit::AuditContext;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::PgConnection;
use uuid::Uuid;

use super::sealed;
use crate::secrets::Sealed;

#[derive(Debug, sqlx_macros::FromRow)]
pub struct Account {
    pub id: Uuid,
    pub business_name: String,
    pub email: String,
    pub operator_password_set: bool,
    pub created_at: DateTime<Utc>,
}

/// Search by id, or by LIKE patterns.
#[derive(Debug)]
pub struct Search {
    pub id: Option<Uuid>,
    /// Pattern for the folded business name.
    pub name: String,
    /// Pattern for the owner's e-mail.
    pub email: String,
}

/// Lists companies, newest first, after this position.
pub async fn accounts(
    connection: &mut PgConnection,
    search: Option<&Search>,
    (before, before_id): (DateTime<Utc>, Uuid),
    limit: i64,
) -> Result<Vec<Account>, ServiceError> {
    let accounts = sqlx::query_as("SELECT * FROM list_accounts($1, $2, $3, $4, $5, $6)")
        .bind(search.and_then(|search| search.id))
        .bind(search.map(|search| &search.name))
        .bind(search.map(|search| &search.email))
        .bind(before)
        .bind(before_id)
        .bind(limit);
    Ok(accounts.fetch_all(connection).await?)
}

/// The known companies among these ids.
pub async fn accounts_with_ids(
    connection: &mut PgConnection,
    ids: &[Uuid],
) -> Result<Vec<Account>, ServiceError> {
    let accounts = sqlx::query_as("SELECT * FROM find_accounts($1)").bind(ids);
    Ok(accounts.fetch_all(connection).await?)
}

/// The people of a company in figures.
#[derive(Debug, sqlx_macros::FromRow)]
pub struct People {
    /// Empty: none was entered.
    pub owner_name: String,
    pub owner_last_sign_in: Option<DateTime<Utc>>,
    /// Of any person.
    pub last_sign_in: Option<DateTime<Utc>>,
    pub managers: i64,
    pub operators: i64,
}

pub async fn people(tx: &mut TenantTx) -> Result<People, ServiceError> {
    let people = tx.query_as(
        "SELECT
            (
                SELECT trim(u.first_name || ' ' || u.last_name)
                FROM users u
                WHERE u.company_id = c.company_id AND u.id = c.owner_id
            ) AS owner_name,
            (
                SELECT at
                FROM audit_events e
                WHERE e.company_id = c.company_id
                  AND e.event = 'sign_in'
                  AND e.outcome = 'success'
                  AND e.scope = 'full'
                  AND e.actor_id = c.owner_id
                ORDER BY at DESC
                LIMIT 1
            ) AS owner_last_sign_in,
            (
                SELECT at
                FROM audit_events e
                WHERE e.company_id = c.company_id
                  AND e.event = 'sign_in'
                  AND e.outcome = 'success'
                ORDER BY at DESC
                LIMIT 1
            ) AS last_sign_in,
            (
                SELECT count(*)
                FROM users u
                WHERE u.company_id = c.company_id AND u.role = 'manager'
            ) AS managers,
            (
                SELECT count(*)
                FROM users u
                WHERE u.company_id = c.company_id AND u.role = 'operator'
            ) AS operators
        FROM companies c
        WHERE c.company_id = $1",
    );
    Ok(people.fetch_one(&mut **tx).await?)
}

/// Returns the business name and the sealed operator password, if set, and records it in the
/// company's audit log. None: there is no such company.
pub async fn reveal(
    connection: &mut PgConnection,
    company_id: Uuid,
    staff_id: Uuid,
    context: &AuditContext,
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
    .bind(context.request_id)
    .bind(&context.address_prefix)
    .bind(reason)
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|(name, key_id, nonce, sealed_box)| (name, sealed(key_id, nonce, sealed_box))))
}

/// Locks the person's row; returns the seconds to wait if the person reached the maximum of reveals
/// in 24 hours. None if the person was removed. Needs a transaction of the platform's log.
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

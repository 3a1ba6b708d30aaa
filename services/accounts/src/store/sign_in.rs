//! Finds persons for sign-in, and detects changes during verification.

use chrono::{DateTime, Utc};
use hourmeter_proto::accounts::v1::Role;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::text::LoginName;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgConnection, Row as _};
use uuid::Uuid;

use super::{hashed, role};
use crate::passwords::Hashed;

/// A password hash with the time it was set, to detect changes.
#[derive(Clone, Debug)]
pub struct Credential {
    pub hashed: Option<Hashed>,
    pub set_at: Option<DateTime<Utc>>,
}

impl Credential {
    /// Reads the columns `…_hash`, `…_pepper_id` and `…_set_at` with this prefix.
    pub(super) fn read(row: &PgRow, prefix: &str) -> sqlx::Result<Self> {
        Ok(Self {
            hashed: hashed(row, prefix)?,
            set_at: row.try_get(format!("{prefix}_set_at").as_str())?,
        })
    }
}

#[derive(Clone, Debug)]
pub struct Candidate {
    pub tenant: Tenant,
    pub user_id: Uuid,
    pub role: Role,
    pub own: Credential,
}

impl FromRow<'_, PgRow> for Candidate {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            tenant: Tenant::from_lookup(row.try_get("company_id")?),
            user_id: row.try_get("user_id")?,
            role: role(row.try_get("role")?),
            own: Credential::read(row, "password")?,
        })
    }
}

/// Finds an owner or manager by e-mail (true), or an owner by business name.
pub async fn find(
    connection: &mut PgConnection,
    name: &LoginName,
) -> Result<Option<(Candidate, bool)>, ServiceError> {
    let row = sqlx::query("SELECT * FROM find_sign_in($1, $2)")
        .bind(name.email())
        .bind(name.exact())
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    Ok(Some((Candidate::from_row(&row)?, row.try_get("by_email")?)))
}

/// Finds an operator by username, or an owner by business name, with the company's operator password.
pub async fn find_operator(
    connection: &mut PgConnection,
    name: &LoginName,
) -> Result<Option<(Candidate, Credential)>, ServiceError> {
    let row = sqlx::query("SELECT * FROM find_operator_sign_in($1)")
        .bind(name.exact())
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let shared = Credential::read(&row, "shared")?;
    Ok(Some((Candidate::from_row(&row)?, shared)))
}

/// Locks the person's row. False if the person was removed, or has another password than the one that
/// was verified.
pub async fn lock_person(tx: &mut TenantTx, candidate: &Candidate) -> Result<bool, ServiceError> {
    let set_at: Option<Option<DateTime<Utc>>> = sqlx::query_scalar(
        "SELECT password_set_at
        FROM users
        WHERE company_id = $1 AND id = $2
        FOR NO KEY UPDATE",
    )
    .bind(candidate.tenant.company_id())
    .bind(candidate.user_id)
    .fetch_optional(&mut **tx)
    .await?;
    Ok(set_at == Some(candidate.own.set_at))
}

/// Locks the company's row. False if its operator password is not the one that was verified. Call
/// before [`lock_person`].
pub async fn lock_company(
    tx: &mut TenantTx,
    shared: &Credential,
    to_write: bool,
) -> Result<bool, ServiceError> {
    // A shared lock unless the password is rehashed, because many operators sign in concurrently.
    let sql = if to_write {
        "SELECT operator_password_set_at FROM companies WHERE company_id = $1 FOR NO KEY UPDATE"
    } else {
        "SELECT operator_password_set_at FROM companies WHERE company_id = $1 FOR SHARE"
    };
    let set_at: Option<Option<DateTime<Utc>>> =
        tx.query_scalar(sql).fetch_optional(&mut **tx).await?;
    Ok(set_at == Some(shared.set_at))
}

/// Stores a new hash of the same password.
pub async fn rehash_own(
    tx: &mut TenantTx,
    candidate: &Candidate,
    hashed: &Hashed,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE users
        SET password_hash = $3, password_pepper_id = $4
        WHERE company_id = $1 AND id = $2",
    )
    .bind(candidate.tenant.company_id())
    .bind(candidate.user_id)
    .bind(&hashed.hash)
    .bind(&hashed.pepper_id)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Stores a new hash of the same operator password.
pub async fn rehash_shared(tx: &mut TenantTx, hashed: &Hashed) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE companies
            SET operator_password_hash = $2, operator_password_pepper_id = $3
            WHERE company_id = $1",
        )
        .bind(&hashed.hash)
        .bind(&hashed.pepper_id);
    tx.run(statement).await
}

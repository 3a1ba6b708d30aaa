//! Finding who signs in, and making sure that nothing changed while the password was checked.

use chrono::{DateTime, Utc};
use hourmeter_proto::accounts::v1::Role;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::text::LoginName;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{hashed, role};
use crate::passwords::Hashed;

/// A password as it was when it was looked up.
#[derive(Clone, Debug)]
pub struct Credential {
    /// The stored password, if there is one.
    pub hashed: Option<Hashed>,
    /// When it was set.
    pub set_at: Option<DateTime<Utc>>,
}

/// A person who may sign in.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The company.
    pub tenant: Tenant,
    /// The person.
    pub user_id: Uuid,
    /// The person's role.
    pub role: Role,
    /// The person's own password.
    pub own: Credential,
}

#[derive(sqlx_macros::FromRow)]
struct SignInRow {
    company_id: Uuid,
    user_id: Uuid,
    role: String,
    by_email: bool,
    password_hash: Option<String>,
    password_pepper_id: Option<String>,
    password_set_at: Option<DateTime<Utc>>,
}

/// An owner or manager by e-mail (true), or an owner by business name.
pub async fn find(
    connection: &mut PgConnection,
    name: &LoginName,
) -> Result<Option<(Candidate, bool)>, ServiceError> {
    let row: Option<SignInRow> = sqlx::query_as(
        "SELECT
            company_id,
            user_id,
            role,
            by_email,
            password_hash,
            password_pepper_id,
            password_set_at
        FROM find_sign_in($1, $2)",
    )
    .bind(name.email())
    .bind(name.exact())
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| {
        let candidate = Candidate {
            tenant: Tenant::from_lookup(row.company_id),
            user_id: row.user_id,
            role: role(&row.role),
            own: Credential {
                hashed: hashed(row.password_hash, row.password_pepper_id),
                set_at: row.password_set_at,
            },
        };
        (candidate, row.by_email)
    }))
}

#[derive(sqlx_macros::FromRow)]
struct OperatorSignInRow {
    company_id: Uuid,
    user_id: Uuid,
    role: String,
    password_hash: Option<String>,
    password_pepper_id: Option<String>,
    password_set_at: Option<DateTime<Utc>>,
    shared_hash: Option<String>,
    shared_pepper_id: Option<String>,
    shared_set_at: Option<DateTime<Utc>>,
}

/// An operator by username, or an owner by business name, with the company's operator password.
pub async fn find_operator(
    connection: &mut PgConnection,
    name: &LoginName,
) -> Result<Option<(Candidate, Credential)>, ServiceError> {
    let row: Option<OperatorSignInRow> = sqlx::query_as(
        "SELECT
            company_id,
            user_id,
            role,
            password_hash,
            password_pepper_id,
            password_set_at,
            shared_hash,
            shared_pepper_id,
            shared_set_at
        FROM find_operator_sign_in($1)",
    )
    .bind(name.exact())
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| {
        let candidate = Candidate {
            tenant: Tenant::from_lookup(row.company_id),
            user_id: row.user_id,
            role: role(&row.role),
            own: Credential {
                hashed: hashed(row.password_hash, row.password_pepper_id),
                set_at: row.password_set_at,
            },
        };
        let shared = Credential {
            hashed: hashed(row.shared_hash, row.shared_pepper_id),
            set_at: row.shared_set_at,
        };
        (candidate, shared)
    }))
}

/// Holds the person's row until the end of the transaction. False when the person is gone or has
/// another password than the one that was checked.
pub async fn hold_person(
    connection: &mut PgConnection,
    candidate: &Candidate,
) -> Result<bool, ServiceError> {
    let set_at: Option<Option<DateTime<Utc>>> = sqlx::query_scalar(
        "SELECT password_set_at
        FROM users
        WHERE company_id = $1 AND id = $2
        FOR NO KEY UPDATE",
    )
    .bind(candidate.tenant.company_id())
    .bind(candidate.user_id)
    .fetch_optional(connection)
    .await?;
    Ok(set_at == Some(candidate.own.set_at))
}

/// Holds the company's row until the end of the transaction. False when its operator password is
/// not the one that was checked. Comes before [`hold_person`].
pub async fn hold_company(
    connection: &mut PgConnection,
    tenant: Tenant,
    shared: &Credential,
    to_write: bool,
) -> Result<bool, ServiceError> {
    // Many sign in at once with one password; only who writes needs the row alone.
    let sql = if to_write {
        "SELECT operator_password_set_at FROM companies WHERE company_id = $1 FOR NO KEY UPDATE"
    } else {
        "SELECT operator_password_set_at FROM companies WHERE company_id = $1 FOR SHARE"
    };
    let set_at: Option<Option<DateTime<Utc>>> = sqlx::query_scalar(sql)
        .bind(tenant.company_id())
        .fetch_optional(connection)
        .await?;
    Ok(set_at == Some(shared.set_at))
}

/// Stores the same password of a person, hashed anew.
pub async fn rehash_own(
    connection: &mut PgConnection,
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
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores the same operator password of a company, hashed anew.
pub async fn rehash_shared(
    connection: &mut PgConnection,
    tenant: Tenant,
    hashed: &Hashed,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE companies
        SET operator_password_hash = $2, operator_password_pepper_id = $3
        WHERE company_id = $1",
    )
    .bind(tenant.company_id())
    .bind(&hashed.hash)
    .bind(&hashed.pepper_id)
    .execute(connection)
    .await?;
    Ok(())
}

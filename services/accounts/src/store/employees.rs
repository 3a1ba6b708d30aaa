//! The people of a company, as managers see and change them.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::passwords::Hashed;

#[derive(Debug, sqlx_macros::FromRow)]
pub struct Employee {
    pub id: Uuid,
    pub role: String,
    /// Both names may be empty for an owner.
    pub first_name: String,
    pub last_name: String,
    /// The sign-in name of owners and managers; None for operators, whose e-mail is contact data.
    pub email: Option<String>,
    /// Operators only.
    pub operator_username: Option<String>,
    /// An operator with a password of their own.
    pub has_personal_password: bool,
    pub created_at: DateTime<Utc>,
    /// An owner or manager with a second factor.
    pub second_factor: bool,
}

impl Employee {
    pub fn name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
            .trim()
            .to_owned()
    }
}

/// The columns of an [`Employee`]. `$1` is the company id.
const COLUMNS: &str = "
    id,
    role,
    first_name,
    last_name,
    CASE WHEN role <> 'operator' THEN email END AS email,
    operator_username,
    role = 'operator' AND password_hash IS NOT NULL AS has_personal_password,
    created_at,
    EXISTS (
        SELECT FROM authenticators a
        WHERE a.company_id = $1 AND a.user_id = users.id AND NOT a.pending
    ) OR EXISTS (
        SELECT FROM passkeys p
        WHERE p.company_id = $1 AND p.user_id = users.id
    ) AS second_factor";

/// Lists the people of a company before this creation time and id, newest first.
pub async fn list(
    tx: &mut TenantTx,
    (before, before_id): (DateTime<Utc>, Uuid),
    limit: i64,
) -> Result<Vec<Employee>, ServiceError> {
    let sql = format!(
        "SELECT {COLUMNS}
        FROM users
        WHERE company_id = $1 AND (created_at, id) < ($2, $3)
        ORDER BY created_at DESC, id DESC
        LIMIT $4"
    );
    let people = tx
        .query_as(AssertSqlSafe(sql))
        .bind(before)
        .bind(before_id)
        .bind(limit);
    Ok(people.fetch_all(&mut **tx).await?)
}

#[derive(Debug)]
pub struct PersonNames {
    pub first: String,
    pub last: String,
}

pub async fn insert_operator(
    tx: &mut TenantTx,
    names: &PersonNames,
    username: &str,
    now: DateTime<Utc>,
) -> Result<Employee, ServiceError> {
    let sql = format!(
        "INSERT INTO users (
            company_id,
            id,
            role,
            first_name,
            last_name,
            operator_username,
            created_at,
            updated_at
        ) VALUES ($1, $2, 'operator', $3, $4, $5, $6, $6)
        RETURNING {COLUMNS}"
    );
    let employee = tx
        .query_as(AssertSqlSafe(sql))
        .bind(Uuid::now_v7())
        .bind(&names.first)
        .bind(&names.last)
        .bind(username)
        .bind(now);
    Ok(employee.fetch_one(&mut **tx).await?)
}

pub async fn insert_manager(
    tx: &mut TenantTx,
    names: &PersonNames,
    email: &str,
    password: &Hashed,
    now: DateTime<Utc>,
) -> Result<Employee, sqlx::Error> {
    let sql = format!(
        "INSERT INTO users (
            company_id,
            id,
            role,
            first_name,
            last_name,
            email,
            password_hash,
            password_pepper_id,
            password_set_at,
            created_at,
            updated_at
        ) VALUES ($1, $2, 'manager', $3, $4, $5, $6, $7, clock_timestamp(), $8, $8)
        RETURNING {COLUMNS}"
    );
    tx.query_as(AssertSqlSafe(sql))
        .bind(Uuid::now_v7())
        .bind(&names.first)
        .bind(&names.last)
        .bind(email)
        .bind(&password.hash)
        .bind(&password.pepper_id)
        .bind(now)
        .fetch_one(&mut **tx)
        .await
}

pub async fn count_managers(tx: &mut TenantTx) -> Result<i64, ServiceError> {
    let managers = tx.query_scalar(
        "SELECT count(*)
        FROM users
        WHERE company_id = $1 AND role = 'manager'",
    );
    Ok(managers.fetch_one(&mut **tx).await?)
}

/// Renames an operator or manager; None if there is no such person.
pub async fn rename(
    tx: &mut TenantTx,
    id: Uuid,
    names: &PersonNames,
    now: DateTime<Utc>,
) -> Result<Option<Employee>, ServiceError> {
    let sql = format!(
        "UPDATE users
        SET first_name = $3, last_name = $4, updated_at = $5
        WHERE company_id = $1 AND id = $2 AND role IN ('operator', 'manager')
        RETURNING {COLUMNS}"
    );
    let employee = tx
        .query_as(AssertSqlSafe(sql))
        .bind(id)
        .bind(&names.first)
        .bind(&names.last)
        .bind(now);
    Ok(employee.fetch_optional(&mut **tx).await?)
}

/// Deletes an operator or manager with all sessions; false if there is no such person.
pub async fn delete(tx: &mut TenantTx, id: Uuid) -> Result<bool, ServiceError> {
    let delete = tx
        .query(
            "DELETE FROM users
            WHERE company_id = $1 AND id = $2 AND role IN ('operator', 'manager')",
        )
        .bind(id);
    Ok(delete.execute(&mut **tx).await?.rows_affected() == 1)
}

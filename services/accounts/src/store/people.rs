//! Persons: owners, managers and operators.

use chrono::{DateTime, Utc};
use hourmeter_proto::accounts::v1::Scope;
use hourmeter_runtime::db::{TenantTx, scoped};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::employees::PersonNames;
use super::role;
use crate::domain::access::display_name;
use crate::domain::questions::QuestionAnswer;
use crate::passwords::Hashed;

#[derive(Debug, sqlx_macros::FromRow)]
pub struct Person {
    pub id: Uuid,
    pub company_id: Uuid,
    pub role: String,
    pub first_name: String,
    pub last_name: String,
    /// None for operators without a contact address.
    pub email: Option<String>,
    /// The person opened a link that was mailed to it.
    pub email_verified: bool,
    pub secondary_email: Option<String>,
    /// Operators only.
    pub operator_username: Option<String>,
    pub questions_set: bool,
    pub company_name: String,
    pub fuel_unit: String,
    pub language: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub has_notices: bool,
}

impl Person {
    /// The person's name, or the company's if the person has none.
    pub fn name(&self) -> String {
        let (first, last) = (&self.first_name, &self.last_name);
        let company = &self.company_name;
        display_name(role(&self.role), Scope::Full, first, last, company)
    }
}

pub async fn find(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
) -> Result<Option<Person>, ServiceError> {
    let sql = scoped(
        "SELECT
            u.id,
            u.company_id,
            u.role,
            u.first_name,
            u.last_name,
            u.email,
            u.email_verified_at IS NOT NULL AS email_verified,
            u.secondary_email,
            u.operator_username,
            u.question1 IS NOT NULL AS questions_set,
            c.name AS company_name,
            c.fuel_unit,
            u.language,
            u.created_at,
            u.updated_at,
            EXISTS (
                SELECT
                FROM notices n
                WHERE n.company_id = u.company_id
                  AND n.user_id = u.id
                  AND n.dismissed_at IS NULL
            ) AS has_notices
        FROM users u
        JOIN companies c ON c.company_id = u.company_id
        WHERE u.company_id = $1 AND u.id = $2",
    );
    let person = sqlx::query_as(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(id);
    Ok(person.fetch_optional(connection).await?)
}

/// The person of a session; UNAUTHENTICATED if the person was removed meanwhile.
pub async fn caller(tx: &mut TenantTx, id: Uuid) -> Result<Person, ServiceError> {
    let tenant = tx.tenant();
    let person = find(tx, tenant, id).await?;
    person.ok_or_else(ServiceError::unauthenticated)
}

/// Company and person of a secret with this hash; `find` is the query of the secret's kind.
pub async fn find_by_secret(
    connection: &mut PgConnection,
    find: &'static str,
    hash: &[u8; 32],
) -> Result<Option<(Tenant, Uuid)>, ServiceError> {
    let found: Option<(Uuid, Uuid)> = sqlx::query_as(find)
        .bind(hash.as_slice())
        .fetch_optional(connection)
        .await?;
    Ok(found.map(|(company_id, user_id)| (Tenant::from_lookup(company_id), user_id)))
}

/// An owner or manager with an address.
#[derive(Debug, sqlx_macros::FromRow)]
pub struct Contact {
    pub id: Uuid,
    role: String,
    first_name: String,
    last_name: String,
    pub email: String,
    pub email_verified: bool,
    pub language: Option<String>,
}

impl Contact {
    /// The person's name, or the company's if the person has none.
    pub fn name(&self, company: &str) -> String {
        let (first, last) = (&self.first_name, &self.last_name);
        display_name(role(&self.role), Scope::Full, first, last, company)
    }
}

pub async fn contacts(tx: &mut TenantTx) -> Result<Vec<Contact>, ServiceError> {
    let contacts = tx.query_as(
        "SELECT
            id,
            role,
            first_name,
            last_name,
            email,
            email_verified_at IS NOT NULL AS email_verified,
            language
        FROM users
        WHERE company_id = $1 AND role IN ('owner', 'manager') AND email IS NOT NULL",
    );
    Ok(contacts.fetch_all(&mut **tx).await?)
}

/// Those of these people who are in the company.
pub async fn active(
    tx: &mut TenantTx,
    ids: &[Uuid],
    operators_only: bool,
) -> Result<Vec<Uuid>, ServiceError> {
    let active = tx
        .query_scalar(
            "SELECT id
            FROM users
            WHERE company_id = $1 AND id = ANY ($2) AND (role = 'operator' OR NOT $3)",
        )
        .bind(ids)
        .bind(operators_only);
    Ok(active.fetch_all(&mut **tx).await?)
}

pub async fn lock(tx: &mut TenantTx, id: Uuid) -> Result<(), ServiceError> {
    let statement = tx
        .query("SELECT FROM users WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE")
        .bind(id);
    tx.run(statement).await
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Both names may be empty for an owner.
    pub first_name: String,
    pub last_name: String,
    /// Required except for operators.
    pub email: Option<String>,
    pub secondary_email: Option<String>,
    pub language: Option<String>,
}

pub async fn set_profile(
    tx: &mut TenantTx,
    id: Uuid,
    profile: &Profile,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    tx.query(
        "UPDATE users
        SET first_name = $3,
            last_name = $4,
            email_verified_at = CASE WHEN email = $5 THEN email_verified_at END,
            mail_link_hash = CASE WHEN email = $5 THEN mail_link_hash END,
            email = $5,
            secondary_email = $6,
            language = $7,
            updated_at = $8
        WHERE company_id = $1 AND id = $2",
    )
    .bind(id)
    .bind(&profile.first_name)
    .bind(&profile.last_name)
    .bind(&profile.email)
    .bind(&profile.secondary_email)
    .bind(&profile.language)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Inserts the owner of a new company; `email` in lower case.
pub async fn insert_owner(
    tx: &mut TenantTx,
    id: Uuid,
    names: &PersonNames,
    email: &str,
    password: &Hashed,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    tx.query(
        "INSERT INTO users (
            company_id,
            id,
            role,
            email,
            password_hash,
            password_pepper_id,
            password_set_at,
            first_name,
            last_name,
            created_at,
            updated_at
        ) VALUES ($1, $2, 'owner', $3, $4, $5, $8, $6, $7, $8, $8)",
    )
    .bind(id)
    .bind(email)
    .bind(&password.hash)
    .bind(&password.pepper_id)
    .bind(&names.first)
    .bind(&names.last)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub async fn password(tx: &mut TenantTx, id: Uuid) -> Result<Option<Hashed>, ServiceError> {
    let stored = tx
        .query_as(
            "SELECT password_hash AS hash, password_pepper_id AS pepper_id
            FROM users
            WHERE company_id = $1 AND id = $2 AND password_hash IS NOT NULL",
        )
        .bind(id);
    Ok(stored.fetch_optional(&mut **tx).await?)
}

/// Stored passwords of the owner and all managers.
pub async fn manager_passwords(tx: &mut TenantTx) -> Result<Vec<Hashed>, ServiceError> {
    let stored = tx.query_as(
        "SELECT password_hash AS hash, password_pepper_id AS pepper_id
        FROM users
        WHERE company_id = $1 AND role IN ('owner', 'manager') AND password_hash IS NOT NULL
        ORDER BY id",
    );
    Ok(stored.fetch_all(&mut **tx).await?)
}

/// Replaces a person's questions and answers; false if the person was removed.
pub async fn set_questions(
    tx: &mut TenantTx,
    id: Uuid,
    [first, second]: [(&QuestionAnswer, &Hashed); 2],
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let update = tx
        .query(
            "UPDATE users
            SET question1 = $3,
                answer1_hash = $4,
                answer1_pepper_id = $5,
                question2 = $6,
                answer2_hash = $7,
                answer2_pepper_id = $8,
                updated_at = $9
            WHERE company_id = $1 AND id = $2",
        )
        .bind(id)
        .bind(first.0.question)
        .bind(&first.1.hash)
        .bind(&first.1.pepper_id)
        .bind(second.0.question)
        .bind(&second.1.hash)
        .bind(&second.1.pepper_id)
        .bind(now);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

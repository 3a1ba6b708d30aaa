//! Support staff. The service's role may read them; only the owner role adds and removes them.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use sqlx::PgConnection;
use uuid::Uuid;

use super::sealed;
use crate::passwords::Hashed;
use crate::secrets::Sealed;

/// The advisory lock for assigning an e-mail address: shared for persons of companies, exclusive for
/// staff, so that an address is never assigned to both.
const EMAILS: i64 = 7_413_001;

#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct Staff {
    pub id: Uuid,
    /// In lower case.
    pub email: String,
    pub name: String,
    #[sqlx(flatten)]
    pub password: Hashed,
    pub password_set_at: DateTime<Utc>,
    #[sqlx(flatten)]
    pub totp: Sealed,
    /// TOTP step of the last used code.
    pub totp_last_step: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Finds a member of staff by e-mail in lower case.
pub async fn find_by_email(
    connection: &mut PgConnection,
    email: &str,
) -> Result<Option<Staff>, ServiceError> {
    Ok(select(connection, None, Some(email)).await?.pop())
}

pub async fn find(connection: &mut PgConnection, id: Uuid) -> Result<Option<Staff>, ServiceError> {
    Ok(select(connection, Some(id), None).await?.pop())
}

/// Lists all staff by e-mail.
pub async fn list(connection: &mut PgConnection) -> Result<Vec<Staff>, ServiceError> {
    select(connection, None, None).await
}

async fn select(
    connection: &mut PgConnection,
    id: Option<Uuid>,
    email: Option<&str>,
) -> Result<Vec<Staff>, ServiceError> {
    let staff = sqlx::query_as(
        "SELECT
            id,
            email,
            name,
            password_hash AS hash,
            password_pepper_id AS pepper_id,
            password_set_at,
            totp_key_id AS key_id,
            totp_nonce AS nonce,
            totp_box AS sealed_box,
            totp_last_step,
            created_at,
            updated_at
        FROM staff
        WHERE ($1::uuid IS NULL OR id = $1) AND ($2::text IS NULL OR email = $2)
        ORDER BY email",
    )
    .bind(id)
    .bind(email);
    Ok(staff.fetch_all(connection).await?)
}

/// Locks the person's row. False if the person was removed, or has another password than the one that
/// was verified.
pub async fn lock(connection: &mut PgConnection, staff: &Staff) -> Result<bool, ServiceError> {
    let set_at: Option<DateTime<Utc>> = sqlx::query_scalar(
        "SELECT password_set_at
        FROM staff
        WHERE id = $1
        FOR NO KEY UPDATE",
    )
    .bind(staff.id)
    .fetch_optional(connection)
    .await?;
    Ok(set_at == Some(staff.password_set_at))
}

/// Stores a new hash of the same password.
pub async fn rehash(
    connection: &mut PgConnection,
    id: Uuid,
    hashed: &Hashed,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE staff
        SET password_hash = $2, password_pepper_id = $3
        WHERE id = $1",
    )
    .bind(id)
    .bind(&hashed.hash)
    .bind(&hashed.pepper_id)
    .execute(connection)
    .await?;
    Ok(())
}

/// Sets the password. The person's row must be locked.
pub async fn set_password(
    connection: &mut PgConnection,
    id: Uuid,
    hashed: &Hashed,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE staff
        SET password_hash = $2,
            password_pepper_id = $3,
            password_set_at = clock_timestamp(),
            updated_at = now()
        WHERE id = $1",
    )
    .bind(id)
    .bind(&hashed.hash)
    .bind(&hashed.pepper_id)
    .execute(connection)
    .await?;
    Ok(())
}

/// Sets the TOTP secret, and the step of its last used code (0: none). The person's row must be locked.
pub async fn set_totp(
    connection: &mut PgConnection,
    id: Uuid,
    totp: &Sealed,
    step: i64,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE staff
        SET totp_key_id = $2,
            totp_nonce = $3,
            totp_box = $4,
            totp_last_step = $5
        WHERE id = $1",
    )
    .bind(id)
    .bind(&totp.key_id)
    .bind(&totp.nonce)
    .bind(&totp.sealed_box)
    .bind(step)
    .execute(connection)
    .await?;
    Ok(())
}

/// Consumes the code of a step; false if it or a later one was used before.
pub async fn use_step(
    connection: &mut PgConnection,
    id: Uuid,
    step: i64,
) -> Result<bool, ServiceError> {
    let update = sqlx::query(
        "UPDATE staff
        SET totp_last_step = $2
        WHERE id = $1 AND totp_last_step < $2",
    )
    .bind(id)
    .bind(step);
    Ok(update.execute(connection).await?.rows_affected() == 1)
}

/// Whether a staff member signed in from this address prefix within 30 days. Needs a transaction of
/// the platform's log.
pub async fn signed_in_from(
    connection: &mut PgConnection,
    id: Uuid,
    address_prefix: &str,
) -> Result<bool, ServiceError> {
    let known = sqlx::query_scalar(
        "SELECT EXISTS (
            SELECT FROM audit_events
            WHERE company_id = '00000000-0000-0000-0000-000000000000' AND actor_id = $1
              AND event = 'sign_in' AND outcome = 'success' AND address_prefix = $2
              AND at > now() - interval '30 days'
        )",
    )
    .bind(id)
    .bind(address_prefix);
    Ok(known.fetch_one(connection).await?)
}

/// Whether staff has this e-mail (lower case), so that persons of companies may not. The result stays
/// valid until the end of the transaction.
pub async fn is_staff_email(
    connection: &mut PgConnection,
    email: &str,
) -> Result<bool, ServiceError> {
    sqlx::query("SELECT pg_advisory_xact_lock_shared($1)")
        .bind(EMAILS)
        .execute(&mut *connection)
        .await?;
    let taken =
        sqlx::query_scalar("SELECT EXISTS (SELECT FROM staff WHERE email = $1)").bind(email);
    Ok(taken.fetch_one(connection).await?)
}

/// Whether a person of a company has this e-mail (lower case), so that staff may not. The result stays
/// valid until the end of the transaction.
pub async fn is_tenant_email(
    connection: &mut PgConnection,
    email: &str,
) -> Result<bool, ServiceError> {
    sqlx::query("SELECT pg_advisory_xact_lock($1)")
        .bind(EMAILS)
        .execute(&mut *connection)
        .await?;
    let taken = sqlx::query_scalar("SELECT is_tenant_email($1)").bind(email);
    Ok(taken.fetch_one(connection).await?)
}

/// Inserts a staff member; false if the e-mail is taken. For the owner role.
pub async fn insert(
    connection: &mut PgConnection,
    id: Uuid,
    email: &str,
    name: &str,
    password: &Hashed,
    totp: &Sealed,
) -> Result<bool, ServiceError> {
    let insert = sqlx::query(
        "INSERT INTO staff (
            id,
            email,
            name,
            password_hash,
            password_pepper_id,
            password_set_at,
            totp_key_id,
            totp_nonce,
            totp_box,
            created_at,
            updated_at
        ) VALUES ($1, $2, $3, $4, $5, clock_timestamp(), $6, $7, $8, now(), now())
        ON CONFLICT (email) DO NOTHING",
    )
    .bind(id)
    .bind(email)
    .bind(name)
    .bind(&password.hash)
    .bind(&password.pepper_id)
    .bind(&totp.key_id)
    .bind(&totp.nonce)
    .bind(&totp.sealed_box);
    Ok(insert.execute(connection).await?.rows_affected() == 1)
}

/// Stores an enrolment code with its lifetime in hours; replaces an earlier one. For the owner role.
pub async fn invite(
    connection: &mut PgConnection,
    id: Uuid,
    code_hash: &[u8; 32],
    hours: i32,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO staff_enrolments (staff_id, code_hash, expires_at)
        VALUES ($1, $2, now() + make_interval(hours => $3))
        ON CONFLICT (staff_id) DO UPDATE
        SET code_hash = excluded.code_hash,
            expires_at = excluded.expires_at,
            totp_key_id = NULL,
            totp_nonce = NULL,
            totp_box = NULL",
    )
    .bind(id)
    .bind(code_hash.as_slice())
    .bind(hours)
    .execute(connection)
    .await?;
    Ok(())
}

/// Ids of staff who have not enrolled yet.
pub async fn invited(connection: &mut PgConnection) -> Result<Vec<Uuid>, ServiceError> {
    let ids = sqlx::query_scalar("SELECT staff_id FROM staff_enrolments");
    Ok(ids.fetch_all(connection).await?)
}

type Invited = (Uuid, Option<String>, Option<Vec<u8>>, Option<Vec<u8>>);

/// Finds the staff member of an enrolment code, with the pending TOTP secret.
pub async fn find_invited(
    connection: &mut PgConnection,
    code_hash: &[u8; 32],
) -> Result<Option<(Staff, Option<Sealed>)>, ServiceError> {
    let row: Option<Invited> = sqlx::query_as(
        "SELECT
            staff_id,
            totp_key_id,
            totp_nonce,
            totp_box
        FROM staff_enrolments
        WHERE code_hash = $1 AND expires_at > now()",
    )
    .bind(code_hash.as_slice())
    .fetch_optional(&mut *connection)
    .await?;
    let Some((id, key_id, nonce, sealed_box)) = row else {
        return Ok(None);
    };
    let staff = find(connection, id).await?;
    Ok(staff.map(|staff| (staff, sealed(key_id, nonce, sealed_box))))
}

/// Stores a pending TOTP secret; false if the enrolment code is no longer valid.
pub async fn set_invited_totp(
    connection: &mut PgConnection,
    code_hash: &[u8; 32],
    totp: &Sealed,
) -> Result<bool, ServiceError> {
    let update = sqlx::query(
        "UPDATE staff_enrolments
        SET totp_key_id = $2, totp_nonce = $3, totp_box = $4
        WHERE code_hash = $1 AND expires_at > now()",
    )
    .bind(code_hash.as_slice())
    .bind(&totp.key_id)
    .bind(&totp.nonce)
    .bind(&totp.sealed_box);
    Ok(update.execute(connection).await?.rows_affected() == 1)
}

/// Consumes an enrolment code; false if it was used or another secret is pending.
pub async fn use_invitation(
    connection: &mut PgConnection,
    code_hash: &[u8; 32],
    totp: &Sealed,
) -> Result<bool, ServiceError> {
    let delete = sqlx::query(
        "DELETE FROM staff_enrolments
        WHERE code_hash = $1 AND totp_nonce = $2 AND expires_at > now()",
    )
    .bind(code_hash.as_slice())
    .bind(&totp.nonce);
    Ok(delete.execute(connection).await?.rows_affected() == 1)
}

/// Deletes a staff member with all sessions; returns id and name. For the owner role.
pub async fn remove(
    connection: &mut PgConnection,
    email: &str,
) -> Result<Option<(Uuid, String)>, ServiceError> {
    let removed =
        sqlx::query_as("DELETE FROM staff WHERE email = $1 RETURNING id, name").bind(email);
    Ok(removed.fetch_optional(connection).await?)
}

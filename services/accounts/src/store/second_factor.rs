//! Second factors of owners and managers. Writers must lock the person's row.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use crate::domain::passkey::{CHALLENGE, CHALLENGE_SECONDS, Credential, PasskeyAlgorithm};
use crate::secrets::Sealed;

pub type Holder = (Tenant, Uuid);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Add,
    SignIn,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::SignIn => "sign_in",
        }
    }
}

/// The second factors of a person, and whether the company requires one.
#[derive(Clone, Copy, Debug, sqlx_macros::FromRow)]
pub struct Summary {
    /// When the authenticator was set up; None: no authenticator.
    pub authenticator_since: Option<DateTime<Utc>>,
    pub passkeys: i64,
    pub recovery_codes_left: i64,
    pub required: bool,
}

impl Summary {
    pub const fn is_on(&self) -> bool {
        self.authenticator_since.is_some() || self.passkeys > 0
    }
}

pub async fn summary(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
) -> Result<Summary, ServiceError> {
    let summary: Option<Summary> = sqlx::query_as(
        "SELECT
            (
                SELECT created_at FROM authenticators
                WHERE company_id = $1 AND user_id = $2 AND NOT pending
            ) AS authenticator_since,
            (
                SELECT count(*) FROM passkeys
                WHERE company_id = $1 AND user_id = $2
            ) AS passkeys,
            (
                SELECT count(*) FROM recovery_codes
                WHERE company_id = $1 AND user_id = $2 AND used_at IS NULL
            ) AS recovery_codes_left,
            second_factor_required AS required
        FROM companies
        WHERE company_id = $1",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .fetch_optional(connection)
    .await?;
    summary.ok_or_else(ServiceError::unauthenticated)
}

/// Whether a session of this role and scope must first set up a second factor.
pub async fn is_missing(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    role: &str,
    scope: &str,
) -> Result<bool, ServiceError> {
    let missing = sqlx::query_scalar("SELECT second_factor_missing($1, $2, $3, $4)")
        .bind(tenant.company_id())
        .bind(user_id)
        .bind(role)
        .bind(scope)
        .fetch_one(connection)
        .await?;
    Ok(missing)
}

/// Sets whether the company requires a second factor; false if nothing changed.
pub async fn set_required(
    connection: &mut PgConnection,
    tenant: Tenant,
    required: bool,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let done = sqlx::query(
        "UPDATE companies
        SET second_factor_required = $2, updated_at = $3
        WHERE company_id = $1 AND second_factor_required <> $2",
    )
    .bind(tenant.company_id())
    .bind(required)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct Authenticator {
    #[sqlx(flatten)]
    pub secret: Sealed,
    /// TOTP step of the last used code.
    pub last_step: i64,
}

/// The active or the pending authenticator of a person.
pub async fn authenticator(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    pending: bool,
) -> Result<Option<Authenticator>, ServiceError> {
    let authenticator = sqlx::query_as(
        "SELECT
            totp_key_id AS key_id,
            totp_nonce AS nonce,
            totp_box AS sealed_box,
            totp_last_step AS last_step
        FROM authenticators
        WHERE company_id = $1 AND user_id = $2 AND pending = $3",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(pending)
    .fetch_optional(connection)
    .await?;
    Ok(authenticator)
}

/// Stores a pending secret; replaces an earlier one.
pub async fn set_pending(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    secret: &Sealed,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO authenticators (
            company_id,
            user_id,
            pending,
            totp_key_id,
            totp_nonce,
            totp_box,
            created_at
        ) VALUES ($1, $2, true, $3, $4, $5, $6)
        ON CONFLICT (company_id, user_id, pending) DO UPDATE
        SET totp_key_id = excluded.totp_key_id,
            totp_nonce = excluded.totp_nonce,
            totp_box = excluded.totp_box,
            created_at = excluded.created_at",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(&secret.key_id)
    .bind(&secret.nonce)
    .bind(&secret.sealed_box)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Activates the pending authenticator after its code of this step was verified.
pub async fn confirm_pending(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    step: i64,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "DELETE FROM authenticators
        WHERE company_id = $1 AND user_id = $2 AND NOT pending",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "UPDATE authenticators
        SET pending = false, totp_last_step = $3, created_at = $4
        WHERE company_id = $1 AND user_id = $2 AND pending",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(step)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Consumes the code of a step; false if it or a later one was used before.
pub async fn use_step(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    step: i64,
) -> Result<bool, ServiceError> {
    let done = sqlx::query(
        "UPDATE authenticators
        SET totp_last_step = $3
        WHERE company_id = $1 AND user_id = $2 AND NOT pending AND totp_last_step < $3",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(step)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

#[derive(Debug, sqlx_macros::FromRow)]
pub struct NamedPasskey {
    pub id: Uuid,
    pub name: String,
    pub credential_id: Vec<u8>,
    pub created_at: DateTime<Utc>,
    pub last_used_at: Option<DateTime<Utc>>,
}

/// Lists a person's passkeys, oldest first.
pub async fn passkeys(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
) -> Result<Vec<NamedPasskey>, ServiceError> {
    let passkeys = sqlx::query_as(
        "SELECT
            id,
            name,
            credential_id,
            created_at,
            last_used_at
        FROM passkeys
        WHERE company_id = $1 AND user_id = $2
        ORDER BY created_at, id",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .fetch_all(connection)
    .await?;
    Ok(passkeys)
}

/// Finds a person's passkey by credential id.
pub async fn credential(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    credential_id: &[u8],
) -> Result<Option<(Uuid, Credential)>, ServiceError> {
    let row: Option<(Uuid, i32, Vec<u8>, i64)> = sqlx::query_as(
        "SELECT
            id,
            algorithm,
            public_key,
            sign_count
        FROM passkeys
        WHERE company_id = $1 AND user_id = $2 AND credential_id = $3",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(credential_id)
    .fetch_optional(connection)
    .await?;
    Ok(row.and_then(|(id, algorithm, public_key, sign_count)| {
        let credential = Credential {
            id: credential_id.to_vec(),
            algorithm: PasskeyAlgorithm::from_number(algorithm)?,
            public_key,
            sign_count: u32::try_from(sign_count).ok()?,
        };
        Some((id, credential))
    }))
}

/// Inserts a passkey; None if the company has it already.
pub async fn insert_passkey(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    name: &str,
    credential: &Credential,
    now: DateTime<Utc>,
) -> Result<Option<Uuid>, ServiceError> {
    let id = sqlx::query_scalar(
        "INSERT INTO passkeys (
            company_id,
            id,
            user_id,
            name,
            credential_id,
            algorithm,
            public_key,
            sign_count,
            created_at
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (company_id, credential_id) DO NOTHING
        RETURNING id",
    )
    .bind(tenant.company_id())
    .bind(Uuid::now_v7())
    .bind(user_id)
    .bind(name)
    .bind(&credential.id)
    .bind(credential.algorithm.number())
    .bind(&credential.public_key)
    .bind(i64::from(credential.sign_count))
    .bind(now)
    .fetch_optional(connection)
    .await?;
    Ok(id)
}

/// Records a sign-in with a passkey and its new counter.
pub async fn use_passkey(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
    sign_count: u32,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE passkeys
        SET sign_count = $3, last_used_at = $4
        WHERE company_id = $1 AND id = $2",
    )
    .bind(tenant.company_id())
    .bind(id)
    .bind(i64::from(sign_count))
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes a passkey and returns its name; None if the person has no such passkey.
pub async fn delete_passkey(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    id: Uuid,
) -> Result<Option<String>, ServiceError> {
    let name = sqlx::query_scalar(
        "DELETE FROM passkeys
        WHERE company_id = $1 AND user_id = $2 AND id = $3
        RETURNING name",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(id)
    .fetch_optional(connection)
    .await?;
    Ok(name)
}

/// Stores a challenge and deletes the person's expired ones.
pub async fn insert_challenge(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    purpose: Purpose,
    challenge: &[u8; CHALLENGE],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "DELETE FROM passkey_challenges
        WHERE company_id = $1 AND user_id = $2 AND created_at <= $3",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(now - TimeDelta::seconds(CHALLENGE_SECONDS))
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO passkey_challenges (
            company_id,
            challenge,
            user_id,
            purpose,
            created_at
        ) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(tenant.company_id())
    .bind(challenge.as_slice())
    .bind(user_id)
    .bind(purpose.name())
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Consumes a challenge; false if it was not issued to this person for this purpose, was used, or has
/// expired.
pub async fn take_challenge(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    purpose: Purpose,
    challenge: &[u8; CHALLENGE],
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let created_at: Option<DateTime<Utc>> = sqlx::query_scalar(
        "DELETE FROM passkey_challenges
        WHERE company_id = $1 AND user_id = $2 AND purpose = $3 AND challenge = $4
        RETURNING created_at",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(purpose.name())
    .bind(challenge.as_slice())
    .fetch_optional(connection)
    .await?;
    let good_for = TimeDelta::seconds(CHALLENGE_SECONDS);
    Ok(created_at.is_some_and(|created_at| now - created_at < good_for))
}

pub type CodeHash = [u8; 32];

/// Replaces a person's recovery codes.
pub async fn replace_codes(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    pepper_id: &str,
    hashes: &[CodeHash],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query("DELETE FROM recovery_codes WHERE company_id = $1 AND user_id = $2")
        .bind(tenant.company_id())
        .bind(user_id)
        .execute(&mut *connection)
        .await?;
    let hashes: Vec<&[u8]> = hashes.iter().map(<[u8; 32]>::as_slice).collect();
    sqlx::query(
        "INSERT INTO recovery_codes (
            company_id,
            user_id,
            code_hash,
            code_pepper_id,
            created_at
        )
        SELECT $1, $2, code_hash, $4, $5
        FROM unnest($3::bytea[]) AS hashes (code_hash)",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(hashes)
    .bind(pepper_id)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

/// Consumes the recovery code with this hash; `hash` computes it with a pepper. False if the person
/// has no such unused code.
pub async fn use_code(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
    hash: impl Fn(&str) -> Option<CodeHash>,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let unused: Vec<(Vec<u8>, String)> = sqlx::query_as(
        "SELECT
            code_hash,
            code_pepper_id
        FROM recovery_codes
        WHERE company_id = $1 AND user_id = $2 AND used_at IS NULL",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .fetch_all(&mut *connection)
    .await?;
    let mut found = None;
    for (stored, pepper_id) in unused {
        let is_it = hash(&pepper_id).is_some_and(|hash| hash.ct_eq(&stored).into());
        if is_it {
            found = Some(stored);
        }
    }
    let Some(found) = found else {
        return Ok(false);
    };
    let done = sqlx::query(
        "UPDATE recovery_codes
        SET used_at = $4
        WHERE company_id = $1 AND user_id = $2 AND code_hash = $3 AND used_at IS NULL",
    )
    .bind(tenant.company_id())
    .bind(user_id)
    .bind(found)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes all second factors of a person; false if there were none.
pub async fn delete_all(
    connection: &mut PgConnection,
    (tenant, user_id): Holder,
) -> Result<bool, ServiceError> {
    let mut removed = 0;
    for sql in [
        "DELETE FROM authenticators WHERE company_id = $1 AND user_id = $2",
        "DELETE FROM passkeys WHERE company_id = $1 AND user_id = $2",
        "DELETE FROM passkey_challenges WHERE company_id = $1 AND user_id = $2",
        "DELETE FROM recovery_codes WHERE company_id = $1 AND user_id = $2",
    ] {
        let done = sqlx::query(sql)
            .bind(tenant.company_id())
            .bind(user_id)
            .execute(&mut *connection)
            .await?;
        removed += done.rows_affected();
    }
    Ok(removed > 0)
}

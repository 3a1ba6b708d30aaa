//! Second factors of owners and managers. Writers must lock the person's row.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use crate::secrets::Sealed;

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

pub async fn summary(tx: &mut TenantTx, user_id: Uuid) -> Result<Summary, ServiceError> {
    let summary: Option<Summary> = tx
        .query_as(
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
        .bind(user_id)
        .fetch_optional(&mut **tx)
        .await?;
    summary.ok_or_else(ServiceError::unauthenticated)
}

/// Whether a session of this role and scope must first set up a second factor.
pub async fn is_missing(
    tx: &mut TenantTx,
    user_id: Uuid,
    role: &str,
    scope: &str,
) -> Result<bool, ServiceError> {
    let missing = tx
        .query_scalar("SELECT second_factor_missing($1, $2, $3, $4)")
        .bind(user_id)
        .bind(role)
        .bind(scope);
    Ok(missing.fetch_one(&mut **tx).await?)
}

/// Sets whether the company requires a second factor; false if nothing changed.
pub async fn set_required(
    tx: &mut TenantTx,
    required: bool,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let update = tx
        .query(
            "UPDATE companies
            SET second_factor_required = $2, updated_at = $3
            WHERE company_id = $1 AND second_factor_required <> $2",
        )
        .bind(required)
        .bind(now);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
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
    tx: &mut TenantTx,
    user_id: Uuid,
    pending: bool,
) -> Result<Option<Authenticator>, ServiceError> {
    let authenticator = tx
        .query_as(
            "SELECT
                totp_key_id AS key_id,
                totp_nonce AS nonce,
                totp_box AS sealed_box,
                totp_last_step AS last_step
            FROM authenticators
            WHERE company_id = $1 AND user_id = $2 AND pending = $3",
        )
        .bind(user_id)
        .bind(pending);
    Ok(authenticator.fetch_optional(&mut **tx).await?)
}

/// Stores a pending secret; replaces an earlier one.
pub async fn set_pending(
    tx: &mut TenantTx,
    user_id: Uuid,
    secret: &Sealed,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
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
        .bind(user_id)
        .bind(&secret.key_id)
        .bind(&secret.nonce)
        .bind(&secret.sealed_box)
        .bind(now);
    tx.run(statement).await
}

/// Activates the pending authenticator after its code of this step was verified.
pub async fn confirm_pending(
    tx: &mut TenantTx,
    user_id: Uuid,
    step: i64,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    tx.query(
        "DELETE FROM authenticators
        WHERE company_id = $1 AND user_id = $2 AND NOT pending",
    )
    .bind(user_id)
    .execute(&mut **tx)
    .await?;
    let statement = tx
        .query(
            "UPDATE authenticators
            SET pending = false, totp_last_step = $3, created_at = $4
            WHERE company_id = $1 AND user_id = $2 AND pending",
        )
        .bind(user_id)
        .bind(step)
        .bind(now);
    tx.run(statement).await
}

/// Consumes the code of a step; false if it or a later one was used before.
pub async fn use_step(tx: &mut TenantTx, user_id: Uuid, step: i64) -> Result<bool, ServiceError> {
    let update = tx
        .query(
            "UPDATE authenticators
            SET totp_last_step = $3
            WHERE company_id = $1 AND user_id = $2 AND NOT pending AND totp_last_step < $3",
        )
        .bind(user_id)
        .bind(step);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

pub type CodeHash = [u8; 32];

/// Replaces all recovery codes of a person.
pub async fn replace_codes(
    tx: &mut TenantTx,
    user_id: Uuid,
    pepper_id: &str,
    hashes: &[CodeHash],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let hashes: Vec<&[u8]> = hashes.iter().map(<[u8; 32]>::as_slice).collect();
    let statement = tx
        .query(
            "WITH replaced AS (
                DELETE FROM recovery_codes
                WHERE company_id = $1 AND user_id = $2
            )
            INSERT INTO recovery_codes (
                company_id,
                user_id,
                code_hash,
                code_pepper_id,
                created_at
            )
            SELECT $1, $2, code_hash, $4, $5
            FROM unnest($3::bytea[]) AS hashes (code_hash)",
        )
        .bind(user_id)
        .bind(hashes)
        .bind(pepper_id)
        .bind(now);
    tx.run(statement).await
}

/// Consumes the recovery code with this hash; `hash` computes it with a pepper. False if the person
/// has no such unused code.
pub async fn use_code(
    tx: &mut TenantTx,
    user_id: Uuid,
    hash: impl Fn(&str) -> Option<CodeHash>,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let unused: Vec<(Vec<u8>, String)> = tx
        .query_as(
            "SELECT
                code_hash,
                code_pepper_id
            FROM recovery_codes
            WHERE company_id = $1 AND user_id = $2 AND used_at IS NULL",
        )
        .bind(user_id)
        .fetch_all(&mut **tx)
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
    let update = tx
        .query(
            "UPDATE recovery_codes
            SET used_at = $4
            WHERE company_id = $1 AND user_id = $2 AND code_hash = $3 AND used_at IS NULL",
        )
        .bind(user_id)
        .bind(found)
        .bind(now);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

/// Deletes all second factors of a person.
pub async fn delete_all(tx: &mut TenantTx, user_id: Uuid) -> Result<(), ServiceError> {
    for sql in [
        "DELETE FROM authenticators WHERE company_id = $1 AND user_id = $2",
        "DELETE FROM passkeys WHERE company_id = $1 AND user_id = $2",
        "DELETE FROM passkey_challenges WHERE company_id = $1 AND user_id = $2",
        "DELETE FROM recovery_codes WHERE company_id = $1 AND user_id = $2",
    ] {
        tx.query(sql).bind(user_id).execute(&mut **tx).await?;
    }
    Ok(())
}

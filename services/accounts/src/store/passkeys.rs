//! Passkeys of owners and managers. Writers must lock the person's row.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::stored_enum;
use uuid::Uuid;

use crate::domain::passkey::{CHALLENGE, CHALLENGE_SECONDS, Credential, PasskeyAlgorithm};

stored_enum! {
    /// Purposes of challenges.
    pub enum Purpose {
        Add = "add",
        SignIn = "sign_in",
    }
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
pub async fn list(tx: &mut TenantTx, user_id: Uuid) -> Result<Vec<NamedPasskey>, ServiceError> {
    let passkeys = tx
        .query_as(
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
        .bind(user_id);
    Ok(passkeys.fetch_all(&mut **tx).await?)
}

pub async fn credential(
    tx: &mut TenantTx,
    user_id: Uuid,
    credential_id: &[u8],
) -> Result<Option<(Uuid, Credential)>, ServiceError> {
    let row: Option<(Uuid, i32, Vec<u8>, i64)> = tx
        .query_as(
            "SELECT
                id,
                algorithm,
                public_key,
                sign_count
            FROM passkeys
            WHERE company_id = $1 AND user_id = $2 AND credential_id = $3",
        )
        .bind(user_id)
        .bind(credential_id)
        .fetch_optional(&mut **tx)
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
pub async fn insert(
    tx: &mut TenantTx,
    user_id: Uuid,
    name: &str,
    credential: &Credential,
    now: DateTime<Utc>,
) -> Result<Option<Uuid>, ServiceError> {
    let id = tx
        .query_scalar(
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
        .bind(Uuid::now_v7())
        .bind(user_id)
        .bind(name)
        .bind(&credential.id)
        .bind(credential.algorithm.number())
        .bind(&credential.public_key)
        .bind(i64::from(credential.sign_count))
        .bind(now);
    Ok(id.fetch_optional(&mut **tx).await?)
}

/// Records a sign-in with a passkey and its new counter.
pub async fn mark_used(
    tx: &mut TenantTx,
    id: Uuid,
    sign_count: u32,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE passkeys
            SET sign_count = $3, last_used_at = $4
            WHERE company_id = $1 AND id = $2",
        )
        .bind(id)
        .bind(i64::from(sign_count))
        .bind(now);
    tx.run(statement).await
}

/// Deletes a passkey and returns its name; None if the person has no such passkey.
pub async fn delete(
    tx: &mut TenantTx,
    user_id: Uuid,
    id: Uuid,
) -> Result<Option<String>, ServiceError> {
    let name = tx
        .query_scalar(
            "DELETE FROM passkeys
            WHERE company_id = $1 AND user_id = $2 AND id = $3
            RETURNING name",
        )
        .bind(user_id)
        .bind(id);
    Ok(name.fetch_optional(&mut **tx).await?)
}

/// Stores a challenge and deletes the person's expired ones.
pub async fn insert_challenge(
    tx: &mut TenantTx,
    user_id: Uuid,
    purpose: Purpose,
    challenge: &[u8; CHALLENGE],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "WITH expired AS (
                DELETE FROM passkey_challenges
                WHERE company_id = $1 AND user_id = $3 AND created_at <= $6
            )
            INSERT INTO passkey_challenges (
                company_id,
                challenge,
                user_id,
                purpose,
                created_at
            ) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(challenge.as_slice())
        .bind(user_id)
        .bind(purpose.as_str())
        .bind(now)
        .bind(now - TimeDelta::seconds(CHALLENGE_SECONDS));
    tx.run(statement).await
}

/// Consumes a challenge; false if it was not issued to this person for this purpose, was used, or has
/// expired.
pub async fn take_challenge(
    tx: &mut TenantTx,
    user_id: Uuid,
    purpose: Purpose,
    challenge: &[u8; CHALLENGE],
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let created_at: Option<DateTime<Utc>> = tx
        .query_scalar(
            "DELETE FROM passkey_challenges
            WHERE company_id = $1 AND user_id = $2 AND purpose = $3 AND challenge = $4
            RETURNING created_at",
        )
        .bind(user_id)
        .bind(purpose.as_str())
        .bind(challenge.as_slice())
        .fetch_optional(&mut **tx)
        .await?;
    let good_for = TimeDelta::seconds(CHALLENGE_SECONDS);
    Ok(created_at.is_some_and(|created_at| now - created_at < good_for))
}

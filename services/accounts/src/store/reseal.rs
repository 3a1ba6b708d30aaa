//! Queries to re-encrypt sealed copies.

use std::collections::BTreeMap;

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::secrets::Sealed;

/// Ids of companies, after this one, with a copy that is sealed with another key.
pub async fn companies(
    connection: &mut PgConnection,
    active_key: &str,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, ServiceError> {
    let ids = sqlx::query_scalar(
        "SELECT company_id FROM list_to_reseal($1, $2, $3)
        UNION
        SELECT company_id FROM list_authenticators_to_reseal($1, $2, $3)
        ORDER BY company_id
        LIMIT $3",
    )
    .bind(active_key)
    .bind(after)
    .bind(limit);
    Ok(ids.fetch_all(connection).await?)
}

/// The TOTP secret of a person.
#[derive(sqlx_macros::FromRow)]
pub struct Totp {
    pub person_id: Uuid,
    #[sqlx(flatten)]
    pub sealed: Sealed,
}

pub async fn operator_password(tx: &mut TenantTx) -> Result<Option<Sealed>, ServiceError> {
    let sealed = sqlx::query_as(
        "SELECT
            operator_password_key_id AS key_id,
            operator_password_nonce AS nonce,
            operator_password_box AS sealed_box
        FROM companies
        WHERE company_id = $1 AND operator_password_key_id IS NOT NULL",
    )
    .bind(tx.tenant().company_id());
    Ok(sealed.fetch_optional(&mut **tx).await?)
}

/// Replaces a copy if it is unchanged, which its unique nonce shows. False: the password was set
/// meanwhile.
pub async fn move_operator_password(
    tx: &mut TenantTx,
    old: &Sealed,
    new: &Sealed,
) -> Result<bool, ServiceError> {
    let update = sqlx::query(
        "UPDATE companies
        SET operator_password_key_id = $2,
            operator_password_nonce = $3,
            operator_password_box = $4
        WHERE company_id = $1 AND operator_password_nonce = $5",
    )
    .bind(tx.tenant().company_id())
    .bind(&new.key_id)
    .bind(&new.nonce)
    .bind(&new.sealed_box)
    .bind(&old.nonce);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

/// Staff whose TOTP secret is sealed with another key.
pub async fn staff(
    connection: &mut PgConnection,
    active_key: &str,
) -> Result<Vec<Totp>, ServiceError> {
    let secrets = sqlx::query_as(
        "SELECT
            id AS person_id,
            totp_key_id AS key_id,
            totp_nonce AS nonce,
            totp_box AS sealed_box
        FROM staff
        WHERE totp_key_id <> $1
        ORDER BY id",
    )
    .bind(active_key);
    Ok(secrets.fetch_all(connection).await?)
}

/// As [`move_operator_password`], for the TOTP secret of a staff member.
pub async fn move_totp(
    connection: &mut PgConnection,
    staff_id: Uuid,
    old: &Sealed,
    new: &Sealed,
) -> Result<bool, ServiceError> {
    let update = sqlx::query(
        "UPDATE staff
        SET totp_key_id = $2,
            totp_nonce = $3,
            totp_box = $4
        WHERE id = $1 AND totp_nonce = $5",
    )
    .bind(staff_id)
    .bind(&new.key_id)
    .bind(&new.nonce)
    .bind(&new.sealed_box)
    .bind(&old.nonce);
    Ok(update.execute(connection).await?.rows_affected() == 1)
}

/// The TOTP secrets of a company that are sealed with another key, by person.
pub async fn authenticators(
    tx: &mut TenantTx,
    active_key: &str,
) -> Result<Vec<Totp>, ServiceError> {
    let secrets = sqlx::query_as(
        "SELECT
            user_id AS person_id,
            totp_key_id AS key_id,
            totp_nonce AS nonce,
            totp_box AS sealed_box
        FROM authenticators
        WHERE company_id = $1 AND totp_key_id <> $2
        ORDER BY user_id, pending",
    )
    .bind(tx.tenant().company_id())
    .bind(active_key);
    Ok(secrets.fetch_all(&mut **tx).await?)
}

/// As [`move_operator_password`], for the TOTP secret of an owner or manager.
pub async fn move_authenticator(
    tx: &mut TenantTx,
    user_id: Uuid,
    old: &Sealed,
    new: &Sealed,
) -> Result<bool, ServiceError> {
    let update = sqlx::query(
        "UPDATE authenticators
        SET totp_key_id = $3,
            totp_nonce = $4,
            totp_box = $5
        WHERE company_id = $1 AND user_id = $2 AND totp_nonce = $6",
    )
    .bind(tx.tenant().company_id())
    .bind(user_id)
    .bind(&new.key_id)
    .bind(&new.nonce)
    .bind(&new.sealed_box)
    .bind(&old.nonce);
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

/// Number of sealed copies per key.
pub async fn count(connection: &mut PgConnection) -> Result<BTreeMap<String, i64>, ServiceError> {
    let rows: Vec<(String, i64)> = sqlx::query_as(
        "SELECT key_id, sum(sealed)::bigint
        FROM (
            SELECT key_id, sealed FROM count_sealed()
            UNION ALL
            SELECT totp_key_id, 1 FROM staff
        ) all_of_them
        GROUP BY key_id",
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().collect())
}

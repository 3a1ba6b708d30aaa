//! Queries to re-encrypt sealed copies.

use std::collections::BTreeMap;

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use super::audit::NO_COMPANY;
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

/// A sealed copy of a company, or of staff, who belong to no company.
#[derive(sqlx_macros::FromRow)]
pub struct SealedCopy {
    /// Whose TOTP secret it is; None: it is the operator password.
    pub person_id: Option<Uuid>,
    #[sqlx(flatten)]
    pub sealed: Sealed,
}

pub async fn operator_password(tx: &mut TenantTx) -> Result<Option<Sealed>, ServiceError> {
    let sealed = tx.query_as(
        "SELECT
            operator_password_key_id AS key_id,
            operator_password_nonce AS nonce,
            operator_password_box AS sealed_box
        FROM companies
        WHERE company_id = $1 AND operator_password_key_id IS NOT NULL",
    );
    Ok(sealed.fetch_optional(&mut **tx).await?)
}

/// The copies of a company that are sealed with another key.
pub async fn copies(tx: &mut TenantTx, active_key: &str) -> Result<Vec<SealedCopy>, ServiceError> {
    let copies = tx
        .query_as(
            "SELECT
                NULL::uuid AS person_id,
                operator_password_key_id AS key_id,
                operator_password_nonce AS nonce,
                operator_password_box AS sealed_box
            FROM companies
            WHERE company_id = $1 AND operator_password_key_id <> $2
            UNION ALL
            SELECT
                user_id,
                totp_key_id,
                totp_nonce,
                totp_box
            FROM authenticators
            WHERE company_id = $1 AND totp_key_id <> $2
            ORDER BY person_id NULLS FIRST",
        )
        .bind(active_key);
    Ok(copies.fetch_all(&mut **tx).await?)
}

/// The copies of staff that are sealed with another key.
pub async fn staff(
    connection: &mut PgConnection,
    active_key: &str,
) -> Result<Vec<SealedCopy>, ServiceError> {
    let copies = sqlx::query_as(
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
    Ok(copies.fetch_all(connection).await?)
}

/// Replaces a copy if it is unchanged, which its unique nonce shows. False: it was set meanwhile.
pub async fn replace(
    connection: &mut PgConnection,
    tenant: Tenant,
    old: &SealedCopy,
    new: &Sealed,
) -> Result<bool, ServiceError> {
    // $1 is the company and $2 the person; not every statement uses both.
    let sql = match old.person_id {
        None => {
            "UPDATE companies
            SET operator_password_key_id = $3,
                operator_password_nonce = $4,
                operator_password_box = $5
            WHERE company_id = $1 AND operator_password_nonce = $6"
        }
        Some(_) if tenant == NO_COMPANY => {
            "UPDATE staff
            SET totp_key_id = $3,
                totp_nonce = $4,
                totp_box = $5
            WHERE id = $2 AND totp_nonce = $6"
        }
        Some(_) => {
            "UPDATE authenticators
            SET totp_key_id = $3,
                totp_nonce = $4,
                totp_box = $5
            WHERE company_id = $1 AND user_id = $2 AND totp_nonce = $6"
        }
    };
    let update = sqlx::query(sql)
        .bind(tenant.company_id())
        .bind(old.person_id)
        .bind(&new.key_id)
        .bind(&new.nonce)
        .bind(&new.sealed_box)
        .bind(&old.sealed.nonce);
    Ok(update.execute(connection).await?.rows_affected() == 1)
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

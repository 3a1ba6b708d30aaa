//! Passwords that are set or compared.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

use super::sign_in::Credential;
use crate::passwords::Hashed;

pub async fn operator_password(tx: &mut TenantTx) -> Result<Credential, ServiceError> {
    let row = tx
        .query(
            "SELECT
                operator_password_hash,
                operator_password_pepper_id,
                operator_password_set_at
            FROM companies
            WHERE company_id = $1",
        )
        .fetch_optional(&mut **tx)
        .await?;
    let row = row.ok_or_else(ServiceError::unauthenticated)?;
    Ok(Credential::read(&row, "operator_password")?)
}

/// Sets the password that an owner or manager chose, and ends the person's calendar address; false if
/// there is no such person. The company's row must be locked.
pub async fn set_own_password(
    tx: &mut TenantTx,
    id: Uuid,
    password: &Hashed,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    set(tx, id, Some(password), ["owner", "manager"], now).await
}

/// Sets the password of a manager or operator, or clears that of an operator, and ends the code of the
/// access card and the calendar address; false if there is no such person. The company's row must be
/// locked.
pub async fn set_password(
    tx: &mut TenantTx,
    id: Uuid,
    password: Option<&Hashed>,
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    set(tx, id, password, ["manager", "operator"], now).await
}

async fn set(
    tx: &mut TenantTx,
    id: Uuid,
    password: Option<&Hashed>,
    roles: [&str; 2],
    now: DateTime<Utc>,
) -> Result<bool, ServiceError> {
    let update = tx
        .query(
            "UPDATE users
            SET password_hash = $3,
                password_pepper_id = $4,
                password_set_at = CASE WHEN $3::text IS NOT NULL THEN clock_timestamp() END,
                card_code_hash = NULL,
                card_code_expires_at = NULL,
                calendar_secret_hash = NULL,
                calendar_created_at = NULL,
                updated_at = $5
            WHERE company_id = $1 AND id = $2 AND role = ANY ($6)",
        )
        .bind(id)
        .bind(password.map(|password| &password.hash))
        .bind(password.map(|password| &password.pepper_id))
        .bind(now)
        .bind(roles.as_slice());
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

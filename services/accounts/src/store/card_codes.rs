//! One-time codes of printed access cards. A person has at most one.

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

/// Replaces the codes of these operators; returns those who exist. The company's row must be locked.
pub async fn set(
    tx: &mut TenantTx,
    operator_ids: &[Uuid],
    hashes: &[Vec<u8>],
    days: i32,
) -> Result<Vec<Uuid>, ServiceError> {
    let ids = tx
        .query_scalar(
            "UPDATE users
            SET card_code_hash = code.hash, card_code_expires_at = now() + make_interval(days => $4)
            FROM unnest($2, $3) AS code (id, hash)
            WHERE users.company_id = $1 AND users.id = code.id AND users.role = 'operator'
            RETURNING users.id",
        )
        .bind(operator_ids)
        .bind(hashes)
        .bind(days);
    Ok(ids.fetch_all(&mut **tx).await?)
}

/// Consumes an operator's code and locks the rows of company and operator. False if the code is wrong,
/// used or expired.
pub async fn consume(
    tx: &mut TenantTx,
    operator_id: Uuid,
    hash: &[u8; 32],
) -> Result<bool, ServiceError> {
    // A change of a password locks the company, and ends all sessions of operators.
    tx.query("SELECT FROM companies WHERE company_id = $1 FOR SHARE")
        .execute(&mut **tx)
        .await?;
    let update = tx
        .query(
            "UPDATE users
            SET card_code_hash = NULL, card_code_expires_at = NULL
            WHERE company_id = $1
              AND id = $2
              AND role = 'operator'
              AND card_code_hash = $3
              AND card_code_expires_at > now()",
        )
        .bind(operator_id)
        .bind(hash.as_slice());
    Ok(update.execute(&mut **tx).await?.rows_affected() == 1)
}

/// Deletes the codes of a company, whose cards show an old operator password. The company's row must
/// be locked.
pub async fn delete_all(tx: &mut TenantTx) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE users
        SET card_code_hash = NULL, card_code_expires_at = NULL
        WHERE company_id = $1 AND card_code_hash IS NOT NULL",
    );
    tx.run(statement).await
}

//! The table `companies`: which voided entries are known.

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;

/// The cursor of voided updates; empty: from the beginning. None: the company has no updates.
pub async fn voided_cursor(tx: &mut TenantTx) -> Result<Option<String>, ServiceError> {
    let cursor = tx.query_scalar(
        "SELECT coalesce((SELECT voided_cursor FROM companies WHERE company_id = $1), '')
        FROM updates
        WHERE company_id = $1
        LIMIT 1",
    );
    Ok(cursor.fetch_optional(&mut **tx).await?)
}

/// Does nothing without updates, so that a deleted company gets no row.
pub async fn set_voided_cursor(tx: &mut TenantTx, cursor: &str) -> Result<(), ServiceError> {
    let statement = tx.query(
        "INSERT INTO companies AS known (company_id, voided_cursor)
        SELECT $1, $2
        WHERE EXISTS (SELECT FROM updates WHERE company_id = $1)
        ON CONFLICT (company_id) DO UPDATE
        SET voided_cursor = excluded.voided_cursor
        WHERE known.voided_cursor <> excluded.voided_cursor",
    );
    tx.run(statement.bind(cursor)).await
}

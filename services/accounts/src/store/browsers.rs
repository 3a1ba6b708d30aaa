//! Browsers from which owners and managers signed in.

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

/// Stores a sign-in. Returns whether the person, who signed in before, did not use this browser within 90 days.
pub async fn note(tx: &mut TenantTx, user_id: Uuid, browser: &str) -> Result<bool, ServiceError> {
    let is_new = tx
        .query_scalar(
            "WITH before AS (
                SELECT
                    count(*) > 0 AS signed_in,
                    count(*) FILTER (
                        WHERE browser = $3 AND last_at > now() - interval '90 days'
                    ) > 0 AS is_known
                FROM browsers
                WHERE company_id = $1 AND user_id = $2
            )
            INSERT INTO browsers (company_id, user_id, browser, last_at)
            VALUES ($1, $2, $3, now())
            ON CONFLICT (company_id, user_id, browser) DO UPDATE
            SET last_at = excluded.last_at
            RETURNING (SELECT signed_in AND NOT is_known FROM before)",
        )
        .bind(user_id)
        .bind(browser);
    Ok(is_new.fetch_one(&mut **tx).await?)
}

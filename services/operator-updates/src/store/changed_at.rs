//! The column `changed_at` of `updates`, which a trigger sets.

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use uuid::Uuid;

/// Separate statements for all rows and for one person's, so that each uses its index. A long
/// transaction may commit after shorter ones with later times, so the maximum is not enough: count
/// and sum of the latest rows change too. Only the latest rows, because all rows from before the
/// column have the same time.
macro_rules! marker_of {
    ($rows:literal) => {
        concat!(
            "SELECT md5(concat_ws(' ', last.changed_at, near.number, near.age))
            FROM (
                SELECT max(changed_at) AS changed_at
                FROM updates
                WHERE ",
            $rows,
            "
            ) last
            CROSS JOIN LATERAL (
                SELECT
                    count(*) AS number,
                    sum(extract(epoch FROM last.changed_at - changed_at)) AS age
                FROM (
                    SELECT changed_at
                    FROM updates
                    WHERE ",
            $rows,
            "
                      AND changed_at > last.changed_at - interval '20 seconds'
                    ORDER BY changed_at DESC
                    LIMIT 1000
                ) newest
            ) near"
        )
    };
}

/// A text that changes whenever an update is stored or changed, of one person or of all.
pub async fn marker(tx: &mut TenantTx, operator: Option<Uuid>) -> Result<String, ServiceError> {
    const ANY: &str = marker_of!("company_id = $1");
    const OWN: &str = marker_of!("company_id = $1 AND operator_id = $2");
    let query = match operator {
        None => tx.query_scalar(ANY),
        Some(operator) => tx.query_scalar(OWN).bind(operator),
    };
    Ok(query.fetch_one(&mut **tx).await?)
}

/// Records a change that is not stored in the rows themselves.
pub async fn touch(tx: &mut TenantTx, ids: &[Uuid]) -> Result<(), ServiceError> {
    // The trigger sets the time.
    let statement =
        tx.query("UPDATE updates SET changed_at = now() WHERE company_id = $1 AND id = ANY ($2)");
    tx.run(statement.bind(ids)).await
}

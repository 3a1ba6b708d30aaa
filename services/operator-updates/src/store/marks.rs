//! The marks of change that a trigger sets in the table `updates`.

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

/// The statement of [`marker`] for some rows; separate ones, so that each has its index. A change
/// of a long transaction appears after those of shorter ones with later marks. So it is the last
/// mark, and of those not long before it their number, which only grows, and their sum, which
/// differs when the number does not. Of the last ones only, because all rows of before this column
/// have one mark.
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

/// A text that differs once a submission was stored or changed: of one person, or any.
pub async fn marker(
    connection: &mut PgConnection,
    tenant: Tenant,
    operator: Option<Uuid>,
) -> Result<String, ServiceError> {
    const ANY: &str = marker_of!("company_id = $1");
    const OWN: &str = marker_of!("company_id = $1 AND operator_id = $2");
    let query = match operator {
        None => sqlx::query_scalar(ANY).bind(tenant.company_id()),
        Some(operator) => sqlx::query_scalar(OWN)
            .bind(tenant.company_id())
            .bind(operator),
    };
    Ok(query.fetch_one(connection).await?)
}

/// Notes that something about them changed which is not stored in their rows.
pub async fn touch(
    connection: &mut PgConnection,
    tenant: Tenant,
    ids: &[Uuid],
) -> Result<(), ServiceError> {
    // A trigger sets the mark.
    sqlx::query("UPDATE updates SET changed_at = now() WHERE company_id = $1 AND id = ANY ($2)")
        .bind(tenant.company_id())
        .bind(ids)
        .execute(connection)
        .await?;
    Ok(())
}

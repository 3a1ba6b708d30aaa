//! The outbox of failed payments for the notifications service.

use chrono::{DateTime, Utc};
use hourmeter_proto::notifications::v1;
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::facts::FactOutbox;
use hourmeter_runtime::identity::{Service, Tenant};
use sqlx::PgConnection;
use uuid::Uuid;

/// The table `failed_payments`.
pub struct FailedPayments;

#[derive(sqlx_macros::FromRow)]
pub struct FailedPayment {
    id: Uuid,
    access_until: DateTime<Utc>,
    happened_at: DateTime<Utc>,
}

/// Records that a renewal was not paid. Call it in the transaction of the change.
pub async fn record(
    connection: &mut PgConnection,
    tenant: Tenant,
    access_until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    sqlx::query(
        "INSERT INTO failed_payments (company_id, id, access_until, happened_at, next_try_at)
        VALUES ($1, $2, $3, $4, now())",
    )
    .bind(tenant.company_id())
    .bind(Uuid::now_v7())
    .bind(access_until)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}

impl FactOutbox for FailedPayments {
    const SERVICE: Service = Service::Billing;
    type Row = FailedPayment;

    async fn claim(
        connection: &mut PgConnection,
        tenant: Tenant,
        at_most: i64,
        retry_seconds: i32,
    ) -> Result<Vec<FailedPayment>, ServiceError> {
        let claimed = sqlx::query_as(
            "WITH due AS (
                SELECT id
                FROM failed_payments
                WHERE company_id = $1 AND next_try_at <= now()
                ORDER BY next_try_at
                LIMIT $2
                FOR UPDATE SKIP LOCKED
            )
            UPDATE failed_payments p
            SET next_try_at = now() + make_interval(secs => $3)
            FROM due
            WHERE p.company_id = $1 AND p.id = due.id
            RETURNING p.id, p.access_until, p.happened_at",
        )
        .bind(tenant.company_id())
        .bind(at_most)
        .bind(retry_seconds);
        Ok(claimed.fetch_all(connection).await?)
    }

    async fn delete(
        connection: &mut PgConnection,
        tenant: Tenant,
        payments: &[FailedPayment],
    ) -> Result<(), ServiceError> {
        let ids: Vec<Uuid> = payments.iter().map(|payment| payment.id).collect();
        sqlx::query("DELETE FROM failed_payments WHERE company_id = $1 AND id = ANY ($2)")
            .bind(tenant.company_id())
            .bind(ids)
            .execute(connection)
            .await?;
        Ok(())
    }

    fn message(payment: &FailedPayment) -> Option<v1::Fact> {
        Some(v1::Fact {
            key: format!("payment:{}", payment.id),
            happened_at: Some(timestamp(payment.happened_at)),
            actor_id: String::new(),
            what: Some(What::FailedPayment(v1::FailedPayment {
                access_until: Some(timestamp(payment.access_until)),
            })),
        })
    }
}

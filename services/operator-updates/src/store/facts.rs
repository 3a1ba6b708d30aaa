//! The table `facts`, the outbox for the notifications service, which a trigger fills.

use chrono::{DateTime, Utc};
use hourmeter_proto::notifications::v1;
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::facts::FactOutbox;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use super::column;
use crate::domain::update::Status;

pub struct Facts;

/// A fact and its update as it is now.
#[derive(sqlx_macros::FromRow)]
pub struct FactRow {
    pub kind: String,
    pub happened_at: DateTime<Utc>,
    pub update_id: Uuid,
    pub status: String,
    pub flags: Vec<String>,
    pub equipment_id: Uuid,
    pub equipment_name: String,
    pub operator_id: Uuid,
    pub operator_name: String,
    pub reject_reason: String,
    pub reviewed_by_id: Option<Uuid>,
    pub reviewed_by: String,
    /// Who voided its entry; empty: nobody.
    pub taken_back_by: String,
}

impl FactOutbox for Facts {
    type Row = FactRow;

    async fn claim(
        connection: &mut PgConnection,
        tenant: Tenant,
        at_most: i64,
        retry_seconds: i32,
    ) -> Result<Vec<FactRow>, ServiceError> {
        let claimed = sqlx::query_as(
            "WITH due AS (
                SELECT update_id, kind
                FROM facts
                WHERE company_id = $1 AND next_try_at <= now()
                ORDER BY next_try_at
                LIMIT $2
                FOR UPDATE SKIP LOCKED
            )
            UPDATE facts f
            SET next_try_at = now() + make_interval(secs => $3)
            FROM due
            JOIN updates u ON u.company_id = $1 AND u.id = due.update_id
            WHERE f.company_id = $1 AND f.update_id = due.update_id AND f.kind = due.kind
            RETURNING f.kind, f.happened_at, f.update_id, u.status, u.flags, u.equipment_id,
                u.equipment_name, u.operator_id, u.operator_name, u.reject_reason, u.reviewed_by_id,
                u.reviewed_by, u.taken_back_by",
        )
        .bind(tenant.company_id())
        .bind(at_most)
        .bind(retry_seconds);
        Ok(claimed.fetch_all(connection).await?)
    }

    async fn delete(
        connection: &mut PgConnection,
        tenant: Tenant,
        facts: &[FactRow],
    ) -> Result<(), ServiceError> {
        sqlx::query(
            "DELETE FROM facts f
            USING unnest($2::uuid[], $3::text[], $4::timestamptz[])
                AS done (update_id, kind, happened_at)
            WHERE f.company_id = $1
              AND f.update_id = done.update_id
              AND f.kind = done.kind
              AND f.happened_at = done.happened_at",
        )
        .bind(tenant.company_id())
        .bind(column(facts, |fact| fact.update_id))
        .bind(column(facts, |fact| fact.kind.as_str()))
        .bind(column(facts, |fact| fact.happened_at))
        .execute(connection)
        .await?;
        Ok(())
    }

    /// None if a later change has overtaken it.
    fn message(row: &FactRow) -> Option<v1::Fact> {
        let status = Status::parse(&row.status)?;
        let update_id = row.update_id.to_string();
        let equipment_id = row.equipment_id.to_string();
        let equipment_name = row.equipment_name.clone();
        let is_voided = !row.taken_back_by.is_empty();
        let (key, actor_id, what) = match row.kind.as_str() {
            "flagged" if status == Status::Pending && !row.flags.is_empty() => (
                format!("flagged:{update_id}"),
                Some(row.operator_id),
                What::FlaggedUpdate(v1::FlaggedUpdate {
                    update_id,
                    equipment_id,
                    equipment_name,
                    operator_name: row.operator_name.clone(),
                    flags: row.flags.clone(),
                }),
            ),
            // One whose entry was voided is rejected, too.
            "rejected" if status == Status::Rejected => (
                format!(
                    "rejected:{update_id}:{}",
                    row.happened_at.timestamp_micros()
                ),
                row.reviewed_by_id,
                What::ReturnedUpdate(v1::ReturnedUpdate {
                    update_id,
                    equipment_id,
                    equipment_name,
                    operator_id: row.operator_id.to_string(),
                    reason: row.reject_reason.clone(),
                    returned_by: if is_voided {
                        row.taken_back_by.clone()
                    } else {
                        row.reviewed_by.clone()
                    },
                    voided: is_voided,
                }),
            ),
            "settled" => (
                format!("settled:{update_id}:{}", row.happened_at.timestamp_micros()),
                None,
                What::SettledUpdate(v1::SettledUpdate {
                    update_id,
                    settled: status != Status::Pending || row.flags.is_empty(),
                }),
            ),
            _ => return None,
        };
        Some(v1::Fact {
            key,
            happened_at: Some(timestamp(row.happened_at)),
            actor_id: actor_id.map(|id| id.to_string()).unwrap_or_default(),
            what: Some(what),
        })
    }
}

//! Updates that were applied.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Row as _};
use uuid::Uuid;

use super::columns::{column, count, meter_move};
use super::{NOT_VOIDED, TimeKey};
use crate::domain::ledger::{MeterMove, Voiding};

/// What the meter showed before and after an update. None: it stated nothing about the meter.
pub type Outcome = Option<MeterMove>;

/// An application of an update.
#[derive(Clone, Copy, Debug)]
pub struct Application {
    pub equipment: Uuid,
    pub outcome: Outcome,
    /// Number of times that its entry was voided.
    pub voids: u32,
    /// It was not applied again since.
    pub is_voided: bool,
}

/// Updates that were applied already.
pub async fn find(
    tx: &mut TenantTx,
    update_ids: &[Uuid],
) -> Result<HashMap<Uuid, Application>, ServiceError> {
    let rows = tx
        .query(
            "SELECT
                update_id,
                equipment_id,
                usage_before,
                usage_after,
                voids,
                voided_at IS NOT NULL AS is_voided
            FROM applied_updates
            WHERE company_id = $1
              AND update_id = ANY($2)",
        )
        .bind(update_ids)
        .fetch_all(&mut **tx)
        .await?;
    let by_update = |row: &PgRow| {
        let application = Application {
            equipment: row.try_get("equipment_id")?,
            outcome: meter_move(row, "usage_before", "usage_after")?,
            voids: count(row, "voids")?,
            is_voided: row.try_get("is_voided")?,
        };
        Ok((row.try_get("update_id")?, application))
    };
    rows.iter().map(by_update).collect()
}

/// The equipment and the entry of an applied update; None: it has none that counts.
pub async fn entry(
    tx: &mut TenantTx,
    update_id: Uuid,
) -> Result<Option<(Uuid, Uuid)>, ServiceError> {
    let sql = format!(
        "SELECT
            l.equipment_id,
            l.id
        FROM applied_updates a
        JOIN ledger l
          ON l.company_id = $1
         AND l.equipment_id = a.equipment_id
         AND (l.update_id = $2 OR l.reapplies = $2)
        WHERE a.company_id = $1
          AND a.update_id = $2
          AND {NOT_VOIDED}"
    );
    Ok(tx
        .query_as(AssertSqlSafe(sql))
        .bind(update_id)
        .fetch_optional(&mut **tx)
        .await?)
}

/// Marks the update of a voided entry, if it came from one.
pub async fn void(tx: &mut TenantTx, entry: Uuid, voiding: &Voiding) -> Result<(), ServiceError> {
    let statement = tx
        .query(
            "UPDATE applied_updates a
            SET voids = a.voids + 1,
                voided_at = $3,
                void_reason = $4,
                voided_by = $5,
                void_undone = $6
            WHERE a.company_id = $1
              AND a.update_id = (
                  SELECT coalesce(l.update_id, l.reapplies)
                  FROM ledger l
                  WHERE l.company_id = $1
                    AND l.id = $2
              )
              AND a.voided_at IS NULL",
        )
        .bind(entry)
        .bind(voiding.at)
        .bind(&voiding.reason)
        .bind(&voiding.by)
        .bind(voiding.undone);
    tx.run(statement).await
}

#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct VoidedUpdate {
    pub update_id: Uuid,
    pub void_reason: String,
    pub void_undone: bool,
    pub voided_by: String,
    pub voided_at: DateTime<Utc>,
    pub voids: i32,
}

/// Voided updates that were not applied again, oldest first.
pub async fn voided(
    tx: &mut TenantTx,
    after: TimeKey,
    limit: i64,
) -> Result<Vec<VoidedUpdate>, ServiceError> {
    let (at, id) = after;
    Ok(tx
        .query_as(
            "SELECT
                update_id,
                void_reason,
                void_undone,
                voided_by,
                voided_at,
                voids
            FROM applied_updates
            WHERE company_id = $1
              AND voided_at IS NOT NULL
              AND (voided_at, update_id) > ($2, $3)
            ORDER BY voided_at, update_id
            LIMIT $4",
        )
        .bind(at)
        .bind(id)
        .bind(limit)
        .fetch_all(&mut **tx)
        .await?)
}

/// Records updates as applied, in the order of their ids to avoid deadlocks. Fails if another
/// transaction has recorded one since `find`; a retry then finds its outcome.
pub async fn insert(
    tx: &mut TenantTx,
    applied: &[(Uuid, Application)],
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let mut applied = applied.to_vec();
    applied.sort_unstable_by_key(|(id, _)| *id);
    let outcome = |of: fn(MeterMove) -> Quantity| column(&applied, |(_, row)| row.outcome.map(of));
    // Citus counts the rows of the `SELECT` as affected.
    let written = tx
        .query(
            "INSERT INTO applied_updates (
                company_id,
                update_id,
                equipment_id,
                usage_before,
                usage_after,
                applied_at
            )
            SELECT
                $1,
                row.*,
                $6
            FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[])
                AS row (update_id, equipment_id, usage_before, usage_after)
            ON CONFLICT ON CONSTRAINT applied_updates_once DO UPDATE
            SET equipment_id = excluded.equipment_id,
                usage_before = excluded.usage_before,
                usage_after = excluded.usage_after,
                applied_at = excluded.applied_at,
                voided_at = NULL
            WHERE applied_updates.voided_at IS NOT NULL
            RETURNING 1",
        )
        .bind(column(&applied, |(id, _)| *id))
        .bind(column(&applied, |(_, row)| row.equipment))
        .bind(outcome(|moved| moved.before))
        .bind(outcome(|moved| moved.after))
        .bind(now)
        .fetch_all(&mut **tx)
        .await?;
    if written.len() < applied.len() {
        return Err(ServiceError::unavailable(
            "another transaction has applied one of the updates",
        ));
    }
    Ok(())
}

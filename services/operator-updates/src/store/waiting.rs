//! Updates that wait for a decision, and what their checks compare them with.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use crate::domain::check::{JUMP, REPEATED_WITHIN, Unit};
use crate::domain::update::Update;

/// A reading of an update that waits.
#[derive(Debug, sqlx_macros::FromRow)]
struct WaitingReading {
    equipment_id: Uuid,
    update_id: Uuid,
    captured_at: DateTime<Utc>,
    value: Quantity,
    /// None: unknown.
    unit: Option<String>,
}

impl WaitingReading {
    /// Whether its unit is this one, or unknown.
    fn may_be_in(&self, unit: Unit) -> bool {
        let captured = self.unit.as_deref().and_then(Unit::parse);
        captured.is_none_or(|captured| captured == unit)
    }
}

/// Readings that wait, by machine.
#[derive(Debug, Default)]
pub struct WaitingReadings(HashMap<Uuid, Vec<WaitingReading>>);

impl WaitingReadings {
    /// Readings of other updates for the same machine, in its unit.
    pub fn beside(&self, update: &Update, unit: Unit) -> Vec<(DateTime<Utc>, Quantity)> {
        let all = self.0.get(&update.equipment_id).into_iter().flatten();
        let others = all.filter(|other| other.update_id != update.id);
        let others = others.filter(|other| other.may_be_in(unit));
        others
            .map(|other| (other.captured_at, other.value))
            .collect()
    }
}

/// Readings that wait for these machines. Not those that are far above the one before: a mistyped one
/// must not flag all that follow it.
pub async fn readings(
    tx: &mut TenantTx,
    equipment_ids: &[Uuid],
) -> Result<WaitingReadings, ServiceError> {
    let query = tx.query_as(
        "SELECT equipment_id, id AS update_id, captured_at, new_usage AS value, unit
        FROM updates
        WHERE company_id = $1
          AND status = 'pending'
          AND equipment_id = ANY ($2)
          AND new_usage IS NOT NULL
          AND $3 <> ALL (flags)",
    );
    let rows: Vec<WaitingReading> = query
        .bind(equipment_ids)
        .bind(JUMP)
        .fetch_all(&mut **tx)
        .await?;
    let mut readings = WaitingReadings::default();
    for row in rows {
        readings.0.entry(row.equipment_id).or_default().push(row);
    }
    Ok(readings)
}

/// Ids of pending updates of some machines.
pub async fn pending(tx: &mut TenantTx, equipment_ids: &[Uuid]) -> Result<Vec<Uuid>, ServiceError> {
    let ids = tx.query_scalar(
        "SELECT id
        FROM updates
        WHERE company_id = $1 AND status = 'pending' AND equipment_id = ANY ($2)
        ORDER BY equipment_id, captured_at, id",
    );
    Ok(ids.bind(equipment_ids).fetch_all(&mut **tx).await?)
}

/// Machines of pending updates.
pub async fn machines(tx: &mut TenantTx) -> Result<Vec<Uuid>, ServiceError> {
    let ids = tx.query_scalar(
        "SELECT DISTINCT equipment_id
        FROM updates
        WHERE company_id = $1 AND status = 'pending'",
    );
    Ok(ids.fetch_all(&mut **tx).await?)
}

/// Ids of pending updates that have lost their last flag, up to `limit`. Not those that keep a flag: the
/// last release does not know these flags and drops them.
pub async fn clean(tx: &mut TenantTx, limit: i64) -> Result<Vec<Uuid>, ServiceError> {
    let ids = tx.query_scalar(
        "SELECT id
        FROM updates
        WHERE company_id = $1
          AND status = 'pending'
          AND became_clean
          AND NOT device_was_removed
          AND NOT person_was_removed
        LIMIT $2",
    );
    Ok(ids.bind(limit).fetch_all(&mut **tx).await?)
}

/// Which of these updates keep the flag that the equipment service refused them.
pub async fn refused(tx: &mut TenantTx, ids: &[Uuid]) -> Result<HashSet<Uuid>, ServiceError> {
    let query = tx.query_scalar(
        "SELECT id
        FROM updates
        WHERE company_id = $1 AND id = ANY ($2) AND was_refused",
    );
    let refused: Vec<Uuid> = query.bind(ids).fetch_all(&mut **tx).await?;
    Ok(refused.into_iter().collect())
}

/// Which of these updates repeat an earlier one of the same person with the same values for the same
/// equipment. By capture time, because a phone without signal sends a day's reports together. Notes
/// are compared only without values; rejected ones are ignored.
pub async fn repeats(tx: &mut TenantTx, ids: &[Uuid]) -> Result<HashSet<Uuid>, ServiceError> {
    let query = tx.query_scalar(
        "SELECT u.id
        FROM updates u
        WHERE u.company_id = $1
          AND u.id = ANY ($2)
          AND EXISTS (
              SELECT
              FROM updates o
              WHERE o.company_id = $1
                AND o.operator_id = u.operator_id
                AND o.captured_at > u.captured_at - make_interval(secs => $3)
                AND o.captured_at < u.captured_at + make_interval(secs => $3)
                AND (o.created_at, o.id) < (u.created_at, u.id)
                AND o.equipment_id = u.equipment_id
                AND o.new_usage IS NOT DISTINCT FROM u.new_usage
                AND o.usage_increase IS NOT DISTINCT FROM u.usage_increase
                AND o.fuel_added = u.fuel_added
                AND o.status <> 'rejected'
                AND (
                    u.new_usage IS NOT NULL
                    OR u.usage_increase IS NOT NULL
                    OR u.fuel_added > 0
                    OR o.notes = u.notes
                )
          )",
    );
    let repeats: Vec<Uuid> = query
        .bind(ids)
        // Fractions of a second are ignored.
        .bind(f64::from(REPEATED_WITHIN + 1))
        .fetch_all(&mut **tx)
        .await?;
    Ok(repeats.into_iter().collect())
}

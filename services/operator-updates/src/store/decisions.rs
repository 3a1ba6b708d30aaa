//! The table `decisions`, the outbox: storing decisions.

use std::collections::BTreeMap;

use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::telemetry::trace;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};
use uuid::Uuid;

use super::columns::{decided_fuel, quantity, replacement};
use crate::domain::review::ApplyParams;
use crate::domain::update::{Reviewer, Update};

impl FromRow<'_, PgRow> for ApplyParams {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            reading: quantity(row, "reading")?,
            overridden: row.try_get("overridden")?,
            replace_meter: row.try_get("replace_meter")?,
            replacement: replacement(row)?,
            fuel: decided_fuel(row, "decided_fuel", "decided_fuel_kind")?,
        })
    }
}

/// Queues a decision; without reviewer it is automatic. The caller has locked the update.
pub async fn insert(
    tx: &mut TenantTx,
    update: &Update,
    params: &ApplyParams,
    reviewer: Option<&Reviewer>,
) -> Result<(), ServiceError> {
    let replacement = params.replacement;
    let statement = tx.query(
        "INSERT INTO decisions (
            company_id,
            update_id,
            equipment_id,
            captured_at,
            automatic,
            decided_by_id,
            decided_by,
            decided_at,
            reading,
            overridden,
            replace_meter,
            meter_change,
            meter_final,
            meter_start,
            decided_fuel,
            decided_fuel_kind,
            traceparent
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
    );
    let statement = statement
        .bind(update.id)
        .bind(update.equipment_id)
        .bind(update.captured_at)
        .bind(reviewer.is_none())
        .bind(reviewer.map(|reviewer| reviewer.id))
        .bind(reviewer.map_or("", |reviewer| reviewer.name.as_str()))
        .bind(reviewer.map_or(update.created_at, |reviewer| reviewer.at))
        .bind(params.reading.map(Quantity::hundredths))
        .bind(params.overridden)
        .bind(params.replace_meter)
        .bind(replacement.map(|meter| meter.change.as_str()))
        .bind(replacement.and_then(|meter| meter.final_reading.map(Quantity::hundredths)))
        .bind(replacement.map(|meter| meter.start_reading.hundredths()))
        .bind(params.fuel.map(|fuel| fuel.added.hundredths()))
        .bind(params.fuel.map(|fuel| fuel.kind.as_str()))
        .bind(trace::current());
    tx.run(statement).await
}

/// Queues a manager's decisions to apply several as reported. The caller has locked the
/// updates.
pub async fn insert_reported(
    tx: &mut TenantTx,
    update_ids: &[Uuid],
    reviewer: &Reviewer,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "INSERT INTO decisions (
            company_id,
            update_id,
            equipment_id,
            captured_at,
            automatic,
            decided_by_id,
            decided_by,
            decided_at,
            reading,
            overridden,
            replace_meter,
            traceparent
        )
        SELECT
            company_id,
            id,
            equipment_id,
            captured_at,
            false,
            $3,
            $4,
            $5,
            new_usage,
            false,
            false,
            $6
        FROM updates
        WHERE company_id = $1 AND id = ANY ($2)
        RETURNING 1",
    );
    let statement = statement
        .bind(update_ids)
        .bind(reviewer.id)
        .bind(&reviewer.name)
        .bind(reviewer.at)
        .bind(trace::current());
    tx.run(statement).await
}

/// Parked decisions of these updates, with the number of their attempts.
pub async fn parked(
    tx: &mut TenantTx,
    update_ids: &[Uuid],
) -> Result<BTreeMap<Uuid, i32>, ServiceError> {
    let query = tx.query_as(
        "SELECT update_id, attempts
        FROM decisions
        WHERE company_id = $1 AND update_id = ANY ($2) AND parked_at IS NOT NULL",
    );
    let rows: Vec<(Uuid, i32)> = query.bind(update_ids).fetch_all(&mut **tx).await?;
    Ok(rows.into_iter().collect())
}

/// What is being applied.
pub async fn params(
    tx: &mut TenantTx,
    update_id: Uuid,
) -> Result<Option<ApplyParams>, ServiceError> {
    let params = tx.query_as(
        "SELECT
            reading,
            overridden,
            replace_meter,
            meter_change,
            meter_final,
            meter_start,
            decided_fuel,
            decided_fuel_kind
        FROM decisions
        WHERE company_id = $1 AND update_id = $2",
    );
    Ok(params.bind(update_id).fetch_optional(&mut **tx).await?)
}

/// Makes a manager responsible for automatic decisions, and retries parked ones. The decided values
/// stay, because they may have been applied already. The caller has locked the updates.
pub async fn confirm(
    tx: &mut TenantTx,
    update_ids: &[Uuid],
    reviewer: &Reviewer,
) -> Result<(), ServiceError> {
    let statement = tx.query(
        "UPDATE decisions
        SET automatic = false,
            decided_by_id = CASE WHEN automatic THEN $3 ELSE decided_by_id END,
            decided_by = CASE WHEN automatic THEN $4 ELSE decided_by END,
            decided_at = CASE WHEN automatic THEN $5 ELSE decided_at END,
            attempts = CASE WHEN parked_at IS NULL THEN attempts ELSE 0 END,
            faults = CASE WHEN parked_at IS NULL THEN faults ELSE 0 END,
            parked_at = NULL
        WHERE company_id = $1 AND update_id = ANY ($2)",
    );
    let statement = statement
        .bind(update_ids)
        .bind(reviewer.id)
        .bind(&reviewer.name)
        .bind(reviewer.at);
    tx.run(statement).await
}

//! The table `decisions`, the outbox: storing decisions.

use std::collections::BTreeMap;

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::telemetry::trace;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::review::{ApplyParams, MeterChange, Replacement};
use crate::domain::update::{Reviewer, Update};
use crate::store::updates::decided_fuel;

#[derive(sqlx_macros::FromRow)]
#[expect(clippy::struct_field_names, reason = "names of columns")]
pub struct ReplacementRow {
    meter_change: Option<String>,
    meter_final: Option<i64>,
    meter_start: Option<i64>,
}

impl ReplacementRow {
    pub fn read(self) -> Result<Option<Replacement>, ServiceError> {
        let change = self.meter_change.map(|name| {
            let unknown = || ServiceError::internal("unknown stored meter change");
            MeterChange::from_name(&name).ok_or_else(unknown)
        });
        let replacement = change.transpose()?.zip(self.meter_start);
        Ok(replacement.map(|(change, start)| Replacement {
            change,
            final_reading: self.meter_final.map(Quantity::from_hundredths),
            start_reading: Quantity::from_hundredths(start),
        }))
    }
}

#[derive(sqlx_macros::FromRow)]
pub struct ParamsRow {
    reading: Option<i64>,
    overridden: bool,
    replace_meter: bool,
    #[sqlx(flatten)]
    replacement: ReplacementRow,
    decided_fuel: Option<i64>,
    decided_fuel_kind: Option<String>,
}

impl TryFrom<ParamsRow> for ApplyParams {
    type Error = ServiceError;

    fn try_from(row: ParamsRow) -> Result<Self, ServiceError> {
        Ok(Self {
            reading: row.reading.map(Quantity::from_hundredths),
            overridden: row.overridden,
            replace_meter: row.replace_meter,
            replacement: row.replacement.read()?,
            fuel: decided_fuel(row.decided_fuel, row.decided_fuel_kind.as_deref())?,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Queued,
    /// Not retried automatically any more.
    Parked,
}

/// Queues a decision; without reviewer it is automatic. The caller has locked the update.
pub async fn insert(
    connection: &mut PgConnection,
    tenant: Tenant,
    update: &Update,
    params: &ApplyParams,
    reviewer: Option<&Reviewer>,
) -> Result<(), ServiceError> {
    let replacement = params.replacement;
    sqlx::query(
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
    )
    .bind(tenant.company_id())
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
    .bind(replacement.map(|meter| meter.change.name()))
    .bind(replacement.and_then(|meter| meter.final_reading.map(Quantity::hundredths)))
    .bind(replacement.map(|meter| meter.start_reading.hundredths()))
    .bind(params.fuel.map(|fuel| fuel.added.hundredths()))
    .bind(params.fuel.map(|fuel| fuel.kind.name()))
    .bind(trace::current())
    .execute(connection)
    .await?;
    Ok(())
}

/// Queues a manager's decisions to apply several as reported. The caller has locked the
/// updates.
pub async fn insert_reported(
    connection: &mut PgConnection,
    tenant: Tenant,
    update_ids: &[Uuid],
    reviewer: &Reviewer,
) -> Result<(), ServiceError> {
    sqlx::query(
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
    )
    .bind(tenant.company_id())
    .bind(update_ids)
    .bind(reviewer.id)
    .bind(&reviewer.name)
    .bind(reviewer.at)
    .bind(trace::current())
    .execute(connection)
    .await?;
    Ok(())
}

/// Absent: not decided, or applied.
pub async fn progress(
    connection: &mut PgConnection,
    tenant: Tenant,
    update_ids: &[Uuid],
) -> Result<BTreeMap<Uuid, Progress>, ServiceError> {
    let rows: Vec<(Uuid, bool)> = sqlx::query_as(
        "SELECT update_id, parked_at IS NOT NULL
        FROM decisions
        WHERE company_id = $1 AND update_id = ANY ($2)",
    )
    .bind(tenant.company_id())
    .bind(update_ids)
    .fetch_all(connection)
    .await?;
    let progress = |parked| {
        if parked {
            Progress::Parked
        } else {
            Progress::Queued
        }
    };
    let rows = rows.into_iter();
    Ok(rows.map(|(id, parked)| (id, progress(parked))).collect())
}

/// Parked decisions of these updates, with the number of their attempts.
pub async fn parked(
    connection: &mut PgConnection,
    tenant: Tenant,
    update_ids: &[Uuid],
) -> Result<BTreeMap<Uuid, i32>, ServiceError> {
    let rows: Vec<(Uuid, i32)> = sqlx::query_as(
        "SELECT update_id, attempts
        FROM decisions
        WHERE company_id = $1 AND update_id = ANY ($2) AND parked_at IS NOT NULL",
    )
    .bind(tenant.company_id())
    .bind(update_ids)
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().collect())
}

/// What is being applied.
pub async fn params(
    connection: &mut PgConnection,
    tenant: Tenant,
    update_id: Uuid,
) -> Result<Option<ApplyParams>, ServiceError> {
    let row: Option<ParamsRow> = sqlx::query_as(
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
    )
    .bind(tenant.company_id())
    .bind(update_id)
    .fetch_optional(connection)
    .await?;
    row.map(ApplyParams::try_from).transpose()
}

/// Makes a manager responsible for automatic decisions, and retries parked ones. The decided values
/// stay, because they may have been applied already. The caller has locked the updates.
pub async fn confirm(
    connection: &mut PgConnection,
    tenant: Tenant,
    update_ids: &[Uuid],
    reviewer: &Reviewer,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE decisions
        SET automatic = false,
            decided_by_id = CASE WHEN automatic THEN $3 ELSE decided_by_id END,
            decided_by = CASE WHEN automatic THEN $4 ELSE decided_by END,
            decided_at = CASE WHEN automatic THEN $5 ELSE decided_at END,
            attempts = CASE WHEN parked_at IS NULL THEN attempts ELSE 0 END,
            faults = CASE WHEN parked_at IS NULL THEN faults ELSE 0 END,
            parked_at = NULL
        WHERE company_id = $1 AND update_id = ANY ($2)",
    )
    .bind(tenant.company_id())
    .bind(update_ids)
    .bind(reviewer.id)
    .bind(&reviewer.name)
    .bind(reviewer.at)
    .execute(connection)
    .await?;
    Ok(())
}

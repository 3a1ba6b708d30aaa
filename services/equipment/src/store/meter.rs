//! Meters and fuel totals.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::scoped;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::unknown_value;
use crate::domain::kinds::{EquipmentFuel, FuelKind, MeterUnit};
use crate::domain::ledger::{Entry, MeterEffect, Subject};
use crate::domain::meter::{MeterState, Replacement};
use crate::domain::typical_usage::TypicalUsage;

#[derive(Clone, Debug)]
pub struct Meter {
    pub subject: Subject,
    pub state: MeterState,
    /// When the last reading was captured. None: never read.
    pub read_at: Option<DateTime<Utc>>,
    pub fuel: EquipmentFuel,
    pub typical: TypicalUsage,
}

#[derive(sqlx_macros::FromRow)]
struct MeterRow {
    id: Uuid,
    name: String,
    unit: String,
    current_usage: i64,
    meter_offset: i64,
    meter_read_at: Option<DateTime<Utc>>,
    fuel: String,
    usual_daily_use: Option<i64>,
    usual_fill: Option<i64>,
}

impl TryFrom<MeterRow> for Meter {
    type Error = ServiceError;

    fn try_from(row: MeterRow) -> Result<Self, ServiceError> {
        Ok(Self {
            subject: Subject {
                id: row.id,
                name: row.name,
                unit: MeterUnit::parse(&row.unit).ok_or_else(|| unknown_value(&row.unit))?,
            },
            state: MeterState {
                usage: Quantity::from_hundredths(row.current_usage),
                offset: Quantity::from_hundredths(row.meter_offset),
            },
            read_at: row.meter_read_at,
            fuel: EquipmentFuel::parse(&row.fuel).ok_or_else(|| unknown_value(&row.fuel))?,
            typical: TypicalUsage {
                daily_use: row.usual_daily_use.map(Quantity::from_hundredths),
                fill: row.usual_fill.map(Quantity::from_hundredths),
            },
        })
    }
}

/// The meter of active equipment.
pub async fn find(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
) -> Result<Option<Meter>, ServiceError> {
    let sql = scoped(
        "SELECT
            id,
            name,
            unit,
            current_usage,
            meter_offset,
            meter_read_at,
            fuel,
            usual_daily_use,
            usual_fill
        FROM equipment
        WHERE company_id = $1
          AND id = $2
          AND retired_at IS NULL",
    );
    let row: Option<MeterRow> = sqlx::query_as(AssertSqlSafe(sql))
        .bind(tenant.company_id())
        .bind(id)
        .fetch_optional(connection)
        .await?;
    row.map(Meter::try_from).transpose()
}

/// Locks active equipment until commit and returns its meter. Every change except `RecordUsage`
/// starts with this.
pub async fn lock(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
) -> Result<Option<Meter>, ServiceError> {
    Ok(lock_all(connection, tenant, &[id]).await?.pop())
}

/// Locks active equipment until commit and returns its meters. Rows are locked in the order of
/// their ids to avoid deadlocks.
pub async fn lock_all(
    connection: &mut PgConnection,
    tenant: Tenant,
    ids: &[Uuid],
) -> Result<Vec<Meter>, ServiceError> {
    let rows: Vec<MeterRow> = sqlx::query_as(
        "SELECT
            id,
            name,
            unit,
            current_usage,
            meter_offset,
            meter_read_at,
            fuel,
            usual_daily_use,
            usual_fill
        FROM equipment
        WHERE company_id = $1
          AND id = ANY($2)
          AND retired_at IS NULL
        ORDER BY id
        FOR NO KEY UPDATE",
    )
    .bind(tenant.company_id())
    .bind(ids)
    .fetch_all(connection)
    .await?;
    rows.into_iter().map(Meter::try_from).collect()
}

/// How an entry changes the meter and fuel totals.
#[derive(Clone, Copy, Debug)]
pub struct Posting {
    /// Added to usage; may be negative.
    pub change: Quantity,
    /// Added to the offset.
    pub offset: Quantity,
    /// When the meter was read. None: it was not.
    pub read_at: Option<DateTime<Utc>>,
    pub gas: Quantity,
    pub diesel: Quantity,
}

impl Default for Posting {
    /// Changes nothing.
    fn default() -> Self {
        Self {
            change: Quantity::ZERO,
            offset: Quantity::ZERO,
            read_at: None,
            gas: Quantity::ZERO,
            diesel: Quantity::ZERO,
        }
    }
}

impl Posting {
    pub fn of(entry: &Entry) -> Self {
        let moved = entry.effect.and(entry.usage);
        let replacement = entry.effect.and_then(MeterEffect::replacement);
        let of_kind = |kind| {
            let fuel = entry.fuel.filter(|fuel| fuel.kind == kind);
            fuel.map_or(Quantity::ZERO, |fuel| fuel.amount)
        };
        Self {
            change: moved.map_or(Quantity::ZERO, |moved| moved.after.minus(moved.before)),
            offset: replacement.map_or(Quantity::ZERO, Replacement::offset),
            read_at: entry.effect.map(|_| entry.captured_at),
            gas: of_kind(FuelKind::Gas),
            diesel: of_kind(FuelKind::Diesel),
        }
    }
}

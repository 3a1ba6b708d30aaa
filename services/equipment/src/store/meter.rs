//! Meters and fuel totals. They change by SQL expression under the row lock.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::unknown_word;
use crate::domain::kinds::{EquipmentFuel, FuelKind, MeterUnit};
use crate::domain::ledger::{Fuel, Subject};

/// A meter.
#[derive(Clone, Debug)]
pub struct Meter {
    /// Whose.
    pub subject: Subject,
    /// What it shows.
    pub usage: Quantity,
    /// When the last reading was captured; none: it was never read.
    pub read_at: Option<DateTime<Utc>>,
    /// What the equipment runs on.
    pub fuel: EquipmentFuel,
}

#[derive(sqlx::FromRow)]
struct MeterRow {
    id: Uuid,
    name: String,
    unit: String,
    current_usage: i64,
    meter_read_at: Option<DateTime<Utc>>,
    fuel: String,
}

impl TryFrom<MeterRow> for Meter {
    type Error = Failure;

    fn try_from(row: MeterRow) -> Result<Self, Failure> {
        Ok(Self {
            subject: Subject {
                id: row.id,
                name: row.name,
                unit: MeterUnit::read(&row.unit).ok_or_else(|| unknown_word(&row.unit))?,
            },
            usage: Quantity::from_hundredths(row.current_usage),
            read_at: row.meter_read_at,
            fuel: EquipmentFuel::read(&row.fuel).ok_or_else(|| unknown_word(&row.fuel))?,
        })
    }
}

/// The meter of active equipment.
pub async fn find(
    connection: &mut PgConnection,
    company: Uuid,
    id: Uuid,
) -> Result<Option<Meter>, Failure> {
    let row: Option<MeterRow> = sqlx::query_as(
        "SELECT
            id,
            name,
            unit,
            current_usage,
            meter_read_at,
            fuel
        FROM equipment
        WHERE company_id = $1
          AND id = $2
          AND retired_at IS NULL",
    )
    .bind(company)
    .bind(id)
    .fetch_optional(connection)
    .await?;
    row.map(Meter::try_from).transpose()
}

/// Locks active equipment until commit and reads its meter. Every change begins with this.
pub async fn lock(
    connection: &mut PgConnection,
    company: Uuid,
    id: Uuid,
) -> Result<Option<Meter>, Failure> {
    let row: Option<MeterRow> = sqlx::query_as(
        "SELECT
            id,
            name,
            unit,
            current_usage,
            meter_read_at,
            fuel
        FROM equipment
        WHERE company_id = $1
          AND id = $2
          AND retired_at IS NULL
        FOR NO KEY UPDATE",
    )
    .bind(company)
    .bind(id)
    .fetch_optional(connection)
    .await?;
    row.map(Meter::try_from).transpose()
}

/// What an entry does to meter and totals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Posting {
    /// Added to the meter, and may be below 0; none: the meter was not read.
    pub change: Option<Quantity>,
    /// When the meter was read.
    pub read_at: Option<DateTime<Utc>>,
    /// Added to the totals.
    pub fuel: Option<Fuel>,
}

/// Books an entry on meter and totals, and raises the version, which it answers: the place of the
/// entry among those of the equipment. Every change of active equipment goes through here.
pub async fn post(
    connection: &mut PgConnection,
    company: Uuid,
    id: Uuid,
    posting: Posting,
    now: DateTime<Utc>,
) -> Result<i64, Failure> {
    let of_kind = |kind| {
        let fuel = posting.fuel.filter(|fuel| fuel.kind == kind);
        fuel.map_or(0, |fuel| fuel.amount.hundredths())
    };
    let (version,) = sqlx::query_as(
        "UPDATE equipment
        SET current_usage = current_usage + $3,
            meter_read_at = greatest(meter_read_at, $4),
            total_gas = total_gas + $5,
            total_diesel = total_diesel + $6,
            updated_at = $7,
            version = version + 1
        WHERE company_id = $1
          AND id = $2
        RETURNING version",
    )
    .bind(company)
    .bind(id)
    .bind(posting.change.unwrap_or_default().hundredths())
    .bind(posting.read_at)
    .bind(of_kind(FuelKind::Gas))
    .bind(of_kind(FuelKind::Diesel))
    .bind(now)
    .fetch_one(connection)
    .await?;
    Ok(version)
}

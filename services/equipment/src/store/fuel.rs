//! Fuel figures and fuel periods.

use chrono::{DateTime, Utc};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, FromRow, Postgres, Row as _};
use uuid::Uuid;

use super::FUEL_SUMS;
use super::columns::word;
use crate::domain::consumption::Interval;
use crate::domain::fuel::{Consumption, Gallons, Sums};
use crate::domain::kinds::{EquipmentFuel, MeterUnit};
use crate::domain::ledger::Actor;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    pub time: Time,
    pub equipment: Option<Uuid>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    Period(i32),
    /// From (inclusive) to (exclusive).
    Captured(DateTime<Utc>, DateTime<Utc>),
}

impl Selection {
    /// Whether an interval ends in this time.
    pub fn includes(self, interval: &Interval) -> bool {
        match self.time {
            Time::Period(period) => interval.period == period,
            Time::Captured(from, until) => (from..until).contains(&interval.to),
        }
    }

    /// `$2` is the period, `$3` and `$4` the instants, `$5` the equipment.
    fn condition(self) -> String {
        let time = match self.time {
            Time::Period(_) => {
                "l.fuel_period = $2 AND $3::timestamptz IS NULL AND $4::timestamptz IS NULL"
            }
            Time::Captured(..) => {
                "$2::integer IS NULL AND l.captured_at >= $3 AND l.captured_at < $4"
            }
        };
        let equipment = match self.equipment {
            Some(_) => "l.equipment_id = $5",
            None => "$5::uuid IS NULL",
        };
        format!("{time} AND {equipment}")
    }

    /// A query with the company and these parameters.
    fn query(self, tenant: Tenant, sql: String) -> Query<'static, Postgres, PgArguments> {
        let (period, from, until) = match self.time {
            Time::Period(period) => (Some(period), None, None),
            Time::Captured(from, until) => (None, Some(from), Some(until)),
        };
        sqlx::query(AssertSqlSafe(sql))
            .bind(tenant.company_id())
            .bind(period)
            .bind(from)
            .bind(until)
            .bind(self.equipment)
    }
}

/// The current fuel period and its start. None: fuel was never reset.
pub async fn period(tx: &mut TenantTx) -> Result<Option<(i32, DateTime<Utc>)>, ServiceError> {
    Ok(tx
        .query_as(
            "SELECT
                period,
                began_at
            FROM fuel_periods
            WHERE company_id = $1
            ORDER BY period DESC
            LIMIT 1",
        )
        .fetch_optional(&mut **tx)
        .await?)
}

/// The fuel period of a time.
pub async fn period_at(tx: &mut TenantTx, at: DateTime<Utc>) -> Result<i32, ServiceError> {
    Ok(tx
        .query_scalar(
            "SELECT coalesce(max(period), 0)
            FROM fuel_periods
            WHERE company_id = $1
              AND began_at <= $2",
        )
        .bind(at)
        .fetch_one(&mut **tx)
        .await?)
}

/// When the first and the last fuel of the selection was captured, also of deleted equipment.
pub async fn span(
    tx: &mut TenantTx,
    selection: Selection,
) -> Result<Option<(DateTime<Utc>, DateTime<Utc>)>, ServiceError> {
    let condition = selection.condition();
    let deleted = if selection.equipment.is_none() {
        format!(
            "UNION ALL
            SELECT l.captured_at
            FROM deleted_fuel l
            WHERE l.company_id = $1
              AND {condition}"
        )
    } else {
        String::new()
    };
    let sql = format!(
        "SELECT
            min(captured_at) AS first,
            max(captured_at) AS last
        FROM (
            SELECT l.captured_at
            FROM ledger l
            WHERE l.company_id = $1
              AND {condition}
              AND l.fuel > 0
            {deleted}
        ) fuel"
    );
    let found = selection
        .query(tx.tenant(), sql)
        .fetch_one(&mut **tx)
        .await?;
    let first: Option<DateTime<Utc>> = found.try_get("first")?;
    Ok(first.zip(found.try_get("last")?))
}

impl FromRow<'_, PgRow> for Gallons {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            gas: row.try_get("gas")?,
            diesel: row.try_get("diesel")?,
        })
    }
}

impl FromRow<'_, PgRow> for Consumption {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        // A fuel that only a later release knows is as one that is not specified.
        let fuel = EquipmentFuel::parse(row.try_get("fuel")?);
        Ok(Self {
            id: row.try_get("equipment_id")?,
            name: row.try_get("name")?,
            unit_number: row.try_get("unit_number")?,
            unit: word(row, "unit", MeterUnit::parse)?,
            kind: fuel.and_then(EquipmentFuel::kind),
            retired: row.try_get("retired")?,
            fuel: Gallons::from_row(row)?,
            metered_fuel: row.try_get("metered")?,
            rise: row.try_get("rise")?,
            full_fills: row.try_get("full_fills")?,
        })
    }
}

/// Fuel and net usage of each machine, and fuel of each month. `months` are the starts of the
/// months; earlier fuel is in the totals only. Voided entries don't count.
pub async fn used(
    tx: &mut TenantTx,
    selection: Selection,
    months: &[DateTime<Utc>],
) -> Result<Sums, ServiceError> {
    let sql = format!(
        "WITH baselines AS MATERIALIZED (
            SELECT
                m.id,
                (
                    SELECT min(coalesce(b.fact_at, b.captured_at))
                    FROM ledger b
                    WHERE b.company_id = $1
                      AND b.equipment_id = m.id
                      AND b.meter_effect <> 'increase'
                      -- A change to a unit without a reading does not read the meter.
                      AND NOT (b.new_unit IS TRUE AND b.reading IS NULL)
                      AND (
                          m.unit_since IS NULL
                          OR coalesce(b.fact_at, b.captured_at) >= m.unit_since
                      )
                      AND NOT EXISTS (
                          SELECT
                          FROM ledger_voids
                          WHERE company_id = $1 AND entry_id = b.id
                      )
                ) AS read_at
            FROM equipment m
            WHERE m.company_id = $1
              AND m.unit <> 'n/a'
              AND (m.unit_since IS NOT NULL OR NOT coalesce(m.initial_read, m.initial_usage > 0))
        )
        SELECT
            s.equipment_id,
            e.name,
            e.unit_number,
            e.unit,
            e.fuel,
            e.retired_at IS NOT NULL AS retired,
            s.month,
            s.gas,
            s.diesel,
            s.metered,
            s.rise,
            s.full_fills
        FROM (
            SELECT
                l.equipment_id,
                width_bucket(l.captured_at, $6::timestamptz[]) AS month,
                {FUEL_SUMS},
                coalesce(sum(l.fuel) FILTER (WHERE same.unit), 0)::bigint AS metered,
                coalesce(
                    sum(l.usage_after - l.usage_before)
                        FILTER (WHERE same.unit AND l.meter_effect IS NOT NULL),
                    0
                )::bigint AS rise,
                count(*) FILTER (WHERE l.full_fill) AS full_fills
            FROM ledger l
            LEFT JOIN ledger_voids v
              ON v.company_id = $1 AND v.entry_id = l.id
            JOIN equipment machine
              ON machine.company_id = $1 AND machine.id = l.equipment_id
            LEFT JOIN baselines baseline
              ON baseline.id = l.equipment_id
            CROSS JOIN LATERAL (
                SELECT l.unit = machine.unit
                    -- Fuel up to the first reading in this unit belongs to usage that is not known.
                    AND (baseline.id IS NULL OR l.captured_at > baseline.read_at) AS unit
            ) same
            WHERE l.company_id = $1
              AND {}
              AND (l.fuel > 0 OR l.meter_effect IS NOT NULL)
              AND v.entry_id IS NULL
            GROUP BY GROUPING SETS ((l.equipment_id), (month))
        ) s
        LEFT JOIN equipment e
          ON e.company_id = $1 AND e.id = s.equipment_id",
        selection.condition()
    );
    let query = selection.query(tx.tenant(), sql).bind(months);
    let rows = query.fetch_all(&mut **tx).await?;
    let mut sums = Sums::default();
    for row in &rows {
        match row.try_get("month")? {
            // Sums of one machine.
            None => sums.consumers.push(Consumption::from_row(row)?),
            Some(bucket) => {
                if let Some(month) = month_of(bucket) {
                    sums.months.insert(month, Gallons::from_row(row)?);
                }
            }
        }
    }
    Ok(sums)
}

/// Adds the fuel of deleted equipment to the sums of the company.
pub async fn add_deleted(
    tx: &mut TenantTx,
    selection: Selection,
    months: &[DateTime<Utc>],
    sums: &mut Sums,
) -> Result<(), ServiceError> {
    if selection.equipment.is_some() {
        return Ok(());
    }
    let sql = format!(
        "SELECT
            width_bucket(l.captured_at, $6::timestamptz[]) AS month,
            {FUEL_SUMS}
        FROM deleted_fuel l
        WHERE l.company_id = $1
          AND {}
        GROUP BY month",
        selection.condition()
    );
    let query = selection.query(tx.tenant(), sql).bind(months);
    let rows = query.fetch_all(&mut **tx).await?;
    for row in &rows {
        let fuel = Gallons::from_row(row)?;
        sums.deleted = sums.deleted.plus(fuel);
        if let Some(month) = month_of(row.try_get("month")?) {
            let known = sums.months.entry(month).or_default();
            *known = known.plus(fuel);
        }
    }
    Ok(())
}

/// Bucket 0 is before the first month.
fn month_of(bucket: i32) -> Option<usize> {
    usize::try_from(bucket).ok()?.checked_sub(1)
}

/// Starts a new fuel period under the company's row lock: totals of active equipment become 0.
/// Versions stay, so that open forms don't become stale. Rows are locked in the order of their ids
/// to avoid deadlocks.
pub async fn reset(
    tx: &mut TenantTx,
    actor: &Actor,
    now: DateTime<Utc>,
) -> Result<(), ServiceError> {
    tx.query(
        "SELECT id
        FROM equipment
        WHERE company_id = $1
          AND retired_at IS NULL
        ORDER BY id
        FOR NO KEY UPDATE",
    )
    .execute(&mut **tx)
    .await?;
    let statement = tx
        .query(
            "WITH begun AS (
                INSERT INTO fuel_periods (
                    company_id,
                    period,
                    began_at,
                    actor_id,
                    actor_name
                )
                SELECT $1, coalesce(max(period), 0) + 1, $2, $3, $4
                FROM fuel_periods
                WHERE company_id = $1
                RETURNING period
            )
            UPDATE equipment
            SET total_gas = 0,
                total_diesel = 0,
                fuel_period = begun.period
            FROM begun
            WHERE equipment.company_id = $1
              AND equipment.retired_at IS NULL",
        )
        .bind(now)
        .bind(actor.id)
        .bind(&actor.name);
    tx.run(statement).await
}

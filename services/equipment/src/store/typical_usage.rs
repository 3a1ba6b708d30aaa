//! Latest entries of machines, for `domain::typical_usage`.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::quantity;
use crate::domain::typical_usage::{TypicalUsage, daily_use, fill};

/// Joins the latest entries of the machine `e` that count, without the one being posted: the usage
/// by day of those about its meter if `$41` is true, and those with fuel if `$42` is. Voided ones are
/// looked up once, as an array.
pub const RECENT: &str = "
    LEFT JOIN LATERAL (
        SELECT
            array_agg(day) AS days,
            array_agg(used) AS used
        FROM (
            SELECT
                day,
                sum(used)::bigint AS used
            FROM (
                SELECT
                    (coalesce(fact_at, captured_at) AT TIME ZONE 'UTC')::date AS day,
                    CASE
                        WHEN meter_effect = 'replacement' THEN 0
                        ELSE greatest(usage_after - usage_before, 0)
                    END AS used
                FROM ledger
                WHERE company_id = $1
                  AND equipment_id = $2
                  AND meter_effect IS NOT NULL
                  AND unit = e.unit
                  AND (e.unit_since IS NULL OR coalesce(fact_at, captured_at) > e.unit_since)
                  AND $41
                  AND id <> ALL (ARRAY(
                      SELECT entry_id
                      FROM ledger_voids
                      WHERE company_id = $1
                        AND equipment_id = $2
                  ))
                ORDER BY coalesce(fact_at, captured_at) DESC
                LIMIT 99
            ) last_moves
            GROUP BY day
        ) last_days
    ) moves ON true
    LEFT JOIN LATERAL (
        SELECT
            array_agg(captured_at) AS filled_at,
            array_agg(fuel) AS fuel
        FROM (
            SELECT
                captured_at,
                fuel
            FROM ledger
            WHERE company_id = $1
              AND equipment_id = $2
              AND fuel > 0
              AND $42
              AND id <> ALL (ARRAY(
                  SELECT entry_id
                  FROM ledger_voids
                  WHERE company_id = $1
                    AND equipment_id = $2
              ))
            ORDER BY captured_at DESC, id DESC
            LIMIT 20
        ) last_fills
    ) fills ON true";

/// The stored typical usage of a machine, and its latest entries from [`RECENT`].
#[derive(sqlx_macros::FromRow)]
pub struct TypicalUsageRow {
    usual_daily_use: Option<i64>,
    usual_fill: Option<i64>,
    days: Option<Vec<NaiveDate>>,
    used: Option<Vec<i64>>,
    filled_at: Option<Vec<DateTime<Utc>>>,
    fuel: Option<Vec<i64>>,
}

impl TypicalUsageRow {
    pub const fn stored(&self) -> TypicalUsage {
        TypicalUsage {
            daily_use: quantity(self.usual_daily_use),
            fill: quantity(self.usual_fill),
        }
    }

    /// With a new entry.
    pub fn daily_use_with(&self, day: NaiveDate, rise: Quantity) -> Option<Quantity> {
        let days = self.days.iter().flatten().copied();
        let used = self.used.iter().flatten();
        let moves = days.zip(used.map(|used| Quantity::from_hundredths(*used)));
        daily_use(moves.chain([(day, rise)]))
    }

    /// With a new fill.
    pub fn fill_with(&self, at: DateTime<Utc>, amount: Quantity) -> Option<Quantity> {
        let filled_at = self.filled_at.iter().flatten().copied();
        let fuel = self.fuel.iter().flatten();
        let fills = filled_at.zip(fuel.map(|fuel| Quantity::from_hundredths(*fuel)));
        let mut fills: Vec<_> = fills.chain([(at, amount)]).collect();
        fills.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        fill(fills.into_iter().map(|(_, amount)| amount))
    }
}

pub async fn store(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
    typical: TypicalUsage,
) -> Result<(), ServiceError> {
    sqlx::query(
        "UPDATE equipment
        SET usual_daily_use = $3,
            usual_fill = $4
        WHERE company_id = $1
          AND id = $2",
    )
    .bind(tenant.company_id())
    .bind(id)
    .bind(typical.daily_use.map(Quantity::hundredths))
    .bind(typical.fill.map(Quantity::hundredths))
    .execute(connection)
    .await?;
    Ok(())
}

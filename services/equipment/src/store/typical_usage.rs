//! Latest entries of machines, for `domain::typical_usage`.

use chrono::{DateTime, Utc};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::quantity::Quantity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::quantity;
use crate::domain::typical_usage::{RecentEntries, RecentMove, TypicalUsage};

/// Joins the latest entries of the machine `e` that count, newest first: those that moved its meter
/// if `$37` is true, those with fuel if `$38` is. Voided ones are looked up once, as an array.
pub const RECENT: &str = "
    LEFT JOIN LATERAL (
        SELECT
            array_agg(captured_at) AS captured_at,
            array_agg(used) AS used
        FROM (
            SELECT
                captured_at,
                CASE
                    WHEN meter_effect <> 'replacement' AND usage_after >= usage_before
                    THEN usage_after - usage_before
                END AS used
            FROM ledger
            WHERE company_id = $1
              AND equipment_id = $2
              AND meter_effect IS NOT NULL
              AND unit = e.unit
              AND $37
              AND id <> ALL (ARRAY(
                  SELECT entry_id
                  FROM ledger_voids
                  WHERE company_id = $1
                    AND equipment_id = $2
              ))
            ORDER BY sequence DESC, recorded_at DESC, id DESC
            LIMIT 21
        ) last_moves
    ) moves ON true
    LEFT JOIN LATERAL (
        SELECT array_agg(fuel) AS fuel
        FROM (
            SELECT fuel
            FROM ledger
            WHERE company_id = $1
              AND equipment_id = $2
              AND fuel > 0
              AND $38
              AND id <> ALL (ARRAY(
                  SELECT entry_id
                  FROM ledger_voids
                  WHERE company_id = $1
                    AND equipment_id = $2
              ))
            ORDER BY sequence DESC, recorded_at DESC, id DESC
            LIMIT 20
        ) last_fills
    ) fills ON true";

/// The stored typical usage of a machine, and its latest entries from [`RECENT`].
#[derive(sqlx_macros::FromRow)]
pub struct TypicalUsageRow {
    usual_daily_use: Option<i64>,
    usual_fill: Option<i64>,
    captured_at: Option<Vec<DateTime<Utc>>>,
    used: Option<Vec<Option<i64>>>,
    fuel: Option<Vec<i64>>,
}

impl TypicalUsageRow {
    pub const fn stored(&self) -> TypicalUsage {
        TypicalUsage {
            daily_use: quantity(self.usual_daily_use),
            fill: quantity(self.usual_fill),
        }
    }

    pub fn recent(self) -> RecentEntries {
        let captured_at = self.captured_at.unwrap_or_default().into_iter();
        let moves = captured_at.zip(self.used.unwrap_or_default());
        let fills = self.fuel.unwrap_or_default().into_iter();
        RecentEntries {
            moves: moves
                .map(|(captured_at, used)| RecentMove {
                    captured_at,
                    used: quantity(used),
                })
                .collect(),
            fills: fills.map(Quantity::from_hundredths).collect(),
        }
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

//! Daily use of machines, for `domain::forecast`.

use chrono::NaiveDate;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::domain::forecast::DailyUse;

/// Columns of the equipment `e`.
#[derive(sqlx_macros::FromRow)]
pub struct DailyUseRow {
    #[sqlx(rename = "use_low")]
    low: Option<i64>,
    #[sqlx(rename = "use_usual")]
    usual: Option<i64>,
    #[sqlx(rename = "use_high")]
    high: Option<i64>,
    #[sqlx(rename = "use_days")]
    days: Option<Vec<NaiveDate>>,
}

impl From<DailyUseRow> for DailyUse {
    fn from(row: DailyUseRow) -> Self {
        Self {
            rates: match (row.low, row.usual, row.high) {
                (Some(low), Some(usual), Some(high)) => Some([low, usual, high]),
                _ => None,
            },
            days: row.days.unwrap_or_default(),
        }
    }
}

/// Computes the daily use of a machine from its last 200 entries that added usage, stores and
/// returns it. A day begins `utc_offset` seconds before midnight UTC. Call it after each change of
/// the meter.
pub async fn refresh(
    connection: &mut PgConnection,
    tenant: Tenant,
    id: Uuid,
    utc_offset: i32,
) -> Result<DailyUse, ServiceError> {
    let row: Option<DailyUseRow> = sqlx::query_as(
        "UPDATE equipment e
        SET use_low = recent.quartiles[1],
            use_usual = recent.quartiles[2],
            use_high = recent.quartiles[3],
            use_days = recent.days
        FROM (
            SELECT
                CASE WHEN count(*) >= 3 THEN
                    percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY used)
                        FILTER (WHERE nth <= 20)
                END::bigint[] AS quartiles,
                coalesce(array_agg(day ORDER BY day DESC), '{}') AS days
            FROM (
                SELECT
                    day,
                    sum(used)::double precision AS used,
                    row_number() OVER (ORDER BY day DESC) AS nth
                FROM (
                    SELECT
                        (coalesce(l.fact_at, l.captured_at) AT TIME ZONE 'UTC'
                            + make_interval(secs => $3))::date AS day,
                        l.usage_after - l.usage_before AS used
                    FROM ledger l
                    JOIN equipment m ON m.company_id = l.company_id AND m.id = l.equipment_id
                    WHERE l.company_id = $1
                      AND l.equipment_id = $2
                      AND l.meter_effect IN ('increase', 'reading')
                      AND l.usage_after > l.usage_before
                      AND l.unit = m.unit
                      AND l.new_unit IS NULL
                      AND (
                          m.unit_since IS NULL
                          OR coalesce(l.fact_at, l.captured_at) > m.unit_since
                      )
                      AND NOT EXISTS (
                          SELECT
                          FROM ledger_voids v
                          WHERE v.company_id = $1
                            AND v.entry_id = l.id
                      )
                    ORDER BY coalesce(l.fact_at, l.captured_at) DESC, l.id DESC
                    LIMIT 200
                ) moves
                GROUP BY day
                ORDER BY day DESC
                LIMIT 30
            ) latest
        ) recent
        WHERE e.company_id = $1
          AND e.id = $2
        RETURNING e.use_low, e.use_usual, e.use_high, e.use_days",
    )
    .bind(tenant.company_id())
    .bind(id)
    .bind(f64::from(utc_offset))
    .fetch_optional(connection)
    .await?;
    Ok(row.map(DailyUse::from).unwrap_or_default())
}

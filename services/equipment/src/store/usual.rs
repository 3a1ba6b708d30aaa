//! What machines usually do, as `domain::usual` says it, in one statement.

use hourmeter_runtime::error::Failure;
use sqlx::PgConnection;
use uuid::Uuid;

/// Computes the usual figures of these again, under their row locks, and touches only those that
/// are others now.
pub async fn refresh(
    connection: &mut PgConnection,
    company: Uuid,
    ids: &[Uuid],
) -> Result<(), Failure> {
    sqlx::query(
        "WITH usual AS MATERIALIZED (
            SELECT
                machine.id,
                (
                    SELECT CASE WHEN count(*) >= 3 THEN (
                        (array_agg(rate ORDER BY rate))[((count(*) + 1) / 2)::integer]
                        + (array_agg(rate ORDER BY rate))[(count(*) / 2 + 1)::integer]
                        + 1
                    ) / 2 END
                    FROM (
                        SELECT
                            meter_effect,
                            moved,
                            seconds,
                            (moved * 86400 + greatest(seconds, 86400) / 2)
                                / greatest(seconds, 86400) AS rate
                        FROM (
                            SELECT
                                meter_effect,
                                usage_after - usage_before AS moved,
                                floor(extract(epoch FROM captured_at - lag(captured_at) OVER (
                                    ORDER BY sequence, recorded_at, id
                                )))::bigint AS seconds
                            FROM (
                                SELECT l.*
                                FROM ledger l
                                WHERE l.company_id = $1
                                  AND l.equipment_id = machine.id
                                  AND l.meter_effect IS NOT NULL
                                  AND l.unit = machine.unit
                                  AND NOT EXISTS (
                                      SELECT
                                      FROM ledger_voids v
                                      WHERE v.company_id = $1
                                        AND v.entry_id = l.id
                                  )
                                ORDER BY l.sequence DESC, l.recorded_at DESC, l.id DESC
                                LIMIT 21
                            ) moves
                        ) steps
                    ) rates
                    WHERE seconds IS NOT NULL
                      AND moved >= 0
                      AND meter_effect <> 'replacement'
                ) AS daily_use,
                (
                    SELECT CASE WHEN count(*) >= 3 THEN (
                        (array_agg(fuel ORDER BY fuel))[((count(*) + 1) / 2)::integer]
                        + (array_agg(fuel ORDER BY fuel))[(count(*) / 2 + 1)::integer]
                        + 1
                    ) / 2 END
                    FROM (
                        SELECT l.fuel
                        FROM ledger l
                        WHERE l.company_id = $1
                          AND l.equipment_id = machine.id
                          AND l.fuel > 0
                          AND NOT EXISTS (
                              SELECT
                              FROM ledger_voids v
                              WHERE v.company_id = $1
                                AND v.entry_id = l.id
                          )
                        ORDER BY l.sequence DESC, l.recorded_at DESC, l.id DESC
                        LIMIT 20
                    ) fillings
                ) AS fill
            FROM equipment machine
            WHERE machine.company_id = $1
              AND machine.id = ANY($2)
        )
        UPDATE equipment e
        SET usual_daily_use = usual.daily_use,
            usual_fill = usual.fill
        FROM usual
        WHERE e.company_id = $1
          AND e.id = usual.id
          AND (e.usual_daily_use, e.usual_fill)
              IS DISTINCT FROM (usual.daily_use, usual.fill)",
    )
    .bind(company)
    .bind(ids)
    .execute(connection)
    .await?;
    Ok(())
}

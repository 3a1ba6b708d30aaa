-- no-transaction
-- Earlier releases applied entries in the order of their arrival. Entries out of the order of capture
-- keep their place, so that no meter changes; a machine added with usage 0 whose first entry is an
-- increase counts from 0, as before.
DO $$
DECLARE
    v_nil CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    v_company uuid := v_nil;
    v_last uuid;
    v_machines uuid[];
BEGIN
    LOOP
        SELECT c.company_id INTO v_company FROM public.companies_with_equipment(v_company, 1) c;
        EXIT WHEN NOT FOUND;
        v_last := v_nil;
        LOOP
            EXECUTE format('SET LOCAL app.company_id = %L', v_company);
            -- Locked in the order of their ids, as by the service.
            v_machines := ARRAY(
                SELECT id
                FROM equipment
                WHERE company_id = v_company
                  AND id > v_last
                ORDER BY id
                LIMIT 100
                FOR NO KEY UPDATE
            );
            EXIT WHEN cardinality(v_machines) = 0;
            v_last := v_machines[cardinality(v_machines)];
            UPDATE ledger l
            SET fact_at = placed.earlier + placed.nth * interval '1 microsecond'
            FROM (
                SELECT
                    id,
                    captured_at,
                    max(captured_at) OVER (
                        PARTITION BY equipment_id ORDER BY sequence, recorded_at, id
                        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                    ) AS earlier,
                    row_number() OVER (
                        PARTITION BY equipment_id ORDER BY sequence, recorded_at, id
                    ) AS nth
                FROM ledger
                WHERE company_id = v_company
                  AND equipment_id = ANY (v_machines)
                  AND (meter_effect IS NOT NULL OR mark IS NOT NULL)
            ) placed
            WHERE l.company_id = v_company
              AND l.id = placed.id
              AND placed.captured_at <= placed.earlier
              AND l.fact_at IS NULL;
            UPDATE equipment e
            SET initial_read = CASE
                    WHEN e.initial_usage = 0 AND facts.first = 'increase' THEN true
                    ELSE e.initial_read
                END,
                last_fact_at = greatest(facts.last_at, e.added_at),
                meter_read_at = CASE
                    WHEN e.initial_usage > 0 OR facts.first = 'increase'
                    THEN greatest(facts.read_at, e.added_at)
                    ELSE facts.read_at
                END
            FROM (
                SELECT
                    l.equipment_id,
                    (array_agg(l.meter_effect ORDER BY coalesce(l.fact_at, l.captured_at), l.id))[1]
                        AS first,
                    max(coalesce(l.fact_at, l.captured_at)) AS last_at,
                    max(coalesce(l.fact_at, l.captured_at)) FILTER (
                        WHERE l.meter_effect <> 'increase'
                    ) AS read_at
                FROM ledger l
                WHERE l.company_id = v_company
                  AND l.equipment_id = ANY (v_machines)
                  AND l.meter_effect IS NOT NULL
                  AND NOT EXISTS (
                      SELECT
                      FROM ledger_voids v
                      WHERE v.company_id = v_company
                        AND v.entry_id = l.id
                  )
                GROUP BY l.equipment_id
            ) facts
            WHERE e.company_id = v_company
              AND e.id = facts.equipment_id
              AND e.last_fact_at IS NULL;
            UPDATE equipment
            SET meter_read_at = added_at
            WHERE company_id = v_company
              AND id = ANY (v_machines)
              AND unit = 'n/a'
              AND meter_read_at IS NULL;
            UPDATE equipment
            SET approaching_usage = NULL,
                due_usage = NULL,
                overdue_usage = NULL
            WHERE company_id = v_company
              AND id = ANY (v_machines)
              AND meter_read_at IS NULL
              AND approaching_usage IS NOT NULL;
            UPDATE equipment e
            SET usual_daily_use = usual.daily_use
            FROM (
                SELECT
                    days.equipment_id,
                    CASE
                        WHEN count(*) >= 3 THEN (
                            (array_agg(days.used ORDER BY days.used))[((count(*) + 1) / 2)::integer]
                            + (array_agg(days.used ORDER BY days.used))[(count(*) / 2 + 1)::integer]
                            + 1
                        ) / 2
                    END AS daily_use
                FROM (
                    SELECT
                        moves.equipment_id,
                        sum(moves.used)::bigint AS used,
                        row_number() OVER (
                            PARTITION BY moves.equipment_id ORDER BY moves.day DESC
                        ) AS nth
                    FROM (
                        SELECT
                            l.equipment_id,
                            (coalesce(l.fact_at, l.captured_at) AT TIME ZONE 'UTC')::date AS day,
                            CASE
                                WHEN l.meter_effect = 'replacement' THEN 0
                                ELSE greatest(l.usage_after - l.usage_before, 0)
                            END AS used,
                            row_number() OVER (
                                PARTITION BY l.equipment_id
                                ORDER BY coalesce(l.fact_at, l.captured_at) DESC
                            ) AS nth
                        FROM ledger l
                        JOIN equipment machine
                          ON machine.company_id = l.company_id
                         AND machine.id = l.equipment_id
                         AND machine.unit = l.unit
                        WHERE l.company_id = v_company
                          AND l.equipment_id = ANY (v_machines)
                          AND l.meter_effect IS NOT NULL
                          AND NOT EXISTS (
                              SELECT
                              FROM ledger_voids v
                              WHERE v.company_id = v_company
                                AND v.entry_id = l.id
                          )
                    ) moves
                    WHERE moves.nth <= 100
                    GROUP BY moves.equipment_id, moves.day
                    HAVING sum(moves.used) > 0
                ) days
                WHERE days.nth <= 20
                GROUP BY days.equipment_id
            ) usual
            WHERE e.company_id = v_company
              AND e.id = usual.equipment_id;
            COMMIT;
        END LOOP;
    END LOOP;
END
$$;

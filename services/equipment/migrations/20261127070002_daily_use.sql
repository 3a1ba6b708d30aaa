-- no-transaction
-- Computes the daily use of equipment from before, as store::forecast does for single machines.
DO $$
DECLARE
    v_company uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    LOOP
        SELECT c.company_id INTO v_company FROM public.companies_with_equipment(v_company, 1) c;
        EXIT WHEN NOT FOUND;
        LOOP
            EXECUTE format('SET LOCAL app.company_id = %L', v_company);
            UPDATE equipment e
            SET use_low = recent.quartiles[1],
                use_usual = recent.quartiles[2],
                use_high = recent.quartiles[3],
                use_days = recent.days
            FROM (
                SELECT id
                FROM equipment
                WHERE company_id = v_company
                  AND use_days IS NULL
                LIMIT 1000
            ) machine
            CROSS JOIN LATERAL (
                SELECT
                    CASE WHEN count(*) >= 3 THEN
                        percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY used)
                            FILTER (WHERE nth <= 20)
                    END::bigint[] AS quartiles,
                    coalesce(array_agg(day ORDER BY day DESC), '{}') AS days
                FROM (
                    SELECT
                        moves.day,
                        sum(moves.used)::double precision AS used,
                        row_number() OVER (ORDER BY moves.day DESC) AS nth
                    FROM (
                        SELECT
                            (l.captured_at AT TIME ZONE 'UTC')::date AS day,
                            l.usage_after - l.usage_before AS used
                        FROM ledger l
                        JOIN equipment m ON m.company_id = l.company_id AND m.id = l.equipment_id
                        WHERE l.company_id = v_company
                          AND l.equipment_id = machine.id
                          AND l.meter_effect IN ('increase', 'reading')
                          AND l.usage_after > l.usage_before
                          AND l.unit = m.unit
                          AND NOT EXISTS (
                              SELECT
                              FROM ledger_voids v
                              WHERE v.company_id = v_company
                                AND v.entry_id = l.id
                          )
                        ORDER BY l.sequence DESC, l.recorded_at DESC, l.id DESC
                        LIMIT 200
                    ) moves
                    GROUP BY moves.day
                    ORDER BY moves.day DESC
                    LIMIT 30
                ) latest
            ) recent
            WHERE e.company_id = v_company
              AND e.id = machine.id;
            EXIT WHEN NOT FOUND;
            COMMIT;
        END LOOP;
    END LOOP;
END $$;

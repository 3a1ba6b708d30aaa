-- Meters that are replaced or begin again, what a machine usually does, and the indexes of what
-- phones and screens ask every few seconds.

-- Row-level security binds the owner too; without this it would find no row to fill in.
ALTER TABLE equipment NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_voids NO FORCE ROW LEVEL SECURITY;

ALTER TABLE equipment
    ADD COLUMN meter_offset bigint NOT NULL DEFAULT 0,
    ADD COLUMN usual_daily_use bigint CHECK (usual_daily_use >= 0),
    ADD COLUMN usual_fill bigint CHECK (usual_fill > 0);
COMMENT ON COLUMN equipment.current_usage IS
    'Projection: life-to-date usage, what all its meters counted.';
COMMENT ON COLUMN equipment.meter_offset IS
    'Projection: current_usage less what the meter shows, which may be below 0; 0 until a meter is replaced or begins again.';
COMMENT ON COLUMN equipment.usual_daily_use IS
    'Projection: median use in a day over the last entries that moved the meter; null: too few.';
COMMENT ON COLUMN equipment.usual_fill IS
    'Projection: median of the last fillings, hundredths of a gallon; null: too few.';

-- What was known of the words until now is known of them still.
ALTER TABLE ledger
    DROP CONSTRAINT ledger_kind_check,
    DROP CONSTRAINT ledger_meter_effect_check,
    ADD COLUMN meter_change text CHECK (meter_change IN ('replaced', 'rolled_over')),
    ADD COLUMN meter_final bigint CHECK (meter_final >= 0),
    ADD COLUMN meter_start bigint CHECK (meter_start >= 0),
    ADD CONSTRAINT ledger_kind_check CHECK (
        kind IN ('usage', 'service', 'note', 'edit', 'retirement', 'restoration', 'meter')
    ),
    ADD CONSTRAINT ledger_meter_effect_check
        CHECK (meter_effect IN ('increase', 'reading', 'replacement')),
    ADD CONSTRAINT ledger_replacement_whole CHECK (
        num_nulls(meter_change, meter_final, meter_start)
            = CASE WHEN meter_effect = 'replacement' THEN 0 ELSE 3 END
    );
COMMENT ON COLUMN ledger.usage_before IS 'Life-to-date usage before; null: not read.';
COMMENT ON COLUMN ledger.usage_after IS 'Life-to-date usage after; null: not read.';
COMMENT ON COLUMN ledger.reading IS
    'What the meter showed as reported, also when it was too late to count; null: none, as for an increase.';
COMMENT ON COLUMN ledger.meter_effect IS
    'increase: usage_after - usage_before was added; reading: life-to-date usage became usage_after; replacement: it became usage_after, and meter_final - meter_start was added to the offset; null: the meter stayed.';
COMMENT ON COLUMN ledger.meter_change IS 'How a meter ended; null: none did.';
COMMENT ON COLUMN ledger.meter_final IS
    'What the meter that ended showed; for one that began again, the value at which it did.';
COMMENT ON COLUMN ledger.meter_start IS 'What the next meter showed when it began.';
COMMENT ON COLUMN applied_updates.usage_before IS
    'What the meter showed before; null: no reading was applied.';
COMMENT ON COLUMN applied_updates.usage_after IS
    'What the meter showed after; null: no reading was applied.';

-- The last entries of a machine that moved its meter or filled it.
CREATE INDEX ledger_meter_moves ON ledger (company_id, equipment_id, sequence, recorded_at, id)
    WHERE meter_effect IS NOT NULL;
CREATE INDEX ledger_fillings ON ledger (company_id, equipment_id, sequence, recorded_at, id)
    WHERE fuel > 0;
-- Tells from an index alone whether anything changed. The id comes last, so that nobody is tempted
-- to look for one here.
CREATE INDEX equipment_versions ON equipment (company_id, version, id)
    WHERE retired_at IS NULL;

-- As store::usual computes it for single machines, which are domain::usual's rules.
UPDATE equipment e
SET usual_daily_use = usual.daily_use
FROM (
    SELECT
        company_id,
        equipment_id,
        (
            (array_agg(rate ORDER BY rate))[((count(*) + 1) / 2)::integer]
            + (array_agg(rate ORDER BY rate))[(count(*) / 2 + 1)::integer]
            + 1
        ) / 2 AS daily_use
    FROM (
        SELECT
            company_id,
            equipment_id,
            (moved * 86400 + greatest(seconds, 86400) / 2) / greatest(seconds, 86400) AS rate
        FROM (
            SELECT
                company_id,
                equipment_id,
                usage_after - usage_before AS moved,
                floor(extract(epoch FROM captured_at - lag(captured_at) OVER (
                    PARTITION BY company_id, equipment_id ORDER BY nth DESC
                )))::bigint AS seconds
            FROM (
                SELECT
                    l.*,
                    row_number() OVER (
                        PARTITION BY l.company_id, l.equipment_id
                        ORDER BY l.sequence DESC, l.recorded_at DESC, l.id DESC
                    ) AS nth
                FROM ledger l
                JOIN equipment machine
                  ON machine.company_id = l.company_id
                 AND machine.id = l.equipment_id
                 AND machine.unit = l.unit
                WHERE l.meter_effect IS NOT NULL
                  AND NOT EXISTS (
                      SELECT
                      FROM ledger_voids v
                      WHERE v.company_id = l.company_id
                        AND v.entry_id = l.id
                  )
            ) moves
            WHERE nth <= 21
        ) steps
        WHERE seconds IS NOT NULL
          AND moved >= 0
    ) rates
    GROUP BY company_id, equipment_id
    HAVING count(*) >= 3
) usual
WHERE usual.company_id = e.company_id
  AND usual.equipment_id = e.id;

UPDATE equipment e
SET usual_fill = usual.fill
FROM (
    SELECT
        company_id,
        equipment_id,
        (
            (array_agg(fuel ORDER BY fuel))[((count(*) + 1) / 2)::integer]
            + (array_agg(fuel ORDER BY fuel))[(count(*) / 2 + 1)::integer]
            + 1
        ) / 2 AS fill
    FROM (
        SELECT
            l.company_id,
            l.equipment_id,
            l.fuel,
            row_number() OVER (
                PARTITION BY l.company_id, l.equipment_id
                ORDER BY l.sequence DESC, l.recorded_at DESC, l.id DESC
            ) AS nth
        FROM ledger l
        WHERE l.fuel > 0
          AND NOT EXISTS (
              SELECT
              FROM ledger_voids v
              WHERE v.company_id = l.company_id
                AND v.entry_id = l.id
          )
    ) fillings
    WHERE nth <= 20
    GROUP BY company_id, equipment_id
    HAVING count(*) >= 3
) usual
WHERE usual.company_id = e.company_id
  AND usual.equipment_id = e.id;

ALTER TABLE equipment FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_voids FORCE ROW LEVEL SECURITY;

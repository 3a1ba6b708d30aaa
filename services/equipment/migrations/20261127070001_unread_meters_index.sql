-- no-transaction
-- Counts meters of equipment in use that were not read since a time, without reading rows.
CREATE INDEX CONCURRENTLY equipment_by_reading
    ON equipment (company_id, meter_read_at, added_at)
    WHERE retired_at IS NULL AND operational_status = 'in_use' AND unit <> 'n/a';

-- Meters at 0 that nobody has read yet have no time of a last reading; those that were added before
-- that was so still had the time they were added.

-- Row-level security binds the owner too; without this it would find no row to change.
ALTER TABLE equipment NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger NO FORCE ROW LEVEL SECURITY;
UPDATE equipment e
SET meter_read_at = NULL
WHERE e.initial_usage = 0
  AND e.meter_read_at = e.added_at
  AND NOT EXISTS (
      SELECT 1
      FROM ledger l
      WHERE l.company_id = e.company_id
        AND l.equipment_id = e.id
        AND l.meter_effect IS NOT NULL
  );
ALTER TABLE equipment FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger FORCE ROW LEVEL SECURITY;

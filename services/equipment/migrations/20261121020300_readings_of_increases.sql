-- The ledger keeps as reading what somebody read; a manager's increase has none. Those entered
-- before that was so had the meter after the increase.

-- Row-level security binds the owner too; without this it would find no row to change.
ALTER TABLE ledger NO FORCE ROW LEVEL SECURITY;
UPDATE ledger
SET reading = NULL
WHERE meter_effect = 'increase'
  AND reading IS NOT NULL;
ALTER TABLE ledger FORCE ROW LEVEL SECURITY;
COMMENT ON COLUMN ledger.reading IS
    'The reading as reported, also when it was too late to count; null: none, as for an increase.';

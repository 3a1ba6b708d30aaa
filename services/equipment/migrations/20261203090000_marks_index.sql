-- no-transaction
-- The last service of a machine, and the last edit of what its tasks count from.
CREATE INDEX CONCURRENTLY ledger_marks ON ledger (company_id, equipment_id, captured_at)
    WHERE mark IS NOT NULL;

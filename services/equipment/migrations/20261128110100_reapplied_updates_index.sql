-- no-transaction
-- The entry of an update that was applied again.
CREATE INDEX CONCURRENTLY ledger_reapplies ON ledger (company_id, reapplies)
    WHERE reapplies IS NOT NULL;

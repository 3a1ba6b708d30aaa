-- no-transaction
-- The last facts of a machine.
CREATE INDEX CONCURRENTLY ledger_facts
    ON ledger (company_id, equipment_id, (coalesce(fact_at, captured_at)), id)
    WHERE meter_effect IS NOT NULL;

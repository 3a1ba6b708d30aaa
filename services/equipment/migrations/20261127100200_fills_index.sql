-- no-transaction
-- The fuel of a machine by capture.
CREATE INDEX CONCURRENTLY ledger_fills ON ledger (company_id, equipment_id, captured_at, id)
    WHERE fuel > 0;

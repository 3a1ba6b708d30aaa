-- no-transaction
CREATE INDEX CONCURRENTLY applied_updates_voided
    ON applied_updates (company_id, voided_at, update_id)
    WHERE voided_at IS NOT NULL;

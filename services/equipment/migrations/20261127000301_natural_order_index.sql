-- no-transaction
-- Replaces equipment_by_name, which the last release uses.
CREATE INDEX CONCURRENTLY equipment_in_natural_order
    ON equipment (company_id, sort_key COLLATE natural_order, id)
    INCLUDE (kind, usage_severity, next_date, search_key)
    WHERE retired_at IS NULL;

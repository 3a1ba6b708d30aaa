-- no-transaction
-- Replaces equipment_in_natural_order, which lacks has_special_points.
CREATE INDEX CONCURRENTLY equipment_with_status
    ON equipment (company_id, sort_key COLLATE natural_order, id)
    INCLUDE (kind, usage_severity, next_date, has_special_points, search_key)
    WHERE retired_at IS NULL;

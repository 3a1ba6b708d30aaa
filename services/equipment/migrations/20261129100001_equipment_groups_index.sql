-- no-transaction
-- The groups of a company, the equipment of a group, and the search by group without reading rows.
CREATE INDEX CONCURRENTLY equipment_groups
    ON equipment (company_id, equipment_group) INCLUDE (id)
    WHERE retired_at IS NULL AND equipment_group IS NOT NULL;

-- no-transaction
-- Uniqueness, and the search by unit number without reading rows.
-- contract: code without unit numbers stores null, which the index leaves out; since 0.1.0
CREATE UNIQUE INDEX CONCURRENTLY equipment_unit_numbers
    ON equipment (company_id, lower(unit_number)) INCLUDE (id, unit_number)
    WHERE retired_at IS NULL AND unit_number IS NOT NULL;

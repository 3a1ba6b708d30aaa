-- no-transaction
-- contract: equipment_with_status has the same keys and more columns; since 0.2.0
DROP INDEX CONCURRENTLY IF EXISTS equipment_in_natural_order;

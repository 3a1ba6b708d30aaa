ALTER TABLE ledger ADD COLUMN correction jsonb;
COMMENT ON COLUMN ledger.correction IS 'What an operator sent, if a manager applied it otherwise: by (the manager), reading, increase, unit, fuel, fuel_kind and reported_equipment_name, quantities in hundredths.';

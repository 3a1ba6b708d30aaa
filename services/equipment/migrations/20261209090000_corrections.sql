ALTER TABLE ledger ADD COLUMN correction jsonb;
COMMENT ON COLUMN ledger.correction IS 'What an operator sent, if a manager applied other values, and who that was: by, reading, increase, unit, fuel and fuel_kind, quantities in hundredths.';

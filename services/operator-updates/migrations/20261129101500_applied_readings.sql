ALTER TABLE updates ADD COLUMN applied_reading bigint;
COMMENT ON COLUMN updates.applied_reading IS 'The reading that a manager applied in place of the reported one, in hundredths; null: applied as reported, or not applied.';

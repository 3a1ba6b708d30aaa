ALTER TABLE decisions ADD COLUMN decided_fuel bigint, ADD COLUMN decided_fuel_kind text;
COMMENT ON COLUMN decisions.decided_fuel IS 'The fuel that the manager decided on in place of the reported fuel, in hundredths of a gallon; null: as reported.';
COMMENT ON COLUMN decisions.decided_fuel_kind IS 'Its kind.';
ALTER TABLE updates ADD COLUMN applied_fuel bigint, ADD COLUMN applied_fuel_kind text;
COMMENT ON COLUMN updates.applied_fuel IS 'The fuel that a manager applied in place of the reported fuel, in hundredths of a gallon; null: applied as reported, or not applied.';
COMMENT ON COLUMN updates.applied_fuel_kind IS 'Its kind.';

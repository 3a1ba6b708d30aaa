-- Usage by day of use, so that an entry is added without reading earlier ones; and the company's time
-- zone, for entries of calls without a person.
ALTER TABLE equipment
    ADD COLUMN use_sums bigint[],
    ADD COLUMN use_zone text;
COMMENT ON COLUMN equipment.usual_daily_use IS 'As use_usual, for the last release.';
COMMENT ON COLUMN equipment.use_sums IS
    'Projection: the usage of each day of use_days; null: not computed yet.';
COMMENT ON COLUMN equipment.use_zone IS
    'The time zone of use_days, as of the last entry about the meter; null: UTC.';

ALTER TABLE company_state ADD COLUMN time_zone text;
COMMENT ON COLUMN company_state.time_zone IS
    'The company''s time zone, as of the last change by a person that depends on it; null: not known.';

-- Whether equipment is in use, and how much it is used in a day, for the age of readings and the
-- projected date of the next service.
ALTER TABLE equipment
    ADD COLUMN operational_status text NOT NULL DEFAULT 'in_use',
    ADD COLUMN use_low bigint,
    ADD COLUMN use_usual bigint,
    ADD COLUMN use_high bigint,
    ADD COLUMN use_days date[];
COMMENT ON COLUMN equipment.operational_status IS 'in_use, standing, in_shop or out_of_service.';
COMMENT ON COLUMN equipment.use_low IS
    'Projection: first quartile of the usage in a day of use, over the last 20; null: fewer than 3.';
COMMENT ON COLUMN equipment.use_usual IS 'Projection: the median of the same days.';
COMMENT ON COLUMN equipment.use_high IS 'Projection: the third quartile of the same days.';
COMMENT ON COLUMN equipment.use_days IS
    'Projection: the last days of use, at most 30, newest first; null: not computed yet.';

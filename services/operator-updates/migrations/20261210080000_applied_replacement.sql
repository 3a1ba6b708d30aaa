ALTER TABLE updates
    ADD COLUMN applied_meter_change text,
    ADD COLUMN applied_meter_final bigint,
    ADD COLUMN applied_meter_start bigint;
COMMENT ON COLUMN updates.applied_meter_change IS 'How a manager decided that the meter before the reading ended: replaced or rolled_over; null: it did not end, or not applied.';
COMMENT ON COLUMN updates.applied_meter_final IS 'Its final reading in hundredths; null: its reading at that time.';
COMMENT ON COLUMN updates.applied_meter_start IS 'The start reading of the next meter in hundredths.';

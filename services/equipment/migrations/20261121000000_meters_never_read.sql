-- A meter that nobody has read yet has no time of its last reading: its first reading from the
-- field is never late, whenever it was captured.
ALTER TABLE equipment ALTER COLUMN meter_read_at DROP NOT NULL;
COMMENT ON COLUMN equipment.meter_read_at IS
    'Projection: when the last reading was captured; null: it was never read.';

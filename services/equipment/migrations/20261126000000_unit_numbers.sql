-- The company's own number of a machine.
ALTER TABLE equipment ADD COLUMN unit_number text;
COMMENT ON COLUMN equipment.unit_number IS
    'The company''s own number, unique among active equipment without regard to case; null: none.';

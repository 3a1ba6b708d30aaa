ALTER TABLE updates ADD COLUMN full_fill boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN updates.full_fill IS 'The fuel filled the tank.';

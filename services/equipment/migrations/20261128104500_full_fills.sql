ALTER TABLE ledger ADD COLUMN full_fill boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN ledger.full_fill IS 'The fuel filled the tank.';

-- The language that a person chose follows them to other devices.

ALTER TABLE users ADD COLUMN language text;
COMMENT ON COLUMN users.language IS '"en" or "es"; null: not chosen.';

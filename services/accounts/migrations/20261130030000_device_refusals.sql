-- A refused request in the name of a phone is recorded in the audit log at most once an hour.

ALTER TABLE devices ADD COLUMN refused_at timestamptz;
COMMENT ON COLUMN devices.refused_at IS 'When a refused request was recorded last; null: never.';
GRANT UPDATE (refused_at) ON devices TO hourmeter_accounts;

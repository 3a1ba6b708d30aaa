-- What undo and repeated checks need to know of an update. Automatic application follows the settings of
-- requests, so that they are not stored any more.

ALTER TABLE updates
    ADD COLUMN became_clean boolean NOT NULL DEFAULT false,
    ADD COLUMN was_refused boolean NOT NULL DEFAULT false,
    ADD COLUMN before_rejection_reason text NOT NULL DEFAULT '',
    ADD COLUMN before_rejection_by text NOT NULL DEFAULT '',
    ADD COLUMN before_rejection_at timestamptz;

COMMENT ON COLUMN updates.became_clean IS 'It lost its last flag while it was pending: the next request decides whether it is applied automatically.';
COMMENT ON COLUMN updates.was_refused IS 'The equipment service refused it, not because its machine was not in use: it keeps the flag refused.';
COMMENT ON COLUMN updates.before_rejection_reason IS 'Why its entry was voided, if it was taken back when it was rejected; empty: it was not.';
COMMENT ON COLUMN updates.before_rejection_by IS 'Who voided that entry.';
COMMENT ON COLUMN updates.before_rejection_at IS 'When that entry was voided; null: it was not taken back when it was rejected.';

-- contract: no released code uses this table; since 0.2.0
ALTER TABLE companies DROP COLUMN auto_apply, DROP COLUMN seen_at;

COMMENT ON TABLE companies IS 'Which voided entries are known.';

-- The code of a printed access card signs its operator in once.

ALTER TABLE users
    ADD COLUMN card_code_hash bytea,
    ADD COLUMN card_code_expires_at timestamptz;
COMMENT ON COLUMN users.card_code_hash IS 'SHA-256 of the unused code of the operator''s last printed access card.';
COMMENT ON COLUMN users.card_code_expires_at IS 'When that code expires.';

-- What clients asked with a key, so that a repeat is answered and not done again.

CREATE TABLE idempotency_keys (
    company_id uuid NOT NULL,
    user_id uuid NOT NULL,
    route text NOT NULL,
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    request_hash bytea NOT NULL,
    answer bytea,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, user_id, route, key)
);
COMMENT ON TABLE idempotency_keys IS
    'Keys of requests that took effect, with their answers. They count for 24 hours.';
COMMENT ON COLUMN idempotency_keys.company_id IS 'The company; all zero for keys of support staff.';
COMMENT ON COLUMN idempotency_keys.user_id IS 'Whose key it is.';
COMMENT ON COLUMN idempotency_keys.route IS 'The RPC.';
COMMENT ON COLUMN idempotency_keys.key IS 'Made by the client, one for each action.';
COMMENT ON COLUMN idempotency_keys.request_hash IS 'SHA-256 of the encoded request.';
COMMENT ON COLUMN idempotency_keys.answer IS
    'The encoded answer; null while the work is under way.';
COMMENT ON COLUMN idempotency_keys.created_at IS 'When it was claimed.';

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (company_id, created_at);

ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON idempotency_keys
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO hourmeter_billing;

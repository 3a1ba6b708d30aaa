-- Sessions, and what happened to accounts.

CREATE TABLE sessions (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    sid bytea NOT NULL,
    sess jsonb NOT NULL DEFAULT '{}',
    expire timestamptz NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    scope text NOT NULL,
    auth_time timestamptz NOT NULL DEFAULT now(),
    last_seen timestamptz NOT NULL DEFAULT now(),
    idle interval,
    absolute_expires timestamptz NOT NULL,
    remember boolean NOT NULL,
    ip_prefix text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    CONSTRAINT sessions_pkey PRIMARY KEY (company_id, id),
    CONSTRAINT sessions_sid_key UNIQUE (sid),
    CONSTRAINT sessions_user_fkey FOREIGN KEY (company_id, user_id)
        REFERENCES users (company_id, id) ON DELETE CASCADE,
    CONSTRAINT sessions_sid_is_sha256 CHECK (octet_length(sid) = 32),
    CONSTRAINT sessions_scope_known CHECK (scope IN ('full', 'operator')),
    CONSTRAINT sessions_role_known CHECK (role IN ('owner', 'manager', 'operator'))
);
CREATE INDEX sessions_user_idx ON sessions (company_id, user_id, scope, created_at);

COMMENT ON TABLE sessions IS 'Who is signed in. Lifetimes are by the clock of the database.';
COMMENT ON COLUMN sessions.company_id IS 'The company.';
COMMENT ON COLUMN sessions.id IS 'The session, under whatever token.';
COMMENT ON COLUMN sessions.sid IS 'SHA-256 of the token; the token itself is nowhere.';
COMMENT ON COLUMN sessions.sess IS 'How it came to be: {"via": "email" | "business_name" | ...}.';
COMMENT ON COLUMN sessions.expire IS 'When it ends unless it is used before.';
COMMENT ON COLUMN sessions.user_id IS 'The person.';
COMMENT ON COLUMN sessions.role IS 'The role at sign-in; under another role the session is dead.';
COMMENT ON COLUMN sessions.scope IS 'full or operator.';
COMMENT ON COLUMN sessions.auth_time IS 'When the password was last given.';
COMMENT ON COLUMN sessions.last_seen IS 'Last use, noted at most once a minute.';
COMMENT ON COLUMN sessions.idle IS 'How long it may stay unused; absent: until absolute_expires.';
COMMENT ON COLUMN sessions.absolute_expires IS 'When it ends whatever happens.';
COMMENT ON COLUMN sessions.remember IS 'Kept for 30 days.';
COMMENT ON COLUMN sessions.ip_prefix IS 'Address prefix at sign-in.';
COMMENT ON COLUMN sessions.created_at IS 'When it began.';
COMMENT ON COLUMN sessions.revoked_at IS 'When it was ended; absent: not ended.';

CREATE TABLE audit_events (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    event text NOT NULL,
    outcome text NOT NULL,
    actor_id uuid,
    scope text NOT NULL DEFAULT '',
    address_prefix text NOT NULL DEFAULT '',
    request_id uuid NOT NULL,
    target_id uuid,
    detail text NOT NULL DEFAULT '',
    CONSTRAINT audit_events_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX audit_events_at_idx ON audit_events (company_id, at);

COMMENT ON TABLE audit_events IS 'What happened to accounts; append-only, so without foreign keys.';
COMMENT ON COLUMN audit_events.company_id IS 'The company; all zero where no company is known.';
COMMENT ON COLUMN audit_events.id IS 'The event.';
COMMENT ON COLUMN audit_events.at IS 'When it happened.';
COMMENT ON COLUMN audit_events.event IS 'A stable word, e.g. sign_in.';
COMMENT ON COLUMN audit_events.outcome IS 'success or failed.';
COMMENT ON COLUMN audit_events.actor_id IS 'The person who did it, where known.';
COMMENT ON COLUMN audit_events.scope IS 'Scope of the session it was done in.';
COMMENT ON COLUMN audit_events.address_prefix IS 'Where it came from, never the whole address.';
COMMENT ON COLUMN audit_events.request_id IS 'The request, as in the logs.';
COMMENT ON COLUMN audit_events.target_id IS 'What it was done to.';
COMMENT ON COLUMN audit_events.detail IS 'A stable word more, never a secret or an identifier.';

ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sessions
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON sessions TO tenant_lookup USING (true) WITH CHECK (true);

ALTER TABLE audit_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_events
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON audit_events FOR INSERT TO tenant_lookup WITH CHECK (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO hourmeter_accounts;
GRANT SELECT, INSERT ON audit_events TO hourmeter_accounts;

GRANT SELECT (
    company_id, id, sid, expire, user_id, role, scope, auth_time, last_seen, idle,
    absolute_expires, remember, revoked_at
) ON sessions TO tenant_lookup;
GRANT UPDATE (expire, last_seen, revoked_at) ON sessions TO tenant_lookup;
GRANT INSERT ON audit_events TO tenant_lookup;

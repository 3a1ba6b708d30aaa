-- What people are told about the security of their accounts, and the browsers that they sign in with.

CREATE TABLE security_events (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    kind text NOT NULL,
    browser text NOT NULL,
    former_email text,
    happened_at timestamptz NOT NULL,
    next_try_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id) ON DELETE CASCADE
);

COMMENT ON TABLE security_events IS 'Outbox: security events that the notifications service has not confirmed.';
COMMENT ON COLUMN security_events.company_id IS 'The company.';
COMMENT ON COLUMN security_events.id IS 'The event.';
COMMENT ON COLUMN security_events.user_id IS 'Whose account.';
COMMENT ON COLUMN security_events.kind IS 'What happened, by its name in the contract.';
COMMENT ON COLUMN security_events.browser IS 'Browser and system of the one who did it; empty: unknown.';
COMMENT ON COLUMN security_events.former_email IS 'The verified address before a change; null: none.';
COMMENT ON COLUMN security_events.happened_at IS 'When.';
COMMENT ON COLUMN security_events.next_try_at IS 'Not to be sent before.';

CREATE INDEX security_events_due ON security_events (next_try_at, company_id);
CREATE INDEX security_events_by_user ON security_events (company_id, user_id);

ALTER TABLE security_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE security_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON security_events
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON security_events FOR SELECT TO tenant_lookup USING (true);

GRANT SELECT, INSERT, DELETE ON security_events TO hourmeter_accounts;
GRANT UPDATE (next_try_at) ON security_events TO hourmeter_accounts;
GRANT SELECT (company_id, next_try_at) ON security_events TO tenant_lookup;

-- Which companies have events to send. Locks nothing: the sender claims within the company.
CREATE FUNCTION due_facts(at_most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT e.company_id
    FROM public.security_events e
    WHERE e.next_try_at <= now()
    GROUP BY e.company_id
    ORDER BY min(e.next_try_at)
    LIMIT at_most
$$;
REVOKE ALL ON FUNCTION due_facts(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_facts(integer) TO hourmeter_accounts;
ALTER FUNCTION due_facts(integer) OWNER TO tenant_lookup;

CREATE TABLE browsers (
    company_id uuid NOT NULL,
    user_id uuid NOT NULL,
    browser text NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, user_id, browser),
    FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id) ON DELETE CASCADE
);

COMMENT ON TABLE browsers IS 'Browsers from which owners and managers signed in.';
COMMENT ON COLUMN browsers.company_id IS 'The company.';
COMMENT ON COLUMN browsers.user_id IS 'The person.';
COMMENT ON COLUMN browsers.browser IS 'Browser and system, such as "Chrome, Windows"; empty: unknown.';
COMMENT ON COLUMN browsers.last_at IS 'The last sign-in; it counts as new 90 days later.';

ALTER TABLE browsers ENABLE ROW LEVEL SECURITY;
ALTER TABLE browsers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON browsers
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT ON browsers TO hourmeter_accounts;
GRANT UPDATE (last_at) ON browsers TO hourmeter_accounts;

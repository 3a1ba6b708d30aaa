-- Browsers that show notifications, and what is pushed to them.

CREATE TABLE push_subscriptions (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    session_id uuid NOT NULL,
    is_manager boolean NOT NULL,
    endpoint text NOT NULL CHECK (char_length(endpoint) BETWEEN 1 AND 2000),
    p256dh bytea NOT NULL CHECK (octet_length(p256dh) = 65),
    auth bytea NOT NULL CHECK (octet_length(auth) = 16),
    language text NOT NULL CHECK (language IN ('en', 'es')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    CONSTRAINT push_subscriptions_endpoint UNIQUE (company_id, endpoint)
);

COMMENT ON TABLE push_subscriptions IS 'Browsers that show notifications of a person.';
COMMENT ON COLUMN push_subscriptions.company_id IS 'The company.';
COMMENT ON COLUMN push_subscriptions.id IS 'The subscription.';
COMMENT ON COLUMN push_subscriptions.person_id IS 'The person.';
COMMENT ON COLUMN push_subscriptions.session_id IS 'The session that added it; it ends with it.';
COMMENT ON COLUMN push_subscriptions.is_manager IS 'Whether the session has the rights of owner or manager.';
COMMENT ON COLUMN push_subscriptions.endpoint IS 'The push service''s address for the browser.';
COMMENT ON COLUMN push_subscriptions.p256dh IS 'The browser''s key, an uncompressed P-256 point.';
COMMENT ON COLUMN push_subscriptions.auth IS 'The browser''s secret.';
COMMENT ON COLUMN push_subscriptions.language IS 'Language of the texts.';
COMMENT ON COLUMN push_subscriptions.created_at IS 'When it was added last.';

CREATE INDEX push_subscriptions_by_person ON push_subscriptions (company_id, person_id, created_at);

ALTER TABLE push_subscriptions ENABLE ROW LEVEL SECURITY;
ALTER TABLE push_subscriptions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON push_subscriptions
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE, DELETE ON push_subscriptions TO hourmeter_notifications;

ALTER TABLE messages
    ADD COLUMN subscription_id uuid,
    ADD COLUMN notification_number bigint,
    DROP CONSTRAINT messages_kind_check,
    ADD CONSTRAINT messages_kind_check CHECK (
        kind IN ('address_verification', 'password_recovery', 'digest', 'requested_digest', 'push', 'test_push')
    ) NOT VALID;
COMMENT ON TABLE messages IS 'Mail and pushes to people. The address is read when a mail is sent.';
COMMENT ON COLUMN messages.kind IS 'address_verification: a link that verifies the address; password_recovery: one that sets a new password; digest: the digest of a morning; requested_digest: one that a person asked for; push: a notification; test_push: a test that a person asked for.';
COMMENT ON COLUMN messages.subscription_id IS 'The browser of a push.';
COMMENT ON COLUMN messages.notification_number IS 'The notification of a push.';
GRANT SELECT (kind) ON messages TO tenant_lookup;

-- Which companies have messages of these kinds to send. Locks nothing: the sender claims within the company.
CREATE FUNCTION due_messages_of(p_kinds text[], p_at_most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT m.company_id
    FROM public.messages m
    WHERE m.state = 'queued' AND m.next_try_at <= now() AND m.kind = ANY (p_kinds)
    GROUP BY m.company_id
    ORDER BY min(m.next_try_at)
    LIMIT p_at_most
$$;
REVOKE ALL ON FUNCTION due_messages_of(text[], integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_messages_of(text[], integer) TO hourmeter_notifications;
ALTER FUNCTION due_messages_of(text[], integer) OWNER TO tenant_lookup;

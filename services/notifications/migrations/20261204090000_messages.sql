-- Mail to people: an outbox, and for 90 days what was sent.

CREATE TABLE messages (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('address_verification')),
    state text NOT NULL CHECK (state IN ('queued', 'sent', 'suppressed', 'failed')),
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_try_at timestamptz NOT NULL,
    problem text NOT NULL DEFAULT '' CHECK (char_length(problem) <= 500),
    created_at timestamptz NOT NULL,
    done_at timestamptz,
    PRIMARY KEY (company_id, id),
    CHECK ((state = 'queued') = (done_at IS NULL))
);

COMMENT ON TABLE messages IS 'Mail to people. The address is read when it is sent.';
COMMENT ON COLUMN messages.company_id IS 'The company.';
COMMENT ON COLUMN messages.id IS 'The message; also in its Message-ID, so that a repeated one is recognized.';
COMMENT ON COLUMN messages.person_id IS 'The recipient.';
COMMENT ON COLUMN messages.kind IS 'address_verification: a link that verifies the address.';
COMMENT ON COLUMN messages.state IS 'queued; sent: accepted by the relay; suppressed: not to be sent any more; failed: refused, or not accepted in time.';
COMMENT ON COLUMN messages.attempts IS 'How often it was tried.';
COMMENT ON COLUMN messages.next_try_at IS 'Not to be sent before.';
COMMENT ON COLUMN messages.problem IS 'The last failure; empty: none.';
COMMENT ON COLUMN messages.created_at IS 'When it was queued.';
COMMENT ON COLUMN messages.done_at IS 'When it left the queue.';

CREATE INDEX messages_due ON messages (next_try_at, company_id) WHERE state = 'queued';
CREATE INDEX messages_by_person ON messages (company_id, person_id, created_at);
CREATE INDEX messages_done ON messages (done_at) WHERE done_at IS NOT NULL;

ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON messages
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON messages FOR SELECT TO tenant_lookup USING (true);

GRANT SELECT, INSERT, UPDATE ON messages TO hourmeter_notifications;
GRANT SELECT (company_id, state, next_try_at) ON messages TO tenant_lookup;

-- Which companies have messages to send. Locks nothing: the sender claims within the company.
CREATE FUNCTION due_messages(at_most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT m.company_id
    FROM public.messages m
    WHERE m.state = 'queued' AND m.next_try_at <= now()
    GROUP BY m.company_id
    ORDER BY min(m.next_try_at)
    LIMIT at_most
$$;
REVOKE ALL ON FUNCTION due_messages(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_messages(integer) TO hourmeter_notifications;
ALTER FUNCTION due_messages(integer) OWNER TO tenant_lookup;

-- Messages stay for 90 days after they left the queue. Younger ones can't be deleted.
CREATE POLICY forget ON messages FOR DELETE TO tenant_lookup
    USING (done_at < now() - interval '90 days');
GRANT SELECT (id, done_at), DELETE ON messages TO tenant_lookup;

CREATE FUNCTION forget_messages(p_at_most bigint)
RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    WITH old AS (
        SELECT company_id, id
        FROM public.messages
        WHERE done_at < now() - interval '90 days'
        ORDER BY done_at
        LIMIT p_at_most
    ), gone AS (
        DELETE FROM public.messages m
        USING old
        WHERE m.company_id = old.company_id AND m.id = old.id
        RETURNING 1
    )
    SELECT count(*) FROM gone
$$;
REVOKE ALL ON FUNCTION forget_messages(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_messages(bigint) TO hourmeter_notifications;
ALTER FUNCTION forget_messages(bigint) OWNER TO tenant_lookup;

-- The digest: when people get it, and mail of it.

CREATE TABLE digests (
    company_id uuid NOT NULL,
    person_id uuid NOT NULL,
    minute integer NOT NULL CHECK (minute BETWEEN 0 AND 1439),
    weekdays integer[] NOT NULL CHECK (weekdays <@ ARRAY[1, 2, 3, 4, 5, 6, 7]),
    next_at timestamptz,
    last_day date,
    unsubscribe_key uuid NOT NULL DEFAULT gen_random_uuid(),
    PRIMARY KEY (company_id, person_id)
);

COMMENT ON TABLE digests IS 'When people get the digest.';
COMMENT ON COLUMN digests.company_id IS 'The company.';
COMMENT ON COLUMN digests.person_id IS 'The person.';
COMMENT ON COLUMN digests.minute IS 'Minute of the day, in the company''s time zone.';
COMMENT ON COLUMN digests.weekdays IS 'Monday is 1; empty: never.';
COMMENT ON COLUMN digests.next_at IS 'When it is decided again whether it is due; null: never.';
COMMENT ON COLUMN digests.last_day IS 'The day of the last one, so that there is at most one a day.';
COMMENT ON COLUMN digests.unsubscribe_key IS 'The secret of the link that ends it.';

CREATE INDEX digests_next ON digests (next_at, company_id) WHERE next_at IS NOT NULL;
CREATE INDEX digests_unsubscribe ON digests (unsubscribe_key);

ALTER TABLE digests ENABLE ROW LEVEL SECURITY;
ALTER TABLE digests FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON digests
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON digests FOR SELECT TO tenant_lookup USING (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON digests TO hourmeter_notifications;
GRANT SELECT (company_id, person_id, next_at, unsubscribe_key) ON digests TO tenant_lookup;

-- Which companies have a digest to decide on. Locks nothing: the scheduler compares within the company.
CREATE FUNCTION due_digests(p_now timestamptz, p_at_most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT d.company_id
    FROM public.digests d
    WHERE d.next_at <= p_now
    GROUP BY d.company_id
    ORDER BY min(d.next_at)
    LIMIT p_at_most
$$;
REVOKE ALL ON FUNCTION due_digests(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_digests(timestamptz, integer) TO hourmeter_notifications;
ALTER FUNCTION due_digests(timestamptz, integer) OWNER TO tenant_lookup;

-- The person of a link that ends the digest, of any company.
CREATE FUNCTION find_unsubscribe(p_key uuid)
RETURNS TABLE (company_id uuid, person_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT d.company_id, d.person_id
    FROM public.digests d
    WHERE d.unsubscribe_key = p_key
$$;
REVOKE ALL ON FUNCTION find_unsubscribe(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_unsubscribe(uuid) TO hourmeter_notifications;
ALTER FUNCTION find_unsubscribe(uuid) OWNER TO tenant_lookup;

ALTER TABLE messages
    DROP CONSTRAINT messages_kind_check,
    ADD CONSTRAINT messages_kind_check
        CHECK (kind IN ('address_verification', 'password_recovery', 'digest', 'requested_digest')) NOT VALID;
COMMENT ON COLUMN messages.kind IS 'address_verification: a link that verifies the address; password_recovery: one that sets a new password; digest: the digest of a morning; requested_digest: one that a person asked for.';
COMMENT ON COLUMN messages.state IS 'queued; sent: accepted by the relay; suppressed: not to be sent any more, or nothing to say; failed: refused, or not accepted in time; late: dropped, because it is of no use any more.';

-- What happened that reading on does not tell; append-only, so without foreign keys.
CREATE TABLE audit_events (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    event text NOT NULL,
    outcome text NOT NULL,
    actor_id uuid,
    actor_name text NOT NULL DEFAULT '',
    scope text NOT NULL DEFAULT '',
    address_prefix text NOT NULL DEFAULT '',
    request_id uuid NOT NULL,
    target_id uuid,
    target_name text NOT NULL DEFAULT '',
    detail text NOT NULL DEFAULT '',
    CONSTRAINT audit_events_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX audit_events_newest_idx ON audit_events (company_id, at DESC, id DESC);

COMMENT ON TABLE audit_events IS 'What happened that reading on does not tell; append-only.';
COMMENT ON COLUMN audit_events.company_id IS 'The company.';
COMMENT ON COLUMN audit_events.id IS 'The event.';
COMMENT ON COLUMN audit_events.at IS 'When it happened.';
COMMENT ON COLUMN audit_events.event IS 'A stable word, e.g. fuel_reset.';
COMMENT ON COLUMN audit_events.outcome IS 'success, failed or limited.';
COMMENT ON COLUMN audit_events.actor_id IS 'The person who did it, where known.';
COMMENT ON COLUMN audit_events.actor_name IS 'Name of that person at that time.';
COMMENT ON COLUMN audit_events.scope IS 'Scope of the session it was done in.';
COMMENT ON COLUMN audit_events.address_prefix IS 'Where it came from, never the whole address.';
COMMENT ON COLUMN audit_events.request_id IS 'The request, as in the logs.';
COMMENT ON COLUMN audit_events.target_id IS 'What it was done to.';
COMMENT ON COLUMN audit_events.target_name IS 'Name of the target at that time.';
COMMENT ON COLUMN audit_events.detail IS 'A stable word more, or the reason support staff gave; never a secret.';

ALTER TABLE audit_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_events
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT ON audit_events TO hourmeter_equipment;

-- Forgets lines older than 400 days; nobody can take away a younger one.
CREATE POLICY forget ON audit_events FOR DELETE TO tenant_lookup
    USING (at < now() - interval '400 days');
CREATE POLICY forget_which ON audit_events FOR SELECT TO tenant_lookup
    USING (at < now() - interval '400 days');
GRANT SELECT (company_id, id, at), DELETE ON audit_events TO tenant_lookup;
CREATE INDEX audit_events_age_idx ON audit_events (at);

CREATE FUNCTION forget_audit_events(p_at_most bigint)
RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    WITH old AS (
        SELECT company_id, id
        FROM public.audit_events
        WHERE at < now() - interval '400 days'
        ORDER BY at
        LIMIT p_at_most
    ), gone AS (
        DELETE FROM public.audit_events e
        USING old
        WHERE e.company_id = old.company_id AND e.id = old.id
        RETURNING 1
    )
    SELECT count(*) FROM gone
$$;
REVOKE ALL ON FUNCTION forget_audit_events(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_audit_events(bigint) TO hourmeter_equipment;
ALTER FUNCTION forget_audit_events(bigint) OWNER TO tenant_lookup;

-- The audit log as its readers need it: with the names of the time, and newest first.

ALTER TABLE audit_events
    ADD COLUMN actor_name text NOT NULL DEFAULT '',
    ADD COLUMN target_name text NOT NULL DEFAULT '';

COMMENT ON COLUMN audit_events.actor_name IS 'Name of that person at that time.';
COMMENT ON COLUMN audit_events.target_name IS 'Name of the target at that time.';
COMMENT ON COLUMN audit_events.outcome IS 'success, failed or limited.';
COMMENT ON COLUMN audit_events.detail IS 'A stable word more, or the reason support staff gave; never a secret.';

DROP INDEX audit_events_at_idx;
CREATE INDEX audit_events_newest_idx ON audit_events (company_id, at DESC, id DESC);

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
GRANT EXECUTE ON FUNCTION forget_audit_events(bigint) TO hourmeter_accounts;
ALTER FUNCTION forget_audit_events(bigint) OWNER TO tenant_lookup;

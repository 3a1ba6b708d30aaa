-- Events of the provider stay for 90 days: it repeats one for three days at most, and what is older
-- than minutes is refused by its signature. Nobody can take away a younger one.

CREATE POLICY forget ON stripe_events FOR DELETE TO tenant_lookup
    USING (received_at < now() - interval '90 days');
CREATE POLICY forget_which ON stripe_events FOR SELECT TO tenant_lookup
    USING (received_at < now() - interval '90 days');
GRANT SELECT (company_id, id, received_at), DELETE ON stripe_events TO tenant_lookup;

CREATE FUNCTION forget_stripe_events(p_at_most bigint)
RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    WITH old AS (
        SELECT company_id, id
        FROM public.stripe_events
        WHERE received_at < now() - interval '90 days'
        ORDER BY received_at
        LIMIT p_at_most
    ), gone AS (
        DELETE FROM public.stripe_events e
        USING old
        WHERE e.company_id = old.company_id AND e.id = old.id
        RETURNING 1
    )
    SELECT count(*) FROM gone
$$;
REVOKE ALL ON FUNCTION forget_stripe_events(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_stripe_events(bigint) TO hourmeter_billing;
ALTER FUNCTION forget_stripe_events(bigint) OWNER TO tenant_lookup;

-- How much waits to be applied, of all companies: for the metrics, which name no company.

GRANT SELECT (decided_at) ON decisions TO tenant_lookup;

-- Rows are deleted as they are applied, so the table is as large as what waits.
CREATE FUNCTION outbox_state()
RETURNS TABLE (waiting bigint, oldest_seconds double precision, parked bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT
        count(*) FILTER (WHERE d.parked_at IS NULL),
        coalesce(
            extract(epoch FROM now() - min(d.decided_at) FILTER (WHERE d.parked_at IS NULL)),
            0
        )::double precision,
        count(*) FILTER (WHERE d.parked_at IS NOT NULL)
    FROM public.decisions d
$$;
REVOKE ALL ON FUNCTION outbox_state() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION outbox_state() TO hourmeter_operator_updates;
-- Last: from here on the owner of the tables may not touch it.
ALTER FUNCTION outbox_state() OWNER TO tenant_lookup;

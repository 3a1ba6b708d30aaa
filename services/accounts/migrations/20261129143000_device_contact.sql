-- A phone reports its contact without naming a person.

GRANT SELECT (enrolled_at) ON devices TO tenant_lookup;

-- The companies and keys of a phone. The phone chooses its id, so that several companies may have the same one;
-- the first ones count.
CREATE FUNCTION find_device_keys(p_device_id uuid)
RETURNS TABLE (company_id uuid, public_key bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT d.company_id, d.public_key
    FROM public.devices d
    WHERE d.id = p_device_id
    ORDER BY d.enrolled_at
    LIMIT 8
$$;
REVOKE ALL ON FUNCTION find_device_keys(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_device_keys(uuid) TO hourmeter_accounts;
ALTER FUNCTION find_device_keys(uuid) OWNER TO tenant_lookup;

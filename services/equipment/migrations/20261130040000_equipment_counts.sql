-- How many pieces of active equipment these companies have, for support staff.

GRANT SELECT (retired_at) ON equipment TO tenant_lookup;

CREATE FUNCTION count_equipment(p_company_ids uuid[])
RETURNS TABLE (company_id uuid, active bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT e.company_id, count(*)
    FROM public.equipment e
    WHERE e.company_id = ANY (p_company_ids) AND e.retired_at IS NULL
    GROUP BY e.company_id
$$;
REVOKE ALL ON FUNCTION count_equipment(uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_equipment(uuid[]) TO hourmeter_equipment;
ALTER FUNCTION count_equipment(uuid[]) OWNER TO tenant_lookup;

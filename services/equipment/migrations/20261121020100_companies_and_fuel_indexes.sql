-- Which companies there are, for the maintenance that goes through all of them, and the indexes of
-- the fuel figures.

CREATE POLICY lookup ON equipment FOR SELECT TO tenant_lookup USING (true);
GRANT SELECT (company_id) ON equipment TO tenant_lookup;

CREATE FUNCTION companies_with_equipment(after uuid, most bigint)
RETURNS TABLE (company_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT DISTINCT e.company_id
    FROM public.equipment e
    WHERE e.company_id > after
    ORDER BY e.company_id
    LIMIT most
$$;
REVOKE ALL ON FUNCTION companies_with_equipment(uuid, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION companies_with_equipment(uuid, bigint) TO hourmeter_equipment;
-- Last: from here on the owner of the tables may not touch it.
ALTER FUNCTION companies_with_equipment(uuid, bigint) OWNER TO tenant_lookup;

CREATE INDEX ledger_by_capture ON ledger (company_id, captured_at);
CREATE INDEX ledger_by_fuel_period ON ledger (company_id, fuel_period, captured_at);

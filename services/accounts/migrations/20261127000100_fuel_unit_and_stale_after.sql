ALTER TABLE companies ADD COLUMN fuel_unit text NOT NULL DEFAULT 'gallons';
ALTER TABLE companies ADD COLUMN stale_after_days integer NOT NULL DEFAULT 14;
ALTER TABLE companies ADD CONSTRAINT companies_fuel_unit_check
    CHECK (fuel_unit IN ('gallons', 'litres')) NOT VALID;
ALTER TABLE companies ADD CONSTRAINT companies_stale_after_days_check
    CHECK (stale_after_days BETWEEN 0 AND 365) NOT VALID;
COMMENT ON COLUMN companies.fuel_unit IS 'Unit of fuel amounts; a label, amounts are not converted.';
COMMENT ON COLUMN companies.stale_after_days IS
    'Days without a reading after which a meter is stale; 0: never.';

GRANT SELECT (stale_after_days) ON companies TO tenant_lookup;

-- Read with every session: plpgsql keeps the plan.
CREATE FUNCTION company_stale_after_days(p_company_id uuid)
RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
    RETURN (
        SELECT c.stale_after_days
        FROM public.companies c
        WHERE c.company_id = p_company_id
    );
END
$$;
REVOKE ALL ON FUNCTION company_stale_after_days(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION company_stale_after_days(uuid) TO hourmeter_accounts;
ALTER FUNCTION company_stale_after_days(uuid) OWNER TO tenant_lookup;

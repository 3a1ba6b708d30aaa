-- The owner can request the deletion of the company, and cancel it until it is due.

ALTER TABLE companies ADD COLUMN deletion_due_at timestamptz;
COMMENT ON COLUMN companies.deletion_due_at IS
    'When the company will be deleted, as its owner requested; null: not requested.';

GRANT SELECT (company_id, name, deletion_due_at) ON companies TO tenant_lookup;

CREATE FUNCTION companies_due_for_deletion(p_at timestamptz)
RETURNS TABLE (company_id uuid, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT c.company_id, c.name
    FROM public.companies c
    WHERE c.deletion_due_at <= p_at
    ORDER BY c.deletion_due_at
$$;
REVOKE ALL ON FUNCTION companies_due_for_deletion(timestamptz) FROM PUBLIC;
-- For the command that deletes companies, which connects as the tables' owner.
GRANT EXECUTE ON FUNCTION companies_due_for_deletion(timestamptz) TO CURRENT_USER;
ALTER FUNCTION companies_due_for_deletion(timestamptz) OWNER TO tenant_lookup;

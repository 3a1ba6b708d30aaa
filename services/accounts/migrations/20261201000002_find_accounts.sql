-- Support staff read companies by id, without a search through the list.

CREATE FUNCTION find_accounts(p_ids uuid[])
RETURNS TABLE (
    id uuid,
    business_name text,
    email text,
    operator_password_set boolean,
    created_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT c.company_id, c.name,
           (SELECT u.email FROM public.users u
            WHERE u.company_id = c.company_id AND u.id = c.owner_id),
           c.operator_password_hash IS NOT NULL, c.created_at
    FROM public.companies c
    WHERE c.company_id = ANY (p_ids)
$$;
REVOKE ALL ON FUNCTION find_accounts(uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_accounts(uuid[]) TO hourmeter_accounts;
ALTER FUNCTION find_accounts(uuid[]) OWNER TO tenant_lookup;

-- The application already refused other values.
ALTER TABLE users
    ADD CONSTRAINT users_language_known CHECK (language IN ('en', 'es')) NOT VALID;

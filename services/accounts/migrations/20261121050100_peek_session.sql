-- Whether a session still runs and whose it is, for those who only watch: an open page is no use of
-- it. Changes nothing, whatever the token: hands out and takes up no other one, and does not tell of
-- one that was given up. Finds exactly the tokens that resolve_session, which stays for all other
-- calls, would find.
CREATE FUNCTION peek_session(p_sid bytea)
RETURNS TABLE (
    session_id uuid,
    company_id uuid,
    user_id uuid,
    role text,
    scope text,
    auth_time timestamptz,
    first_name text,
    last_name text,
    company_name text,
    time_zone text,
    auto_apply_updates boolean,
    company_created_at timestamptz,
    owner_id uuid
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = ''
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT s.id, s.company_id, s.user_id, u.role, s.scope, s.auth_time,
           u.first_name, u.last_name, c.name, c.time_zone, c.auto_apply_updates,
           c.created_at, c.owner_id
    FROM (
        SELECT company_id, id FROM public.sessions WHERE sid = p_sid
        UNION
        SELECT company_id, id FROM public.sessions WHERE next_sid = p_sid
        UNION
        SELECT company_id, session_id
        FROM public.retired_tokens
        WHERE sid = p_sid AND valid_until > now()
    ) found
    JOIN public.sessions s ON s.company_id = found.company_id AND s.id = found.id
    JOIN public.users u ON u.company_id = s.company_id AND u.id = s.user_id
    JOIN public.companies c ON c.company_id = s.company_id
    WHERE s.revoked_at IS NULL AND s.expire > now()
      AND s.absolute_expires > now() AND s.role = u.role;
END
$$;
REVOKE ALL ON FUNCTION peek_session(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION peek_session(bytea) TO hourmeter_accounts;
ALTER FUNCTION peek_session(bytea) OWNER TO tenant_lookup;

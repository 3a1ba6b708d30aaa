-- Work before or across companies. Each function answers fixed columns, runs as the lookup role
-- and is granted to this service alone.

-- Who signs in by e-mail, or by business name (then it is the owner).
CREATE FUNCTION find_sign_in(p_email text, p_business_name text)
RETURNS TABLE (
    company_id uuid,
    user_id uuid,
    role text,
    by_email boolean,
    password_hash text,
    password_pepper_id text,
    password_set_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT found.company_id, found.id, found.role, found.by_email,
           found.password_hash, found.password_pepper_id, found.password_set_at
    FROM (
        SELECT u.company_id, u.id, u.role, true AS by_email,
               u.password_hash, u.password_pepper_id, u.password_set_at
        FROM public.users u
        WHERE u.email = p_email AND u.role IN ('owner', 'manager')
        UNION ALL
        SELECT u.company_id, u.id, u.role, false,
               u.password_hash, u.password_pepper_id, u.password_set_at
        FROM public.companies c
        JOIN public.users u ON u.company_id = c.company_id AND u.id = c.owner_id
        WHERE c.name = p_business_name
    ) found
    ORDER BY found.by_email DESC
    LIMIT 1
$$;
REVOKE ALL ON FUNCTION find_sign_in(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_sign_in(text, text) TO hourmeter_accounts;
ALTER FUNCTION find_sign_in(text, text) OWNER TO tenant_lookup;

-- Who signs in at the operator login: an operator by username, else an owner by business name.
CREATE FUNCTION find_operator_sign_in(p_name text)
RETURNS TABLE (
    company_id uuid,
    user_id uuid,
    role text,
    password_hash text,
    password_pepper_id text,
    password_set_at timestamptz,
    shared_hash text,
    shared_pepper_id text,
    shared_set_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT found.company_id, found.id, found.role,
           found.password_hash, found.password_pepper_id, found.password_set_at,
           found.operator_password_hash, found.operator_password_pepper_id,
           found.operator_password_set_at
    FROM (
        SELECT 1 AS place, u.company_id, u.id, u.role,
               u.password_hash, u.password_pepper_id, u.password_set_at,
               c.operator_password_hash, c.operator_password_pepper_id, c.operator_password_set_at
        FROM public.users u
        JOIN public.companies c ON c.company_id = u.company_id
        WHERE u.operator_username = p_name AND u.role = 'operator'
        UNION ALL
        SELECT 2, u.company_id, u.id, u.role,
               u.password_hash, u.password_pepper_id, u.password_set_at,
               c.operator_password_hash, c.operator_password_pepper_id, c.operator_password_set_at
        FROM public.companies c
        JOIN public.users u ON u.company_id = c.company_id AND u.id = c.owner_id
        WHERE c.name = p_name
    ) found
    ORDER BY found.place
    LIMIT 1
$$;
REVOKE ALL ON FUNCTION find_operator_sign_in(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_operator_sign_in(text) TO hourmeter_accounts;
ALTER FUNCTION find_operator_sign_in(text) OWNER TO tenant_lookup;

-- Who a running session belongs to; notes its use at most once a minute. Every call of the product
-- comes here: plpgsql keeps the plan, which a function in SQL makes anew each time.
CREATE FUNCTION resolve_session(p_sid bytea)
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
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH live AS (
        SELECT s.id, s.company_id, s.user_id, u.role, s.scope, s.auth_time, s.last_seen,
               u.first_name, u.last_name, c.name, c.time_zone, c.auto_apply_updates,
               c.created_at, c.owner_id
        FROM public.sessions s
        JOIN public.users u ON u.company_id = s.company_id AND u.id = s.user_id
        JOIN public.companies c ON c.company_id = s.company_id
        WHERE s.sid = p_sid AND s.revoked_at IS NULL AND s.expire > now()
          AND s.absolute_expires > now() AND s.role = u.role
    ), touched AS (
        UPDATE public.sessions s
        SET last_seen = now(),
            expire = CASE
                WHEN s.idle IS NULL THEN s.absolute_expires
                ELSE least(s.absolute_expires, now() + s.idle)
            END
        FROM live
        WHERE s.company_id = live.company_id AND s.id = live.id AND s.revoked_at IS NULL
          AND s.last_seen < now() - interval '1 minute'
    )
    SELECT live.id, live.company_id, live.user_id, live.role, live.scope, live.auth_time,
           live.first_name, live.last_name, live.name, live.time_zone, live.auto_apply_updates,
           live.created_at, live.owner_id
    FROM live;
END
$$;
REVOKE ALL ON FUNCTION resolve_session(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION resolve_session(bytea) TO hourmeter_accounts;
ALTER FUNCTION resolve_session(bytea) OWNER TO tenant_lookup;

-- A running session with its person's password, to confirm it.
CREATE FUNCTION find_reauthentication(p_sid bytea)
RETURNS TABLE (
    session_id uuid,
    company_id uuid,
    user_id uuid,
    role text,
    scope text,
    remember boolean,
    password_hash text,
    password_pepper_id text,
    password_set_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT s.id, s.company_id, s.user_id, u.role, s.scope, s.remember,
           u.password_hash, u.password_pepper_id, u.password_set_at
    FROM public.sessions s
    JOIN public.users u ON u.company_id = s.company_id AND u.id = s.user_id
    WHERE s.sid = p_sid AND s.revoked_at IS NULL AND s.expire > now()
      AND s.absolute_expires > now() AND s.role = u.role
$$;
REVOKE ALL ON FUNCTION find_reauthentication(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_reauthentication(bytea) TO hourmeter_accounts;
ALTER FUNCTION find_reauthentication(bytea) OWNER TO tenant_lookup;

-- Ends a session by its token, whosever it is, and notes it; nothing when there is none.
CREATE FUNCTION end_session(
    p_sid bytea, p_event_id uuid, p_event text, p_request_id uuid, p_address_prefix text
)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    WITH ended AS (
        UPDATE public.sessions
        SET revoked_at = now()
        WHERE sid = p_sid AND revoked_at IS NULL
        RETURNING company_id, id, user_id, scope
    )
    INSERT INTO public.audit_events (
        company_id, id, event, outcome, actor_id, scope, address_prefix, request_id, target_id
    )
    SELECT company_id, p_event_id, p_event, 'success', user_id, scope, p_address_prefix,
           p_request_id, id
    FROM ended
$$;
REVOKE ALL ON FUNCTION end_session(bytea, uuid, text, uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_session(bytea, uuid, text, uuid, text) TO hourmeter_accounts;
ALTER FUNCTION end_session(bytea, uuid, text, uuid, text) OWNER TO tenant_lookup;

-- How many usernames a stem has had, up to a bound.
CREATE FUNCTION count_operator_usernames(p_stem text, p_bound bigint)
RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT count(*)
    FROM (SELECT FROM public.operator_usernames WHERE stem = p_stem LIMIT p_bound) holders
$$;
REVOKE ALL ON FUNCTION count_operator_usernames(text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_operator_usernames(text, bigint) TO hourmeter_accounts;
ALTER FUNCTION count_operator_usernames(text, bigint) OWNER TO tenant_lookup;

-- Takes a username for good; false when it was ever taken, or is a business name, which the
-- operator login would then no longer reach.
CREATE FUNCTION take_operator_username(p_username text, p_stem text)
RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
    IF EXISTS (SELECT FROM public.companies WHERE name = p_username) THEN
        RETURN false;
    END IF;
    INSERT INTO public.operator_usernames (username, stem)
    VALUES (p_username, p_stem)
    ON CONFLICT DO NOTHING;
    RETURN FOUND;
END
$$;
REVOKE ALL ON FUNCTION take_operator_username(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_operator_username(text, text) TO hourmeter_accounts;
ALTER FUNCTION take_operator_username(text, text) OWNER TO tenant_lookup;

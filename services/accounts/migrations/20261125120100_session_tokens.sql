-- A token that was retired by mistake no longer breaks its session, and the reuse of one is noted with
-- the address and the request it came with.

CREATE POLICY prolong ON retired_tokens FOR UPDATE TO tenant_lookup USING (true) WITH CHECK (true);
GRANT UPDATE (valid_until) ON retired_tokens TO tenant_lookup;

-- Who a running session belongs to; notes its use at most once a minute, and prepares another
-- token for a remembered session whose token is older than a day (then new_token_seconds says how
-- long it may last). Every call of the product comes here, nearly always with the session's own
-- token, which is found at the first attempt.
CREATE FUNCTION use_session(
    p_sid bytea,
    p_new_sid bytea,
    p_event_id uuid,
    p_request_id uuid,
    p_address_prefix text
)
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
    owner_id uuid,
    new_token_seconds integer
)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
#variable_conflict use_column
DECLARE
    v_sid bytea := p_sid;
    v_found record;
BEGIN
    FOR v_attempt IN 1..2 LOOP
        RETURN QUERY
        WITH live AS (
            SELECT s.id, s.company_id, s.user_id, u.role, s.scope, s.auth_time,
                   u.first_name, u.last_name, c.name, c.time_zone, c.auto_apply_updates,
                   c.created_at, c.owner_id
            FROM public.sessions s
            JOIN public.users u ON u.company_id = s.company_id AND u.id = s.user_id
            JOIN public.companies c ON c.company_id = s.company_id
            WHERE s.sid = v_sid AND s.revoked_at IS NULL AND s.expire > now()
              AND s.absolute_expires > now() AND s.role = u.role
        ), superseded AS (
            -- A token that was prepared and not used for a minute: whoever comes with it later than
            -- in another minute kept it from the session's person, or the other way round.
            INSERT INTO public.retired_tokens (company_id, sid, session_id, valid_until)
            SELECT s.company_id, s.next_sid, s.id, now() + interval '1 minute'
            FROM live
            JOIN public.sessions s ON s.company_id = live.company_id AND s.id = live.id
            WHERE p_new_sid IS NOT NULL AND s.remember AND s.next_sid IS NOT NULL
              AND s.token_at < now() - interval '1 day'
              AND s.next_at < now() - interval '1 minute'
              -- The lock reads the row again: another request may take the token up at this moment.
              AND s.sid = v_sid
            FOR UPDATE OF s
            ON CONFLICT DO NOTHING
            RETURNING sid
        ), touched AS (
            -- Of requests at the same moment only the first finds no token prepared.
            UPDATE public.sessions s
            SET last_seen = now(),
                expire = CASE
                    WHEN s.idle IS NULL THEN s.absolute_expires
                    ELSE least(s.absolute_expires, now() + s.idle)
                END,
                next_sid = CASE
                    WHEN s.remember AND s.token_at < now() - interval '1 day'
                        AND (s.next_at IS NULL OR s.next_at < now() - interval '1 minute')
                    THEN coalesce(p_new_sid, s.next_sid)
                    ELSE s.next_sid
                END,
                next_at = CASE
                    WHEN p_new_sid IS NOT NULL AND s.remember
                        AND s.token_at < now() - interval '1 day'
                        AND (s.next_at IS NULL OR s.next_at < now() - interval '1 minute')
                    THEN now()
                    ELSE s.next_at
                END
            FROM live
            WHERE s.company_id = live.company_id AND s.id = live.id AND s.sid = v_sid
              AND s.revoked_at IS NULL
              -- After the lock: a row that this statement has changed can't be locked any more.
              AND (SELECT count(*) FROM superseded) >= 0
              AND (
                s.last_seen < now() - interval '1 minute'
                OR p_new_sid IS NOT NULL AND s.remember
                    AND s.token_at < now() - interval '1 day'
                    AND (s.next_at IS NULL OR s.next_at < now() - interval '1 minute')
              )
            RETURNING s.next_sid = p_new_sid AS is_prepared,
                      ceil(extract(epoch FROM s.absolute_expires - now()))::integer AS seconds_left
        )
        SELECT live.id, live.company_id, live.user_id, live.role, live.scope, live.auth_time,
               live.first_name, live.last_name, live.name, live.time_zone,
               live.auto_apply_updates, live.created_at, live.owner_id,
               CASE WHEN touched.is_prepared THEN touched.seconds_left END
        FROM live
        LEFT JOIN touched ON true;
        IF FOUND OR v_attempt = 2 THEN
            RETURN;
        END IF;

        -- The first use of a prepared token.
        SELECT s.company_id, s.id, s.sid INTO v_found
        FROM public.sessions s
        WHERE s.next_sid = p_sid AND s.revoked_at IS NULL AND s.expire > now()
          AND s.absolute_expires > now()
        FOR UPDATE;
        IF FOUND THEN
            INSERT INTO public.retired_tokens (company_id, sid, session_id, valid_until)
            VALUES (v_found.company_id, v_found.sid, v_found.id, now() + interval '1 minute')
            ON CONFLICT (sid) DO UPDATE SET valid_until = excluded.valid_until;
            UPDATE public.sessions s
            SET sid = p_sid, token_at = now(), next_sid = NULL, next_at = NULL
            WHERE s.company_id = v_found.company_id AND s.id = v_found.id;
            CONTINUE;
        END IF;

        SELECT t.company_id, t.session_id, s.sid, t.valid_until > now() AS is_valid INTO v_found
        FROM public.retired_tokens t
        JOIN public.sessions s ON s.company_id = t.company_id AND s.id = t.session_id
        WHERE t.sid = p_sid;
        IF NOT FOUND THEN
            -- Unknown; or another request was first to use the prepared token just now.
            CONTINUE;
        ELSIF v_found.is_valid THEN
            v_sid := v_found.sid;
            CONTINUE;
        END IF;

        -- Somebody kept a token that was given up: the person, or a thief.
        WITH ended AS (
            UPDATE public.sessions s
            SET revoked_at = now()
            WHERE s.company_id = v_found.company_id AND s.id = v_found.session_id
              AND s.revoked_at IS NULL AND s.expire > now()
            RETURNING s.company_id, s.id, s.user_id, s.role, s.scope
        ), told AS (
            INSERT INTO public.notices (company_id, id, user_id, kind)
            SELECT e.company_id, gen_random_uuid(), e.user_id, 'session_reused'
            FROM ended e
        )
        INSERT INTO public.audit_events (
            company_id, id, event, outcome, actor_id, actor_name, scope, address_prefix, request_id,
            target_id
        )
        SELECT e.company_id, coalesce(p_event_id, gen_random_uuid()), 'session_reused', 'failed',
               e.user_id,
               CASE
                   WHEN e.scope = 'operator' AND e.role <> 'operator' THEN c.name
                   ELSE coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), c.name)
               END,
               e.scope, p_address_prefix, coalesce(p_request_id, gen_random_uuid()), e.id
        FROM ended e
        JOIN public.users u ON u.company_id = e.company_id AND u.id = e.user_id
        JOIN public.companies c ON c.company_id = e.company_id;
        RETURN;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION use_session(bytea, bytea, uuid, uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION use_session(bytea, bytea, uuid, uuid, text) TO hourmeter_accounts;
ALTER FUNCTION use_session(bytea, bytea, uuid, uuid, text) OWNER TO tenant_lookup;

-- The same for processes of the last release.
CREATE OR REPLACE FUNCTION resolve_session(
    p_sid bytea,
    p_new_sid bytea DEFAULT NULL,
    p_event_id uuid DEFAULT NULL,
    p_request_id uuid DEFAULT NULL
)
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
    owner_id uuid,
    new_token_seconds integer
)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT * FROM public.use_session(p_sid, p_new_sid, p_event_id, p_request_id, '')
$$;

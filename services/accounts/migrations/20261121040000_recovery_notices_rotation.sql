-- Recovery by questions, notices, rotating tokens, known addresses, and the lock of the operator
-- login.

-- A remembered session's token is replaced once a day: another is prepared, and becomes the
-- session's own when it is first used.
ALTER TABLE sessions
    ADD COLUMN token_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN next_sid bytea,
    ADD COLUMN next_at timestamptz,
    ADD CONSTRAINT sessions_next_sid_key UNIQUE (next_sid),
    ADD CONSTRAINT sessions_next_sid_is_sha256 CHECK (octet_length(next_sid) = 32),
    ADD CONSTRAINT sessions_next_whole CHECK (num_nulls(next_sid, next_at) IN (0, 2));

COMMENT ON COLUMN sessions.token_at IS 'Since when the session has its token.';
COMMENT ON COLUMN sessions.next_sid IS 'SHA-256 of the token that is prepared to follow.';
COMMENT ON COLUMN sessions.next_at IS 'When that one was prepared.';

CREATE TABLE retired_tokens (
    company_id uuid NOT NULL,
    sid bytea NOT NULL,
    session_id uuid NOT NULL,
    valid_until timestamptz NOT NULL,
    CONSTRAINT retired_tokens_pkey PRIMARY KEY (company_id, sid),
    CONSTRAINT retired_tokens_sid_key UNIQUE (sid),
    CONSTRAINT retired_tokens_session_fkey FOREIGN KEY (company_id, session_id)
        REFERENCES sessions (company_id, id) ON DELETE CASCADE
);
CREATE INDEX retired_tokens_session_idx ON retired_tokens (company_id, session_id);

COMMENT ON TABLE retired_tokens IS 'Tokens that others followed; whoever uses one too late ends the session.';
COMMENT ON COLUMN retired_tokens.company_id IS 'The company.';
COMMENT ON COLUMN retired_tokens.sid IS 'SHA-256 of the token.';
COMMENT ON COLUMN retired_tokens.session_id IS 'The session it was for.';
COMMENT ON COLUMN retired_tokens.valid_until IS 'Until when requests on their way may still carry it.';

CREATE TABLE notices (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    kind text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    dismissed_at timestamptz,
    CONSTRAINT notices_pkey PRIMARY KEY (company_id, id),
    CONSTRAINT notices_user_fkey FOREIGN KEY (company_id, user_id)
        REFERENCES users (company_id, id) ON DELETE CASCADE,
    CONSTRAINT notices_kind_known CHECK (
        kind IN ('password_recovered', 'password_set_by_owner', 'operator_sign_ins_blocked', 'session_reused')
    )
);
CREATE INDEX notices_user_idx ON notices (company_id, user_id, at DESC);

COMMENT ON TABLE notices IS 'What a person is told at the next sign-in, until it is put away.';
COMMENT ON COLUMN notices.company_id IS 'The company.';
COMMENT ON COLUMN notices.id IS 'The notice.';
COMMENT ON COLUMN notices.user_id IS 'Who is told.';
COMMENT ON COLUMN notices.kind IS 'A stable word for what happened.';
COMMENT ON COLUMN notices.at IS 'When it happened.';
COMMENT ON COLUMN notices.dismissed_at IS 'When it was put away; absent: not yet.';

CREATE TABLE sign_in_addresses (
    company_id uuid NOT NULL,
    user_id uuid NOT NULL,
    scope text NOT NULL,
    address_prefix text NOT NULL,
    last_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT sign_in_addresses_pkey PRIMARY KEY (company_id, user_id, scope, address_prefix),
    CONSTRAINT sign_in_addresses_user_fkey FOREIGN KEY (company_id, user_id)
        REFERENCES users (company_id, id) ON DELETE CASCADE,
    CONSTRAINT sign_in_addresses_scope_known CHECK (scope IN ('full', 'operator'))
);

COMMENT ON TABLE sign_in_addresses IS 'Where a person has signed in from: still let in while the name is under attack.';
COMMENT ON COLUMN sign_in_addresses.company_id IS 'The company.';
COMMENT ON COLUMN sign_in_addresses.user_id IS 'The person.';
COMMENT ON COLUMN sign_in_addresses.scope IS 'What the sign-in opened: knowing the shared password vouches for operator work only.';
COMMENT ON COLUMN sign_in_addresses.address_prefix IS 'Address prefix, never the whole address.';
COMMENT ON COLUMN sign_in_addresses.last_at IS 'The last time; forgotten after 30 days.';

-- The failed operator sign-ins of a company in the last hour are counted at each one.
CREATE INDEX audit_events_operator_login_idx ON audit_events (company_id, at DESC)
    WHERE event = 'sign_in' AND outcome = 'failed' AND detail = 'operator_login';

ALTER TABLE retired_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE retired_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON retired_tokens
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON retired_tokens FOR SELECT TO tenant_lookup USING (true);
CREATE POLICY retire ON retired_tokens FOR INSERT TO tenant_lookup WITH CHECK (true);

ALTER TABLE notices ENABLE ROW LEVEL SECURITY;
ALTER TABLE notices FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON notices
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY tell ON notices FOR INSERT TO tenant_lookup WITH CHECK (true);

ALTER TABLE sign_in_addresses ENABLE ROW LEVEL SECURITY;
ALTER TABLE sign_in_addresses FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sign_in_addresses
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, DELETE ON retired_tokens TO hourmeter_accounts;
GRANT SELECT, INSERT ON notices TO hourmeter_accounts;
GRANT UPDATE (dismissed_at) ON notices TO hourmeter_accounts;
GRANT SELECT, INSERT, DELETE ON sign_in_addresses TO hourmeter_accounts;
GRANT UPDATE (last_at) ON sign_in_addresses TO hourmeter_accounts;

GRANT SELECT (token_at, next_sid, next_at), UPDATE (sid, token_at, next_sid, next_at)
    ON sessions TO tenant_lookup;
GRANT SELECT, INSERT ON retired_tokens TO tenant_lookup;
GRANT INSERT ON notices TO tenant_lookup;
GRANT SELECT (
    question1, answer1_hash, answer1_pepper_id, question2, answer2_hash, answer2_pepper_id
) ON users TO tenant_lookup;

-- Who recovers a password by e-mail, or by business name (then it is the owner).
CREATE FUNCTION find_recovery(p_email text, p_business_name text)
RETURNS TABLE (
    company_id uuid,
    user_id uuid,
    role text,
    password_hash text,
    password_pepper_id text,
    password_set_at timestamptz,
    question1 text,
    answer1_hash text,
    answer1_pepper_id text,
    question2 text,
    answer2_hash text,
    answer2_pepper_id text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT u.company_id, u.id, u.role, u.password_hash, u.password_pepper_id, u.password_set_at,
           u.question1, u.answer1_hash, u.answer1_pepper_id,
           u.question2, u.answer2_hash, u.answer2_pepper_id
    FROM (
        SELECT 1 AS place, m.company_id, m.id
        FROM public.users m
        WHERE m.email = p_email AND m.role IN ('owner', 'manager')
        UNION ALL
        SELECT 2, c.company_id, c.owner_id
        FROM public.companies c
        WHERE c.name = p_business_name
    ) found
    JOIN public.users u ON u.company_id = found.company_id AND u.id = found.id
    ORDER BY found.place
    LIMIT 1
$$;
REVOKE ALL ON FUNCTION find_recovery(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_recovery(text, text) TO hourmeter_accounts;
ALTER FUNCTION find_recovery(text, text) OWNER TO tenant_lookup;

-- Who a running session belongs to; notes its use at most once a minute, and prepares another
-- token for a remembered session whose token is older than a day (then new_token_seconds says how
-- long it may last). Every call of the product comes here, nearly always with the session's own
-- token, which is found at the first attempt.
DROP FUNCTION resolve_session(bytea);
CREATE FUNCTION resolve_session(
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
            ON CONFLICT DO NOTHING
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
            VALUES (v_found.company_id, v_found.sid, v_found.id, now() + interval '1 minute');
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
            company_id, id, event, outcome, actor_id, actor_name, scope, request_id, target_id
        )
        SELECT e.company_id, coalesce(p_event_id, gen_random_uuid()), 'session_reused', 'failed',
               e.user_id,
               CASE
                   WHEN e.scope = 'operator' AND e.role <> 'operator' THEN c.name
                   ELSE coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), c.name)
               END,
               e.scope, coalesce(p_request_id, gen_random_uuid()), e.id
        FROM ended e
        JOIN public.users u ON u.company_id = e.company_id AND u.id = e.user_id
        JOIN public.companies c ON c.company_id = e.company_id;
        RETURN;
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION resolve_session(bytea, bytea, uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION resolve_session(bytea, bytea, uuid, uuid) TO hourmeter_accounts;
ALTER FUNCTION resolve_session(bytea, bytea, uuid, uuid) OWNER TO tenant_lookup;

-- A running session with its person's password, to confirm it: by its token, the one prepared to
-- follow, or one that just gave way.
DROP FUNCTION find_reauthentication(bytea);
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
    password_set_at timestamptz,
    first_name text,
    last_name text,
    company_name text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT s.id, s.company_id, s.user_id, u.role, s.scope, s.remember,
           u.password_hash, u.password_pepper_id, u.password_set_at,
           u.first_name, u.last_name, c.name
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
      AND s.absolute_expires > now() AND s.role = u.role
$$;
REVOKE ALL ON FUNCTION find_reauthentication(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_reauthentication(bytea) TO hourmeter_accounts;
ALTER FUNCTION find_reauthentication(bytea) OWNER TO tenant_lookup;

-- Ends a session by any token it has or had, whosever it is, and notes it; nothing when there is
-- none.
CREATE OR REPLACE FUNCTION end_session(
    p_sid bytea, p_event_id uuid, p_event text, p_request_id uuid, p_address_prefix text
)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    WITH found AS (
        SELECT company_id, id FROM public.sessions WHERE sid = p_sid
        UNION
        SELECT company_id, id FROM public.sessions WHERE next_sid = p_sid
        UNION
        SELECT company_id, session_id FROM public.retired_tokens WHERE sid = p_sid
    ), ended AS (
        UPDATE public.sessions s
        SET revoked_at = now()
        FROM found
        WHERE s.company_id = found.company_id AND s.id = found.id AND s.revoked_at IS NULL
        RETURNING s.company_id, s.id, s.user_id, s.role, s.scope
    )
    INSERT INTO public.audit_events (
        company_id, id, event, outcome, actor_id, actor_name, scope, address_prefix, request_id,
        target_id
    )
    SELECT e.company_id, p_event_id, p_event, 'success', e.user_id,
           CASE
               WHEN e.scope = 'operator' AND e.role <> 'operator' THEN c.name
               ELSE coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), c.name)
           END,
           e.scope, p_address_prefix, p_request_id, e.id
    FROM ended e
    JOIN public.users u ON u.company_id = e.company_id AND u.id = e.user_id
    JOIN public.companies c ON c.company_id = e.company_id
$$;

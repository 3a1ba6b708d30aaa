-- The platform's support staff, who belong to no company, and what they may see across companies.

CREATE TABLE staff (
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    password_pepper_id text NOT NULL,
    password_set_at timestamptz NOT NULL,
    totp_key_id text NOT NULL,
    totp_nonce bytea NOT NULL,
    totp_box bytea NOT NULL,
    totp_last_step bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT staff_pkey PRIMARY KEY (id),
    CONSTRAINT staff_email_key UNIQUE (email),
    CONSTRAINT staff_email_is_lower CHECK (email = lower(email))
);

COMMENT ON TABLE staff IS 'Support staff; only the owner role adds and removes them, from the command line.';
COMMENT ON COLUMN staff.id IS 'The person.';
COMMENT ON COLUMN staff.email IS 'Lower case; signs in with it.';
COMMENT ON COLUMN staff.name IS 'Name written into audit logs.';
COMMENT ON COLUMN staff.password_hash IS 'Argon2id PHC string.';
COMMENT ON COLUMN staff.password_pepper_id IS 'Which pepper the hash was made with.';
COMMENT ON COLUMN staff.password_set_at IS 'When it was last set; a re-hash does not change it.';
COMMENT ON COLUMN staff.totp_key_id IS 'Which key sealed the secret of the one-time codes.';
COMMENT ON COLUMN staff.totp_nonce IS 'Nonce of the sealed secret.';
COMMENT ON COLUMN staff.totp_box IS 'Sealed secret.';
COMMENT ON COLUMN staff.totp_last_step IS 'Step of the last code used; it and earlier ones are refused.';
COMMENT ON COLUMN staff.created_at IS 'When the person was added.';
COMMENT ON COLUMN staff.updated_at IS 'When password and codes were last made anew.';

CREATE TABLE staff_sessions (
    id uuid NOT NULL,
    sid bytea NOT NULL,
    staff_id uuid NOT NULL,
    expire timestamptz NOT NULL,
    auth_time timestamptz NOT NULL DEFAULT now(),
    last_seen timestamptz NOT NULL DEFAULT now(),
    absolute_expires timestamptz NOT NULL,
    ip_prefix text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    CONSTRAINT staff_sessions_pkey PRIMARY KEY (id),
    CONSTRAINT staff_sessions_sid_key UNIQUE (sid),
    CONSTRAINT staff_sessions_staff_fkey FOREIGN KEY (staff_id) REFERENCES staff (id) ON DELETE CASCADE,
    CONSTRAINT staff_sessions_sid_is_sha256 CHECK (octet_length(sid) = 32)
);
CREATE INDEX staff_sessions_staff_idx ON staff_sessions (staff_id, created_at);

COMMENT ON TABLE staff_sessions IS 'Support staff who are signed in. Lifetimes are by the clock of the database.';
COMMENT ON COLUMN staff_sessions.id IS 'The session, under whatever token.';
COMMENT ON COLUMN staff_sessions.sid IS 'SHA-256 of the token; the token itself is nowhere.';
COMMENT ON COLUMN staff_sessions.staff_id IS 'The person.';
COMMENT ON COLUMN staff_sessions.expire IS 'When it ends unless it is used before.';
COMMENT ON COLUMN staff_sessions.auth_time IS 'When the password was last given.';
COMMENT ON COLUMN staff_sessions.last_seen IS 'Last use, noted at most once a minute.';
COMMENT ON COLUMN staff_sessions.absolute_expires IS 'When it ends whatever happens.';
COMMENT ON COLUMN staff_sessions.ip_prefix IS 'Address prefix at sign-in.';
COMMENT ON COLUMN staff_sessions.created_at IS 'When it began.';
COMMENT ON COLUMN staff_sessions.revoked_at IS 'When it was ended; absent: not ended.';

-- The service can't make staff: it may only hash a password anew, use up a code, and seal a secret
-- with another key.
GRANT SELECT ON staff TO hourmeter_accounts;
GRANT UPDATE (
    password_hash, password_pepper_id, totp_key_id, totp_nonce, totp_box, totp_last_step
) ON staff TO hourmeter_accounts;
GRANT SELECT, INSERT, DELETE ON staff_sessions TO hourmeter_accounts;
GRANT UPDATE (sid, expire, auth_time, last_seen, revoked_at) ON staff_sessions TO hourmeter_accounts;

GRANT SELECT (id, name) ON staff TO tenant_lookup;
GRANT SELECT (id, sid, staff_id, revoked_at) ON staff_sessions TO tenant_lookup;
GRANT UPDATE (revoked_at) ON staff_sessions TO tenant_lookup;
GRANT SELECT (
    name_key, operator_password_key_id, operator_password_nonce, operator_password_box
) ON companies TO tenant_lookup;

-- Ends a staff session by its token, whatever company the caller's transaction sees, and notes it
-- in the platform's log; nothing when there is none.
CREATE FUNCTION end_staff_session(
    p_sid bytea, p_event_id uuid, p_event text, p_request_id uuid, p_address_prefix text
)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    WITH ended AS (
        UPDATE public.staff_sessions s
        SET revoked_at = now()
        FROM public.staff p
        WHERE s.sid = p_sid AND s.revoked_at IS NULL AND p.id = s.staff_id
        RETURNING s.id, s.staff_id, p.name
    )
    INSERT INTO public.audit_events (
        company_id, id, event, outcome, actor_id, actor_name, scope, address_prefix, request_id,
        target_id
    )
    SELECT '00000000-0000-0000-0000-000000000000', p_event_id, p_event, 'success', staff_id, name,
           'staff', p_address_prefix, p_request_id, id
    FROM ended
$$;
REVOKE ALL ON FUNCTION end_staff_session(bytea, uuid, text, uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_staff_session(bytea, uuid, text, uuid, text) TO hourmeter_accounts;
ALTER FUNCTION end_staff_session(bytea, uuid, text, uuid, text) OWNER TO tenant_lookup;

-- Whether a person of any company has this e-mail, which staff then can't have.
CREATE FUNCTION is_tenant_email(p_email text)
RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT EXISTS (SELECT FROM public.users WHERE email = p_email)
$$;
REVOKE ALL ON FUNCTION is_tenant_email(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_tenant_email(text) TO hourmeter_accounts, CURRENT_USER;
ALTER FUNCTION is_tenant_email(text) OWNER TO tenant_lookup;

-- Companies for support staff, newest first, a page at a time. Patterns are for LIKE, on the folded
-- name and the owner's e-mail; both absent: all.
CREATE INDEX companies_newest_idx ON companies (created_at DESC, company_id DESC);

CREATE FUNCTION list_accounts(
    p_id uuid, p_name text, p_email text, p_before timestamptz, p_before_id uuid, p_limit bigint
)
RETURNS TABLE (
    id uuid,
    business_name text,
    email text,
    operator_password_set boolean,
    created_at timestamptz
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = ''
AS $$
#variable_conflict use_column
BEGIN
    IF p_name IS NULL AND p_email IS NULL THEN
        RETURN QUERY
        SELECT c.company_id, c.name,
               (SELECT u.email FROM public.users u
                WHERE u.company_id = c.company_id AND u.id = c.owner_id),
               c.operator_password_hash IS NOT NULL, c.created_at
        FROM public.companies c
        WHERE (c.created_at, c.company_id) < (p_before, p_before_id)
        ORDER BY c.created_at DESC, c.company_id DESC
        LIMIT p_limit;
    ELSE
        RETURN QUERY
        SELECT c.company_id, c.name,
               (SELECT u.email FROM public.users u
                WHERE u.company_id = c.company_id AND u.id = c.owner_id),
               c.operator_password_hash IS NOT NULL, c.created_at
        FROM public.companies c
        WHERE (c.created_at, c.company_id) < (p_before, p_before_id)
          AND (
              c.company_id = p_id
              OR c.name_key LIKE p_name
              OR c.company_id IN (
                  SELECT u.company_id FROM public.users u
                  WHERE u.role = 'owner' AND u.email LIKE p_email
              )
          )
        ORDER BY c.created_at DESC, c.company_id DESC
        LIMIT p_limit;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION list_accounts(uuid, text, text, timestamptz, uuid, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_accounts(uuid, text, text, timestamptz, uuid, bigint) TO hourmeter_accounts;
ALTER FUNCTION list_accounts(uuid, text, text, timestamptz, uuid, bigint) OWNER TO tenant_lookup;

-- The sealed operator password of a company for support staff. It can't be had without the line in
-- the company's own log, under the name the staff table knows the person by. No row: no such
-- company; without a box: none is set, and nothing is written.
CREATE FUNCTION reveal_for_support(
    p_company_id uuid, p_event_id uuid, p_staff_id uuid, p_request_id uuid, p_address_prefix text,
    p_reason text
)
RETURNS TABLE (
    business_name text,
    key_id text,
    nonce bytea,
    sealed_box bytea
)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
    IF char_length(p_reason) < 10 THEN
        RAISE EXCEPTION 'a reason is needed';
    END IF;
    INSERT INTO public.audit_events (
        company_id, id, event, outcome, actor_id, actor_name, scope, address_prefix, request_id,
        target_id, detail
    )
    SELECT c.company_id, p_event_id, 'operator_password_revealed_by_support', 'success', s.id,
           s.name, 'staff', p_address_prefix, p_request_id, c.company_id, p_reason
    FROM public.companies c, public.staff s
    WHERE c.company_id = p_company_id AND c.operator_password_hash IS NOT NULL
      AND s.id = p_staff_id;
    RETURN QUERY
    SELECT c.name, c.operator_password_key_id, c.operator_password_nonce, c.operator_password_box
    FROM public.companies c, public.staff s
    WHERE c.company_id = p_company_id AND s.id = p_staff_id;
END
$$;
REVOKE ALL ON FUNCTION reveal_for_support(uuid, uuid, uuid, uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reveal_for_support(uuid, uuid, uuid, uuid, text, text) TO hourmeter_accounts;
ALTER FUNCTION reveal_for_support(uuid, uuid, uuid, uuid, text, text) OWNER TO tenant_lookup;

-- How often a member of staff revealed one lately.
CREATE INDEX audit_events_support_reveals_idx ON audit_events (company_id, actor_id, at)
    WHERE event = 'operator_password_revealed_by_support';

-- Which companies have their operator password sealed with another key than this one, in the order
-- of their ids; moving it is then work within each company.
CREATE FUNCTION list_to_reseal(p_active_key text, p_after uuid, p_limit bigint)
RETURNS TABLE (company_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT c.company_id
    FROM public.companies c
    WHERE c.operator_password_key_id <> p_active_key AND c.company_id > p_after
    ORDER BY c.company_id
    LIMIT p_limit
$$;
REVOKE ALL ON FUNCTION list_to_reseal(text, uuid, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_to_reseal(text, uuid, bigint) TO hourmeter_accounts;
ALTER FUNCTION list_to_reseal(text, uuid, bigint) OWNER TO tenant_lookup;

-- How many operator passwords each key has sealed.
CREATE FUNCTION count_sealed()
RETURNS TABLE (key_id text, sealed bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT c.operator_password_key_id, count(*)
    FROM public.companies c
    WHERE c.operator_password_key_id IS NOT NULL
    GROUP BY c.operator_password_key_id
$$;
REVOKE ALL ON FUNCTION count_sealed() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_sealed() TO hourmeter_accounts;
ALTER FUNCTION count_sealed() OWNER TO tenant_lookup;

-- With the secret of a calendar address, a calendar program reads when service is due, without a session.

ALTER TABLE users
    ADD COLUMN calendar_secret_hash bytea,
    ADD COLUMN calendar_created_at timestamptz;
COMMENT ON COLUMN users.calendar_secret_hash IS 'SHA-256 of the secret of the person''s calendar address; null: none.';
COMMENT ON COLUMN users.calendar_created_at IS 'When that address was created.';
GRANT SELECT (calendar_secret_hash) ON users TO tenant_lookup;

-- The person of a calendar address, of any company.
CREATE FUNCTION find_calendar_feed(p_hash bytea)
RETURNS TABLE (company_id uuid, user_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT u.company_id, u.id
    FROM public.users u
    WHERE u.calendar_secret_hash = p_hash
$$;
REVOKE ALL ON FUNCTION find_calendar_feed(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_calendar_feed(bytea) TO hourmeter_accounts;
ALTER FUNCTION find_calendar_feed(bytea) OWNER TO tenant_lookup;

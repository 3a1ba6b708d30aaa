-- A person who opens a mailed link has shown that the address is theirs.

ALTER TABLE users
    ADD COLUMN email_verified_at timestamptz,
    ADD COLUMN mail_link_hash bytea,
    ADD COLUMN mail_link_expires_at timestamptz;
COMMENT ON COLUMN users.email_verified_at IS 'When the person opened a link that was mailed to this address; null: never.';
COMMENT ON COLUMN users.mail_link_hash IS 'SHA-256 of the secret of the unused link that was mailed last.';
COMMENT ON COLUMN users.mail_link_expires_at IS 'When that link expires.';
GRANT SELECT (mail_link_hash) ON users TO tenant_lookup;

-- The person of a mailed link, of any company.
CREATE FUNCTION find_mail_link(p_hash bytea)
RETURNS TABLE (company_id uuid, user_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT u.company_id, u.id
    FROM public.users u
    WHERE u.mail_link_hash = p_hash
$$;
REVOKE ALL ON FUNCTION find_mail_link(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_mail_link(bytea) TO hourmeter_accounts;
ALTER FUNCTION find_mail_link(bytea) OWNER TO tenant_lookup;

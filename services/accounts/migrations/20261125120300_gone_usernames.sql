-- A username stays taken when its operator is gone, but then only as a keyed hash: it has a first name
-- in it. The key is not in the database.

COMMENT ON COLUMN operator_usernames.username IS
    'The whole username; # and its keyed hash once nobody has it any more.';
COMMENT ON COLUMN operator_usernames.stem IS
    'Its part before the digits; # and its keyed hash once nobody has the username any more.';

GRANT UPDATE (username, stem) ON operator_usernames TO tenant_lookup;

-- How many usernames a stem has had, those of people who are gone included, up to a bound.
CREATE FUNCTION count_usernames(p_stem text, p_stem_hash text, p_bound bigint)
RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT count(*)
    FROM (
        SELECT FROM public.operator_usernames WHERE stem IN (p_stem, p_stem_hash) LIMIT p_bound
    ) holders
$$;
REVOKE ALL ON FUNCTION count_usernames(text, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_usernames(text, text, bigint) TO hourmeter_accounts;
ALTER FUNCTION count_usernames(text, text, bigint) OWNER TO tenant_lookup;

-- Takes a username for good; false when it was ever taken, by whoever, or is a business name.
CREATE FUNCTION take_username(p_username text, p_stem text, p_hash text)
RETURNS boolean
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT CASE
        WHEN EXISTS (SELECT FROM public.operator_usernames WHERE username = p_hash) THEN false
        ELSE public.take_operator_username(p_username, p_stem)
    END
$$;
REVOKE ALL ON FUNCTION take_username(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_username(text, text, text) TO hourmeter_accounts;
ALTER FUNCTION take_username(text, text, text) OWNER TO tenant_lookup;

-- Usernames that nobody has any more and that are not hashed yet.
CREATE FUNCTION gone_operator_usernames(p_limit bigint)
RETURNS TABLE (username text, stem text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT taken.username, taken.stem
    FROM public.operator_usernames taken
    WHERE NOT starts_with(taken.username, '#')
      AND NOT EXISTS (
          SELECT FROM public.users u WHERE u.operator_username = taken.username
      )
    LIMIT p_limit
$$;
REVOKE ALL ON FUNCTION gone_operator_usernames(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gone_operator_usernames(bigint) TO hourmeter_accounts;
ALTER FUNCTION gone_operator_usernames(bigint) OWNER TO tenant_lookup;

-- Replaces one of those by its hash.
CREATE FUNCTION hash_operator_username(p_username text, p_hash text, p_stem_hash text)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    UPDATE public.operator_usernames taken
    SET username = p_hash, stem = p_stem_hash
    WHERE taken.username = p_username
      AND NOT EXISTS (
          SELECT FROM public.users u WHERE u.operator_username = p_username
      )
$$;
REVOKE ALL ON FUNCTION hash_operator_username(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hash_operator_username(text, text, text) TO hourmeter_accounts;
ALTER FUNCTION hash_operator_username(text, text, text) OWNER TO tenant_lookup;

-- What lets companies see each other's rows, or gives a role more rights than its work needs.
-- $1 is the role of the service.
WITH tables AS (
    SELECT c.*, relname::text AS name
    FROM pg_class c
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> '_sqlx_migrations'
), tenants AS (
    SELECT t.*, a.attnum
    FROM tables t
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'company_id' AND NOT attisdropped
), policies AS (
    SELECT *, (
        polname = 'tenant' AND polcmd = '*' AND polpermissive AND polroles = '{0}'
        AND pg_get_expr(polqual, polrelid) = pg_get_expr(polwithcheck, polrelid)
        AND regexp_replace(pg_get_expr(polqual, polrelid), '\s', '', 'g') = '(company_id=(SELECT(NULLIF('
            || 'current_setting(''app.company_id''::text,true),''''::text))::uuidAS"nullif"))'
    ) AS is_tenant
    FROM pg_policy
), grants AS (
    SELECT name, relowner AS owner, a.* FROM tables, aclexplode(relacl) a
    UNION ALL
    SELECT t.name || '.' || attname, relowner, a.*
    FROM tables t JOIN pg_attribute c ON attrelid = t.oid, aclexplode(attacl) a
    UNION ALL
    SELECT proname, proowner, a.* FROM pg_proc, aclexplode(proacl) a
    WHERE pronamespace = 'public'::regnamespace AND (grantee <> 0 OR prosecdef)
)
SELECT format('the primary key of %s does not begin with company_id', name) FROM tenants t
WHERE NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = t.oid AND indisprimary AND indkey[0] = attnum)
UNION ALL
SELECT format('%s has no forced row-level security', name) FROM tenants
WHERE NOT (relrowsecurity AND relforcerowsecurity)
UNION ALL
SELECT format('%s has no policy `tenant` as the other tables have', name) FROM tenants t
WHERE NOT EXISTS (SELECT FROM policies p WHERE p.polrelid = t.oid AND is_tenant)
UNION ALL
SELECT format('policy %s of %s is neither `tenant` nor for tenant_lookup alone', polname, polrelid::regclass)
FROM policies
WHERE NOT is_tenant AND polroles <> ARRAY[to_regrole('tenant_lookup')::oid]
UNION ALL
SELECT format('grant of %s on %s to %s', privilege_type, name, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
FROM grants
WHERE grantee <> owner AND (
    grantee = 0
    OR grantee::regrole::text NOT IN ($1, $1 || '_owner', 'tenant_lookup')
    OR privilege_type NOT IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'EXECUTE')
)
UNION ALL
SELECT format('%s runs as its owner and everybody may call it', proname)
FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef AND proacl IS NULL
UNION ALL
SELECT format('%s runs as its owner without SET search_path = ''''', proname)
FROM pg_proc
WHERE pronamespace = 'public'::regnamespace AND prosecdef
  AND NOT 'search_path=""' = ANY (coalesce(proconfig, '{}'))

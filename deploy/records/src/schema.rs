//! Digests of everything beside the rows: a restore without grants, policies or roles would run,
//! and show rows to everyone or no one.

use sqlx::PgConnection;

use crate::databases::RecordsError;

/// Name and definition of each object. Grants are sorted, since a dump may change their order.
const LINES: &str = "
SELECT 'table ' || c.relname,
       concat_ws(' ', c.relkind, c.relrowsecurity, c.relforcerowsecurity, pg_get_userbyid(c.relowner),
           (SELECT string_agg(acl::text, ' ' ORDER BY acl::text) FROM unnest(c.relacl) acl))
FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
UNION ALL
SELECT 'column ' || c.relname || '.' || a.attname,
       concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated,
           pg_get_expr(d.adbin, d.adrelid),
           (SELECT string_agg(acl::text, ' ' ORDER BY acl::text) FROM unnest(a.attacl) acl))
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
UNION ALL
SELECT 'constraint ' || conrelid::regclass || '.' || conname,
       concat_ws(' ', pg_get_constraintdef(oid), convalidated)
FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND conrelid <> 0 AND contype <> 'n'
UNION ALL
SELECT 'index ' || i.indexrelid::regclass, concat_ws(' ', pg_get_indexdef(i.indexrelid), i.indisvalid)
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid AND c.relnamespace = 'public'::regnamespace
UNION ALL
SELECT 'policy ' || tablename || '.' || policyname,
       concat_ws(' ', permissive, roles, cmd, qual, with_check)
FROM pg_policies
WHERE schemaname = 'public'
UNION ALL
SELECT 'function ' || p.oid::regprocedure,
       concat_ws(' ', p.prosecdef, p.provolatile, p.proconfig, pg_get_userbyid(p.proowner), p.prosrc,
           (SELECT string_agg(acl::text, ' ' ORDER BY acl::text) FROM unnest(p.proacl) acl))
FROM pg_proc p
WHERE p.pronamespace = 'public'::regnamespace
UNION ALL
SELECT 'trigger ' || tgrelid::regclass || '.' || tgname, concat_ws(' ', pg_get_triggerdef(oid), tgenabled)
FROM pg_trigger
WHERE NOT tgisinternal
UNION ALL
SELECT 'role ' || r.rolname,
       concat_ws(' ', r.rolsuper, r.rolbypassrls, r.rolinherit, r.rolcreaterole, r.rolcreatedb, r.rolcanlogin,
           (SELECT string_agg(g.rolname, ' ' ORDER BY g.rolname)
            FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid
            WHERE m.member = r.oid))
FROM pg_roles r
WHERE r.rolname LIKE 'hourmeter%' OR r.rolname = 'tenant_lookup'
UNION ALL
SELECT 'database',
       concat_ws(' ', pg_get_userbyid(d.datdba), pg_encoding_to_char(d.encoding), d.datcollate, d.datctype,
           (SELECT string_agg(acl::text, ' ' ORDER BY acl::text) FROM unnest(d.datacl) acl))
FROM pg_database d
WHERE d.datname = current_database()
UNION ALL
SELECT 'schema ' || n.nspname,
       concat_ws(' ', pg_get_userbyid(n.nspowner),
           (SELECT string_agg(acl::text, ' ' ORDER BY acl::text) FROM unnest(n.nspacl) acl))
FROM pg_namespace n
WHERE n.nspname = 'public'
UNION ALL
SELECT concat_ws(' ', 'settings', CASE s.setdatabase WHEN 0 THEN 'of the server' END, r.rolname),
       (SELECT string_agg(one, ' ' ORDER BY one) FROM unnest(s.setconfig) one)
FROM pg_db_role_setting s
LEFT JOIN pg_roles r ON r.oid = s.setrole
WHERE (s.setdatabase = 0 OR s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))
  AND (s.setrole = 0 OR r.rolname LIKE 'hourmeter%' OR r.rolname = 'tenant_lookup')";

pub async fn lines(connection: &mut PgConnection) -> Result<Vec<(String, String)>, RecordsError> {
    let query = format!("SELECT l.name, md5(l.definition) FROM ({LINES}) l (name, definition)");
    let found = sqlx::query_as(sqlx::AssertSqlSafe(query));
    Ok(found.fetch_all(connection).await?)
}

-- Facts of a schema, one per row: kind, object and fact.
--   keeps  code may rely on it
--   binds  code must observe it
--   valid  a constraint that was checked on every row
--   rows   the file that holds a table's rows; another one: the table was rewritten
WITH tables AS (
    SELECT oid, relname::text AS name, relacl, relowner, relfilenode
    FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
      AND relname <> '_sqlx_migrations'
), columns AS (
    SELECT a.*, t.name AS table_name, t.name || '.' || attname AS name, t.relowner
    FROM tables t
    JOIN pg_attribute a ON a.attrelid = t.oid AND attnum > 0 AND NOT attisdropped
), constraints AS (
    SELECT c.*, t.name AS table_name
    FROM tables t
    JOIN pg_constraint c ON c.conrelid = t.oid
), functions AS (
    SELECT p.*, proname::text AS name
    FROM pg_proc p
    WHERE pronamespace = 'public'::regnamespace
)
SELECT 'keeps' AS kind, name AS object, 'table ' || name AS fact FROM tables
UNION ALL
SELECT 'keeps', relname, format('%s %s', relkind, relname)
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm', 'S')
UNION ALL
SELECT 'keeps', typname, 'type ' || typname
FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('d', 'e')
UNION ALL
SELECT 'keeps', name, format('column %s of type %s', name, format_type(atttypid, atttypmod)) FROM columns
UNION ALL
SELECT 'keeps', name, name || ' is never null' FROM columns WHERE attnotnull
UNION ALL
SELECT 'keeps', name, name || ' has a default' FROM columns WHERE atthasdef
UNION ALL
SELECT 'keeps', table_name, format('constraint %s of %s', conname, table_name) FROM constraints
UNION ALL
SELECT 'keeps', t.name, regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \S+ ', 'INDEX ')
FROM pg_index JOIN tables t ON t.oid = indrelid
UNION ALL
SELECT 'keeps', t.name, format('trigger %s of %s, %s', tgname, t.name, tgenabled)
FROM pg_trigger JOIN tables t ON t.oid = tgrelid AND NOT tgisinternal
UNION ALL
SELECT 'keeps', tablename, format('policy %s of %s for %s to %s', policyname, tablename, cmd, roles)
FROM pg_policies WHERE schemaname = 'public'
UNION ALL
SELECT 'keeps', t.name, format('%s may %s %s', grantee::regrole, privilege_type, t.name)
FROM tables t, aclexplode(relacl) WHERE grantee <> 0
UNION ALL
SELECT 'keeps', c.name, format('%s may %s %s', grantee::regrole, privilege_type, c.name)
FROM columns c, aclexplode(attacl) WHERE grantee <> 0
UNION ALL
SELECT 'keeps', f.name, format('%s may %s %s', grantee::regrole, privilege_type, f.name)
FROM functions f, aclexplode(proacl) WHERE grantee <> 0
UNION ALL
-- A call may leave out what has a default.
SELECT 'keeps', name, format('call of %s(%s)', name, (
    SELECT string_agg(format('%s %s', proargnames[i], format_type(proargtypes[i - 1], NULL)), ', ' ORDER BY i)
    FROM generate_series(1, arguments) i
))
FROM functions, generate_series(pronargs - pronargdefaults::int, pronargs) arguments
UNION ALL
SELECT 'keeps', f.name, format('%s returns %s as %s, column %s', f.name, argument, format_type(type, NULL),
    row_number() OVER (PARTITION BY f.oid ORDER BY place))
FROM functions f,
    unnest(proargnames, proallargtypes, proargmodes) WITH ORDINALITY AS a (argument, type, mode, place)
WHERE mode = 't'
UNION ALL
SELECT 'keeps', name, format('%s returns %s', name, pg_get_function_result(oid))
FROM functions WHERE NOT 't' = ANY (coalesce(proargmodes, '{}'))
UNION ALL
SELECT 'keeps', name, name || ' runs as its owner' FROM functions WHERE prosecdef
UNION ALL
SELECT 'binds', name, 'overloaded function ' || name FROM functions GROUP BY name HAVING count(*) > 1
UNION ALL
SELECT 'binds', t.name, regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \S+ ', 'INDEX ')
FROM pg_index JOIN tables t ON t.oid = indrelid AND indisunique
UNION ALL
SELECT 'binds', c.name, format('%s: %s', conname, regexp_replace(pg_get_constraintdef(k.oid), ' NOT VALID$', ''))
FROM constraints k JOIN columns c ON c.attrelid = conrelid AND c.attnum = ANY (conkey)
WHERE contype IN ('c', 'f', 'x')
UNION ALL
SELECT 'valid', table_name, format('constraint %s of %s', conname, table_name)
FROM constraints WHERE contype IN ('c', 'f') AND convalidated
UNION ALL
SELECT 'rows', name, relfilenode::text FROM tables

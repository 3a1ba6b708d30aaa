-- Copies the rows of the only company of a database to `companies` new ones, before it is distributed. All keys
-- begin with the company, so the other columns stay. Of a longer table only `history` rows are left before.
\set ON_ERROR_STOP on
\set QUIET on
-- Without foreign keys and triggers, which have done their work on the first company's rows.
SET session_replication_role = replica;
SELECT format('DELETE FROM %I', relname) FROM pg_class WHERE relname IN ('ledger_voids', 'facts', 'decisions')
\gexec
SELECT format('DELETE FROM %1$I WHERE ctid NOT IN (SELECT ctid FROM %1$I LIMIT %2$s)', relname, :history)
FROM pg_class
WHERE relname IN ('ledger', 'applied_updates', 'updates') AND relkind = 'r'
\gexec
SELECT format(
    'INSERT INTO %1$I (company_id, %2$s) SELECT md5(n::text)::uuid, %2$s FROM %1$I, generate_series(1, %3$s) n',
    c.relname, string_agg(quote_ident(a.attname), ', '), :companies
)
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attgenerated = '' AND a.attname <> 'company_id'
  AND EXISTS (SELECT FROM pg_attribute k WHERE k.attrelid = c.oid AND k.attname = 'company_id')
GROUP BY c.relname
\gexec
VACUUM ANALYZE;

-- Creates or updates the roles and the database of one service, as an administrator of the server. Run it
-- once for each service, before its first migration, and again after a password change:
--
--   psql "$ADMIN_URL" -v service=accounts -v password="$(cat accounts)" \
--     -v owner_password="$(cat accounts-owner)" -f deploy/postgres/database.sql
--
-- Services: accounts, equipment, operator_updates, billing, notifications. The process uses the role
-- `hourmeter_<service>`, which owns nothing and is subject to row-level security. Its `_owner` only runs
-- migrations. `tenant_lookup` has no login and owns the functions that read across companies.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
\if :{?database}
\else
  \set database hourmeter_:service
\endif
\set role hourmeter_:service
\set owner :role _owner

SELECT format('CREATE ROLE %I %s NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE', name, kind)
FROM (VALUES ('tenant_lookup', 'NOLOGIN'), (:'role', 'LOGIN'), (:'owner', 'LOGIN')) AS roles (name, kind)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name)
\gexec
ALTER ROLE :"role" PASSWORD :'password';
ALTER ROLE :"owner" PASSWORD :'owner_password';
GRANT tenant_lookup TO :"owner";
-- An administrator without superuser rights must be a member of the role to create its database.
SELECT format('GRANT %I TO CURRENT_USER', :'owner')
WHERE NOT (SELECT rolsuper FROM pg_roles WHERE rolname = CURRENT_USER)
\gexec
SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'owner')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database')
\gexec
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO :"role";
-- Only administrators use the server's own databases. A managed server may not allow this change.
SELECT format('REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC', datname)
FROM pg_database
WHERE datname IN ('postgres', 'template1') AND pg_has_role(datdba, 'USAGE')
  AND has_database_privilege('public', oid, 'CONNECT')
\gexec

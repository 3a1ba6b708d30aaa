-- Prepares a service's database on a worker, as its superuser, after the extension is created there:
--   psql "$WORKER/hourmeter_equipment" -v ON_ERROR_STOP=1 -f deploy/distribution/worker.sql
-- Read deploy/distribution.md first.
SET citus.enable_ddl_propagation = off;
-- Functions across companies.
GRANT CONNECT ON DATABASE :"DBNAME" TO tenant_lookup;
-- The statement that opens a transaction and sets the company reaches a worker as a whole, within a transaction,
-- and PostgreSQL would warn of it each time.
ALTER DATABASE :"DBNAME" SET client_min_messages = error;
ALTER DATABASE :"DBNAME" SET log_min_messages = error;

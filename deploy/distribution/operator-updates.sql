-- Distributes the database of the operator-updates service by company. On the coordinator of a Citus cluster, as
-- its superuser and outside of a transaction:
--   psql "$COORDINATOR/hourmeter_operator_updates" -v ON_ERROR_STOP=1 -f deploy/distribution/operator-updates.sql
-- Read deploy/distribution.md first. Each table is listed once; a test compares this with the schema.

-- The company of a transaction is sent to the workers.
DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I SET citus.propagate_set_commands = %L', current_database(), 'local');
END
$$;

-- The coordinator connects to workers as this role, to execute its functions. It has no password.
ALTER ROLE tenant_lookup LOGIN;

-- Policies of distributed tables must not contain a sub-select: the same condition without it.
ALTER POLICY tenant ON updates
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON decisions
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON idempotency_keys
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON companies
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON facts
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);

-- The triggers of updates change their own row and facts, which has the same shards, so they work on any shard.
SET citus.enable_unsafe_triggers = on;
-- Not while rows are copied: that is no change of an update, and facts has no shards yet.
DROP TRIGGER mark_change ON updates;
DROP TRIGGER record_facts ON updates;

-- One colocation group; referenced tables first.
SELECT create_distributed_table('updates', 'company_id', colocate_with => 'none');
SELECT create_distributed_table('decisions', 'company_id', colocate_with => 'updates');
SELECT create_distributed_table('idempotency_keys', 'company_id', colocate_with => 'updates');
SELECT create_distributed_table('companies', 'company_id', colocate_with => 'updates');
SELECT create_distributed_table('facts', 'company_id', colocate_with => 'updates');

CREATE TRIGGER mark_change BEFORE INSERT OR UPDATE ON updates
    FOR EACH ROW EXECUTE FUNCTION mark_change();
CREATE TRIGGER record_facts AFTER INSERT OR UPDATE OF status, flags ON updates
    FOR EACH ROW EXECUTE FUNCTION record_facts();

-- Distributes the database of the equipment service by company. On the coordinator of a Citus cluster, as
-- its superuser and outside of a transaction:
--   psql "$COORDINATOR/hourmeter_equipment" -v ON_ERROR_STOP=1 -f deploy/distribution/equipment.sql
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
ALTER POLICY tenant ON equipment
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON company_state
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON service_tasks
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON service_parts
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON ledger
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON ledger_voids
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON fuel_periods
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON applied_updates
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON deleted_equipment
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON deleted_fuel
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON outbox
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON idempotency_keys
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON audit_events
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON task_sets
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON task_set_items
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON task_set_links
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);

-- Queries of shards call it.
SELECT create_distributed_function('special_severity(jsonb, bigint, date)');

-- One colocation group; referenced tables first.
SELECT create_distributed_table('equipment', 'company_id', colocate_with => 'none');
SELECT create_distributed_table('company_state', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('service_tasks', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('service_parts', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('ledger', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('ledger_voids', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('fuel_periods', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('applied_updates', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('deleted_equipment', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('deleted_fuel', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('idempotency_keys', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('outbox', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('audit_events', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('task_sets', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('task_set_items', 'company_id', colocate_with => 'equipment');
SELECT create_distributed_table('task_set_links', 'company_id', colocate_with => 'equipment');

-- Distributes the database of the notifications service by company. On the coordinator of a Citus cluster, as
-- its superuser and outside of a transaction:
--   psql "$COORDINATOR/hourmeter_notifications" -v ON_ERROR_STOP=1 -f deploy/distribution/notifications.sql
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
ALTER POLICY tenant ON notifications
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON read_notifications
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON read_marks
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON messages
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON digests
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON push_subscriptions
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON settings
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON watches
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON sms_numbers
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON counters
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);

-- One colocation group; referenced tables first.
SELECT create_distributed_table('notifications', 'company_id', colocate_with => 'none');
SELECT create_distributed_table('read_notifications', 'company_id', colocate_with => 'notifications');
SELECT create_distributed_table('read_marks', 'company_id', colocate_with => 'notifications');
SELECT create_distributed_table('counters', 'company_id', colocate_with => 'notifications');
SELECT create_distributed_table('messages', 'company_id', colocate_with => 'notifications');
SELECT create_distributed_table('digests', 'company_id', colocate_with => 'notifications');
SELECT create_distributed_table('push_subscriptions', 'company_id', colocate_with => 'notifications');
SELECT create_distributed_table('settings', 'company_id', colocate_with => 'notifications');
SELECT create_distributed_table('watches', 'company_id', colocate_with => 'notifications');
SELECT create_distributed_table('sms_numbers', 'company_id', colocate_with => 'notifications');

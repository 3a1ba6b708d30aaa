-- Distributes the database of the billing service by company. On the coordinator of a Citus cluster, as
-- its superuser and outside of a transaction:
--   psql "$COORDINATOR/hourmeter_billing" -v ON_ERROR_STOP=1 -f deploy/distribution/billing.sql
-- Read deploy/distribution.md first. Each table is listed once; a test compares this with the schema.

-- The company of a transaction is sent to the workers.
DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I SET citus.propagate_set_commands = %L', current_database(), 'local');
END
$$;

-- Policies of distributed tables must not contain a sub-select: the same condition without it.
ALTER POLICY tenant ON subscriptions
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON sandbox_accounts
    USING (company_id = nullif(current_setting('app.company_id', true), '')::uuid)
    WITH CHECK (company_id = nullif(current_setting('app.company_id', true), '')::uuid);
ALTER POLICY tenant ON stripe_events
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

-- One colocation group; referenced tables first.
SELECT create_distributed_table('subscriptions', 'company_id', colocate_with => 'none');
SELECT create_distributed_table('sandbox_accounts', 'company_id', colocate_with => 'subscriptions');
SELECT create_distributed_table('stripe_events', 'company_id', colocate_with => 'subscriptions');
SELECT create_distributed_table('outbox', 'company_id', colocate_with => 'subscriptions');
SELECT create_distributed_table('idempotency_keys', 'company_id', colocate_with => 'subscriptions');
SELECT create_distributed_table('audit_events', 'company_id', colocate_with => 'subscriptions');

-- Local tables on the coordinator:
-- local stripe_prices: the platform's prices at Stripe, a dozen rows, which belong to no company

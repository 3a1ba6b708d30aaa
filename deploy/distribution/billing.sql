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

-- The coordinator connects to workers as this role, to execute its functions. It has no password.
ALTER ROLE tenant_lookup LOGIN;

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

-- Citus rejects the limit within the lateral join by which the function of the migrations reads an index.
CREATE OR REPLACE FUNCTION list_subscriptions_in_state(
    p_state text, p_provider text, p_now timestamptz, p_before timestamptz, p_before_id uuid, p_limit bigint
)
RETURNS TABLE (
    company_id uuid, tier text, status text, trial_start timestamptz, trial_end timestamptz,
    current_period_end timestamptz, cancel_at_period_end boolean, pause_end timestamptz, billing_interval text,
    equipment_limit_override integer, provider text, provider_customer_id text, provider_subscription_id text,
    payment_failed boolean, clock_days_ahead integer, updated_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT s.company_id, s.tier, s.status, s.trial_start, s.trial_end, s.current_period_end,
           s.cancel_at_period_end, s.pause_end, s.billing_interval, s.equipment_limit_override,
           s.provider, s.provider_customer_id, s.provider_subscription_id, s.payment_failed,
           s.clock_days_ahead, s.updated_at
    FROM public.subscriptions s
    CROSS JOIN LATERAL (
        SELECT p_now + make_interval(
                   hours => CASE p_provider WHEN 'sandbox' THEN 24 * s.clock_days_ahead ELSE 0 END
               ) AS now,
               greatest(s.current_period_end, s.pause_end) + make_interval(
                   hours => CASE WHEN s.cancel_at_period_end THEN 0 ELSE 7 * 24 END
               ) AS access_end
    ) AS clock
    WHERE (s.trial_start, s.company_id) < (p_before, p_before_id)
      AND p_state = CASE
          -- A subscription at another provider gives no access.
          WHEN s.provider_subscription_id IS NOT NULL AND s.provider IS DISTINCT FROM p_provider
              THEN 'expired'
          WHEN s.status = 'trial' AND clock.now < s.trial_end THEN 'trial'
          WHEN s.status IN ('trial', 'expired') THEN 'expired'
          WHEN s.status = 'canceled' AND clock.now >= s.current_period_end THEN 'expired'
          WHEN s.status = 'canceled' THEN 'canceled'
          WHEN s.status = 'paused' AND clock.now < s.pause_end THEN 'paused'
          WHEN clock.now >= clock.access_end THEN 'expired'
          WHEN s.payment_failed AND s.provider = p_provider AND s.current_period_end IS NOT NULL
              THEN 'past_due'
          ELSE 'active'
      END
    ORDER BY s.trial_start DESC, s.company_id DESC
    LIMIT p_limit
$$;

-- Local tables on the coordinator:
-- local stripe_prices: the platform's prices at Stripe, a dozen rows, which belong to no company

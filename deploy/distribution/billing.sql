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

-- Citus rejects the changes of two roles to shards of one group in a transaction. The platform's line about what
-- support staff changed is in that of the change, so the caller's role writes it, as the company of the platform.
ALTER FUNCTION note_for_platform RENAME TO note_for_platform_alone;
CREATE FUNCTION note_for_platform(
    p_id uuid, p_event text, p_outcome text, p_actor_id uuid, p_actor_name text, p_scope text,
    p_address_prefix text, p_request_id uuid, p_company_id uuid, p_target text, p_detail text
)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY INVOKER SET search_path = ''
AS $$
DECLARE
    v_company text := current_setting('app.company_id', true);
BEGIN
    -- Without a company there is no change beside it.
    IF coalesce(v_company, '') = '' THEN
        PERFORM public.note_for_platform_alone(
            p_id, p_event, p_outcome, p_actor_id, p_actor_name, p_scope, p_address_prefix, p_request_id,
            p_company_id, p_target, p_detail
        );
        RETURN;
    END IF;
    SET LOCAL app.company_id = '00000000-0000-0000-0000-000000000000';
    INSERT INTO public.audit_events (
        company_id, id, event, outcome, actor_id, actor_name, scope, address_prefix, request_id,
        target_id, target_name, detail
    ) VALUES (
        '00000000-0000-0000-0000-000000000000', p_id, p_event, p_outcome, p_actor_id, p_actor_name,
        p_scope, p_address_prefix, p_request_id, p_company_id, p_target, p_detail
    );
    EXECUTE format('SET LOCAL app.company_id = %L', v_company);
END
$$;
REVOKE ALL ON FUNCTION note_for_platform FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_for_platform TO hourmeter_billing;
CREATE OR REPLACE FUNCTION note_equipment_limit(
    p_id uuid, p_staff_id uuid, p_staff_name text, p_address_prefix text, p_request_id uuid,
    p_company_id uuid, p_limit text, p_reason text
)
RETURNS void
LANGUAGE sql VOLATILE SECURITY INVOKER SET search_path = ''
AS $$
    SELECT public.note_for_platform(
        p_id, 'equipment_limit_set', 'success', p_staff_id, p_staff_name, 'staff', p_address_prefix,
        p_request_id, p_company_id, p_limit, p_reason
    )
$$;

-- Local tables on the coordinator:
-- local stripe_prices: the platform's prices at Stripe, a dozen rows, which belong to no company

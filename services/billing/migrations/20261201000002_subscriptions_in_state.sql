-- The subscriptions in a state at a time, newest sign-up first. The states are those of `access_state` in
-- domain/subscription.rs; "past_due" is an active one whose last renewal failed. Each stored status, with and
-- without a failed payment, is read in the order of the index, and only if it can have the state. Limit: a page
-- of "expired" reads all newer companies of the other statuses. `next_due_at` can't exclude them: a subscription
-- at another provider gives no access at any time, and a check that fails is due later again.
CREATE FUNCTION list_subscriptions_in_state(
    p_state text, p_provider text, p_now timestamptz, p_before timestamptz, p_before_id uuid, p_limit bigint
)
RETURNS TABLE (
    company_id uuid,
    tier text,
    status text,
    trial_start timestamptz,
    trial_end timestamptz,
    current_period_end timestamptz,
    cancel_at_period_end boolean,
    pause_end timestamptz,
    billing_interval text,
    equipment_limit_override integer,
    provider text,
    provider_customer_id text,
    provider_subscription_id text,
    payment_failed boolean,
    clock_days_ahead integer,
    updated_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT f.*
    FROM (
        VALUES ('trial', 'trial'), ('active', 'active'), ('active', 'paused'),
               ('past_due', 'active'), ('past_due', 'paused'), ('paused', 'paused'),
               ('canceled', 'canceled'), ('expired', 'expired'), ('expired', 'trial'),
               ('expired', 'active'), ('expired', 'paused'), ('expired', 'canceled')
    ) AS possible (state, stored)
    JOIN (VALUES (false), (true)) AS payment (failed) ON payment.failed OR possible.state <> 'past_due'
    CROSS JOIN LATERAL (
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
        WHERE s.status = possible.stored
          AND s.payment_failed = payment.failed
          AND (s.trial_start, s.company_id) < (p_before, p_before_id)
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
    ) AS f
    WHERE possible.state = p_state
    ORDER BY f.trial_start DESC, f.company_id DESC
    LIMIT p_limit
$$;
REVOKE ALL ON FUNCTION list_subscriptions_in_state(text, text, timestamptz, timestamptz, uuid, bigint)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_subscriptions_in_state(text, text, timestamptz, timestamptz, uuid, bigint)
    TO hourmeter_billing;
ALTER FUNCTION list_subscriptions_in_state(text, text, timestamptz, timestamptz, uuid, bigint)
    OWNER TO tenant_lookup;

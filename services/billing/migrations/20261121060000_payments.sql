-- What the payment provider knows of a company, and what it has told.

ALTER TABLE subscriptions
    ADD COLUMN provider text CHECK (provider IN ('stripe', 'sandbox')),
    ADD COLUMN provider_customer_id text,
    ADD COLUMN provider_subscription_id text,
    ADD COLUMN payment_failed boolean NOT NULL DEFAULT false,
    ADD COLUMN provider_event_at timestamptz,
    ADD COLUMN read_ticket bigint NOT NULL DEFAULT 0,
    ADD COLUMN followed_ticket bigint NOT NULL DEFAULT 0,
    ADD COLUMN clock_days_ahead integer NOT NULL DEFAULT 0 CHECK (clock_days_ahead BETWEEN 0 AND 3660),
    ADD COLUMN next_due_at timestamptz DEFAULT now(),
    ADD COLUMN quiet_looks integer NOT NULL DEFAULT 0 CHECK (quiet_looks >= 0),
    ADD COLUMN busy_until timestamptz,
    ADD COLUMN wish jsonb,
    ADD COLUMN checkout_id text,
    ADD COLUMN checkout_url text,
    ADD COLUMN checkout_tier text CHECK (checkout_tier IN ('basic', 'professional', 'enterprise')),
    ADD COLUMN checkout_interval text CHECK (checkout_interval IN ('month', 'year')),
    ADD COLUMN checkout_expires_at timestamptz;

COMMENT ON COLUMN subscriptions.provider IS 'Who takes its payments; null: it has never been to a checkout.';
COMMENT ON COLUMN subscriptions.provider_customer_id IS 'Its id at that provider.';
COMMENT ON COLUMN subscriptions.provider_subscription_id IS 'The subscription there that counts; null: a trial, or agreed on outside the product.';
COMMENT ON COLUMN subscriptions.payment_failed IS 'The last renewal could not be collected; current_period_end is then the end of what was paid.';
COMMENT ON COLUMN subscriptions.provider_event_at IS 'When the newest event that was taken had been made.';
COMMENT ON COLUMN subscriptions.read_ticket IS 'Rises with each reading at the provider that begins.';
COMMENT ON COLUMN subscriptions.followed_ticket IS 'Of the newest reading that was stored; one that began before it is not stored any more.';
COMMENT ON COLUMN subscriptions.clock_days_ahead IS 'Sandbox: how far its billing clock was moved.';
COMMENT ON COLUMN subscriptions.next_due_at IS 'When time alone changes something next, by the real clock; null: nothing is due. What stood before, and what an older version inserts, is looked at at once.';
COMMENT ON COLUMN subscriptions.quiet_looks IS 'How many looks in a row have found nothing new; the next one waits the longer.';
COMMENT ON COLUMN subscriptions.busy_until IS 'Until then nobody else changes it at the provider; null: nobody does.';
COMMENT ON COLUMN subscriptions.wish IS 'Who asked the provider for what last, so that the audit log names the person whoever stores the change.';
COMMENT ON COLUMN subscriptions.checkout_id IS 'The checkout that was opened last.';
COMMENT ON COLUMN subscriptions.checkout_url IS 'Where it is.';
COMMENT ON COLUMN subscriptions.checkout_tier IS 'What it sells.';
COMMENT ON COLUMN subscriptions.checkout_interval IS 'How that would be paid.';
COMMENT ON COLUMN subscriptions.checkout_expires_at IS 'Until then it can be paid.';

CREATE INDEX subscriptions_customer_idx ON subscriptions (provider_customer_id);
CREATE INDEX subscriptions_due_idx ON subscriptions (next_due_at);
GRANT SELECT (
    provider, provider_customer_id, provider_subscription_id, payment_failed, clock_days_ahead,
    next_due_at
) ON subscriptions TO tenant_lookup;

-- The subscriptions of these companies, with what the provider knows of them.
DROP FUNCTION list_subscriptions(uuid[]);
CREATE FUNCTION list_subscriptions(p_company_ids uuid[])
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
    SELECT s.company_id, s.tier, s.status, s.trial_start, s.trial_end, s.current_period_end,
           s.cancel_at_period_end, s.pause_end, s.billing_interval, s.equipment_limit_override,
           s.provider, s.provider_customer_id, s.provider_subscription_id, s.payment_failed,
           s.clock_days_ahead, s.updated_at
    FROM public.subscriptions s
    WHERE s.company_id = ANY (p_company_ids)
$$;
REVOKE ALL ON FUNCTION list_subscriptions(uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_subscriptions(uuid[]) TO hourmeter_billing;
ALTER FUNCTION list_subscriptions(uuid[]) OWNER TO tenant_lookup;

-- The company whose customer this is at a provider.
CREATE FUNCTION company_of_customer(p_customer_id text)
RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT s.company_id FROM public.subscriptions s WHERE s.provider_customer_id = p_customer_id
$$;
REVOKE ALL ON FUNCTION company_of_customer(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION company_of_customer(text) TO hourmeter_billing;
ALTER FUNCTION company_of_customer(text) OWNER TO tenant_lookup;

-- Companies where something is due, longest overdue first.
CREATE FUNCTION due_subscriptions(p_now timestamptz, p_at_most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT s.company_id
    FROM public.subscriptions s
    WHERE s.next_due_at <= p_now
    ORDER BY s.next_due_at
    LIMIT p_at_most
$$;
REVOKE ALL ON FUNCTION due_subscriptions(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_subscriptions(timestamptz, integer) TO hourmeter_billing;
ALTER FUNCTION due_subscriptions(timestamptz, integer) OWNER TO tenant_lookup;

-- Events of the provider that were taken, so that none counts twice.
CREATE TABLE stripe_events (
    company_id uuid NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    made_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    CONSTRAINT stripe_events_pkey PRIMARY KEY (company_id, id)
);
COMMENT ON TABLE stripe_events IS 'Events of the payment provider that were taken.';
COMMENT ON COLUMN stripe_events.company_id IS 'The company, found by the stored customer id.';
COMMENT ON COLUMN stripe_events.id IS 'The event at the provider.';
COMMENT ON COLUMN stripe_events.kind IS 'Its type, e.g. customer.subscription.updated.';
COMMENT ON COLUMN stripe_events.made_at IS 'When the provider made it.';
COMMENT ON COLUMN stripe_events.received_at IS 'When it was taken.';
ALTER TABLE stripe_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE stripe_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON stripe_events
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
GRANT SELECT, INSERT ON stripe_events TO hourmeter_billing;

-- The prices made at Stripe from the plan catalogue. The platform's own: no company.
CREATE TABLE stripe_prices (
    price_id text NOT NULL PRIMARY KEY,
    tier text NOT NULL CHECK (tier IN ('basic', 'professional', 'enterprise')),
    billing_interval text NOT NULL CHECK (billing_interval IN ('month', 'year')),
    cents integer NOT NULL CHECK (cents > 0),
    sold boolean NOT NULL,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE stripe_prices IS 'Prices at Stripe; old ones stay, since subscriptions may still pay them.';
COMMENT ON COLUMN stripe_prices.price_id IS 'The price at Stripe.';
COMMENT ON COLUMN stripe_prices.tier IS 'The plan it buys.';
COMMENT ON COLUMN stripe_prices.billing_interval IS 'How it is paid.';
COMMENT ON COLUMN stripe_prices.cents IS 'US cents a period.';
COMMENT ON COLUMN stripe_prices.sold IS 'Whether checkouts use it.';
COMMENT ON COLUMN stripe_prices.created_at IS 'When it was made.';
CREATE UNIQUE INDEX stripe_prices_sold_idx ON stripe_prices (tier, billing_interval) WHERE sold;
GRANT SELECT, INSERT, UPDATE ON stripe_prices TO hourmeter_billing;

-- Customers of the built-in provider.
CREATE TABLE sandbox_accounts (
    company_id uuid NOT NULL PRIMARY KEY,
    account jsonb NOT NULL,
    updated_at timestamptz NOT NULL
);
COMMENT ON TABLE sandbox_accounts IS 'What the built-in payment provider keeps of a company; no money moves.';
COMMENT ON COLUMN sandbox_accounts.company_id IS 'The company.';
COMMENT ON COLUMN sandbox_accounts.account IS 'Card, checkouts, subscriptions, invoices and events not yet delivered.';
COMMENT ON COLUMN sandbox_accounts.updated_at IS 'When it last changed.';
ALTER TABLE sandbox_accounts ENABLE ROW LEVEL SECURITY;
ALTER TABLE sandbox_accounts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sandbox_accounts
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
GRANT SELECT, INSERT, UPDATE ON sandbox_accounts TO hourmeter_billing;

-- The platform's own lines about what support staff did to a company's plan.
DROP POLICY platform_line ON audit_events;
CREATE POLICY platform_line ON audit_events FOR INSERT TO tenant_lookup
    WITH CHECK (
        company_id = '00000000-0000-0000-0000-000000000000'
        AND event IN ('equipment_limit_set', 'trial_extended', 'plan_set', 'webhook_refused')
    );

CREATE FUNCTION note_for_platform(
    p_id uuid, p_event text, p_outcome text, p_actor_id uuid, p_actor_name text, p_scope text,
    p_address_prefix text, p_request_id uuid, p_company_id uuid, p_target text, p_detail text
)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    INSERT INTO public.audit_events (
        company_id, id, event, outcome, actor_id, actor_name, scope, address_prefix, request_id,
        target_id, target_name, detail
    ) VALUES (
        '00000000-0000-0000-0000-000000000000', p_id, p_event, p_outcome, p_actor_id, p_actor_name,
        p_scope, p_address_prefix, p_request_id, p_company_id, p_target, p_detail
    )
$$;
REVOKE ALL ON FUNCTION note_for_platform(uuid, text, text, uuid, text, text, text, uuid, uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_for_platform(uuid, text, text, uuid, text, text, text, uuid, uuid, text, text) TO hourmeter_billing;
ALTER FUNCTION note_for_platform(uuid, text, text, uuid, text, text, text, uuid, uuid, text, text) OWNER TO tenant_lookup;

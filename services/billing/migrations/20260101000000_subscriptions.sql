CREATE TABLE subscriptions (
    company_id uuid NOT NULL PRIMARY KEY,
    tier text NOT NULL CHECK (tier IN ('basic', 'professional', 'enterprise')),
    status text NOT NULL CHECK (status IN ('trial', 'active', 'paused', 'canceled', 'expired')),
    trial_start timestamptz NOT NULL,
    trial_end timestamptz NOT NULL,
    current_period_end timestamptz,
    cancel_at_period_end boolean NOT NULL DEFAULT false,
    pause_end timestamptz,
    billing_interval text CHECK (billing_interval IN ('month', 'year')),
    equipment_limit_override integer CHECK (equipment_limit_override >= -1),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT subscriptions_trial_order CHECK (trial_end > trial_start),
    CONSTRAINT subscriptions_pause_has_end CHECK (status <> 'paused' OR pause_end IS NOT NULL)
);

COMMENT ON TABLE subscriptions IS 'One row a company: its plan and where its subscription stands.';
COMMENT ON COLUMN subscriptions.company_id IS 'The company; its row is made when billing first meets it.';
COMMENT ON COLUMN subscriptions.tier IS 'Plan in the catalogue.';
COMMENT ON COLUMN subscriptions.status IS 'As last stored; what it means now depends on the dates too.';
COMMENT ON COLUMN subscriptions.trial_start IS 'When the company signed up.';
COMMENT ON COLUMN subscriptions.trial_end IS 'First instant without trial.';
COMMENT ON COLUMN subscriptions.current_period_end IS 'End of what is paid for; null: nothing was ever paid.';
COMMENT ON COLUMN subscriptions.cancel_at_period_end IS 'Does not renew.';
COMMENT ON COLUMN subscriptions.pause_end IS 'When a pause ends by itself; kept afterwards, because the paid time moves with it.';
COMMENT ON COLUMN subscriptions.billing_interval IS 'How it is paid; null: not at all.';
COMMENT ON COLUMN subscriptions.equipment_limit_override IS 'Limit agreed with this company instead of the plan''s; -1: none.';
COMMENT ON COLUMN subscriptions.created_at IS 'When the row was made.';
COMMENT ON COLUMN subscriptions.updated_at IS 'When the row last changed.';

ALTER TABLE subscriptions ENABLE ROW LEVEL SECURITY;
ALTER TABLE subscriptions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON subscriptions
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE ON subscriptions TO hourmeter_billing;

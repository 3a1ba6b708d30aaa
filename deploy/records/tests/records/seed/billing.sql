BEGIN;
INSERT INTO subscriptions (
    company_id, tier, status, trial_start, trial_end, created_at, updated_at, provider,
    provider_customer_id, checkout_url
) VALUES (
    :company, 'basic', 'canceled', now(), now() + interval '1 day', now(), now(), 'stripe',
    'cus_' || :company, :secret
);
INSERT INTO stripe_events VALUES (:company, 'evt_1', 'customer.updated', now(), now());
INSERT INTO outbox VALUES (:company, 'payment:1', 'fact', now());
INSERT INTO sandbox_accounts VALUES (:company, '{}', now());
INSERT INTO audit_events (company_id, id, event, outcome, request_id)
VALUES (:company, gen_random_uuid(), 'plan_changed', 'success', gen_random_uuid());
INSERT INTO audit_events (company_id, id, event, outcome, request_id, target_id, target_name, detail)
VALUES (
    '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'plan_set', 'success',
    gen_random_uuid(), :company, :name, 'Olivia Owner of ' || :name || ' called'
);
INSERT INTO idempotency_keys VALUES (:company, :person, 'route', :secret, convert_to(:secret, 'UTF8'), NULL, now());
COMMIT;

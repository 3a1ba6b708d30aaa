-- Failed payments, of which owner and managers are notified.

CREATE TABLE failed_payments (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    access_until timestamptz NOT NULL,
    happened_at timestamptz NOT NULL,
    next_try_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);

COMMENT ON TABLE failed_payments IS 'Outbox: failed payments that the notifications service has not confirmed.';
COMMENT ON COLUMN failed_payments.company_id IS 'The company.';
COMMENT ON COLUMN failed_payments.id IS 'The failed payment.';
COMMENT ON COLUMN failed_payments.access_until IS 'When access ends unless it is paid.';
COMMENT ON COLUMN failed_payments.happened_at IS 'When the payment was found to have failed.';
COMMENT ON COLUMN failed_payments.next_try_at IS 'Not to be sent before.';

CREATE INDEX failed_payments_due ON failed_payments (next_try_at, company_id);

ALTER TABLE failed_payments ENABLE ROW LEVEL SECURITY;
ALTER TABLE failed_payments FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON failed_payments
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON failed_payments FOR SELECT TO tenant_lookup USING (true);

GRANT SELECT, INSERT, DELETE ON failed_payments TO hourmeter_billing;
GRANT UPDATE (next_try_at) ON failed_payments TO hourmeter_billing;
GRANT SELECT (company_id, next_try_at) ON failed_payments TO tenant_lookup;

-- Which companies have failed payments to send. Locks nothing: the sender claims within the company.
CREATE FUNCTION due_facts(at_most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT p.company_id
    FROM public.failed_payments p
    WHERE p.next_try_at <= now()
    GROUP BY p.company_id
    ORDER BY min(p.next_try_at)
    LIMIT at_most
$$;
REVOKE ALL ON FUNCTION due_facts(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_facts(integer) TO hourmeter_billing;
ALTER FUNCTION due_facts(integer) OWNER TO tenant_lookup;

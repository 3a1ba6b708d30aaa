-- Facts that people are notified of.

CREATE TABLE outbox (
    company_id uuid NOT NULL,
    key text NOT NULL,
    fact bytea NOT NULL,
    next_try_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, key)
);

COMMENT ON TABLE outbox IS 'Facts that the notifications service has not confirmed.';
COMMENT ON COLUMN outbox.company_id IS 'The company.';
COMMENT ON COLUMN outbox.key IS 'The key of the fact.';
COMMENT ON COLUMN outbox.fact IS 'The fact, encoded as in the contract.';
COMMENT ON COLUMN outbox.next_try_at IS 'Not to be sent before.';

CREATE INDEX outbox_due ON outbox (next_try_at, company_id);

ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON outbox
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON outbox FOR SELECT TO tenant_lookup USING (true);

GRANT SELECT, INSERT, DELETE ON outbox TO hourmeter_billing;
GRANT UPDATE (next_try_at) ON outbox TO hourmeter_billing;
GRANT SELECT (company_id, next_try_at) ON outbox TO tenant_lookup;

-- Which companies have facts to send. Locks nothing: the sender claims within the company.
CREATE FUNCTION due_facts(at_most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT o.company_id
    FROM public.outbox o
    WHERE o.next_try_at <= now()
    GROUP BY o.company_id
    ORDER BY min(o.next_try_at)
    LIMIT at_most
$$;
REVOKE ALL ON FUNCTION due_facts(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_facts(integer) TO hourmeter_billing;
ALTER FUNCTION due_facts(integer) OWNER TO tenant_lookup;

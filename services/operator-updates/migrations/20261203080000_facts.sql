-- Facts for the notifications service: an outbox that a trigger fills, so that no statement that changes
-- an update can forget it.

CREATE TABLE facts (
    company_id uuid NOT NULL,
    update_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('flagged', 'rejected')),
    happened_at timestamptz NOT NULL,
    next_try_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, update_id, kind),
    FOREIGN KEY (company_id, update_id) REFERENCES updates (company_id, id)
);

COMMENT ON TABLE facts IS 'Outbox: facts that the notifications service has not confirmed.';
COMMENT ON COLUMN facts.company_id IS 'The company.';
COMMENT ON COLUMN facts.update_id IS 'The update.';
COMMENT ON COLUMN facts.kind IS 'flagged: it waits for review with flags; rejected: a manager rejected it.';
COMMENT ON COLUMN facts.happened_at IS 'When.';
COMMENT ON COLUMN facts.next_try_at IS 'Not to be sent before.';

CREATE INDEX facts_due ON facts (next_try_at, company_id);

ALTER TABLE facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE facts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON facts
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON facts FOR SELECT TO tenant_lookup USING (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON facts TO hourmeter_operator_updates;
GRANT SELECT (company_id, next_try_at) ON facts TO tenant_lookup;

CREATE FUNCTION record_facts()
RETURNS trigger
LANGUAGE plpgsql SET search_path = ''
AS $$
BEGIN
    -- Later flags come from what managers do themselves.
    IF TG_OP = 'INSERT' AND NEW.status = 'pending' AND cardinality(NEW.flags) > 0
    THEN
        INSERT INTO public.facts (company_id, update_id, kind, happened_at, next_try_at)
        VALUES (NEW.company_id, NEW.id, 'flagged', now(), now())
        ON CONFLICT DO NOTHING;
    -- The operator's own word for a withdrawn update.
    ELSIF NEW.status = 'rejected' AND NEW.reject_reason <> 'WITHDRAWN'
        AND (TG_OP = 'INSERT' OR OLD.status <> 'rejected')
    THEN
        -- Managers can undo it within a minute.
        INSERT INTO public.facts (company_id, update_id, kind, happened_at, next_try_at)
        VALUES (NEW.company_id, NEW.id, 'rejected', now(), now() + interval '1 minute')
        ON CONFLICT (company_id, update_id, kind) DO UPDATE
        SET happened_at = excluded.happened_at, next_try_at = excluded.next_try_at;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION record_facts() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_facts() TO hourmeter_operator_updates;
CREATE TRIGGER record_facts AFTER INSERT OR UPDATE OF status ON updates
    FOR EACH ROW EXECUTE FUNCTION record_facts();

-- Which companies have facts to send. Locks nothing: the sender claims within the company.
CREATE FUNCTION due_facts(at_most integer)
RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT f.company_id
    FROM public.facts f
    WHERE f.next_try_at <= now()
    GROUP BY f.company_id
    ORDER BY min(f.next_try_at)
    LIMIT at_most
$$;
REVOKE ALL ON FUNCTION due_facts(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_facts(integer) TO hourmeter_operator_updates;
ALTER FUNCTION due_facts(integer) OWNER TO tenant_lookup;

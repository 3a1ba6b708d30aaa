CREATE TABLE updates (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    equipment_id uuid NOT NULL,
    equipment_name text NOT NULL,
    operator_id uuid NOT NULL,
    operator_name text NOT NULL,
    new_usage bigint CHECK (new_usage >= 0),
    fuel_added bigint NOT NULL CHECK (fuel_added >= 0),
    fuel_kind text NOT NULL CHECK (fuel_kind IN ('gas', 'diesel')),
    notes text NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'recent', 'applied', 'rejected')),
    client_id text NOT NULL,
    captured_at timestamptz NOT NULL,
    previous_usage bigint,
    applied_usage bigint,
    below_current boolean NOT NULL,
    flags text[] NOT NULL,
    reviewed_by_id uuid,
    reviewed_by text NOT NULL DEFAULT '',
    reviewed_at timestamptz,
    reject_reason text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    CONSTRAINT updates_client_id_key UNIQUE (company_id, client_id)
);

COMMENT ON TABLE updates IS 'What operators reported, and what became of it. Quantities are hundredths.';
COMMENT ON COLUMN updates.company_id IS 'The company.';
COMMENT ON COLUMN updates.id IS 'UUIDv7; the equipment service applies each id once.';
COMMENT ON COLUMN updates.equipment_id IS 'In the equipment service; may be gone there.';
COMMENT ON COLUMN updates.equipment_name IS 'Its name at submission.';
COMMENT ON COLUMN updates.operator_id IS 'Who reported; in a shared session the person it belongs to.';
COMMENT ON COLUMN updates.operator_name IS 'Name of the operator at submission.';
COMMENT ON COLUMN updates.new_usage IS 'Reported meter reading; null: none.';
COMMENT ON COLUMN updates.fuel_added IS 'Reported gallons; 0: none.';
COMMENT ON COLUMN updates.fuel_kind IS 'Which fuel.';
COMMENT ON COLUMN updates.notes IS 'Up to 5,000 characters.';
COMMENT ON COLUMN updates.status IS 'pending, recent, applied or rejected; pending until an effect is confirmed.';
COMMENT ON COLUMN updates.client_id IS 'Made by the client, or by the server when left out; the first body wins.';
COMMENT ON COLUMN updates.captured_at IS 'When the operator read the meter.';
COMMENT ON COLUMN updates.previous_usage IS 'The meter at submission, then before application.';
COMMENT ON COLUMN updates.applied_usage IS 'The meter after application; null: it was not changed.';
COMMENT ON COLUMN updates.below_current IS 'The reported reading is below the meter.';
COMMENT ON COLUMN updates.flags IS 'Reasons to look twice.';
COMMENT ON COLUMN updates.reviewed_by_id IS 'Who decided.';
COMMENT ON COLUMN updates.reviewed_by IS 'Name of who decided.';
COMMENT ON COLUMN updates.reviewed_at IS 'When it was decided.';
COMMENT ON COLUMN updates.reject_reason IS 'Why it was refused, for the operator.';
COMMENT ON COLUMN updates.created_at IS 'When it was received.';

CREATE INDEX updates_newest ON updates (company_id, created_at DESC, id DESC);
CREATE INDEX updates_newest_by_operator ON updates (company_id, operator_id, created_at DESC, id DESC);
CREATE INDEX updates_pending ON updates (company_id, created_at DESC, id DESC)
    WHERE status = 'pending';

ALTER TABLE updates ENABLE ROW LEVEL SECURITY;
ALTER TABLE updates FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON updates
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE ON updates TO hourmeter_operator_updates;

CREATE TABLE decisions (
    company_id uuid NOT NULL,
    update_id uuid NOT NULL,
    equipment_id uuid NOT NULL,
    captured_at timestamptz NOT NULL,
    automatic boolean NOT NULL,
    decided_by_id uuid,
    decided_by text NOT NULL,
    decided_at timestamptz NOT NULL,
    reading bigint CHECK (reading >= 0),
    overridden boolean NOT NULL,
    replace_meter boolean NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_try_at timestamptz NOT NULL DEFAULT now(),
    leased_until timestamptz,
    parked_at timestamptz,
    PRIMARY KEY (company_id, update_id),
    FOREIGN KEY (company_id, update_id) REFERENCES updates (company_id, id)
);

COMMENT ON TABLE decisions IS 'Outbox: decisions to apply whose effect is not yet confirmed.';
COMMENT ON COLUMN decisions.company_id IS 'The company.';
COMMENT ON COLUMN decisions.update_id IS 'The submission.';
COMMENT ON COLUMN decisions.equipment_id IS 'As in the submission; deliveries to one piece of equipment are in order.';
COMMENT ON COLUMN decisions.captured_at IS 'As in the submission; the order.';
COMMENT ON COLUMN decisions.automatic IS 'Nobody reviewed it: it becomes recent, not applied.';
COMMENT ON COLUMN decisions.decided_by_id IS 'Who decided; null: automatic.';
COMMENT ON COLUMN decisions.decided_by IS 'Name of who decided; empty: automatic.';
COMMENT ON COLUMN decisions.decided_at IS 'When.';
COMMENT ON COLUMN decisions.reading IS 'The meter reading to apply, hundredths; null: none.';
COMMENT ON COLUMN decisions.overridden IS 'The manager gave the reading.';
COMMENT ON COLUMN decisions.replace_meter IS 'The reading counts though it is below the meter.';
COMMENT ON COLUMN decisions.attempts IS 'How often it was leased; also the fence of the current lease.';
COMMENT ON COLUMN decisions.next_try_at IS 'Not to be tried by the relay before.';
COMMENT ON COLUMN decisions.leased_until IS 'Somebody is delivering it until then.';
COMMENT ON COLUMN decisions.parked_at IS 'No more tries by itself since then.';

CREATE INDEX decisions_due ON decisions (next_try_at) WHERE parked_at IS NULL;
CREATE INDEX decisions_order ON decisions (company_id, equipment_id, captured_at, update_id)
    WHERE parked_at IS NULL;

ALTER TABLE decisions ENABLE ROW LEVEL SECURITY;
ALTER TABLE decisions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON decisions
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON decisions TO tenant_lookup USING (true) WITH CHECK (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON decisions TO hourmeter_operator_updates;
GRANT SELECT (
    company_id, update_id, equipment_id, captured_at, attempts, next_try_at, leased_until, parked_at
) ON decisions TO tenant_lookup;
GRANT UPDATE (attempts, leased_until) ON decisions TO tenant_lookup;

-- Leases deliveries that are due, of any company: of each piece of equipment the first in order.
CREATE FUNCTION claim_deliveries(most integer, lease_seconds integer)
RETURNS TABLE (company_id uuid, update_id uuid, attempts integer)
LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$
    WITH due AS (
        SELECT d.company_id, d.update_id
        FROM public.decisions d
        WHERE d.parked_at IS NULL
          AND d.next_try_at <= now()
          AND (d.leased_until IS NULL OR d.leased_until <= now())
          AND NOT EXISTS (
              SELECT 1
              FROM public.decisions earlier
              WHERE earlier.company_id = d.company_id
                AND earlier.equipment_id = d.equipment_id
                AND earlier.parked_at IS NULL
                AND (earlier.captured_at, earlier.update_id) < (d.captured_at, d.update_id)
          )
        ORDER BY d.next_try_at
        LIMIT most
        FOR UPDATE OF d SKIP LOCKED
    )
    UPDATE public.decisions d
    SET attempts = d.attempts + 1,
        leased_until = now() + make_interval(secs => lease_seconds)
    FROM due
    WHERE d.company_id = due.company_id AND d.update_id = due.update_id
    RETURNING d.company_id, d.update_id, d.attempts
$$;
REVOKE ALL ON FUNCTION claim_deliveries(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_deliveries(integer, integer) TO hourmeter_operator_updates;
-- Last: from here on the owner of the tables may not touch it.
ALTER FUNCTION claim_deliveries(integer, integer) OWNER TO tenant_lookup;

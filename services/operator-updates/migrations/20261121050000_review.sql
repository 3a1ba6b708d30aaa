-- Review: what late readings, moves to other equipment and replaced meters leave behind, a mark of
-- the last change, and deliveries of several at once.

ALTER TABLE updates
    ADD COLUMN late boolean NOT NULL DEFAULT false,
    ADD COLUMN reported_equipment_id uuid,
    ADD COLUMN reported_equipment_name text NOT NULL DEFAULT '',
    ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now(),
    ADD CONSTRAINT updates_reported_equipment
        CHECK (reported_equipment_id IS NOT NULL OR reported_equipment_name = '');

COMMENT ON COLUMN updates.late IS 'The meter had been read later than this was captured: only fuel and notes count.';
COMMENT ON COLUMN updates.reported_equipment_id IS 'For which equipment it was reported; null: for the same.';
COMMENT ON COLUMN updates.reported_equipment_name IS 'Name of that at submission; empty: the same.';
COMMENT ON COLUMN updates.changed_at IS 'When the row was last stored or touched; each time later than before. Set by a trigger.';
COMMENT ON COLUMN updates.equipment_name IS 'Its name at submission, or when it was moved there.';
COMMENT ON COLUMN updates.previous_usage IS 'What the meter showed at submission, then before application.';
COMMENT ON COLUMN updates.applied_usage IS 'What the meter showed after application; null: it was not changed.';

-- By a trigger, so that no writer can forget it, older processes during a deploy included.
CREATE FUNCTION mark_change() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW.changed_at := clock_timestamp();
    IF TG_OP = 'UPDATE' AND NEW.changed_at <= OLD.changed_at THEN
        NEW.changed_at := OLD.changed_at + interval '1 microsecond';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER mark_change BEFORE INSERT OR UPDATE ON updates
    FOR EACH ROW EXECUTE FUNCTION mark_change();

CREATE INDEX updates_changed ON updates (company_id, changed_at);
CREATE INDEX updates_changed_by_operator ON updates (company_id, operator_id, changed_at);
CREATE INDEX updates_captured_by_operator ON updates (company_id, operator_id, captured_at);

ALTER TABLE decisions
    ADD COLUMN meter_change text CHECK (meter_change IN ('replaced', 'rolled_over')),
    ADD COLUMN meter_final bigint CHECK (meter_final >= 0),
    ADD COLUMN meter_start bigint CHECK (meter_start >= 0),
    ADD COLUMN faults integer NOT NULL DEFAULT 0,
    ADD CONSTRAINT decisions_meter_change
        CHECK ((meter_change IS NULL) = (meter_start IS NULL)
            AND (meter_change IS NOT NULL OR meter_final IS NULL));

COMMENT ON COLUMN decisions.meter_change IS 'The reading is of the next meter: the old one was replaced, or began again; null: of the same.';
COMMENT ON COLUMN decisions.meter_final IS 'What the old meter showed at the end, hundredths; null: what it shows.';
COMMENT ON COLUMN decisions.meter_start IS 'What the next meter showed at the beginning, hundredths.';

COMMENT ON COLUMN decisions.faults IS 'How often the relay was answered a fault; at 20 it is parked.';

GRANT SELECT (meter_change) ON decisions TO tenant_lookup;

-- For processes from before replaced meters, during a deploy: they would deliver a replacement as
-- a correction.
CREATE OR REPLACE FUNCTION claim_deliveries(most integer, lease_seconds integer)
RETURNS TABLE (company_id uuid, update_id uuid, attempts integer)
LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$
    WITH due AS (
        SELECT d.company_id, d.update_id
        FROM public.decisions d
        WHERE d.parked_at IS NULL
          AND d.meter_change IS NULL
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

-- Leases deliveries that are due, of any company: of up to most_queues pieces of equipment the
-- first most_each in order. The more often the first one was tried, the fewer come with it, until
-- it stands alone and can keep no other from being applied.
CREATE FUNCTION claim_queues(most_queues integer, most_each integer, lease_seconds integer)
RETURNS TABLE (company_id uuid, equipment_id uuid, update_id uuid, attempts integer)
LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$
    WITH head AS (
        SELECT d.company_id, d.equipment_id, d.attempts
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
        LIMIT most_queues
        FOR UPDATE OF d SKIP LOCKED
    ),
    queue AS (
        SELECT q.company_id, q.equipment_id, q.captured_at, q.update_id
        FROM head
        CROSS JOIN LATERAL (
            SELECT d.company_id, d.equipment_id, d.captured_at, d.update_id
            FROM public.decisions d
            WHERE d.company_id = head.company_id
              AND d.equipment_id = head.equipment_id
              AND d.parked_at IS NULL
            ORDER BY d.captured_at, d.update_id
            LIMIT greatest(1, most_each >> least(head.attempts, 16))
        ) q
    ),
    free AS (
        SELECT d.company_id, d.update_id
        FROM queue
        JOIN public.decisions d
          ON d.company_id = queue.company_id AND d.update_id = queue.update_id
        WHERE d.parked_at IS NULL
          AND (d.leased_until IS NULL OR d.leased_until <= now())
        FOR UPDATE OF d SKIP LOCKED
    ),
    -- Nothing after one that somebody else has.
    first_free AS (
        SELECT q.company_id, q.update_id
        FROM (
            SELECT
                queue.company_id,
                queue.update_id,
                bool_and(free.update_id IS NOT NULL) OVER (
                    PARTITION BY queue.company_id, queue.equipment_id
                    ORDER BY queue.captured_at, queue.update_id
                ) AS mine
            FROM queue
            LEFT JOIN free
              ON free.company_id = queue.company_id AND free.update_id = queue.update_id
        ) q
        WHERE q.mine
    )
    UPDATE public.decisions d
    SET attempts = d.attempts + 1,
        leased_until = now() + make_interval(secs => lease_seconds)
    FROM first_free
    WHERE d.company_id = first_free.company_id AND d.update_id = first_free.update_id
    RETURNING d.company_id, d.equipment_id, d.update_id, d.attempts
$$;
REVOKE ALL ON FUNCTION claim_queues(integer, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_queues(integer, integer, integer) TO hourmeter_operator_updates;
-- Last: from here on the owner of the tables may not touch it.
ALTER FUNCTION claim_queues(integer, integer, integer) OWNER TO tenant_lookup;

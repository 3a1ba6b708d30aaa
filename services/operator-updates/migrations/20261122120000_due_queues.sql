-- Which equipment has something to deliver, of any company. Locks nothing: whoever delivers leases within
-- the company, so that each statement that locks rows names one company, as a distributed table wants.
CREATE FUNCTION due_queues(most integer)
RETURNS TABLE (company_id uuid, equipment_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT d.company_id, d.equipment_id
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
$$;
REVOKE ALL ON FUNCTION due_queues(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_queues(integer) TO hourmeter_operator_updates;
-- Last: from here on the owner of the tables may not touch it.
ALTER FUNCTION due_queues(integer) OWNER TO tenant_lookup;

-- What support staff see and set across companies.

CREATE POLICY lookup ON subscriptions FOR SELECT TO tenant_lookup USING (true);
GRANT SELECT (
    company_id, tier, status, trial_start, trial_end, current_period_end, cancel_at_period_end,
    pause_end, billing_interval, equipment_limit_override, updated_at
) ON subscriptions TO tenant_lookup;

-- The subscriptions of these companies.
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
    updated_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT s.company_id, s.tier, s.status, s.trial_start, s.trial_end, s.current_period_end,
           s.cancel_at_period_end, s.pause_end, s.billing_interval, s.equipment_limit_override,
           s.updated_at
    FROM public.subscriptions s
    WHERE s.company_id = ANY (p_company_ids)
$$;
REVOKE ALL ON FUNCTION list_subscriptions(uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_subscriptions(uuid[]) TO hourmeter_billing;
ALTER FUNCTION list_subscriptions(uuid[]) OWNER TO tenant_lookup;

-- The platform's own line about a limit that support staff set, beside the one in the company's
-- log: the transaction that sets it sees the company's rows only.
CREATE POLICY platform_line ON audit_events FOR INSERT TO tenant_lookup
    WITH CHECK (
        company_id = '00000000-0000-0000-0000-000000000000' AND event = 'equipment_limit_set'
    );
GRANT INSERT ON audit_events TO tenant_lookup;

CREATE FUNCTION note_equipment_limit(
    p_id uuid, p_staff_id uuid, p_staff_name text, p_address_prefix text, p_request_id uuid,
    p_company_id uuid, p_limit text, p_reason text
)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    INSERT INTO public.audit_events (
        company_id, id, event, outcome, actor_id, actor_name, scope, address_prefix, request_id,
        target_id, target_name, detail
    ) VALUES (
        '00000000-0000-0000-0000-000000000000', p_id, 'equipment_limit_set', 'success', p_staff_id,
        p_staff_name, 'staff', p_address_prefix, p_request_id, p_company_id, p_limit, p_reason
    )
$$;
REVOKE ALL ON FUNCTION note_equipment_limit(uuid, uuid, text, text, uuid, uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_equipment_limit(uuid, uuid, text, text, uuid, uuid, text, text) TO hourmeter_billing;
ALTER FUNCTION note_equipment_limit(uuid, uuid, text, text, uuid, uuid, text, text) OWNER TO tenant_lookup;

-- no-transaction
-- Whether a member of support staff signed in from an address before: the platform's log is long after
-- a flood of sign-ins with unknown names.
CREATE INDEX CONCURRENTLY audit_events_staff_sign_ins_idx
    ON audit_events (company_id, actor_id, address_prefix, at)
    WHERE company_id = '00000000-0000-0000-0000-000000000000'
      AND event = 'sign_in' AND outcome = 'success';

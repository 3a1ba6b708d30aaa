-- no-transaction
-- The last sign-in of a company, or of its owner, without reading the rest of its log.
CREATE INDEX CONCURRENTLY audit_events_sign_ins_idx ON audit_events (company_id, at DESC)
    INCLUDE (actor_id, scope)
    WHERE event = 'sign_in' AND outcome = 'success';

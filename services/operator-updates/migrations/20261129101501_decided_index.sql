-- no-transaction
-- Decided updates by the time of the last decision.
CREATE INDEX CONCURRENTLY updates_decided
    ON updates (company_id, (coalesce(taken_back_at, reviewed_at)) DESC, id DESC)
    WHERE coalesce(taken_back_at, reviewed_at) IS NOT NULL;

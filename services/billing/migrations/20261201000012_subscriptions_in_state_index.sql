-- no-transaction
CREATE INDEX CONCURRENTLY subscriptions_status_idx
    ON subscriptions (status, payment_failed, trial_start DESC, company_id DESC);

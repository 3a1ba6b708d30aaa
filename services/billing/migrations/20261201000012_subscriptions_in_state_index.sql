-- no-transaction
CREATE INDEX CONCURRENTLY subscriptions_status_idx ON subscriptions (status, trial_start DESC, company_id DESC);

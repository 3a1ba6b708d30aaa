-- no-transaction
CREATE INDEX CONCURRENTLY stripe_events_age_idx ON stripe_events (received_at);

-- no-transaction
-- Finds the person of a secret, which is too long to be guessed or given twice.
CREATE INDEX CONCURRENTLY users_calendar_secret ON users (calendar_secret_hash)
    WHERE calendar_secret_hash IS NOT NULL;

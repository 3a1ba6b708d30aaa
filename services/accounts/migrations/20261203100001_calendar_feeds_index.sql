-- no-transaction
-- Each secret belongs to one person.
CREATE UNIQUE INDEX CONCURRENTLY users_calendar_secret ON users (calendar_secret_hash)
    WHERE calendar_secret_hash IS NOT NULL;

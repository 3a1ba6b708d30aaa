-- no-transaction
-- Finds the person of a secret, which is too long to be guessed or given twice.
CREATE INDEX CONCURRENTLY users_mail_link ON users (mail_link_hash)
    WHERE mail_link_hash IS NOT NULL;

-- no-transaction
CREATE INDEX CONCURRENTLY companies_deletion_due_idx ON companies (deletion_due_at)
    WHERE deletion_due_at IS NOT NULL;

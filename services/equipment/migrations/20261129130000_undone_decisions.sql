-- Whether a void undoes a decision, apart from its reason, which is a person's text.

ALTER TABLE ledger_voids ADD COLUMN undone boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN ledger_voids.undone IS 'The decision on an operator''s update was undone.';
ALTER TABLE applied_updates ADD COLUMN void_undone boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN applied_updates.void_undone IS 'Its last void undid the decision.';
GRANT UPDATE (void_undone) ON applied_updates TO hourmeter_equipment;

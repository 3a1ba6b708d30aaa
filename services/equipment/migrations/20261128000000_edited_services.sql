-- An edited service is a new entry, which replaces the one that it corrects.

ALTER TABLE ledger ADD COLUMN replaces uuid;
COMMENT ON COLUMN ledger.replaces IS
    'The service that this entry corrects, and whose person and time of entry it has; null: none.';
ALTER TABLE ledger_voids ADD COLUMN replaced_by uuid;
COMMENT ON COLUMN ledger_voids.replaced_by IS
    'The entry that corrects it; reason lists what differs; null: it was voided.';

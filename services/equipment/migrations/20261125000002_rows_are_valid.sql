-- All rows met these conditions before.
ALTER TABLE ledger VALIDATE CONSTRAINT ledger_valid;
ALTER TABLE equipment VALIDATE CONSTRAINT equipment_valid;

-- All rows met the narrower condition before.
ALTER TABLE notices VALIDATE CONSTRAINT notices_kind_known;

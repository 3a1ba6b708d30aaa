ALTER TABLE digests ADD COLUMN former_weekdays integer[];
COMMENT ON COLUMN digests.former_weekdays IS 'The weekdays before a link in the mail ended it; null: none did.';

-- Mail with a link that sets a new password. A message is dropped if it could not be sent in time.

ALTER TABLE messages
    DROP CONSTRAINT messages_kind_check,
    ADD CONSTRAINT messages_kind_check CHECK (kind IN ('address_verification', 'password_recovery')) NOT VALID,
    DROP CONSTRAINT messages_state_check,
    ADD CONSTRAINT messages_state_check
        CHECK (state IN ('queued', 'sent', 'suppressed', 'failed', 'late')) NOT VALID;
COMMENT ON COLUMN messages.kind IS 'address_verification: a link that verifies the address; password_recovery: one that sets a new password.';
COMMENT ON COLUMN messages.state IS 'queued; sent: accepted by the relay; suppressed: not to be sent any more; failed: refused, or not accepted in time; late: dropped, because it is of no use any more.';

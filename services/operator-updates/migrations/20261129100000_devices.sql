-- Updates that an enrolled phone captured without a session.

ALTER TABLE updates
    ADD COLUMN captured_on_device text NOT NULL DEFAULT '',
    ADD COLUMN device_was_removed boolean NOT NULL DEFAULT false,
    ADD COLUMN person_was_removed boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN updates.captured_on_device IS 'Label of the enrolled phone that captured it without a session; empty: captured in a session.';
COMMENT ON COLUMN updates.device_was_removed IS 'Captured after a manager removed the phone: it keeps the flag removed_device.';
COMMENT ON COLUMN updates.person_was_removed IS 'Captured after the person left the phone or the company: it keeps the flag removed_person.';

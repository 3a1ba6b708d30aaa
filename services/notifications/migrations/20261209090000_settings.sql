-- Which notifications reach people outside of the product, and when.

CREATE TABLE settings (
    company_id uuid NOT NULL,
    person_id uuid NOT NULL,
    flagged_mail boolean NOT NULL,
    flagged_push boolean NOT NULL,
    returned_push boolean NOT NULL,
    quiet_start integer CHECK (quiet_start BETWEEN 0 AND 1439),
    quiet_end integer CHECK (quiet_end BETWEEN 0 AND 1439),
    PRIMARY KEY (company_id, person_id),
    CHECK ((quiet_start IS NULL) = (quiet_end IS NULL) AND quiet_start <> quiet_end)
);

COMMENT ON TABLE settings IS 'How people are notified; none: the usual way.';
COMMENT ON COLUMN settings.company_id IS 'The company.';
COMMENT ON COLUMN settings.person_id IS 'The person.';
COMMENT ON COLUMN settings.flagged_mail IS 'Mail about flagged updates.';
COMMENT ON COLUMN settings.flagged_push IS 'Pushes about flagged updates.';
COMMENT ON COLUMN settings.returned_push IS 'Pushes about rejected and voided updates.';
COMMENT ON COLUMN settings.quiet_start IS 'Minute of the day in the company''s time zone from which messages wait; null: never.';
COMMENT ON COLUMN settings.quiet_end IS 'The first minute at which they do not wait any more.';

ALTER TABLE settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE settings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON settings
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE, DELETE ON settings TO hourmeter_notifications;

ALTER TABLE messages
    ADD COLUMN postponed_until timestamptz,
    DROP CONSTRAINT messages_kind_check,
    ADD CONSTRAINT messages_kind_check CHECK (
        kind IN (
            'address_verification', 'password_recovery', 'digest', 'requested_digest', 'push', 'test_push',
            'flagged_mail'
        )
    ) NOT VALID,
    DROP CONSTRAINT messages_state_check,
    ADD CONSTRAINT messages_state_check
        CHECK (state IN ('queued', 'sent', 'gathered', 'suppressed', 'failed', 'late')) NOT VALID;
COMMENT ON COLUMN messages.kind IS 'address_verification: a link that verifies the address; password_recovery: one that sets a new password; digest: the digest of a morning; requested_digest: one that a person asked for; push: a notification; test_push: a test that a person asked for; flagged_mail: mail about a flagged update.';
COMMENT ON COLUMN messages.state IS 'queued; sent: accepted by the relay or the push service; gathered: sent as part of another message; suppressed: not to be sent any more, or nothing to say; failed: refused, or not accepted in time; late: dropped, because it is of no use any more.';
COMMENT ON COLUMN messages.postponed_until IS 'The end of quiet hours; null: not postponed.';
COMMENT ON COLUMN messages.notification_number IS 'The notification of a push or a mail.';

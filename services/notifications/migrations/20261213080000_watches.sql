-- Which machines people watch, and notifications of a machine's status.

CREATE TABLE watches (
    company_id uuid NOT NULL,
    person_id uuid NOT NULL,
    is_manager boolean NOT NULL,
    equipment_ids uuid[] NOT NULL,
    equipment_groups text[] NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, person_id)
);

COMMENT ON TABLE watches IS 'Which machines people watch; none: the usual ones.';
COMMENT ON COLUMN watches.company_id IS 'The company.';
COMMENT ON COLUMN watches.person_id IS 'The person.';
COMMENT ON COLUMN watches.is_manager IS 'Owner or manager; false: operator.';
COMMENT ON COLUMN watches.equipment_ids IS 'Machines.';
COMMENT ON COLUMN watches.equipment_groups IS 'Groups, with all their machines.';
COMMENT ON COLUMN watches.changed_at IS 'When the person chose them.';

ALTER TABLE watches ENABLE ROW LEVEL SECURITY;
ALTER TABLE watches FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON watches
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE, DELETE ON watches TO hourmeter_notifications;

ALTER TABLE notifications
    ADD COLUMN equipment_id uuid,
    ADD COLUMN equipment_group text;
COMMENT ON COLUMN notifications.equipment_id IS 'The machine; null: it is not about one, or older than watches.';
COMMENT ON COLUMN notifications.equipment_group IS 'The machine''s group when it was recorded; null: none.';

ALTER TABLE settings ADD COLUMN status_push boolean;
COMMENT ON COLUMN settings.status_push IS 'Pushes about the status of machines; null: operators only.';

ALTER TABLE messages
    DROP CONSTRAINT messages_kind_check,
    ADD CONSTRAINT messages_kind_check CHECK (
        kind IN (
            'address_verification', 'password_recovery', 'digest', 'requested_digest', 'push', 'test_push',
            'flagged_mail', 'security_mail', 'plan_mail', 'operators'
        )
    ) NOT VALID;
COMMENT ON COLUMN messages.kind IS 'address_verification: a link that verifies the address; password_recovery: one that sets a new password; digest: the digest of a morning; requested_digest: one that a person asked for; push: a notification; test_push: a test that a person asked for; flagged_mail: mail about a flagged update; security_mail: mail about the security of the account; plan_mail: mail about a failed payment or a reached limit; operators: notifications of operators about the status of a machine.';
COMMENT ON COLUMN messages.person_id IS 'The recipient; of the kind operators: the person who changed the status, or zeros.';
COMMENT ON COLUMN messages.state IS 'queued; sent: accepted by the relay or the push service; gathered: sent as part of another message, or replaced by notifications; suppressed: not to be sent any more, or nothing to say; failed: refused, or not accepted in time; late: dropped, because it is of no use any more.';

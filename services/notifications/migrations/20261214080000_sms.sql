-- Notifications as text messages.

CREATE TABLE sms_numbers (
    company_id uuid NOT NULL,
    person_id uuid NOT NULL,
    is_manager boolean NOT NULL,
    language text NOT NULL CHECK (language IN ('en', 'es')),
    number text NOT NULL CHECK (number = '' OR number ~ '^\+[1-9][0-9]{7,14}$'),
    verified_at timestamptz,
    code_hash bytea CHECK (octet_length(code_hash) = 32),
    code_expires_at timestamptz,
    wrong_codes integer NOT NULL DEFAULT 0 CHECK (wrong_codes >= 0),
    codes_sent integer NOT NULL CHECK (codes_sent >= 0),
    codes_since timestamptz NOT NULL,
    PRIMARY KEY (company_id, person_id)
);

COMMENT ON TABLE sms_numbers IS 'Numbers of people for text messages.';
COMMENT ON COLUMN sms_numbers.company_id IS 'The company.';
COMMENT ON COLUMN sms_numbers.person_id IS 'The person.';
COMMENT ON COLUMN sms_numbers.is_manager IS 'Owner or manager; false: operator.';
COMMENT ON COLUMN sms_numbers.language IS 'Language of the texts.';
COMMENT ON COLUMN sms_numbers.number IS 'With country code (E.164); empty: removed.';
COMMENT ON COLUMN sms_numbers.verified_at IS 'When the person entered the code; null: not verified.';
COMMENT ON COLUMN sms_numbers.code_hash IS 'SHA-256 of the last code with its company and person; null: none is valid.';
COMMENT ON COLUMN sms_numbers.code_expires_at IS 'When the code ends.';
COMMENT ON COLUMN sms_numbers.wrong_codes IS 'Wrong codes entered since the code was sent.';
COMMENT ON COLUMN sms_numbers.codes_sent IS 'Codes requested within the day that starts at codes_since.';
COMMENT ON COLUMN sms_numbers.codes_since IS 'The first request of that day.';

ALTER TABLE sms_numbers ENABLE ROW LEVEL SECURITY;
ALTER TABLE sms_numbers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sms_numbers
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE ON sms_numbers TO hourmeter_notifications;

ALTER TABLE settings
    ADD COLUMN flagged_sms boolean NOT NULL DEFAULT false,
    ADD COLUMN returned_sms boolean NOT NULL DEFAULT false,
    ADD COLUMN status_sms boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN settings.flagged_sms IS 'Text messages about flagged updates.';
COMMENT ON COLUMN settings.returned_sms IS 'Text messages about rejected and voided updates.';
COMMENT ON COLUMN settings.status_sms IS 'Text messages about the status of machines.';

ALTER TABLE messages
    DROP CONSTRAINT messages_kind_check,
    ADD CONSTRAINT messages_kind_check CHECK (
        kind IN (
            'address_verification', 'password_recovery', 'digest', 'requested_digest', 'push', 'test_push',
            'flagged_mail', 'security_mail', 'plan_mail', 'operators', 'sms', 'sms_code'
        )
    ) NOT VALID;
COMMENT ON COLUMN messages.kind IS 'address_verification: a link that verifies the address; password_recovery: one that sets a new password; digest: the digest of a morning; requested_digest: one that a person asked for; push: a notification; test_push: a test that a person asked for; flagged_mail: mail about a flagged update; security_mail: mail about the security of the account; plan_mail: mail about a failed payment or a reached limit; operators: notifications of operators about the status of a machine; sms: a text message about a notification; sms_code: one with a code that verifies the number.';
COMMENT ON COLUMN messages.state IS 'queued; sent: accepted by the relay, the push service or the provider of text messages; gathered: sent as part of another message, or replaced by notifications; suppressed: not to be sent any more, or nothing to say; failed: refused, or not accepted in time; late: dropped, because it is of no use any more.';

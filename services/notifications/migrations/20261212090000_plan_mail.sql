-- Mail about the plan.

ALTER TABLE messages
    DROP CONSTRAINT messages_kind_check,
    ADD CONSTRAINT messages_kind_check CHECK (
        kind IN (
            'address_verification', 'password_recovery', 'digest', 'requested_digest', 'push', 'test_push',
            'flagged_mail', 'security_mail', 'plan_mail'
        )
    ) NOT VALID;
COMMENT ON COLUMN messages.kind IS 'address_verification: a link that verifies the address; password_recovery: one that sets a new password; digest: the digest of a morning; requested_digest: one that a person asked for; push: a notification; test_push: a test that a person asked for; flagged_mail: mail about a flagged update; security_mail: mail about the security of the account; plan_mail: mail about a failed payment or a reached limit.';

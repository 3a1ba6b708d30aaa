-- The owner of a new company sees a list of first steps until dismissing it.

ALTER TABLE notices
    DROP CONSTRAINT notices_kind_known,
    ADD CONSTRAINT notices_kind_known CHECK (
        kind IN (
            'password_recovered', 'password_set_by_owner', 'operator_sign_ins_blocked', 'session_reused',
            'second_factor_off', 'second_factor_reset', 'passkey_added', 'recovery_code_used',
            'first_steps', 'first_cards'
        )
    ) NOT VALID;

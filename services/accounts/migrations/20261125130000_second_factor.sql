-- A second factor for owners and managers, and staff who enrol themselves.

ALTER TABLE companies ADD COLUMN second_factor_required boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN companies.second_factor_required IS 'The owner and managers must have a second factor.';

CREATE TABLE authenticators (
    company_id uuid NOT NULL,
    user_id uuid NOT NULL,
    pending boolean NOT NULL,
    totp_key_id text NOT NULL,
    totp_nonce bytea NOT NULL,
    totp_box bytea NOT NULL,
    totp_last_step bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    CONSTRAINT authenticators_pkey PRIMARY KEY (company_id, user_id, pending),
    CONSTRAINT authenticators_user_fkey FOREIGN KEY (company_id, user_id)
        REFERENCES users (company_id, id) ON DELETE CASCADE
);

COMMENT ON TABLE authenticators IS 'Secrets of one-time codes of owners and managers: the one in use, and one that waits for its first code.';
COMMENT ON COLUMN authenticators.company_id IS 'The company.';
COMMENT ON COLUMN authenticators.user_id IS 'The person.';
COMMENT ON COLUMN authenticators.pending IS 'No code has confirmed it yet, so it signs nobody in.';
COMMENT ON COLUMN authenticators.totp_key_id IS 'Which key sealed the secret.';
COMMENT ON COLUMN authenticators.totp_nonce IS 'Nonce of the sealed secret.';
COMMENT ON COLUMN authenticators.totp_box IS 'Sealed secret.';
COMMENT ON COLUMN authenticators.totp_last_step IS 'Step of the last code used; it and earlier ones are refused.';
COMMENT ON COLUMN authenticators.created_at IS 'When it was confirmed, or made.';

CREATE TABLE passkeys (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    credential_id bytea NOT NULL,
    algorithm integer NOT NULL,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    CONSTRAINT passkeys_pkey PRIMARY KEY (company_id, id),
    CONSTRAINT passkeys_credential_id_key UNIQUE (company_id, credential_id),
    CONSTRAINT passkeys_user_fkey FOREIGN KEY (company_id, user_id)
        REFERENCES users (company_id, id) ON DELETE CASCADE
);
CREATE INDEX passkeys_user_idx ON passkeys (company_id, user_id, created_at);

COMMENT ON TABLE passkeys IS 'WebAuthn credentials of owners and managers.';
COMMENT ON COLUMN passkeys.company_id IS 'The company.';
COMMENT ON COLUMN passkeys.id IS 'The passkey.';
COMMENT ON COLUMN passkeys.user_id IS 'The person.';
COMMENT ON COLUMN passkeys.name IS 'As the person named it.';
COMMENT ON COLUMN passkeys.credential_id IS 'What the authenticator knows it by.';
COMMENT ON COLUMN passkeys.algorithm IS 'COSE algorithm: -7 is ES256, -8 is EdDSA.';
COMMENT ON COLUMN passkeys.public_key IS 'Uncompressed P-256 point, or Ed25519 key.';
COMMENT ON COLUMN passkeys.sign_count IS 'Last counter of the authenticator; 0: it does not count.';
COMMENT ON COLUMN passkeys.created_at IS 'When it was added.';
COMMENT ON COLUMN passkeys.last_used_at IS 'When it last signed in.';

CREATE TABLE passkey_challenges (
    company_id uuid NOT NULL,
    challenge bytea NOT NULL,
    user_id uuid NOT NULL,
    purpose text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT passkey_challenges_pkey PRIMARY KEY (company_id, challenge),
    CONSTRAINT passkey_challenges_user_fkey FOREIGN KEY (company_id, user_id)
        REFERENCES users (company_id, id) ON DELETE CASCADE,
    CONSTRAINT passkey_challenges_purpose_known CHECK (purpose IN ('add', 'sign_in')),
    CONSTRAINT passkey_challenges_long CHECK (octet_length(challenge) = 32)
);
CREATE INDEX passkey_challenges_user_idx ON passkey_challenges (company_id, user_id, created_at);

COMMENT ON TABLE passkey_challenges IS 'Challenges that wait for a passkey: good once, and for 5 minutes.';
COMMENT ON COLUMN passkey_challenges.company_id IS 'The company.';
COMMENT ON COLUMN passkey_challenges.challenge IS 'Random.';
COMMENT ON COLUMN passkey_challenges.user_id IS 'Whom it was given to.';
COMMENT ON COLUMN passkey_challenges.purpose IS 'add or sign_in.';
COMMENT ON COLUMN passkey_challenges.created_at IS 'When it was made.';

CREATE TABLE recovery_codes (
    company_id uuid NOT NULL,
    user_id uuid NOT NULL,
    code_hash bytea NOT NULL,
    code_pepper_id text NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz,
    CONSTRAINT recovery_codes_pkey PRIMARY KEY (company_id, user_id, code_hash),
    CONSTRAINT recovery_codes_user_fkey FOREIGN KEY (company_id, user_id)
        REFERENCES users (company_id, id) ON DELETE CASCADE,
    CONSTRAINT recovery_codes_hash_is_sha256 CHECK (octet_length(code_hash) = 32)
);

COMMENT ON TABLE recovery_codes IS 'Codes that replace the second factor, each good once.';
COMMENT ON COLUMN recovery_codes.company_id IS 'The company.';
COMMENT ON COLUMN recovery_codes.user_id IS 'The person.';
COMMENT ON COLUMN recovery_codes.code_hash IS 'HMAC-SHA-256 of the code under a pepper.';
COMMENT ON COLUMN recovery_codes.code_pepper_id IS 'Which pepper the hash was made with.';
COMMENT ON COLUMN recovery_codes.created_at IS 'When it was made.';
COMMENT ON COLUMN recovery_codes.used_at IS 'When it signed in; absent: not used.';

ALTER TABLE authenticators ENABLE ROW LEVEL SECURITY;
ALTER TABLE authenticators FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON authenticators
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON authenticators FOR SELECT TO tenant_lookup USING (true);

ALTER TABLE passkeys ENABLE ROW LEVEL SECURITY;
ALTER TABLE passkeys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON passkeys
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON passkeys FOR SELECT TO tenant_lookup USING (true);

ALTER TABLE passkey_challenges ENABLE ROW LEVEL SECURITY;
ALTER TABLE passkey_challenges FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON passkey_challenges
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

ALTER TABLE recovery_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE recovery_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON recovery_codes
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, DELETE ON authenticators TO hourmeter_accounts;
GRANT UPDATE (
    pending, totp_key_id, totp_nonce, totp_box, totp_last_step, created_at
) ON authenticators TO hourmeter_accounts;
GRANT SELECT, INSERT, DELETE ON passkeys TO hourmeter_accounts;
GRANT UPDATE (sign_count, last_used_at) ON passkeys TO hourmeter_accounts;
GRANT SELECT, INSERT, DELETE ON passkey_challenges TO hourmeter_accounts;
GRANT SELECT, INSERT, DELETE ON recovery_codes TO hourmeter_accounts;
GRANT UPDATE (used_at) ON recovery_codes TO hourmeter_accounts;

GRANT SELECT (second_factor_required) ON companies TO tenant_lookup;
GRANT SELECT (company_id, user_id, pending, totp_key_id) ON authenticators TO tenant_lookup;
GRANT SELECT (company_id, user_id) ON passkeys TO tenant_lookup;

-- Whether a session may do no more than set up the factor that its company requires. Asked with
-- every session that is resolved: plpgsql keeps the plan.
CREATE FUNCTION second_factor_missing(p_company_id uuid, p_user_id uuid, p_role text, p_scope text)
RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
    IF p_scope <> 'full' OR p_role NOT IN ('owner', 'manager') THEN
        RETURN false;
    END IF;
    RETURN EXISTS (
        SELECT FROM public.companies c
        WHERE c.company_id = p_company_id AND c.second_factor_required
    ) AND NOT EXISTS (
        SELECT FROM public.authenticators a
        WHERE a.company_id = p_company_id AND a.user_id = p_user_id AND NOT a.pending
    ) AND NOT EXISTS (
        SELECT FROM public.passkeys p
        WHERE p.company_id = p_company_id AND p.user_id = p_user_id
    );
END
$$;
REVOKE ALL ON FUNCTION second_factor_missing(uuid, uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION second_factor_missing(uuid, uuid, text, text) TO hourmeter_accounts;
ALTER FUNCTION second_factor_missing(uuid, uuid, text, text) OWNER TO tenant_lookup;

-- Which companies have secrets of one-time codes sealed with another key than this one, in the order
-- of their ids; moving them is then work within each company.
CREATE FUNCTION list_authenticators_to_reseal(p_active_key text, p_after uuid, p_limit bigint)
RETURNS TABLE (company_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT DISTINCT a.company_id
    FROM public.authenticators a
    WHERE a.totp_key_id <> p_active_key AND a.company_id > p_after
    ORDER BY a.company_id
    LIMIT p_limit
$$;
REVOKE ALL ON FUNCTION list_authenticators_to_reseal(text, uuid, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_authenticators_to_reseal(text, uuid, bigint) TO hourmeter_accounts;
ALTER FUNCTION list_authenticators_to_reseal(text, uuid, bigint) OWNER TO tenant_lookup;

-- How many operator passwords and secrets of one-time codes each key has sealed.
CREATE OR REPLACE FUNCTION count_sealed()
RETURNS TABLE (key_id text, sealed bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
    SELECT s.key_id, count(*)
    FROM (
        SELECT c.operator_password_key_id AS key_id
        FROM public.companies c
        WHERE c.operator_password_key_id IS NOT NULL
        UNION ALL
        SELECT a.totp_key_id FROM public.authenticators a
    ) s
    GROUP BY s.key_id
$$;

ALTER TABLE notices
    DROP CONSTRAINT notices_kind_known,
    ADD CONSTRAINT notices_kind_known CHECK (
        kind IN (
            'password_recovered', 'password_set_by_owner', 'operator_sign_ins_blocked', 'session_reused',
            'second_factor_off', 'second_factor_reset', 'passkey_added', 'recovery_code_used'
        )
    ) NOT VALID;

CREATE TABLE staff_enrolments (
    staff_id uuid NOT NULL,
    code_hash bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    totp_key_id text,
    totp_nonce bytea,
    totp_box bytea,
    CONSTRAINT staff_enrolments_pkey PRIMARY KEY (staff_id),
    CONSTRAINT staff_enrolments_code_hash_key UNIQUE (code_hash),
    CONSTRAINT staff_enrolments_staff_fkey FOREIGN KEY (staff_id) REFERENCES staff (id) ON DELETE CASCADE,
    CONSTRAINT staff_enrolments_hash_is_sha256 CHECK (octet_length(code_hash) = 32),
    CONSTRAINT staff_enrolments_totp_whole CHECK (num_nulls(totp_key_id, totp_nonce, totp_box) IN (0, 3))
);

COMMENT ON TABLE staff_enrolments IS 'Support staff who have yet to choose a password; made by the owner role only.';
COMMENT ON COLUMN staff_enrolments.staff_id IS 'The person.';
COMMENT ON COLUMN staff_enrolments.code_hash IS 'SHA-256 of the enrolment code, which has 99 random bits.';
COMMENT ON COLUMN staff_enrolments.expires_at IS 'Until when the code is good.';
COMMENT ON COLUMN staff_enrolments.totp_key_id IS 'Which key sealed the secret that waits for its first code.';
COMMENT ON COLUMN staff_enrolments.totp_nonce IS 'Nonce of the sealed secret.';
COMMENT ON COLUMN staff_enrolments.totp_box IS 'Sealed secret.';

GRANT SELECT, DELETE ON staff_enrolments TO hourmeter_accounts;
GRANT UPDATE (totp_key_id, totp_nonce, totp_box) ON staff_enrolments TO hourmeter_accounts;
-- Staff choose their own passwords.
GRANT UPDATE (password_set_at, updated_at) ON staff TO hourmeter_accounts;

-- Companies and their people.

CREATE TABLE companies (
    company_id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    owner_id uuid NOT NULL,
    time_zone text NOT NULL,
    auto_apply_updates boolean NOT NULL DEFAULT false,
    operator_password_hash text,
    operator_password_pepper_id text,
    operator_password_set_at timestamptz,
    operator_password_key_id text,
    operator_password_nonce bytea,
    operator_password_box bytea,
    operator_password_stale boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT companies_pkey PRIMARY KEY (company_id),
    CONSTRAINT companies_name_key_key UNIQUE (name_key),
    CONSTRAINT companies_operator_password_whole CHECK (
        num_nulls(
            operator_password_hash,
            operator_password_pepper_id,
            operator_password_set_at,
            operator_password_key_id,
            operator_password_nonce,
            operator_password_box
        ) IN (0, 6)
    )
);
-- Signing in by business name is exact.
CREATE INDEX companies_name_idx ON companies (name);

COMMENT ON TABLE companies IS 'The tenants, with their settings.';
COMMENT ON COLUMN companies.company_id IS 'The company itself.';
COMMENT ON COLUMN companies.name IS 'Business name as written.';
COMMENT ON COLUMN companies.name_key IS 'Business name folded: no two companies may look alike.';
COMMENT ON COLUMN companies.owner_id IS 'The one who signed the company up.';
COMMENT ON COLUMN companies.time_zone IS 'IANA name.';
COMMENT ON COLUMN companies.auto_apply_updates IS 'Operator updates take effect without review.';
COMMENT ON COLUMN companies.operator_password_hash IS 'Shared operator password, Argon2id PHC string.';
COMMENT ON COLUMN companies.operator_password_pepper_id IS 'Which pepper the hash was made with.';
COMMENT ON COLUMN companies.operator_password_set_at IS 'When it was last set; a re-hash does not change it.';
COMMENT ON COLUMN companies.operator_password_key_id IS 'Which key sealed the copy for printing.';
COMMENT ON COLUMN companies.operator_password_nonce IS 'Nonce of the sealed copy.';
COMMENT ON COLUMN companies.operator_password_box IS 'Sealed copy, padded so that its length tells nothing.';
COMMENT ON COLUMN companies.operator_password_stale IS 'Somebody who left still knows the operator password.';
COMMENT ON COLUMN companies.created_at IS 'When the company signed up.';
COMMENT ON COLUMN companies.updated_at IS 'When a setting last changed.';

CREATE TABLE users (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    role text NOT NULL,
    first_name text NOT NULL DEFAULT '',
    last_name text NOT NULL DEFAULT '',
    email text,
    secondary_email text,
    operator_username text,
    password_hash text,
    password_pepper_id text,
    password_set_at timestamptz,
    question1 text,
    answer1_hash text,
    answer1_pepper_id text,
    question2 text,
    answer2_hash text,
    answer2_pepper_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT users_pkey PRIMARY KEY (company_id, id),
    CONSTRAINT users_company_fkey FOREIGN KEY (company_id) REFERENCES companies (company_id) ON DELETE CASCADE,
    CONSTRAINT users_operator_username_key UNIQUE (operator_username),
    CONSTRAINT users_role_known CHECK (role IN ('owner', 'manager', 'operator')),
    CONSTRAINT users_sign_in CHECK (
        CASE role
            WHEN 'operator' THEN operator_username IS NOT NULL
            ELSE operator_username IS NULL AND email IS NOT NULL AND password_hash IS NOT NULL
        END
    ),
    CONSTRAINT users_password_whole CHECK (num_nulls(password_hash, password_pepper_id, password_set_at) IN (0, 3)),
    CONSTRAINT users_questions_whole CHECK (
        num_nulls(question1, answer1_hash, answer1_pepper_id, question2, answer2_hash, answer2_pepper_id) IN (0, 6)
    )
);
-- An operator's e-mail is contact data, never a sign-in name.
CREATE UNIQUE INDEX users_email_key ON users (email) WHERE role IN ('owner', 'manager');
CREATE UNIQUE INDEX users_one_owner_key ON users (company_id) WHERE role = 'owner';
CREATE INDEX users_newest_idx ON users (company_id, created_at DESC, id DESC);

ALTER TABLE companies ADD CONSTRAINT companies_owner_fkey
    FOREIGN KEY (company_id, owner_id) REFERENCES users (company_id, id) DEFERRABLE INITIALLY DEFERRED;

COMMENT ON TABLE users IS 'Owners, managers and operators of companies.';
COMMENT ON COLUMN users.company_id IS 'The company.';
COMMENT ON COLUMN users.id IS 'The person.';
COMMENT ON COLUMN users.role IS 'owner, manager or operator.';
COMMENT ON COLUMN users.first_name IS 'May be empty for an owner.';
COMMENT ON COLUMN users.last_name IS 'May be empty for an owner.';
COMMENT ON COLUMN users.email IS 'Lower case; unique among owners and managers, who sign in with it.';
COMMENT ON COLUMN users.secondary_email IS 'A second contact address.';
COMMENT ON COLUMN users.operator_username IS 'Operators sign in with it; unique over the whole platform.';
COMMENT ON COLUMN users.password_hash IS 'Argon2id PHC string; an operator has one only when given a personal password.';
COMMENT ON COLUMN users.password_pepper_id IS 'Which pepper the hash was made with.';
COMMENT ON COLUMN users.password_set_at IS 'When the password was last set; a re-hash does not change it.';
COMMENT ON COLUMN users.question1 IS 'First security question, its English text.';
COMMENT ON COLUMN users.answer1_hash IS 'Its answer, hashed like a password.';
COMMENT ON COLUMN users.answer1_pepper_id IS 'Which pepper that hash was made with.';
COMMENT ON COLUMN users.question2 IS 'Second security question, its English text.';
COMMENT ON COLUMN users.answer2_hash IS 'Its answer, hashed like a password.';
COMMENT ON COLUMN users.answer2_pepper_id IS 'Which pepper that hash was made with.';
COMMENT ON COLUMN users.created_at IS 'When the person was added.';
COMMENT ON COLUMN users.updated_at IS 'When anything here last changed.';

-- Usernames that were ever given out. It has no company: a name stays taken after the operator and
-- even the company are gone. Only the functions of the lookup role reach it.
CREATE TABLE operator_usernames (
    username text NOT NULL,
    stem text NOT NULL,
    taken_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT operator_usernames_pkey PRIMARY KEY (username)
);
CREATE INDEX operator_usernames_stem_idx ON operator_usernames (stem);

COMMENT ON TABLE operator_usernames IS 'Operator usernames that were ever given out; never given out again.';
COMMENT ON COLUMN operator_usernames.username IS 'The whole username.';
COMMENT ON COLUMN operator_usernames.stem IS 'Its part before the digits.';
COMMENT ON COLUMN operator_usernames.taken_at IS 'When it was given out.';

ALTER TABLE companies ENABLE ROW LEVEL SECURITY;
ALTER TABLE companies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON companies
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON companies FOR SELECT TO tenant_lookup USING (true);

ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON users
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON users FOR SELECT TO tenant_lookup USING (true);

GRANT SELECT, INSERT, UPDATE ON companies TO hourmeter_accounts;
GRANT SELECT, INSERT, UPDATE, DELETE ON users TO hourmeter_accounts;

GRANT SELECT (
    company_id, name, owner_id, time_zone, auto_apply_updates, created_at,
    operator_password_hash, operator_password_pepper_id, operator_password_set_at
) ON companies TO tenant_lookup;
GRANT SELECT (
    company_id, id, role, first_name, last_name, email, operator_username,
    password_hash, password_pepper_id, password_set_at
) ON users TO tenant_lookup;
GRANT SELECT, INSERT ON operator_usernames TO tenant_lookup;

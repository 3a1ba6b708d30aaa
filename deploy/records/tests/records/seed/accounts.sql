-- One row of a company in every table. Values that give access are :secret.
BEGIN;
SET LOCAL session_replication_role = replica;
INSERT INTO companies VALUES (
    :company, :name, lower(:name), :person, 'America/Chicago', false, :secret, :secret, now(),
    :secret, convert_to(:secret, 'UTF8'), convert_to(:secret, 'UTF8'), false, now(), now()
);
INSERT INTO users (
    company_id, id, role, first_name, last_name, email, password_hash, password_pepper_id,
    password_set_at, question1, answer1_hash, answer1_pepper_id, question2, answer2_hash,
    answer2_pepper_id, created_at, updated_at
) VALUES (
    :company, :person, 'owner', '+Olivia', 'Owner', :company || '@example.com', :secret, :secret,
    now(), 'Pet?', :secret, :secret, 'Town?', :secret, :secret, now(), now()
);
INSERT INTO users (company_id, id, role, first_name, operator_username, created_at, updated_at)
VALUES (:company, gen_random_uuid(), 'operator', 'Oscar', 'oscar' || :company, now(), now());
INSERT INTO operator_usernames (username, stem) VALUES ('oscar' || :company, 'oscar');
INSERT INTO sessions (
    company_id, id, sid, expire, user_id, role, scope, absolute_expires, remember
) VALUES (
    :company, :machine, sha256(convert_to(:company, 'UTF8')), now() + interval '1 hour', :person,
    'owner', 'full', now() + interval '1 day', true
);
INSERT INTO retired_tokens VALUES (:company, sha256(convert_to('old' || :company, 'UTF8')), :machine, now());
INSERT INTO authenticators VALUES (
    :company, :person, false, :secret, convert_to(:secret, 'UTF8'), convert_to(:secret, 'UTF8'), 7, now()
);
INSERT INTO passkeys VALUES (
    :company, gen_random_uuid(), :person, 'Phone', convert_to(:secret, 'UTF8'), -7,
    convert_to(:secret, 'UTF8'), 0, now(), NULL
);
INSERT INTO passkey_challenges VALUES (
    :company, sha256(convert_to(:secret, 'UTF8')), :person, 'sign_in', now()
);
INSERT INTO recovery_codes VALUES (
    :company, :person, sha256(convert_to(:secret, 'UTF8')), :secret, now(), NULL
);
INSERT INTO devices VALUES (
    :company, :machine, 'Shop phone', convert_to(rpad(:secret, 65, 'x'), 'UTF8'), :person, now(), now(), NULL, NULL
);
INSERT INTO device_people VALUES (:company, :machine, :person, :name, NULL, now(), NULL);
INSERT INTO notices (company_id, id, user_id, kind)
VALUES (:company, gen_random_uuid(), :person, 'password_recovered');
INSERT INTO sign_in_addresses (company_id, user_id, scope, address_prefix)
VALUES (:company, :person, 'full', '192.0.2.0/24');
INSERT INTO browsers VALUES (:company, :person, 'Chrome, Windows', now());
INSERT INTO security_events VALUES (
    :company, gen_random_uuid(), :person, 'SECURITY_EVENT_KIND_NEW_BROWSER', 'Chrome, Windows', NULL, now(), now()
);
INSERT INTO audit_events (company_id, id, event, outcome, request_id, actor_name)
VALUES (:company, gen_random_uuid(), 'sign_in', 'success', gen_random_uuid(), 'Olivia');
INSERT INTO audit_events (company_id, id, event, outcome, request_id, target_id, target_name, detail)
VALUES (
    '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'looked_at', 'success',
    gen_random_uuid(), :company, :name, 'Olivia Owner of ' || :name || ' called'
);
INSERT INTO idempotency_keys VALUES (:company, :person, 'route', :secret, convert_to(:secret, 'UTF8'), NULL, now());
COMMIT;

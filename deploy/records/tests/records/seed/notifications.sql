BEGIN;
INSERT INTO counters VALUES (:company, 1);
INSERT INTO notifications (
    company_id, number, origin, fact, person_id, actor_id, happened_at, created_at
) VALUES (:company, 1, 'flagged:1', jsonb_build_object('kind', 'flagged_update'), :person, :machine, now(), now());
INSERT INTO read_notifications VALUES (:company, :person, 1);
INSERT INTO read_marks VALUES (:company, :person, 1);
INSERT INTO messages (company_id, id, person_id, kind, state, next_try_at, created_at)
VALUES (:company, gen_random_uuid(), :person, 'address_verification', 'queued', now(), now());
INSERT INTO digests (company_id, person_id, minute, weekdays) VALUES (:company, :person, 420, '{1, 5}');
INSERT INTO settings VALUES (:company, :person, true, true, true, 1260, 360);
INSERT INTO watches VALUES (:company, :person, true, ARRAY[:machine]::uuid[], '{"North yard"}', now());
INSERT INTO sms_numbers (
    company_id, person_id, is_manager, language, number, code_hash, codes_sent, codes_since
) VALUES (:company, :person, true, 'en', '+18305550199', decode(repeat('07', 32), 'hex'), 1, now());
INSERT INTO push_subscriptions
VALUES (
    :company, gen_random_uuid(), :person, gen_random_uuid(), true, 'https://push.example/1',
    decode(repeat('04', 65), 'hex'), decode(repeat('07', 16), 'hex'), 'en', now()
);
COMMIT;

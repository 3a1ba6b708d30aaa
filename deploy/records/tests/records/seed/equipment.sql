BEGIN;
SET LOCAL session_replication_role = replica;
INSERT INTO company_state VALUES (:company, now());
INSERT INTO equipment (
    company_id, id, name, kind, unit, initial_usage, current_usage, meter_read_at, alert_threshold,
    fuel, total_diesel, description, added_at, updated_at
) VALUES (
    :company, :machine, '@Excavator', 'machinery', 'hours', 10000, 31250, '2026-01-02 03:04:05.678+02',
    10, 'diesel', 4025, '', now(), now()
);
INSERT INTO service_tasks (company_id, id, equipment_id, position, usage_interval, last_usage)
VALUES (:company, gen_random_uuid(), :machine, 0, 25000, 10000);
INSERT INTO service_parts (company_id, id, equipment_id, position, part, quantity)
VALUES (:company, gen_random_uuid(), :machine, 0, 'Filter', 2);
INSERT INTO ledger (
    company_id, id, equipment_id, equipment_name, unit, kind, note_type, actor_id, actor_name, source,
    captured_at, recorded_at, usage_before, usage_after, fuel, fuel_kind, cost, content
) VALUES (
    :company, :person, :machine, 'Excavator', 'hours', 'usage', 'usage_update', :person, 'Olivia',
    'manager', now(), now(), 10000, 31250, 4025, 'diesel', 1999, E'- two\nlines'
);
INSERT INTO ledger_voids VALUES (:company, :person, :machine, 'a typing error', :person, 'Olivia', now());
INSERT INTO fuel_periods VALUES (:company, 1, now(), :person, 'Olivia');
INSERT INTO applied_updates VALUES (:company, :machine, :machine, 10000, 31250, now());
INSERT INTO idempotency_keys VALUES (:company, :person, 'route', :secret, convert_to(:secret, 'UTF8'), NULL, now());
INSERT INTO audit_events (company_id, id, event, outcome, request_id)
VALUES (:company, gen_random_uuid(), 'fuel_reset', 'success', gen_random_uuid());
INSERT INTO deleted_equipment VALUES (:company, :person, 'Loader', 'hours', 'diesel', now());
INSERT INTO deleted_fuel VALUES (:company, :person, now(), 1, 4025, 'diesel');
INSERT INTO outbox VALUES (:company, 'limit:1', 'fact', now());
INSERT INTO task_sets VALUES (:company, :machine, 'Oil', 'hours', 1);
INSERT INTO task_set_items VALUES (:company, :machine, :machine, 0, 'Oil', 25000);
INSERT INTO task_set_links VALUES (:company, :machine, :machine, :machine, :machine, 1, 'Oil', 25000);
COMMIT;

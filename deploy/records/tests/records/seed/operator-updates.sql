BEGIN;
INSERT INTO updates (
    company_id, id, equipment_id, equipment_name, operator_id, operator_name, new_usage, fuel_added,
    fuel_kind, notes, status, client_id, captured_at, below_current, flags, created_at
) VALUES
    (:company, :machine, :machine, 'Excavator', :person, 'Oscar', 31250, 4025, 'diesel', '', 'applied',
     'one', now(), false, '{}', now()),
    (:company, :person, :machine, 'Excavator', :person, 'Oscar', 31300, 0, 'diesel', '', 'pending',
     'two', now(), false, '{usage_jump}', now());
INSERT INTO decisions (
    company_id, update_id, equipment_id, captured_at, automatic, decided_by, decided_at, overridden,
    replace_meter
) VALUES (:company, :person, :machine, now(), false, 'Olivia', now(), false, false);
INSERT INTO idempotency_keys VALUES (:company, :person, 'route', :secret, convert_to(:secret, 'UTF8'), NULL, now());
INSERT INTO companies VALUES (:company, '');
COMMIT;

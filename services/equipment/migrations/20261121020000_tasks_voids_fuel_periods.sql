-- Service tasks with names and marks that the ledger explains, entries that can be voided, fuel
-- periods, and what a list needs to answer by status and search from an index.

-- Row-level security binds the owner too; without this it would find no row to fill in.
ALTER TABLE equipment NO FORCE ROW LEVEL SECURITY;
ALTER TABLE service_tasks NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger NO FORCE ROW LEVEL SECURITY;

-- Service tasks -----------------------------------------------------------------------------------

ALTER TABLE service_tasks
    ADD COLUMN name text NOT NULL DEFAULT '',
    ADD COLUMN initial_last_usage bigint CHECK (initial_last_usage >= 0),
    ADD COLUMN initial_start_date date;
COMMENT ON COLUMN service_tasks.name IS 'Empty for the task of the equipment form.';
COMMENT ON COLUMN service_tasks.last_usage IS 'Projection: the meter when it was last done.';
COMMENT ON COLUMN service_tasks.start_date IS
    'Projection: the day it was last done, or the first day of the schedule; null: no schedule.';
COMMENT ON COLUMN service_tasks.initial_last_usage IS
    'last_usage when the task was added; the ledger counts from here.';
COMMENT ON COLUMN service_tasks.initial_start_date IS
    'start_date when the task was added; the ledger counts from here.';
UPDATE service_tasks SET initial_last_usage = last_usage, initial_start_date = start_date;
GRANT DELETE ON service_tasks TO hourmeter_equipment;

-- The ledger --------------------------------------------------------------------------------------

ALTER TABLE ledger
    ADD COLUMN sequence bigint NOT NULL DEFAULT 0,
    ADD COLUMN meter_effect text CHECK (meter_effect IN ('increase', 'reading')),
    ADD COLUMN fuel_period integer NOT NULL DEFAULT 0,
    ADD COLUMN task_id uuid,
    ADD COLUMN task_name text,
    ADD COLUMN mark text CHECK (mark IN ('meter', 'given')),
    ADD COLUMN mark_usage bigint,
    ADD COLUMN mark_date date,
    ADD CHECK (meter_effect IS NULL OR usage_after IS NOT NULL),
    ADD CHECK (mark IS NULL OR task_id IS NOT NULL),
    ADD CHECK (mark IS NOT NULL OR (mark_usage IS NULL AND mark_date IS NULL));
COMMENT ON COLUMN ledger.sequence IS
    'The version of the equipment that the entry made: the order in which entries took effect. 0: it changed nothing, or is older than this column.';
COMMENT ON COLUMN ledger.meter_effect IS
    'increase: usage_after - usage_before was added; reading: the meter became usage_after; null: the meter stayed.';
COMMENT ON COLUMN ledger.fuel_period IS 'The fuel period of the equipment when it was entered.';
COMMENT ON COLUMN ledger.task_id IS 'The service task it is about; the row outlives the task.';
COMMENT ON COLUMN ledger.task_name IS 'The task''s name at the time.';
COMMENT ON COLUMN ledger.mark IS
    'What it did to the task''s last_usage. meter: it became the meter after this entry; given: it became mark_usage; null: nothing.';
COMMENT ON COLUMN ledger.mark_usage IS 'last_usage as it was given.';
COMMENT ON COLUMN ledger.mark_date IS 'start_date after this entry; null: no schedule.';
UPDATE ledger
SET meter_effect = CASE WHEN kind = 'usage' AND source = 'manager' THEN 'increase' ELSE 'reading' END
WHERE usage_after IS NOT NULL
  AND kind IN ('usage', 'edit');

CREATE TABLE ledger_voids (
    company_id uuid NOT NULL,
    entry_id uuid NOT NULL,
    equipment_id uuid NOT NULL,
    reason text NOT NULL CHECK (reason <> ''),
    actor_id uuid NOT NULL,
    actor_name text NOT NULL,
    voided_at timestamptz NOT NULL,
    usage_before bigint,
    usage_after bigint,
    CONSTRAINT ledger_voids_once PRIMARY KEY (company_id, entry_id),
    FOREIGN KEY (company_id, entry_id) REFERENCES ledger (company_id, id) ON DELETE CASCADE,
    CHECK ((usage_before IS NULL) = (usage_after IS NULL))
);
COMMENT ON TABLE ledger_voids IS
    'Append-only: entries of the ledger that count no longer. They stay readable.';
COMMENT ON COLUMN ledger_voids.usage_before IS
    'The meter before; null: the entry had not moved it.';
COMMENT ON COLUMN ledger_voids.usage_after IS 'The meter without the entry.';
CREATE INDEX ledger_voids_of_equipment ON ledger_voids (company_id, equipment_id);
ALTER TABLE ledger_voids ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger_voids FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON ledger_voids
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
GRANT SELECT, INSERT ON ledger_voids TO hourmeter_equipment;

-- Fuel periods ------------------------------------------------------------------------------------

CREATE TABLE fuel_periods (
    company_id uuid NOT NULL,
    period integer NOT NULL CHECK (period >= 1),
    began_at timestamptz NOT NULL,
    actor_id uuid NOT NULL,
    actor_name text NOT NULL,
    PRIMARY KEY (company_id, period)
);
COMMENT ON TABLE fuel_periods IS
    'Append-only: one row for each fuel reset. Before the first, the period is 0.';
ALTER TABLE fuel_periods ENABLE ROW LEVEL SECURITY;
ALTER TABLE fuel_periods FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON fuel_periods
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
GRANT SELECT, INSERT ON fuel_periods TO hourmeter_equipment;

-- Equipment ---------------------------------------------------------------------------------------

ALTER TABLE equipment
    ADD COLUMN fuel_period integer NOT NULL DEFAULT 0,
    ADD COLUMN approaching_usage bigint,
    ADD COLUMN due_usage bigint,
    ADD COLUMN overdue_usage bigint,
    ADD COLUMN next_date date,
    ADD COLUMN search_key text NOT NULL
        GENERATED ALWAYS AS (lower(name || chr(10) || coalesce(serial_number, ''))) STORED;
ALTER TABLE equipment
    ADD COLUMN usage_severity smallint NOT NULL GENERATED ALWAYS AS (
        CASE
            WHEN current_usage >= overdue_usage THEN 3
            WHEN current_usage >= due_usage THEN 2
            WHEN current_usage >= approaching_usage THEN 1
            ELSE 0
        END
    ) STORED;
COMMENT ON COLUMN equipment.fuel_period IS 'The period its fuel totals belong to.';
COMMENT ON COLUMN equipment.approaching_usage IS
    'Projection: the lowest meter at which a service task approaches; null: no task counts usage.';
COMMENT ON COLUMN equipment.due_usage IS 'Projection: the lowest meter at which a task is due.';
COMMENT ON COLUMN equipment.overdue_usage IS
    'Projection: the lowest meter at which a task is overdue.';
COMMENT ON COLUMN equipment.next_date IS
    'Projection: the earliest date of its tasks; null: none has a schedule.';
COMMENT ON COLUMN equipment.search_key IS 'Name and serial number in lower case, a line each.';
COMMENT ON COLUMN equipment.usage_severity IS
    'Status by usage alone: 0 good, 1 approaching, 2 time for service, 3 overdue. The day adds next_date.';
UPDATE equipment e
SET approaching_usage = due.approaching,
    due_usage = due.due,
    overdue_usage = due.overdue,
    next_date = due.next_date
FROM (
    SELECT
        company_id,
        equipment_id,
        min(coalesce(last_usage, 0) + usage_interval * 80 / 100)
            FILTER (WHERE usage_interval > 0) AS approaching,
        min(coalesce(last_usage, 0) + usage_interval) FILTER (WHERE usage_interval > 0) AS due,
        min(coalesce(last_usage, 0) + usage_interval * 110 / 100)
            FILTER (WHERE usage_interval > 0) AS overdue,
        min(next_date) AS next_date
    FROM service_tasks
    GROUP BY company_id, equipment_id
) due
WHERE due.company_id = e.company_id
  AND due.equipment_id = e.id;
-- A list chooses its rows from this index alone, and reads only those; counts need nothing else.
DROP INDEX equipment_by_name;
CREATE INDEX equipment_by_name ON equipment (company_id, sort_key, id)
    INCLUDE (kind, usage_severity, next_date, search_key)
    WHERE retired_at IS NULL;
-- Tells at once that a company has no tasks beyond the form's.
CREATE INDEX service_tasks_beyond_form ON service_tasks (company_id, equipment_id)
    WHERE position > 0;

ALTER TABLE equipment FORCE ROW LEVEL SECURITY;
ALTER TABLE service_tasks FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger FORCE ROW LEVEL SECURITY;

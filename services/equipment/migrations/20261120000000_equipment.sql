-- Equipment, its ledger, and what keeps them consistent. Quantities are whole hundredths.

-- One row per company: whoever raises the number of a company's equipment holds it until commit,
-- so that two can't pass the plan's limit together.
CREATE TABLE company_state (
    company_id uuid NOT NULL PRIMARY KEY,
    claimed_at timestamptz NOT NULL
);
COMMENT ON TABLE company_state IS 'One row per company, locked while its number of equipment rises.';
COMMENT ON COLUMN company_state.claimed_at IS 'When it was last locked.';

CREATE TABLE equipment (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    sort_key text NOT NULL GENERATED ALWAYS AS (lower(name)) STORED,
    kind text NOT NULL CHECK (kind IN ('vehicle', 'machinery', 'tools', 'other')),
    serial_number text CHECK (serial_number <> ''),
    unit text NOT NULL CHECK (unit IN ('hours', 'miles', 'kilometers', 'n/a')),
    initial_usage bigint NOT NULL CHECK (initial_usage >= 0),
    current_usage bigint NOT NULL,
    meter_read_at timestamptz NOT NULL,
    lifespan bigint CHECK (lifespan >= 100),
    alert_threshold integer NOT NULL CHECK (alert_threshold IN (10, 15, 20, 25)),
    fuel text NOT NULL CHECK (fuel IN ('gasoline', 'diesel', 'n/a')),
    total_gas bigint NOT NULL DEFAULT 0 CHECK (total_gas >= 0),
    total_diesel bigint NOT NULL DEFAULT 0 CHECK (total_diesel >= 0),
    description text NOT NULL,
    added_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    version bigint NOT NULL DEFAULT 1,
    retired_at timestamptz,
    archive_id uuid,
    retired_by text,
    retirement_notes text,
    PRIMARY KEY (company_id, id),
    CONSTRAINT equipment_current_usage_range CHECK (current_usage BETWEEN 0 AND 100000000000),
    CONSTRAINT equipment_archived_whole
        CHECK (num_nulls(retired_at, archive_id, retired_by, retirement_notes) IN (0, 4))
);
COMMENT ON TABLE equipment IS 'Active and retired equipment, with projections of the ledger.';
COMMENT ON COLUMN equipment.sort_key IS
    'The name in lower case. A column, because under row-level security an index can not serve a condition on lower(name).';
COMMENT ON COLUMN equipment.initial_usage IS 'The meter at creation; the ledger counts from here.';
COMMENT ON COLUMN equipment.current_usage IS 'Projection: the meter now.';
COMMENT ON COLUMN equipment.meter_read_at IS 'Projection: when the last reading was captured.';
COMMENT ON COLUMN equipment.lifespan IS 'Expected usage over the whole life; null: not known.';
COMMENT ON COLUMN equipment.alert_threshold IS 'Percent of the lifespan left when the alert begins.';
COMMENT ON COLUMN equipment.total_gas IS 'Projection: gasoline since the last fuel reset.';
COMMENT ON COLUMN equipment.total_diesel IS 'Projection: diesel since the last fuel reset.';
COMMENT ON COLUMN equipment.version IS 'Rises with every change.';
COMMENT ON COLUMN equipment.retired_at IS 'When it moved to the archive; null: active.';
COMMENT ON COLUMN equipment.archive_id IS 'Id of the archive row; a new one at each retirement.';
COMMENT ON COLUMN equipment.retired_by IS 'Name of who retired it.';
COMMENT ON COLUMN equipment.retirement_notes IS 'Why it was retired.';

CREATE INDEX equipment_by_name ON equipment (company_id, sort_key, id)
    WHERE retired_at IS NULL;
CREATE UNIQUE INDEX equipment_archive_id ON equipment (company_id, archive_id)
    WHERE archive_id IS NOT NULL;
CREATE INDEX equipment_by_retirement ON equipment (company_id, retired_at, archive_id)
    WHERE retired_at IS NOT NULL;

CREATE TABLE service_tasks (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    equipment_id uuid NOT NULL,
    position integer NOT NULL CHECK (position >= 0),
    usage_interval bigint NOT NULL CHECK (usage_interval >= 0),
    last_usage bigint CHECK (last_usage >= 0),
    start_date date,
    calendar_interval integer CHECK (calendar_interval >= 1),
    calendar_unit text CHECK (calendar_unit IN ('days', 'months', 'years')),
    next_date date,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, equipment_id, position),
    FOREIGN KEY (company_id, equipment_id) REFERENCES equipment (company_id, id) ON DELETE CASCADE,
    CHECK (num_nulls(start_date, calendar_interval, calendar_unit, next_date) IN (0, 4))
);
COMMENT ON TABLE service_tasks IS 'Work that comes back, by usage or by calendar or both.';
COMMENT ON COLUMN service_tasks.position IS '0 is the interval and schedule of the equipment form.';
COMMENT ON COLUMN service_tasks.usage_interval IS 'Usage between services; 0: none.';
COMMENT ON COLUMN service_tasks.last_usage IS 'The meter at the last service.';
COMMENT ON COLUMN service_tasks.start_date IS 'First day of the schedule; null: no schedule.';
COMMENT ON COLUMN service_tasks.calendar_interval IS 'How many units lie between services.';
COMMENT ON COLUMN service_tasks.calendar_unit IS 'Unit of calendar_interval.';
COMMENT ON COLUMN service_tasks.next_date IS 'When the schedule is next due.';

CREATE TABLE service_parts (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    equipment_id uuid NOT NULL,
    position integer NOT NULL CHECK (position >= 0),
    part text NOT NULL CHECK (part <> ''),
    part_number text CHECK (part_number <> ''),
    quantity bigint CHECK (quantity >= 1),
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, equipment_id, position),
    FOREIGN KEY (company_id, equipment_id) REFERENCES equipment (company_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE service_parts IS 'Parts the next service needs.';
COMMENT ON COLUMN service_parts.position IS 'Order in the form, from 0.';
COMMENT ON COLUMN service_parts.part_number IS 'The maker''s number.';

CREATE TABLE ledger (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    equipment_id uuid NOT NULL,
    equipment_name text NOT NULL,
    unit text NOT NULL,
    kind text NOT NULL
        CHECK (kind IN ('usage', 'service', 'note', 'edit', 'retirement', 'restoration')),
    note_type text NOT NULL CHECK (note_type IN ('note', 'usage_update', 'maintenance')),
    actor_id uuid NOT NULL,
    actor_name text NOT NULL,
    source text NOT NULL CHECK (source IN ('manager', 'operator')),
    captured_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    usage_before bigint,
    usage_after bigint,
    reading bigint,
    fuel bigint NOT NULL DEFAULT 0 CHECK (fuel >= 0),
    fuel_kind text CHECK (fuel_kind IN ('gas', 'diesel')),
    cost bigint CHECK (cost >= 0),
    performed_on date,
    content text NOT NULL,
    update_id uuid,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, equipment_id) REFERENCES equipment (company_id, id) ON DELETE CASCADE,
    CHECK ((usage_before IS NULL) = (usage_after IS NULL)),
    CHECK ((fuel = 0) = (fuel_kind IS NULL))
);
COMMENT ON TABLE ledger IS 'Append-only: what happened to equipment. Leaves only with its equipment.';
COMMENT ON COLUMN ledger.equipment_name IS 'The name at the time.';
COMMENT ON COLUMN ledger.unit IS 'What the meter counted at the time.';
COMMENT ON COLUMN ledger.note_type IS 'What it is about when it is read as a note.';
COMMENT ON COLUMN ledger.actor_id IS 'The person; the row outlives the account.';
COMMENT ON COLUMN ledger.actor_name IS 'The person''s name at the time.';
COMMENT ON COLUMN ledger.captured_at IS 'When it happened in the field.';
COMMENT ON COLUMN ledger.recorded_at IS 'When it was entered here.';
COMMENT ON COLUMN ledger.usage_before IS 'The meter before; null: not read.';
COMMENT ON COLUMN ledger.usage_after IS 'The meter after; null: not read.';
COMMENT ON COLUMN ledger.reading IS 'The reading as reported, also when it was too late to count.';
COMMENT ON COLUMN ledger.fuel IS 'Hundredths of a gallon; 0: none.';
COMMENT ON COLUMN ledger.cost IS 'Cents; null: not said.';
COMMENT ON COLUMN ledger.performed_on IS 'The day a service was done.';
COMMENT ON COLUMN ledger.content IS 'Notes, or what was changed.';
COMMENT ON COLUMN ledger.update_id IS 'The operator''s submission it comes from.';

CREATE INDEX ledger_of_equipment ON ledger (company_id, equipment_id, recorded_at, id);
CREATE INDEX ledger_of_company ON ledger (company_id, recorded_at, id);
CREATE INDEX ledger_fuel ON ledger (company_id, recorded_at, id) WHERE fuel > 0;
CREATE UNIQUE INDEX ledger_update_id ON ledger (company_id, update_id) WHERE update_id IS NOT NULL;

CREATE TABLE applied_updates (
    company_id uuid NOT NULL,
    update_id uuid NOT NULL,
    equipment_id uuid NOT NULL,
    usage_before bigint,
    usage_after bigint,
    applied_at timestamptz NOT NULL,
    CONSTRAINT applied_updates_once PRIMARY KEY (company_id, update_id)
);
COMMENT ON TABLE applied_updates IS
    'Submissions that took effect, and what they did, so that a repeat answers the same. Outlives the equipment.';
COMMENT ON COLUMN applied_updates.usage_before IS 'The meter before; null: no reading was applied.';
COMMENT ON COLUMN applied_updates.usage_after IS 'The meter after; null: no reading was applied.';

ALTER TABLE company_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE company_state FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON company_state
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

ALTER TABLE equipment ENABLE ROW LEVEL SECURITY;
ALTER TABLE equipment FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON equipment
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

ALTER TABLE service_tasks ENABLE ROW LEVEL SECURITY;
ALTER TABLE service_tasks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON service_tasks
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

ALTER TABLE service_parts ENABLE ROW LEVEL SECURITY;
ALTER TABLE service_parts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON service_parts
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

ALTER TABLE ledger ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON ledger
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

ALTER TABLE applied_updates ENABLE ROW LEVEL SECURITY;
ALTER TABLE applied_updates FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON applied_updates
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

-- Rows of the ledger leave with their equipment, through the foreign key; the service itself may
-- neither change nor delete one.
GRANT SELECT, INSERT, UPDATE ON company_state TO hourmeter_equipment;
GRANT SELECT, INSERT, UPDATE, DELETE ON equipment TO hourmeter_equipment;
GRANT SELECT, INSERT, UPDATE ON service_tasks TO hourmeter_equipment;
GRANT SELECT, INSERT, DELETE ON service_parts TO hourmeter_equipment;
GRANT SELECT, INSERT ON ledger TO hourmeter_equipment;
GRANT SELECT, INSERT ON applied_updates TO hourmeter_equipment;

-- Task sets: named lists of service tasks that machines share.

CREATE TABLE task_sets (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    unit text NOT NULL CHECK (unit IN ('hours', 'miles', 'kilometers', 'n/a')),
    revision bigint NOT NULL CHECK (revision >= 1),
    PRIMARY KEY (company_id, id)
);
COMMENT ON TABLE task_sets IS 'A company''s named lists of service tasks.';
COMMENT ON COLUMN task_sets.name IS 'Unique in the company, ignoring case; checked under the lock of company_state.';
COMMENT ON COLUMN task_sets.unit IS 'Unit of the usage intervals; n/a: no item has one.';
COMMENT ON COLUMN task_sets.revision IS 'Rises with every change.';

CREATE TABLE task_set_items (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    set_id uuid NOT NULL,
    position integer NOT NULL CHECK (position >= 0),
    name text NOT NULL CHECK (name <> ''),
    usage_interval bigint NOT NULL CHECK (usage_interval >= 0),
    calendar_interval integer CHECK (calendar_interval >= 1),
    calendar_unit text CHECK (calendar_unit IN ('days', 'months', 'years')),
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, set_id, position),
    FOREIGN KEY (company_id, set_id) REFERENCES task_sets (company_id, id) ON DELETE CASCADE,
    CHECK ((calendar_interval IS NULL) = (calendar_unit IS NULL))
);
COMMENT ON TABLE task_set_items IS 'The service tasks of a set.';
COMMENT ON COLUMN task_set_items.position IS 'Order in the set, from 0.';
COMMENT ON COLUMN task_set_items.usage_interval IS 'Usage between services; 0: none.';

CREATE TABLE task_set_links (
    company_id uuid NOT NULL,
    equipment_id uuid NOT NULL,
    set_id uuid NOT NULL,
    item_id uuid NOT NULL,
    task_id uuid NOT NULL,
    revision bigint NOT NULL,
    name text NOT NULL,
    usage_interval bigint NOT NULL,
    calendar_interval integer,
    calendar_unit text,
    PRIMARY KEY (company_id, equipment_id, item_id),
    FOREIGN KEY (company_id, equipment_id) REFERENCES equipment (company_id, id) ON DELETE CASCADE,
    FOREIGN KEY (company_id, set_id) REFERENCES task_sets (company_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE task_set_links IS 'Which service task of a machine comes from which item of a set.';
COMMENT ON COLUMN task_set_links.item_id IS 'The item; the row outlives it until the set is applied again.';
COMMENT ON COLUMN task_set_links.task_id IS 'The service task; the row outlives a task that was removed from the machine.';
COMMENT ON COLUMN task_set_links.revision IS 'The revision of the set that was applied last.';
COMMENT ON COLUMN task_set_links.name IS 'Name and intervals of the item as applied. A task with other values differs from the set.';
CREATE INDEX task_set_links_of_set ON task_set_links (company_id, set_id, equipment_id);

ALTER TABLE task_sets ENABLE ROW LEVEL SECURITY;
ALTER TABLE task_sets FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON task_sets
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
ALTER TABLE task_set_items ENABLE ROW LEVEL SECURITY;
ALTER TABLE task_set_items FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON task_set_items
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
ALTER TABLE task_set_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE task_set_links FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON task_set_links
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE, DELETE ON task_sets TO hourmeter_equipment;
GRANT SELECT, INSERT, DELETE ON task_set_items TO hourmeter_equipment;
GRANT SELECT, INSERT, UPDATE, DELETE ON task_set_links TO hourmeter_equipment;

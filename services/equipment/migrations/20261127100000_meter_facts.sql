-- The meter is computed from facts in the order of their capture; a voided update can be applied again;
-- deleted machines stay known to operators' updates.

ALTER TABLE equipment
    ADD COLUMN initial_offset bigint NOT NULL DEFAULT 0,
    ADD COLUMN initial_read boolean,
    ADD COLUMN last_fact_at timestamptz,
    ADD COLUMN unit_since timestamptz;
COMMENT ON COLUMN equipment.initial_usage IS 'Life-to-date usage at creation.';
COMMENT ON COLUMN equipment.initial_offset IS
    'initial_usage minus what the meter showed at creation; may be negative.';
COMMENT ON COLUMN equipment.initial_read IS
    'Whether the meter was read at creation; null: if initial_usage is above 0.';
COMMENT ON COLUMN equipment.meter_read_at IS
    'Projection: when the last reading, correction or replacement was captured; null: the meter was never read.';
COMMENT ON COLUMN equipment.last_fact_at IS
    'Projection: when the last entry with a meter_effect was captured; null: not before added_at and meter_read_at.';
COMMENT ON COLUMN equipment.unit_since IS
    'Since when the meter counts in unit; null: it never counted in another one.';
COMMENT ON COLUMN equipment.usual_daily_use IS
    'Projection: median usage of the last days of use; null: too few.';

ALTER TABLE ledger
    ADD COLUMN increase bigint,
    ADD COLUMN final_given boolean,
    ADD COLUMN new_unit boolean,
    ADD COLUMN fact_at timestamptz,
    ADD COLUMN reapplies uuid;
COMMENT ON TABLE ledger IS
    'Append-only: what happened to equipment. Leaves only with its equipment. Only what follows from other entries is updated.';
COMMENT ON COLUMN ledger.usage_before IS
    'Projection: life-to-date usage before, in the order of capture; null: the entry does not show it.';
COMMENT ON COLUMN ledger.usage_after IS
    'Projection: life-to-date usage after, in the order of capture; null: the entry does not show it.';
COMMENT ON COLUMN ledger.reading IS 'What the meter showed; null: it was not read, as for an increase.';
COMMENT ON COLUMN ledger.meter_effect IS
    'increase: usage was added; reading: the meter showed reading; replacement: another meter was fitted and showed reading; null: none, or a late reading of an earlier release.';
COMMENT ON COLUMN ledger.increase IS
    'Usage added by an increase; null: none, or usage_after - usage_before.';
COMMENT ON COLUMN ledger.meter_final IS
    'What the meter that ended showed; a projection if final_given is false.';
COMMENT ON COLUMN ledger.final_given IS 'Whether meter_final was reported; null: yes, or no replacement.';
COMMENT ON COLUMN ledger.new_unit IS
    'True: the meter counts in another unit from here, from usage_after; null: no.';
COMMENT ON COLUMN ledger.fact_at IS
    'Place among the facts of an entry that an earlier release applied out of order; null: captured_at.';
COMMENT ON COLUMN ledger.reapplies IS
    'The update that was applied again after a void; null: none, or the first application of update_id.';
COMMENT ON COLUMN ledger.fuel_period IS 'The fuel period of captured_at.';
GRANT UPDATE (usage_before, usage_after, increase, meter_final) ON ledger TO hourmeter_equipment;

ALTER TABLE service_tasks ADD COLUMN created_at timestamptz;
COMMENT ON COLUMN service_tasks.created_at IS
    'When the initial marks were set; null: by an earlier release.';

ALTER TABLE applied_updates
    ADD COLUMN voids integer NOT NULL DEFAULT 0,
    ADD COLUMN voided_at timestamptz,
    ADD COLUMN void_reason text,
    ADD COLUMN voided_by text;
COMMENT ON COLUMN applied_updates.voids IS 'Number of times that its entry was voided.';
COMMENT ON COLUMN applied_updates.voided_at IS 'When its entry was voided; null: it counts.';
COMMENT ON COLUMN applied_updates.void_reason IS 'Reason of that person.';
COMMENT ON COLUMN applied_updates.voided_by IS 'Name of the person who voided it.';
GRANT UPDATE (
    equipment_id, usage_before, usage_after, applied_at, voids, voided_at, void_reason, voided_by
) ON applied_updates TO hourmeter_equipment;

CREATE TABLE deleted_equipment (
    company_id uuid NOT NULL,
    equipment_id uuid NOT NULL,
    name text NOT NULL,
    unit text NOT NULL,
    fuel text NOT NULL,
    deleted_at timestamptz NOT NULL,
    CONSTRAINT deleted_equipment_pkey PRIMARY KEY (company_id, equipment_id)
);
COMMENT ON TABLE deleted_equipment IS
    'Deleted equipment, so that later updates of it are recognized.';
COMMENT ON COLUMN deleted_equipment.company_id IS 'The company.';
COMMENT ON COLUMN deleted_equipment.equipment_id IS 'The id it had.';
COMMENT ON COLUMN deleted_equipment.name IS 'Its last name.';
COMMENT ON COLUMN deleted_equipment.unit IS 'The last unit of its meter.';
COMMENT ON COLUMN deleted_equipment.fuel IS 'Its last fuel type.';
COMMENT ON COLUMN deleted_equipment.deleted_at IS 'When it was deleted.';
ALTER TABLE deleted_equipment ENABLE ROW LEVEL SECURITY;
ALTER TABLE deleted_equipment FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON deleted_equipment
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
GRANT SELECT, INSERT ON deleted_equipment TO hourmeter_equipment;

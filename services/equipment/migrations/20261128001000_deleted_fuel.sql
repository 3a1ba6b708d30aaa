-- The fuel of deleted equipment stays in the totals of the company.

CREATE TABLE deleted_fuel (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    captured_at timestamptz NOT NULL,
    fuel_period integer NOT NULL,
    fuel bigint NOT NULL,
    fuel_kind text NOT NULL,
    CONSTRAINT deleted_fuel_pkey PRIMARY KEY (company_id, id)
);
COMMENT ON TABLE deleted_fuel IS
    'Append-only: fuel that counted when its equipment was deleted, without equipment, person and notes.';
COMMENT ON COLUMN deleted_fuel.company_id IS 'The company.';
COMMENT ON COLUMN deleted_fuel.id IS 'The id of the deleted ledger entry.';
COMMENT ON COLUMN deleted_fuel.captured_at IS 'When it was put in.';
COMMENT ON COLUMN deleted_fuel.fuel_period IS 'The fuel period of captured_at.';
COMMENT ON COLUMN deleted_fuel.fuel IS 'Hundredths of a gallon.';
COMMENT ON COLUMN deleted_fuel.fuel_kind IS 'gas or diesel.';
ALTER TABLE deleted_fuel ENABLE ROW LEVEL SECURITY;
ALTER TABLE deleted_fuel FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON deleted_fuel
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
GRANT SELECT, INSERT ON deleted_fuel TO hourmeter_equipment;

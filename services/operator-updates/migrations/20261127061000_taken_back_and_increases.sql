-- Increases, units, and updates whose entries were voided. The last release shows an update that was
-- taken back as a rejected one, with the reason.

ALTER TABLE updates
    ADD COLUMN usage_increase bigint,
    ADD COLUMN unit text,
    ADD COLUMN attempt integer NOT NULL DEFAULT 0,
    ADD COLUMN acknowledged boolean NOT NULL DEFAULT false,
    ADD COLUMN taken_back_by text NOT NULL DEFAULT '',
    ADD COLUMN taken_back_at timestamptz,
    ADD CONSTRAINT updates_unit
        CHECK (unit IN ('hours', 'miles', 'kilometers', 'n/a')) NOT VALID;

COMMENT ON COLUMN updates.usage_increase IS 'Reported increase in hundredths, instead of a reading; null: none.';
COMMENT ON COLUMN updates.unit IS 'Unit in which the usage was captured; null: unknown, from before this column.';
COMMENT ON COLUMN updates.attempt IS 'How often its entry in the equipment service was voided.';
COMMENT ON COLUMN updates.acknowledged IS 'It was applied automatically and acknowledged afterwards.';
COMMENT ON COLUMN updates.taken_back_by IS 'Who voided its entry; empty: it counts.';
COMMENT ON COLUMN updates.taken_back_at IS 'When its entry was voided: status is rejected, and reject_reason the reason of the void. Null: not taken back.';

-- What this service knows of a company: written by its requests, read by work in the background.
CREATE TABLE companies (
    company_id uuid PRIMARY KEY,
    auto_apply boolean NOT NULL DEFAULT false,
    seen_at timestamptz,
    voided_cursor text NOT NULL DEFAULT ''
);
COMMENT ON TABLE companies IS 'What background work needs to know of a company.';
COMMENT ON COLUMN companies.company_id IS 'The company.';
COMMENT ON COLUMN companies.auto_apply IS 'Whether updates were to be applied automatically, with an active subscription, at seen_at.';
COMMENT ON COLUMN companies.seen_at IS 'When a request had this setting; null: never.';
COMMENT ON COLUMN companies.voided_cursor IS 'Voided updates up to here were taken back; empty: none.';

ALTER TABLE companies ENABLE ROW LEVEL SECURITY;
ALTER TABLE companies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON companies
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE ON companies TO hourmeter_operator_updates;

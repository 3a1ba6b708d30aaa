-- Phones on which operators sign in without signal. What a phone sends for a person is signed with its key.

CREATE TABLE devices (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    label text NOT NULL,
    public_key bytea NOT NULL,
    enrolled_by uuid NOT NULL,
    enrolled_at timestamptz NOT NULL,
    last_contact timestamptz NOT NULL,
    removed_at timestamptz,
    removed_by uuid,
    CONSTRAINT devices_pkey PRIMARY KEY (company_id, id),
    CONSTRAINT devices_public_key_is_point CHECK (octet_length(public_key) = 65)
);
-- The phone chooses the id, so that two companies may have the same one.
CREATE INDEX devices_id_idx ON devices (id);

COMMENT ON TABLE devices IS 'Phones on which operators sign in without signal.';
COMMENT ON COLUMN devices.company_id IS 'The company.';
COMMENT ON COLUMN devices.id IS 'The phone; it chose the id.';
COMMENT ON COLUMN devices.label IS 'As its first person named it.';
COMMENT ON COLUMN devices.public_key IS 'Uncompressed P-256 point.';
COMMENT ON COLUMN devices.enrolled_by IS 'Its first person.';
COMMENT ON COLUMN devices.enrolled_at IS 'When it was enrolled.';
COMMENT ON COLUMN devices.last_contact IS 'When it last reached the server, to the minute.';
COMMENT ON COLUMN devices.removed_at IS 'When a manager removed it; null: it is active.';
COMMENT ON COLUMN devices.removed_by IS 'The manager who removed it.';

CREATE TABLE device_people (
    company_id uuid NOT NULL,
    device_id uuid NOT NULL,
    person_id uuid NOT NULL,
    name text NOT NULL,
    username text,
    added_at timestamptz NOT NULL,
    removed_at timestamptz,
    CONSTRAINT device_people_pkey PRIMARY KEY (company_id, device_id, person_id),
    CONSTRAINT device_people_device_fkey FOREIGN KEY (company_id, device_id)
        REFERENCES devices (company_id, id) ON DELETE CASCADE
);
CREATE INDEX device_people_person_idx ON device_people (company_id, person_id);

COMMENT ON TABLE device_people IS 'Who can sign in on a phone without signal. Rows stay after the person was deleted, because the phone may still send what the person captured.';
COMMENT ON COLUMN device_people.company_id IS 'The company.';
COMMENT ON COLUMN device_people.device_id IS 'The phone.';
COMMENT ON COLUMN device_people.person_id IS 'The person, who may have been deleted since.';
COMMENT ON COLUMN device_people.name IS 'Name of the person, or of the company for a shared session, when added.';
COMMENT ON COLUMN device_people.username IS 'Operator username when added; null: the person has none.';
COMMENT ON COLUMN device_people.added_at IS 'When the person was added, or added again.';
COMMENT ON COLUMN device_people.removed_at IS 'When the person left the phone or the company; null: the person is active.';

ALTER TABLE devices ENABLE ROW LEVEL SECURITY;
ALTER TABLE devices FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON devices
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON devices FOR SELECT TO tenant_lookup USING (true);

ALTER TABLE device_people ENABLE ROW LEVEL SECURITY;
ALTER TABLE device_people FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON device_people
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON device_people FOR SELECT TO tenant_lookup USING (true);

GRANT SELECT, INSERT ON devices TO hourmeter_accounts;
GRANT UPDATE (last_contact, removed_at, removed_by) ON devices TO hourmeter_accounts;
GRANT SELECT, INSERT ON device_people TO hourmeter_accounts;
GRANT UPDATE (name, username, added_at, removed_at) ON device_people TO hourmeter_accounts;

GRANT SELECT (company_id, id, public_key) ON devices TO tenant_lookup;
GRANT SELECT (company_id, device_id, person_id) ON device_people TO tenant_lookup;

-- The company and the key of a phone that the person is, or was, on. A person belongs to one company.
CREATE FUNCTION find_device(p_device_id uuid, p_person_id uuid)
RETURNS TABLE (company_id uuid, public_key bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT d.company_id, d.public_key
    FROM public.devices d
    JOIN public.device_people p ON p.company_id = d.company_id AND p.device_id = d.id
    WHERE d.id = p_device_id AND p.person_id = p_person_id
    LIMIT 1
$$;
REVOKE ALL ON FUNCTION find_device(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_device(uuid, uuid) TO hourmeter_accounts;
ALTER FUNCTION find_device(uuid, uuid) OWNER TO tenant_lookup;

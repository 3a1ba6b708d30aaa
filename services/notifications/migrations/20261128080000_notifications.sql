CREATE TABLE counters (
    company_id uuid NOT NULL PRIMARY KEY,
    last_number bigint NOT NULL CHECK (last_number > 0)
);

COMMENT ON TABLE counters IS 'The last number of a notification, one row per company.';
COMMENT ON COLUMN counters.company_id IS 'The company.';
COMMENT ON COLUMN counters.last_number IS 'Its transaction holds the row until the commit, so numbers ascend in that order.';

ALTER TABLE counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE counters FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON counters
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE ON counters TO hourmeter_notifications;

CREATE TABLE notifications (
    company_id uuid NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    origin text NOT NULL CHECK (char_length(origin) BETWEEN 1 AND 200),
    fact jsonb NOT NULL,
    person_id uuid,
    actor_id uuid,
    happened_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, number),
    CONSTRAINT notifications_origin UNIQUE (company_id, origin)
);

COMMENT ON TABLE notifications IS 'What people are notified of, for 90 days.';
COMMENT ON COLUMN notifications.company_id IS 'The company.';
COMMENT ON COLUMN notifications.number IS 'From the counter; ascends in the order of commits.';
COMMENT ON COLUMN notifications.origin IS 'The key of the fact; a repeated one is ignored.';
COMMENT ON COLUMN notifications.fact IS 'What happened, with the names of that time.';
COMMENT ON COLUMN notifications.person_id IS 'The person notified; null: owner and managers.';
COMMENT ON COLUMN notifications.actor_id IS 'The person who caused it and is not notified; null: none.';
COMMENT ON COLUMN notifications.happened_at IS 'When it happened.';
COMMENT ON COLUMN notifications.created_at IS 'When it was recorded.';

CREATE INDEX notifications_by_person ON notifications (company_id, person_id, number DESC);
CREATE INDEX notifications_oldest ON notifications (created_at);

ALTER TABLE notifications ENABLE ROW LEVEL SECURITY;
ALTER TABLE notifications FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON notifications
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT ON notifications TO hourmeter_notifications;

CREATE TABLE read_notifications (
    company_id uuid NOT NULL,
    person_id uuid NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (company_id, person_id, number)
);

CREATE INDEX read_notifications_by_number ON read_notifications (company_id, number);

COMMENT ON TABLE read_notifications IS 'What people have read, above their mark.';
COMMENT ON COLUMN read_notifications.company_id IS 'The company.';
COMMENT ON COLUMN read_notifications.person_id IS 'The person.';
COMMENT ON COLUMN read_notifications.number IS 'The notification.';

ALTER TABLE read_notifications ENABLE ROW LEVEL SECURITY;
ALTER TABLE read_notifications FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON read_notifications
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, DELETE ON read_notifications TO hourmeter_notifications;

CREATE TABLE read_marks (
    company_id uuid NOT NULL,
    person_id uuid NOT NULL,
    read_until bigint NOT NULL,
    PRIMARY KEY (company_id, person_id)
);

COMMENT ON TABLE read_marks IS 'Up to which notification people have read all.';
COMMENT ON COLUMN read_marks.company_id IS 'The company.';
COMMENT ON COLUMN read_marks.person_id IS 'The person.';
COMMENT ON COLUMN read_marks.read_until IS 'The last read notification.';

ALTER TABLE read_marks ENABLE ROW LEVEL SECURITY;
ALTER TABLE read_marks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON read_marks
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));

GRANT SELECT, INSERT, UPDATE ON read_marks TO hourmeter_notifications;

-- Notifications and what was read of them stay for 90 days. Younger ones can't be deleted.
CREATE POLICY forget ON notifications FOR DELETE TO tenant_lookup
    USING (created_at < now() - interval '90 days');
CREATE POLICY forget_which ON notifications FOR SELECT TO tenant_lookup
    USING (created_at < now() - interval '90 days');
GRANT SELECT (company_id, number, created_at), DELETE ON notifications TO tenant_lookup;
CREATE POLICY forget ON read_notifications FOR DELETE TO tenant_lookup USING (true);
CREATE POLICY forget_which ON read_notifications FOR SELECT TO tenant_lookup USING (true);
GRANT SELECT (company_id, number), DELETE ON read_notifications TO tenant_lookup;

CREATE FUNCTION forget_notifications(p_at_most bigint)
RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = ''
AS $$
    WITH old AS (
        SELECT company_id, number
        FROM public.notifications
        WHERE created_at < now() - interval '90 days'
        ORDER BY created_at
        LIMIT p_at_most
    ), unread AS (
        DELETE FROM public.read_notifications r
        USING old
        WHERE r.company_id = old.company_id AND r.number = old.number
    ), gone AS (
        DELETE FROM public.notifications n
        USING old
        WHERE n.company_id = old.company_id AND n.number = old.number
        RETURNING 1
    )
    SELECT count(*) FROM gone
$$;
REVOKE ALL ON FUNCTION forget_notifications(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_notifications(bigint) TO hourmeter_notifications;
ALTER FUNCTION forget_notifications(bigint) OWNER TO tenant_lookup;

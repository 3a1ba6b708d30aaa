-- Rules of service tasks: fixed due points, own warning distances, and snoozes.

ALTER TABLE service_tasks
    ADD COLUMN basis text,
    ADD COLUMN first_usage bigint,
    ADD COLUMN first_date date,
    ADD COLUMN warning_percent integer,
    ADD COLUMN warning_usage bigint,
    ADD COLUMN warning_days integer,
    ADD COLUMN snoozed_until_date date,
    ADD COLUMN snoozed_until_usage bigint,
    ADD COLUMN snooze_reason text,
    ADD COLUMN snoozed_by text,
    ADD COLUMN snoozed_at timestamptz;
COMMENT ON COLUMN service_tasks.basis IS
    'on_the_mark: due at fixed points; last_done or null: an interval after the last service.';
COMMENT ON COLUMN service_tasks.first_usage IS 'First due point by usage; null: none was given.';
COMMENT ON COLUMN service_tasks.first_date IS
    'First due date; null: none was given. Set for each schedule on the mark.';
COMMENT ON COLUMN service_tasks.warning_percent IS
    'Percentage of the interval that is left when it approaches; null: 20 or warning_usage.';
COMMENT ON COLUMN service_tasks.warning_usage IS
    'Usage that is left when it approaches; null: warning_percent.';
COMMENT ON COLUMN service_tasks.warning_days IS
    'Days that are left when it approaches; null: 7.';
COMMENT ON COLUMN service_tasks.snoozed_until_date IS
    'First day on which it counts again; null: not snoozed, or until a usage.';
COMMENT ON COLUMN service_tasks.snoozed_until_usage IS
    'Usage at which it counts again; null: not snoozed, or until a date.';
COMMENT ON COLUMN service_tasks.snooze_reason IS 'Why it was snoozed; null: not snoozed.';
COMMENT ON COLUMN service_tasks.snoozed_by IS 'Name of the person who snoozed it.';
COMMENT ON COLUMN service_tasks.snoozed_at IS 'When it was snoozed.';

ALTER TABLE equipment
    ADD COLUMN special_points jsonb,
    ADD COLUMN has_special_points boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN equipment.special_points IS
    'Projection: due points of snoozed tasks, and dates of tasks with their own warning_days, which the other columns leave out; null: none.';
COMMENT ON COLUMN equipment.has_special_points IS
    'Whether special_points is set, for indexes.';

CREATE FUNCTION special_severity(p_points jsonb, p_usage bigint, p_today date)
RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(max(greatest(
        CASE
            WHEN p_usage >= point.overdue_usage THEN 3
            WHEN p_usage >= point.due_usage THEN 2
            WHEN p_usage >= point.approaching_usage THEN 1
            ELSE 0
        END,
        CASE
            WHEN point.next_date < p_today THEN 3
            WHEN point.next_date <= p_today + 1 THEN 2
            WHEN point.approaching_on <= p_today THEN 1
            ELSE 0
        END
    )), 0)
    FROM jsonb_to_recordset(p_points) AS point (
        from_date date,
        from_usage bigint,
        approaching_usage bigint,
        due_usage bigint,
        overdue_usage bigint,
        approaching_on date,
        next_date date
    )
    WHERE coalesce(point.from_date <= p_today, true)
      AND coalesce(point.from_usage <= p_usage, true)
$$;
REVOKE ALL ON FUNCTION special_severity(jsonb, bigint, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION special_severity(jsonb, bigint, date) TO hourmeter_equipment, tenant_lookup;

ALTER TABLE task_set_items
    ADD COLUMN basis text,
    ADD COLUMN warning_percent integer,
    ADD COLUMN warning_usage bigint,
    ADD COLUMN warning_days integer;
COMMENT ON COLUMN task_set_items.basis IS 'As in service_tasks; so are the warnings.';

ALTER TABLE task_set_links
    ADD COLUMN basis text,
    ADD COLUMN warning_percent integer,
    ADD COLUMN warning_usage bigint,
    ADD COLUMN warning_days integer;
COMMENT ON COLUMN task_set_links.basis IS 'Rule of the item as applied, as in service_tasks.';

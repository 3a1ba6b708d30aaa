-- The same for equipment, in a transaction of its own: writers lock equipment before the ledger.

CREATE FUNCTION equipment_is_valid(
    p_name text,
    p_kind text,
    p_serial_number text,
    p_unit text,
    p_initial_usage bigint,
    p_current_usage bigint,
    p_usual_daily_use bigint,
    p_usual_fill bigint,
    p_lifespan bigint,
    p_alert_threshold integer,
    p_fuel text,
    p_total_gas bigint,
    p_total_diesel bigint,
    p_archive_nulls integer
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce(
        p_name <> ''
        AND p_kind IN ('vehicle', 'machinery', 'tools', 'other')
        AND coalesce(p_serial_number <> '', true)
        AND p_unit IN ('hours', 'miles', 'kilometers', 'n/a')
        AND p_initial_usage >= 0
        AND p_current_usage BETWEEN 0 AND 100000000000
        AND coalesce(p_usual_daily_use >= 0, true)
        AND coalesce(p_usual_fill > 0, true)
        AND coalesce(p_lifespan >= 100, true)
        AND p_alert_threshold IN (10, 15, 20, 25)
        AND p_fuel IN ('gasoline', 'diesel', 'n/a')
        AND p_total_gas >= 0
        AND p_total_diesel >= 0
        AND p_archive_nulls IN (0, 4),
        true
    );
END
$$;
REVOKE ALL ON FUNCTION equipment_is_valid(
    text, text, text, text, bigint, bigint, bigint, bigint, bigint, integer, text, bigint, bigint,
    integer
) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION equipment_is_valid(
    text, text, text, text, bigint, bigint, bigint, bigint, bigint, integer, text, bigint, bigint,
    integer
) TO hourmeter_equipment, tenant_lookup;

-- contract: equipment_is_valid has the same conditions; since 0.1.0
ALTER TABLE equipment
    DROP CONSTRAINT equipment_name_check,
    DROP CONSTRAINT equipment_kind_check,
    DROP CONSTRAINT equipment_serial_number_check,
    DROP CONSTRAINT equipment_unit_check,
    DROP CONSTRAINT equipment_initial_usage_check,
    DROP CONSTRAINT equipment_current_usage_range,
    DROP CONSTRAINT equipment_usual_daily_use_check,
    DROP CONSTRAINT equipment_usual_fill_check,
    DROP CONSTRAINT equipment_lifespan_check,
    DROP CONSTRAINT equipment_alert_threshold_check,
    DROP CONSTRAINT equipment_fuel_check,
    DROP CONSTRAINT equipment_total_gas_check,
    DROP CONSTRAINT equipment_total_diesel_check,
    DROP CONSTRAINT equipment_archived_whole,
    ADD CONSTRAINT equipment_valid CHECK (equipment_is_valid(
        name, kind, serial_number, unit, initial_usage, current_usage, usual_daily_use, usual_fill,
        lifespan, alert_threshold, fuel, total_gas, total_diesel,
        num_nulls(retired_at, archive_id, retired_by, retirement_notes)
    )) NOT VALID;

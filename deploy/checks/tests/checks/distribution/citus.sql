-- A stand-in for Citus on plain PostgreSQL: rejects the same schemas as create_distributed_table, and
-- records its calls.
CREATE TABLE distributed_tables (name regclass PRIMARY KEY, colocated_with text NOT NULL);

CREATE FUNCTION create_distributed_table(
    p_table regclass, p_column name, colocate_with text DEFAULT 'default'
)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_found text;
    v_attribute smallint := (
        SELECT attnum FROM pg_attribute WHERE attrelid = p_table AND attname = p_column
    );
BEGIN
    SELECT indexrelid::regclass INTO v_found
    FROM pg_index
    WHERE indrelid = p_table AND (indisunique OR indisexclusion)
      AND NOT v_attribute = ANY (indkey::smallint[]);
    IF FOUND THEN
        RAISE EXCEPTION 'unique index % does not include %', v_found, p_column;
    END IF;

    -- Company to company, and to a table of the same group that was distributed before.
    SELECT conname INTO v_found
    FROM pg_constraint k
    WHERE k.contype = 'f' AND k.conrelid = p_table
      AND (
        NOT EXISTS (
            SELECT FROM unnest(k.conkey, k.confkey) AS pair (own, other)
            JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = pair.other
            WHERE pair.own = v_attribute AND a.attname = p_column
        )
        OR k.confrelid <> p_table AND NOT EXISTS (
            SELECT FROM distributed_tables d
            WHERE d.name = k.confrelid
              AND colocate_with IN (d.colocated_with, d.name::text)
        )
      );
    IF FOUND THEN
        RAISE EXCEPTION 'foreign key % does not stay on one shard', v_found;
    END IF;

    SELECT polname INTO v_found
    FROM pg_policy
    WHERE polrelid = p_table AND concat(polqual::text, polwithcheck::text) LIKE '%{SUBLINK%';
    IF FOUND THEN
        RAISE EXCEPTION 'policy % of % has a sub-select', v_found, p_table;
    END IF;

    SELECT tgname INTO v_found FROM pg_trigger WHERE tgrelid = p_table AND NOT tgisinternal;
    IF FOUND AND current_setting('citus.enable_unsafe_triggers', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION 'trigger % of % is not enabled', v_found, p_table;
    END IF;

    INSERT INTO distributed_tables VALUES (p_table, colocate_with);
END
$$;

CREATE FUNCTION create_distributed_function(regprocedure)
RETURNS void LANGUAGE sql AS '';

-- Gives shards the options of the columns of their tables, by which the planner expects the rows of a company. Citus
-- does not copy them to shards that it creates or moves. Shows what failed. On the coordinator, after a script and after each move:
--   psql "$COORDINATOR/hourmeter_equipment" -v ON_ERROR_STOP=1 -f deploy/distribution/columns.sql
SELECT result.*
FROM pg_attribute AS a
JOIN citus_tables AS t ON t.table_name = a.attrelid
CROSS JOIN LATERAL run_command_on_shards(
    a.attrelid,
    format('ALTER TABLE %%s ALTER COLUMN %I SET (%s)', a.attname, array_to_string(a.attoptions, ', '))
) AS result
WHERE a.attoptions IS NOT NULL AND NOT result.success;

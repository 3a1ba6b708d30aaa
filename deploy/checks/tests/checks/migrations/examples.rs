//! Examples of rejected migrations, the rule, and what to write instead.

use super::{Facts, check, tenancy};
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::database;
use sqlx::migrate::Migrator;
use sqlx::{Executor as _, PgConnection};

/// The schema before the examples.
const BASE: &str = "
DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC;
CREATE TABLE tools (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    name text,
    code text,
    kind text NOT NULL DEFAULT 'hand' CHECK (kind IN ('hand', 'power')),
    size integer,
    CONSTRAINT tools_pkey PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX tools_code ON tools (company_id, code);
CREATE INDEX tools_size ON tools (company_id, size);
ALTER TABLE tools ADD CONSTRAINT tools_name_given CHECK (name IS NOT NULL) NOT VALID;
ALTER TABLE tools ENABLE ROW LEVEL SECURITY;
ALTER TABLE tools FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tools
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
CREATE POLICY lookup ON tools FOR SELECT TO tenant_lookup USING (true);
GRANT SELECT ON tools TO hourmeter_equipment;
CREATE TRIGGER quiet BEFORE UPDATE ON tools
    FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE TABLE kinds (kind text PRIMARY KEY);
CREATE FUNCTION tools_of(p_kind text) RETURNS TABLE (company_id uuid, id uuid)
LANGUAGE sql AS $$ SELECT company_id, id FROM public.tools WHERE kind = p_kind $$;
CREATE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$ SELECT 1::bigint $$;
REVOKE ALL ON FUNCTION count_tools(text) FROM PUBLIC;
CREATE FUNCTION companies(p_after uuid, p_most bigint) RETURNS SETOF uuid
LANGUAGE sql AS $$ SELECT p_after WHERE false $$;
";

/// The start of a violation or squawk's rule, and a migration that it rejects.
const REFUSED: &[(&str, &str)] = &[
    ("takes away: table", "DROP TABLE tools;"),
    ("takes away: column", "ALTER TABLE tools DROP COLUMN name;"),
    ("takes away: column", "ALTER TABLE tools DROP COLUMN name; ALTER TABLE tools ADD COLUMN name uuid;"),
    // A contract permits the next statement, not the whole file.
    (
        "line 3: takes away: column tools.size",
        "-- contract: nobody reads it; since 0.1.0\nALTER TABLE tools DROP COLUMN name;\nALTER TABLE tools DROP COLUMN size;",
    ),
    ("takes away: tools.kind is never null", "ALTER TABLE tools ALTER COLUMN kind DROP NOT NULL;"),
    ("takes away: tools.kind has a default", "ALTER TABLE tools ALTER COLUMN kind DROP DEFAULT;"),
    ("takes away: constraint", "ALTER TABLE tools DROP CONSTRAINT tools_kind_check;"),
    ("takes away: hourmeter_equipment may SELECT", "REVOKE SELECT ON tools FROM hourmeter_equipment;"),
    ("takes away: policy", "DROP POLICY lookup ON tools;"),
    ("takes away: trigger", "ALTER TABLE tools DISABLE TRIGGER quiet;"),
    ("takes away: CREATE INDEX", "-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS tools_size;"),
    (
        "binds old code: tools_kind_check",
        "ALTER TABLE tools DROP CONSTRAINT tools_kind_check,
            ADD CONSTRAINT tools_kind_check CHECK (kind IN ('hand')) NOT VALID;",
    ),
    (
        "binds old code: tools_name_short",
        "ALTER TABLE tools ADD CONSTRAINT tools_name_short CHECK (length(name) < 10) NOT VALID;",
    ),
    (
        "binds old code: CREATE UNIQUE INDEX",
        "-- no-transaction\nCREATE UNIQUE INDEX CONCURRENTLY tools_name ON tools (company_id, name);",
    ),
    // One rule of squawk: it is called. Its other rules are its own.
    ("renaming-column", "ALTER TABLE tools RENAME COLUMN name TO title;"),
    ("rewrites tools", "ALTER TABLE tools ADD COLUMN seen_at timestamptz DEFAULT now() - random() * interval '1 day';"),
    ("rewrites tools", "ALTER TABLE tools ADD COLUMN number bigserial;"),
    ("rewrites tools", "ALTER TABLE tools ADD COLUMN sort_key text GENERATED ALWAYS AS (lower(name)) STORED;"),
    ("rewrites tools", "ALTER TABLE tools SET UNLOGGED;"),
    ("scans tools", "ALTER TABLE tools ADD COLUMN weight integer CHECK (weight > 0);"),
    ("PostgreSQL: ", "CREATE INDEX CONCURRENTLY tools_name ON tools (company_id, name);"),
    (
        "not alone",
        "-- no-transaction\nCREATE INDEX CONCURRENTLY tools_name ON tools (company_id, name);
        COMMENT ON INDEX tools_name IS 'By name.';",
    ),
    (
        "not repeatable",
        "-- no-transaction\n-- contract: nobody looks there; since 0.1.0\nDROP INDEX CONCURRENTLY tools_size;",
    ),
    ("hides", "-- no-transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS tools_name ON tools (company_id, name);"),
    ("hides", "CREATE TABLE IF NOT EXISTS tools (id uuid);"),
    ("unknown", "UPDATE tools SET size = 0;"),
    ("unknown", "SET lock_timeout = '1h';"),
    ("unknown", "VACUUM FULL tools;"),
    ("unknown", "CREATE TEMPORARY TABLE other (id uuid);"),
    ("no batches", "INSERT INTO kinds (kind) SELECT kind FROM tools;"),
    ("no batches", "DO $$ BEGIN LOOP UPDATE tools SET size = 0; EXIT; END LOOP; END $$;"),
    ("tools has no forced", "ALTER TABLE tools NO FORCE ROW LEVEL SECURITY;"),
    ("policy everybody", "CREATE POLICY everybody ON tools USING (true);"),
    ("grant of TRUNCATE", "GRANT ALL ON tools TO hourmeter_equipment;"),
    ("grant of SELECT on tools to PUBLIC", "GRANT SELECT ON tools TO PUBLIC;"),
    ("grant of SELECT on tools.name to PUBLIC", "GRANT SELECT (name) ON tools TO PUBLIC;"),
    ("grant of SELECT on tools to pg_monitor", "GRANT SELECT ON tools TO pg_monitor;"),
    ("takes away: call of tools_of", "DROP FUNCTION tools_of(text);"),
    (
        "takes away: call of tools_of",
        "DROP FUNCTION tools_of(text);
        CREATE FUNCTION tools_of(p_kind text, p_most bigint)
        RETURNS TABLE (company_id uuid, id uuid) LANGUAGE sql AS $$ SELECT NULL::uuid, NULL::uuid $$;",
    ),
    (
        "takes away: tools_of returns",
        "DROP FUNCTION tools_of(text);
        CREATE FUNCTION tools_of(p_kind text) RETURNS TABLE (id uuid, company_id uuid)
        LANGUAGE sql AS $$ SELECT NULL::uuid, NULL::uuid $$;",
    ),
    (
        "binds old code: overloaded function",
        "CREATE FUNCTION tools_of(p_kind text, p_most bigint DEFAULT 10) RETURNS bigint
        LANGUAGE sql AS $$ SELECT p_most $$;",
    ),
    (
        "takes away: call of count_tools()",
        "DROP FUNCTION count_tools(text);
        CREATE FUNCTION count_tools(p_kind text) RETURNS bigint LANGUAGE sql AS $$ SELECT 1::bigint $$;",
    ),
    (
        "takes away: call of count_tools(p_kind",
        "DROP FUNCTION count_tools(text);
        CREATE FUNCTION count_tools(p_what text DEFAULT 'hand') RETURNS bigint LANGUAGE sql AS $$ SELECT 1::bigint $$;",
    ),
    (
        "takes away: count_tools runs as its owner",
        "CREATE OR REPLACE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
        LANGUAGE sql STABLE SET search_path = '' AS $$ SELECT 1::bigint $$;",
    ),
    (
        "count_tools runs as its owner without SET search_path",
        "CREATE OR REPLACE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
        LANGUAGE sql STABLE SECURITY DEFINER AS $$ SELECT 1::bigint $$;",
    ),
    (
        "count_tools runs as its owner without SET search_path",
        "CREATE OR REPLACE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '', public AS $$ SELECT 1::bigint $$;",
    ),
    (
        // By default everyone may execute a new function.
        "tools_of runs as its owner and everybody may call it",
        "CREATE OR REPLACE FUNCTION tools_of(p_kind text) RETURNS TABLE (company_id uuid, id uuid)
        LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$ SELECT NULL::uuid, NULL::uuid $$;",
    ),
    (
        "grant of EXECUTE on tools_of to PUBLIC",
        "CREATE OR REPLACE FUNCTION tools_of(p_kind text) RETURNS TABLE (company_id uuid, id uuid)
        LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$ SELECT NULL::uuid, NULL::uuid $$;
        GRANT EXECUTE ON FUNCTION tools_of(text) TO hourmeter_equipment;",
    ),
    ("contract: write", "-- contract: nobody reads it\nALTER TABLE tools DROP COLUMN name;"),
    // Processes of 0.1.0 may be running.
    ("contract: the last", "-- contract: nobody reads it; since 0.2.0\nALTER TABLE tools DROP COLUMN name;"),
];

const ALLOWED: &[&str] = &[
    "-- contract: moved to the catalogue; since 0.1.0\nDROP TABLE tools;",
    "-- contract: it was long, but\n-- nobody reads it; since 0.0.9.\nALTER TABLE tools DROP COLUMN name;",
    "ALTER TABLE tools ALTER COLUMN kind SET DEFAULT 'power';",
    "ALTER TABLE tools DROP CONSTRAINT tools_kind_check,
        ADD CONSTRAINT tools_kind_check CHECK (kind IN ('hand', 'power', 'air')) NOT VALID;",
    "ALTER TABLE tools ADD COLUMN weight integer NOT NULL DEFAULT 0;
    ALTER TABLE tools ADD CONSTRAINT tools_weight CHECK (weight > 0) NOT VALID;",
    "ALTER TABLE tools ADD COLUMN added_at timestamptz NOT NULL DEFAULT now();",
    "ALTER TABLE tools ADD COLUMN added_at timestamptz DEFAULT now() - interval '1 day';",
    "ALTER TABLE tools VALIDATE CONSTRAINT tools_name_given; ALTER TABLE tools ALTER COLUMN name SET NOT NULL;",
    "-- no-transaction\nCREATE INDEX CONCURRENTLY tools_name ON tools (company_id, name);",
    "-- no-transaction\n-- contract: names are kept apart; since 0.1.0
    CREATE UNIQUE INDEX CONCURRENTLY tools_name ON tools (company_id, name);",
    "ALTER TABLE tools ADD CONSTRAINT tools_code UNIQUE USING INDEX tools_code;",
    "-- no-transaction\n-- contract: nobody looks there; since 0.1.0\nDROP INDEX CONCURRENTLY IF EXISTS tools_size;",
    "DROP POLICY lookup ON tools; CREATE POLICY lookup ON tools FOR SELECT TO tenant_lookup USING (true);",
    "INSERT INTO kinds (kind) VALUES ('hand'), ('power'); COMMENT ON TABLE kinds IS 'Of tools.';",
    "GRANT SELECT, UPDATE (name) ON tools TO hourmeter_equipment, tenant_lookup;
    GRANT EXECUTE ON FUNCTION tools_of(text) TO hourmeter_equipment, CURRENT_USER;
    REVOKE ALL ON FUNCTION tools_of(text) FROM PUBLIC;",
    "DROP FUNCTION tools_of(text);
    CREATE FUNCTION tools_of(p_kind text, p_most bigint DEFAULT 10)
    RETURNS TABLE (company_id uuid, id uuid, name text)
    LANGUAGE sql AS $$ SELECT NULL::uuid, NULL::uuid, NULL::text $$;",
    "-- contract: nobody calls it; since 0.1.0\nDROP FUNCTION tools_of(text);",
    "CREATE OR REPLACE FUNCTION count_tools(p_kind text DEFAULT 'power') RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$ SELECT 2::bigint $$;",
    "CREATE FUNCTION tool_kinds(p_most bigint) RETURNS SETOF text
    LANGUAGE sql SECURITY DEFINER SET search_path TO '' AS $$ SELECT '' $$;
    REVOKE ALL ON FUNCTION tool_kinds(bigint) FROM PUBLIC;",
    TABLE,
    // Batches per company: row-level security also applies to the owner.
    "-- no-transaction
    DO $$
    DECLARE
        v_company uuid := '00000000-0000-0000-0000-000000000000';
    BEGIN
        LOOP
            SELECT c INTO v_company FROM public.companies(v_company, 1) c;
            EXIT WHEN NOT FOUND;
            LOOP
                EXECUTE format('SET LOCAL app.company_id = %L', v_company);
                UPDATE tools SET size = 0
                WHERE company_id = v_company AND id IN (
                    SELECT id FROM tools WHERE company_id = v_company AND size IS NULL LIMIT 1000
                );
                EXIT WHEN NOT FOUND;
                COMMIT;
            END LOOP;
        END LOOP;
    END
    $$;",
];

const TABLE: &str = "
CREATE TABLE loans (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    CONSTRAINT loans_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX loans_idx ON loans (company_id, id DESC);
ALTER TABLE loans ENABLE ROW LEVEL SECURITY;
ALTER TABLE loans FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON loans
    USING (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid))
    WITH CHECK (company_id = (SELECT nullif(current_setting('app.company_id', true), '')::uuid));
GRANT SELECT, INSERT ON loans TO hourmeter_equipment;
";

/// Replacements in it, and the resulting violation.
const ISOLATION_EXAMPLES: [(&str, &str, &str); 5] = [
    (
        "(company_id, id)\n",
        "(id, company_id)\n",
        "the primary key of loans",
    ),
    (
        "ALTER TABLE loans ENABLE ROW LEVEL SECURITY;",
        "",
        "loans has no forced row-level security",
    ),
    (
        "ALTER TABLE loans FORCE ROW LEVEL SECURITY;",
        "",
        "loans has no forced row-level security",
    ),
    (
        "CREATE POLICY tenant",
        "CREATE POLICY other",
        "loans has no policy `tenant`",
    ),
    (
        "USING (company_id = ",
        "USING (true OR company_id = ",
        "loans has no policy `tenant`",
    ),
];

async fn problems(owner: &mut PgConnection, sql: &str) -> Vec<String> {
    owner.execute(BASE).await.expect("the base");
    let released = Facts::read(owner).await;
    let mut found = check(owner, sql, &released, (0, 1, 0)).await;
    found.extend(tenancy(owner, Service::Equipment).await);
    found
}

#[tokio::test]
async fn dangerous_migrations_are_rejected() {
    let none = Migrator::with_migrations(Vec::new());
    let test = database(Service::Equipment, &none).await;
    let mut owner = connect_admin(&test.owner_url).await.expect("a connection");
    for sql in ALLOWED {
        assert_eq!(problems(&mut owner, sql).await, [""; 0], "{sql}");
    }
    let walls = ISOLATION_EXAMPLES.map(|(needed, instead, problem)| {
        assert!(TABLE.contains(needed), "{needed}");
        (problem, TABLE.replacen(needed, instead, 1))
    });
    let refused = REFUSED
        .iter()
        .map(|(problem, sql)| (*problem, (*sql).to_owned()));
    for (problem, sql) in refused.chain(walls) {
        let found = problems(&mut owner, &sql).await;
        assert!(
            found.iter().any(|found| found.contains(problem)),
            "{problem}: {sql}\n{found:#?}"
        );
    }
}

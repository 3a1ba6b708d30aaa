//! Each rule with a file that breaks it and the way that is allowed.

use super::File;
use super::rules::{Rule, check};
use super::schema::Schema;

/// What was released before the examples.
const BASE: &str = "
CREATE TABLE tools (
    company_id uuid NOT NULL,
    id uuid NOT NULL,
    name text,
    kind text NOT NULL CHECK (kind IN ('hand', 'power')),
    CONSTRAINT tools_pkey PRIMARY KEY (company_id, id)
);
ALTER TABLE tools ADD CONSTRAINT tools_name_given CHECK (name IS NOT NULL) NOT VALID;
CREATE FUNCTION tools_of(p_kind text) RETURNS TABLE (company_id uuid, id uuid)
LANGUAGE sql AS $$ SELECT company_id, id FROM public.tools WHERE kind = p_kind $$;
CREATE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$ $$;
";

/// A table as it has to be, but for what is replaced.
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

/// Rows in batches, a company at a time: row-level security binds the owner of a table too.
const BATCHES: &str = "-- no-transaction
DO $$
DECLARE
    v_company uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    LOOP
        SELECT c INTO v_company FROM public.companies_with_equipment(v_company, 1) c;
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
$$;";

/// Another body for a function that is there.
const REPLACED: &str = "
CREATE OR REPLACE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$ SELECT 1 $$;
";

/// What breaks the rule, and what does not.
const EXAMPLES: &[(Rule, &str, &str)] = &[
    (
        Rule::TakesAway,
        "DROP TABLE tools;",
        "-- contract: moved to the catalogue; since 0.1.0\nDROP TABLE tools;",
    ),
    (
        Rule::TakesAway,
        "ALTER TABLE tools DROP COLUMN name;",
        "-- contract: nobody reads it; since 0.0.9\nALTER TABLE tools DROP COLUMN name;",
    ),
    (
        // It permits the next statement, not the whole file.
        Rule::TakesAway,
        "-- contract: nobody reads it; since 0.1.0\nALTER TABLE tools DROP COLUMN name;
        ALTER TABLE tools DROP COLUMN kind;",
        "ALTER TABLE tools ADD COLUMN size integer;",
    ),
    (
        Rule::TakesAway,
        "ALTER TABLE tools ALTER COLUMN kind DROP NOT NULL;",
        "ALTER TABLE tools ALTER COLUMN kind SET DEFAULT 'hand';",
    ),
    (
        Rule::TakesAway,
        "ALTER TABLE tools DROP CONSTRAINT tools_kind_check,
            ADD CONSTRAINT tools_kind_check CHECK (kind IN ('hand')) NOT VALID;",
        "ALTER TABLE tools DROP CONSTRAINT tools_kind_check,
            ADD CONSTRAINT tools_kind_check CHECK (kind IN ('hand', 'power', 'air')) NOT VALID;",
    ),
    (
        Rule::TakesAway,
        "ALTER TABLE tools ADD CONSTRAINT tools_name_short CHECK (length(name) < 10) NOT VALID;",
        "ALTER TABLE tools ADD COLUMN size integer;
        ALTER TABLE tools ADD CONSTRAINT tools_size CHECK (size > 0) NOT VALID;",
    ),
    (
        Rule::TakesAway,
        "-- no-transaction\nCREATE UNIQUE INDEX CONCURRENTLY tools_name ON tools (company_id, name);",
        "-- no-transaction\n-- contract: names are kept apart; since 0.1.0
        CREATE UNIQUE INDEX CONCURRENTLY tools_name ON tools (company_id, name);",
    ),
    (
        Rule::TakesAway,
        "REVOKE SELECT ON tools FROM hourmeter_equipment;",
        "REVOKE ALL ON FUNCTION tools_of(text) FROM PUBLIC;",
    ),
    (
        Rule::TakesAway,
        "DROP POLICY lookup ON tools;",
        "DROP POLICY lookup ON tools;
        CREATE POLICY lookup ON tools FOR SELECT TO tenant_lookup USING (true);",
    ),
    (
        Rule::Renames,
        "ALTER TABLE tools RENAME COLUMN name TO title;",
        "ALTER TABLE tools ADD COLUMN title text;",
    ),
    (
        Rule::Renames,
        "ALTER TABLE tools RENAME TO implements;",
        "COMMENT ON TABLE tools IS 'Implements.';",
    ),
    (
        Rule::ChangesType,
        "ALTER TABLE tools ALTER COLUMN name TYPE varchar(100);",
        "ALTER TABLE tools ADD COLUMN short_name varchar(100);",
    ),
    (
        Rule::NotNull,
        "ALTER TABLE tools ADD COLUMN size integer NOT NULL;",
        "ALTER TABLE tools ADD COLUMN size integer NOT NULL DEFAULT 0;",
    ),
    (
        Rule::NotNull,
        "ALTER TABLE tools ALTER COLUMN name SET NOT NULL;",
        "ALTER TABLE tools VALIDATE CONSTRAINT tools_name_given;
        ALTER TABLE tools ALTER COLUMN name SET NOT NULL;",
    ),
    (
        Rule::Rewrites,
        "ALTER TABLE tools ADD COLUMN mark uuid DEFAULT gen_random_uuid();",
        "ALTER TABLE tools ADD COLUMN added_at timestamptz NOT NULL DEFAULT now();",
    ),
    (
        Rule::Rewrites,
        "ALTER TABLE tools ADD COLUMN seen_at timestamptz DEFAULT now() - random() * interval '1 day';",
        "ALTER TABLE tools ADD COLUMN seen_at timestamptz DEFAULT now() - interval '1 day';",
    ),
    (
        Rule::Rewrites,
        "ALTER TABLE tools ADD COLUMN number bigserial;",
        "ALTER TABLE tools ADD COLUMN number bigint;",
    ),
    (
        Rule::Rewrites,
        "ALTER TABLE tools ADD number serial;",
        "ALTER TABLE tools ADD serial text;",
    ),
    (
        Rule::Rewrites,
        "ALTER TABLE tools ADD COLUMN sort_key text GENERATED ALWAYS AS (lower(name)) STORED;",
        "ALTER TABLE tools ADD COLUMN sort_key text;",
    ),
    (
        Rule::Scans,
        "ALTER TABLE tools ADD COLUMN size integer CHECK (size > 0);",
        "ALTER TABLE tools ADD COLUMN size integer;",
    ),
    (
        Rule::Scans,
        "ALTER TABLE tools ADD COLUMN size integer;
        ALTER TABLE tools ADD CONSTRAINT tools_size CHECK (size > 0);",
        "ALTER TABLE tools ADD COLUMN size integer;
        ALTER TABLE tools ADD CONSTRAINT tools_size CHECK (size > 0) NOT VALID;",
    ),
    (
        Rule::Scans,
        "ALTER TABLE tools ADD COLUMN size integer;
        ALTER TABLE tools ADD CONSTRAINT tools_size CHECK (size > 0) NOT VALID;
        ALTER TABLE tools VALIDATE CONSTRAINT tools_size;",
        "ALTER TABLE tools VALIDATE CONSTRAINT tools_name_given;",
    ),
    (
        Rule::BlockingIndex,
        "CREATE INDEX tools_name ON tools (company_id, name);",
        "-- no-transaction\nCREATE INDEX CONCURRENTLY tools_name ON tools (company_id, name);",
    ),
    (
        Rule::BlockingIndex,
        "ALTER TABLE tools ADD CONSTRAINT tools_name_once UNIQUE (company_id, name);",
        "-- contract: names are kept apart; since 0.1.0
        ALTER TABLE tools ADD CONSTRAINT tools_name_once UNIQUE USING INDEX tools_name;",
    ),
    (
        Rule::NotAlone,
        "CREATE INDEX CONCURRENTLY tools_name ON tools (company_id, name);",
        "-- no-transaction\nCREATE INDEX CONCURRENTLY tools_name ON tools (company_id, name);",
    ),
    (
        Rule::NotAlone,
        "-- no-transaction\nCREATE INDEX CONCURRENTLY tools_name ON tools (company_id, name);
        COMMENT ON INDEX tools_name IS 'By name.';",
        "COMMENT ON INDEX tools_name IS 'By name.';",
    ),
    (
        Rule::NotAlone,
        "-- contract: nobody looks there; since 0.1.0\nDROP INDEX tools_name;",
        "-- no-transaction\n-- contract: nobody looks there; since 0.1.0
        DROP INDEX CONCURRENTLY IF EXISTS tools_name;",
    ),
    (
        Rule::NotAgain,
        "-- no-transaction\n-- contract: nobody looks there; since 0.1.0
        DROP INDEX CONCURRENTLY tools_name;",
        "-- no-transaction\n-- contract: nobody looks there; since 0.1.0
        DROP INDEX CONCURRENTLY IF EXISTS tools_name;",
    ),
    (
        Rule::HidesBrokenIndex,
        "-- no-transaction
        CREATE INDEX CONCURRENTLY IF NOT EXISTS tools_name ON tools (company_id, name);",
        "-- no-transaction\nCREATE INDEX CONCURRENTLY tools_name ON tools (company_id, name);",
    ),
    (Rule::NoBatches, "UPDATE tools SET size = 0;", BATCHES),
    (
        Rule::NoBatches,
        "INSERT INTO tools (company_id, id, kind) SELECT company_id, id, 'hand' FROM old_tools;",
        "INSERT INTO tool_kinds (kind) VALUES ('hand'), ('power');",
    ),
    (
        Rule::NoBatches,
        "DO $$ BEGIN LOOP UPDATE tools SET size = 0; END LOOP; END $$;",
        BATCHES,
    ),
    (
        Rule::Walls,
        "ALTER TABLE tools NO FORCE ROW LEVEL SECURITY;",
        "ALTER TABLE tools FORCE ROW LEVEL SECURITY;",
    ),
    (
        Rule::Walls,
        "CREATE POLICY everybody ON tools USING (true);",
        "CREATE POLICY lookup ON tools FOR SELECT TO tenant_lookup USING (true);",
    ),
    (
        Rule::Grants,
        "GRANT ALL ON tools TO hourmeter_equipment;",
        "GRANT SELECT, UPDATE (name) ON tools TO hourmeter_equipment, tenant_lookup;",
    ),
    (
        Rule::Grants,
        "GRANT SELECT ON tools TO PUBLIC;",
        "GRANT SELECT ON tools TO hourmeter_equipment;",
    ),
    (
        Rule::Grants,
        "GRANT SELECT ON tools TO hourmeter_billing;",
        "GRANT EXECUTE ON FUNCTION tools_of(text) TO hourmeter_equipment, CURRENT_USER;",
    ),
    (
        Rule::Signature,
        "DROP FUNCTION tools_of(text);",
        "-- contract: nobody calls it; since 0.1.0\nDROP FUNCTION tools_of(text);",
    ),
    (
        Rule::Signature,
        "DROP FUNCTION tools_of(text);
        CREATE FUNCTION tools_of(p_kind text, p_most bigint)
        RETURNS TABLE (company_id uuid, id uuid) LANGUAGE sql AS $$ $$;",
        "DROP FUNCTION tools_of(text);
        CREATE FUNCTION tools_of(p_kind text, p_most bigint DEFAULT 10)
        RETURNS TABLE (company_id uuid, id uuid, name text) LANGUAGE sql AS $$ $$;",
    ),
    (
        Rule::Signature,
        "DROP FUNCTION tools_of(text);
        CREATE FUNCTION tools_of(p_kind text) RETURNS TABLE (id uuid, company_id uuid)
        LANGUAGE sql AS $$ $$;",
        "CREATE OR REPLACE FUNCTION tools_of(p_kind text)
        RETURNS TABLE (company_id uuid, id uuid) LANGUAGE sql AS $$ $$;",
    ),
    (
        Rule::Signature,
        "CREATE FUNCTION tools_of(p_kind text, p_most bigint DEFAULT 10) RETURNS bigint
        LANGUAGE sql AS $$ $$;",
        "CREATE FUNCTION tools_of_kinds(p_kinds text[]) RETURNS bigint LANGUAGE sql AS $$ $$;",
    ),
    (
        Rule::Signature,
        "CREATE OR REPLACE FUNCTION tools_of(p_kind text) RETURNS bigint LANGUAGE sql AS $$ $$;",
        "CREATE OR REPLACE FUNCTION tools_of(p_kind text)
        RETURNS TABLE (company_id uuid, id uuid) STABLE LANGUAGE sql AS $$ $$;",
    ),
    (
        // Another function, though it says that it replaces one.
        Rule::Signature,
        "CREATE OR REPLACE FUNCTION tools_of(p_kind text, p_most bigint)
        RETURNS TABLE (company_id uuid, id uuid) LANGUAGE sql AS $$ $$;",
        "CREATE OR REPLACE FUNCTION tools_of_kinds(p_kinds text[]) RETURNS bigint
        LANGUAGE sql AS $$ $$;",
    ),
    (
        Rule::Signature,
        "CREATE OR REPLACE FUNCTION count_tools(p_kind text) RETURNS bigint
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$ $$;",
        "CREATE OR REPLACE FUNCTION count_tools(p_kind text DEFAULT 'power') RETURNS bigint
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$ $$;",
    ),
    (
        Rule::Signature,
        "CREATE OR REPLACE FUNCTION count_tools(p_what text DEFAULT 'hand') RETURNS bigint
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$ $$;",
        REPLACED,
    ),
    (
        Rule::Definer,
        "CREATE OR REPLACE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
        LANGUAGE sql STABLE SECURITY DEFINER AS $$ $$;",
        REPLACED,
    ),
    (
        Rule::Definer,
        "CREATE OR REPLACE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '', public AS $$ $$;",
        REPLACED,
    ),
    (
        Rule::Definer,
        "CREATE OR REPLACE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
        LANGUAGE sql STABLE SET search_path = '' AS $$ $$;",
        REPLACED,
    ),
    (
        // It was everybody's to call.
        Rule::Definer,
        "CREATE OR REPLACE FUNCTION tools_of(p_kind text)
        RETURNS TABLE (company_id uuid, id uuid)
        LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$ $$;",
        "CREATE OR REPLACE FUNCTION tools_of(p_kind text)
        RETURNS TABLE (company_id uuid, id uuid)
        LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$ $$;
        REVOKE ALL ON FUNCTION tools_of(text) FROM PUBLIC;",
    ),
    (
        Rule::Definer,
        "CREATE FUNCTION tool_kinds(p_most bigint) RETURNS SETOF text
        LANGUAGE sql SECURITY DEFINER AS $$ $$;
        REVOKE ALL ON FUNCTION tool_kinds(bigint) FROM PUBLIC;",
        "CREATE FUNCTION tool_kinds(p_most bigint) RETURNS SETOF text
        LANGUAGE sql SECURITY DEFINER SET search_path TO '' AS $$ $$;
        REVOKE ALL ON FUNCTION tool_kinds(bigint) FROM PUBLIC;",
    ),
    (
        Rule::Definer,
        "CREATE FUNCTION tool_kinds(p_most bigint) RETURNS SETOF text
        LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$ $$;",
        "CREATE FUNCTION tool_kinds(p_most bigint) RETURNS SETOF text LANGUAGE sql AS $$ $$;",
    ),
    (
        // Another's right is taken away.
        Rule::Definer,
        "CREATE FUNCTION tool_kinds(p_most bigint) RETURNS SETOF text
        LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$ $$;
        REVOKE ALL ON FUNCTION tool_kinds(text) FROM PUBLIC;",
        "CREATE FUNCTION tool_kinds() RETURNS SETOF text
        LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$ $$;
        REVOKE ALL ON FUNCTION tool_kinds() FROM PUBLIC;",
    ),
    (
        // Made anew, it is everybody's to call.
        Rule::Definer,
        "DROP FUNCTION count_tools(text);
        CREATE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$ $$;",
        "DROP FUNCTION count_tools(text);
        CREATE FUNCTION count_tools(p_kind text DEFAULT 'hand') RETURNS bigint
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$ $$;
        REVOKE ALL ON FUNCTION count_tools(text) FROM PUBLIC;",
    ),
    (
        Rule::OwnTimeout,
        "SET lock_timeout = '1h'; ALTER TABLE tools ADD COLUMN size integer;",
        "ALTER TABLE tools ADD COLUMN size integer;",
    ),
    (
        Rule::Contract,
        "-- contract: nobody reads it\nALTER TABLE tools DROP COLUMN name;",
        "-- contract: nobody reads it; since 0.1.0\nALTER TABLE tools DROP COLUMN name;",
    ),
    (
        // Processes of 0.1.0 may be running.
        Rule::Contract,
        "-- contract: nobody reads it; since 0.2.0\nALTER TABLE tools DROP COLUMN name;",
        "-- contract: it was long, but\n-- nobody reads it; since 0.1.0.\nALTER TABLE tools DROP COLUMN name;",
    ),
    (
        Rule::Unknown,
        "VACUUM FULL tools;",
        "COMMENT ON COLUMN tools.name IS 'As written on it.';",
    ),
];

/// What is left out of a good table.
const WALLS: [(&str, &str); 5] = [
    (
        "PRIMARY KEY (company_id, id)",
        "PRIMARY KEY (id, company_id)",
    ),
    ("ALTER TABLE loans ENABLE ROW LEVEL SECURITY;", ""),
    ("ALTER TABLE loans FORCE ROW LEVEL SECURITY;", ""),
    ("CREATE POLICY tenant", "CREATE POLICY other"),
    ("USING (company_id = ", "USING (true OR company_id = "),
];

fn problems(sql: &str) -> Vec<String> {
    let mut schema = Schema::default();
    let base = File::read("equipment", "base", BASE, &schema);
    for statement in &base.statements {
        schema.follow("base", true, statement);
    }
    let file = File::read("equipment", "example", sql, &schema);
    let found = check(&file, &schema, (0, 1, 0));
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn each_rule_refuses_what_breaks_it_and_lets_the_other_way_pass() {
    for (rule, bad, good) in EXAMPLES {
        let found = problems(bad);
        let named = format!("({rule:?})");
        assert!(
            found.iter().any(|problem| problem.ends_with(&named)),
            "{rule:?} lets pass: {bad}\n{found:?}"
        );
        assert_eq!(problems(good), [""; 0], "{good}");
    }
    for rule in Rule::ALL {
        assert!(
            EXAMPLES.iter().any(|(shown, ..)| *shown == rule),
            "{rule:?} has no example"
        );
    }
}

#[test]
fn a_new_table_keeps_companies_apart() {
    assert_eq!(problems(TABLE), [""; 0]);
    for (needed, instead) in WALLS {
        assert!(TABLE.contains(needed), "{needed}");
        let found = problems(&TABLE.replacen(needed, instead, 1));
        assert!(
            found.iter().any(|problem| problem.ends_with("(Walls)")),
            "passes without: {needed}"
        );
    }
}

#[test]
fn a_problem_says_where_it_is() {
    let sql = "-- A comment.\n\nALTER TABLE tools\n    ADD COLUMN size integer;\nDROP TABLE tools;";
    let found = problems(sql);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("line 5: "), "{found:?}");
}

//! The schema can be distributed by company, and stays so: `deploy/distribution.md`.

mod queries;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::{Service, Tenant};
use hourmeter_runtime::self_check;
use hourmeter_runtime::testing::{TestDatabase, database};
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use uuid::Uuid;

use queries::{literals, uses};

/// What may be without a company, in whose database, and why. One that nothing needs any more fails.
type Exception = (Service, &'static str, &'static str);

/// Unique over the whole platform.
const UNIQUE: &[Exception] = &[
    (
        Service::Accounts,
        "companies_name_key_key",
        "no two business names look alike",
    ),
    (
        Service::Accounts,
        "users_email_key",
        "people sign in by it without naming a company",
    ),
    (
        Service::Accounts,
        "users_operator_username_key",
        "so do operators",
    ),
    (
        Service::Accounts,
        "sessions_sid_key",
        "a session is found by its token alone",
    ),
    (
        Service::Accounts,
        "sessions_next_sid_key",
        "likewise by the token that will follow",
    ),
    (
        Service::Accounts,
        "retired_tokens_sid_key",
        "likewise by one that was given up",
    ),
];

/// Tables without `company_id`.
const PLATFORM: &[Exception] = &[
    (
        Service::Accounts,
        "operator_usernames",
        "a name stays taken when its company is gone",
    ),
    (Service::Accounts, "staff", "belong to no company"),
    (Service::Accounts, "staff_sessions", "belong to no company"),
    (Service::Billing, "stripe_prices", "the platform's own"),
];

/// Functions whose queries go across companies, or find out the company. What those of distributed
/// tables become on Citus stands in `deploy/distribution.md`.
const ACROSS: &[Exception] = &[
    (
        Service::Accounts,
        "count_sealed",
        "how many passwords each key has sealed",
    ),
    (Service::Accounts, "end_session", "by its token"),
    (Service::Accounts, "find_operator_sign_in", "by a name"),
    (Service::Accounts, "find_reauthentication", "by a token"),
    (Service::Accounts, "find_recovery", "by a name"),
    (Service::Accounts, "find_sign_in", "by a name"),
    (
        Service::Accounts,
        "forget_audit_events",
        "the oldest lines of any company",
    ),
    (Service::Accounts, "is_tenant_email", "of any company"),
    (
        Service::Accounts,
        "list_accounts",
        "support staff look through all companies",
    ),
    (
        Service::Accounts,
        "list_to_reseal",
        "companies, a page at a time",
    ),
    (Service::Accounts, "peek_session", "by its token"),
    (Service::Accounts, "resolve_session", "by its token"),
    (
        Service::Accounts,
        "take_operator_username",
        "no other company may have it",
    ),
    (
        Service::Billing,
        "company_of_customer",
        "by the provider's customer",
    ),
    (
        Service::Billing,
        "due_subscriptions",
        "what is due anywhere",
    ),
    (
        Service::Billing,
        "forget_audit_events",
        "the oldest lines of any company",
    ),
    (
        Service::Billing,
        "forget_stripe_events",
        "the oldest events of any company",
    ),
    (
        Service::Equipment,
        "companies_with_equipment",
        "companies, a page at a time",
    ),
    (
        Service::Equipment,
        "forget_audit_events",
        "the oldest lines of any company",
    ),
    (
        Service::OperatorUpdates,
        "claim_deliveries",
        "for releases before 0.1.0",
    ),
    (
        Service::OperatorUpdates,
        "claim_queues",
        "for the release before, which claims over all companies",
    ),
    (
        Service::OperatorUpdates,
        "due_queues",
        "what is due anywhere, without a lock",
    ),
    (
        Service::OperatorUpdates,
        "outbox_state",
        "figures of the whole platform",
    ),
];

/// Sources that put a query together from several literals; the company stands in another one.
const PIECES: &[Exception] = &[
    (Service::Equipment, "list.rs:count", "`condition` adds it"),
    (Service::Equipment, "list.rs:list", "`condition` adds it"),
    (
        Service::OperatorUpdates,
        "marks.rs:marker_of",
        "`ANY` and `OWN` give it",
    ),
    (
        Service::OperatorUpdates,
        "updates.rs:select_updates",
        "each use gives it",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn migrations(service: Service) -> &'static Migrator {
    match service {
        Service::Accounts => &hourmeter_accounts::MIGRATIONS,
        Service::Equipment => &hourmeter_equipment::MIGRATIONS,
        Service::OperatorUpdates => &hourmeter_operator_updates::MIGRATIONS,
        Service::Billing => &hourmeter_billing::MIGRATIONS,
    }
}

/// The script of a service, and what it says of tables.
struct Script {
    sql: String,
    distributed: Vec<String>,
    local: Vec<String>,
}

impl Script {
    fn read(service: Service) -> Self {
        let path = format!("deploy/distribution/{}.sql", service.name());
        let sql = std::fs::read_to_string(root().join(path)).expect("a script");
        let after = |start: &str, end: char| {
            let lines = sql.lines().filter_map(|line| line.strip_prefix(start));
            let names = lines.filter_map(|line| line.split_once(end));
            names.map(|(name, _)| name.to_owned()).collect()
        };
        Self {
            distributed: after("SELECT create_distributed_table('", '\''),
            local: after("-- local ", ':'),
            sql,
        }
    }

    fn all(&self) -> Vec<String> {
        let mut all = [self.distributed.as_slice(), &self.local].concat();
        all.sort();
        all
    }
}

async fn migrated(service: Service) -> (TestDatabase, PgConnection) {
    let test = database(service, migrations(service)).await;
    let admin = connect_admin(&test.admin_url).await.expect("a connection");
    (test, admin)
}

/// First columns of the answers, in order.
async fn names(admin: &mut PgConnection, sql: &'static str) -> Vec<String> {
    sqlx::query_scalar(sql)
        .fetch_all(admin)
        .await
        .expect("an answer")
}

/// Fails unless what was found is what is excepted, in the same database.
fn assert_excepted(service: Service, found: &BTreeSet<String>, exceptions: &[Exception]) {
    let own = exceptions.iter().filter(|(of, ..)| *of == service);
    let excepted: BTreeSet<String> = own.map(|(_, name, _)| (*name).to_owned()).collect();
    let new: Vec<_> = found.difference(&excepted).collect();
    assert!(
        new.is_empty(),
        "{}: without company_id: {new:#?}",
        service.name()
    );
    let unused: Vec<_> = excepted.difference(found).collect();
    assert!(
        unused.is_empty(),
        "{}: no exception any more: {unused:#?}",
        service.name()
    );
}

#[tokio::test]
async fn each_table_is_named_once_and_has_a_company() {
    for service in Service::ALL {
        let (_test, mut admin) = migrated(service).await;
        let tables = "SELECT relname::text FROM pg_class
            WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
              AND relname <> '_sqlx_migrations'
            ORDER BY relname COLLATE \"C\"";
        assert_eq!(Script::read(service).all(), names(&mut admin, tables).await);
        let platform = "SELECT relname::text FROM pg_class c
            WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
              AND relname <> '_sqlx_migrations'
              AND NOT EXISTS (
                  SELECT FROM pg_attribute a
                  WHERE a.attrelid = c.oid AND a.attname = 'company_id' AND a.attnotnull
              )";
        let found = names(&mut admin, platform).await.into_iter().collect();
        assert_excepted(service, &found, PLATFORM);
    }
}

#[tokio::test]
async fn unique_and_foreign_keys_carry_the_company() {
    for service in Service::ALL {
        let (_test, mut admin) = migrated(service).await;
        let unique = "SELECT i.indexrelid::regclass::text
            FROM pg_index i
            JOIN pg_attribute c ON c.attrelid = i.indrelid AND c.attname = 'company_id'
            WHERE (i.indisunique OR i.indisexclusion) AND NOT c.attnum = ANY (i.indkey::smallint[])";
        let found = names(&mut admin, unique).await.into_iter().collect();
        assert_excepted(service, &found, UNIQUE);
        // From company to company, both sides.
        let foreign = "SELECT k.conname::text
            FROM pg_constraint k
            JOIN pg_attribute own ON own.attrelid = k.conrelid AND own.attname = 'company_id'
            WHERE k.contype = 'f' AND NOT EXISTS (
                SELECT FROM unnest(k.conkey, k.confkey) AS pair (own, other)
                JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = pair.other
                WHERE pair.own = own.attnum AND a.attname = 'company_id'
            )";
        assert_eq!(names(&mut admin, foreign).await, [""; 0]);
    }
}

#[tokio::test]
async fn queries_say_whose_rows_they_want() {
    for service in Service::ALL {
        let (_test, mut admin) = migrated(service).await;
        let script = Script::read(service);
        let excepted = |name: &String| {
            PLATFORM
                .iter()
                .any(|(of, table, _)| *of == service && table == name)
        };
        let tenants: Vec<String> = script
            .all()
            .into_iter()
            .filter(|name| !excepted(name))
            .collect();
        let mut across = BTreeSet::new();
        let mut used = BTreeSet::new();
        let mut look = |place: String, sql: &str| {
            for found in uses(sql, &tenants) {
                if !found.is_bound {
                    across.insert(place.clone());
                }
                used.insert(found.table);
            }
        };
        for (place, sql) in source_queries(service, &tenants) {
            look(place, &sql);
        }
        let functions: Vec<(String, String)> = sqlx::query_as(
            "SELECT proname::text, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
        )
        .fetch_all(&mut admin)
        .await
        .expect("functions");
        for (name, body) in functions {
            look(name, &body);
        }
        let unseen: Vec<_> = tenants
            .iter()
            .filter(|table| !used.contains(*table))
            .collect();
        assert!(
            unseen.is_empty(),
            "{}: no query of {unseen:?} was found",
            service.name()
        );
        assert_excepted(service, &across, &[ACROSS, PIECES].concat());
    }
}

/// Citus passes `SET LOCAL` on to its workers, and a call of `set_config` not: rows would be hidden
/// without an error.
#[test]
fn the_company_is_set_by_a_statement() {
    let call = concat!("set_", "config(");
    let mut files = Vec::new();
    for service in Service::ALL {
        let folder = root().join("services").join(service.name());
        sources(&folder.join("src"), &mut files);
    }
    for folder in ["services/runtime/src", "gateway/src", "deploy"] {
        sources(&root().join(folder), &mut files);
    }
    let mut statements = 0;
    let mut calls = Vec::new();
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a source");
        for line in source.lines() {
            statements += usize::from(line.contains("SET LOCAL app.company_id"));
            if line.contains(call) && !line.trim_start().starts_with("//") {
                calls.push(format!("{}: {}", file.display(), line.trim()));
            }
        }
    }
    assert!(statements >= 3, "{statements}");
    assert!(calls.is_empty(), "{calls:#?}");
}

/// The SQL in the sources of a service, and in those it shares, with the place of each.
fn source_queries(service: Service, tables: &[String]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    sources(
        &root().join("services").join(service.name()).join("src"),
        &mut files,
    );
    let shared = root().join("services/runtime/src");
    files.extend(["audit.rs", "idempotency.rs"].map(|name| shared.join(name)));
    let mut found = Vec::new();
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a source");
        // Tests come last, and may look at whatever they want.
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        for (line, text) in literals(source) {
            let leads = ["FROM ", "JOIN ", "INTO ", "UPDATE ", "USING "];
            let is_sql = tables.iter().any(|table| {
                leads
                    .iter()
                    .any(|lead| text.contains(&format!("{lead}{table}")))
            });
            if is_sql {
                let name = file.file_name().unwrap_or_default().display();
                found.push((format!("{name}:{}", function_at(source, line)), text));
            }
        }
    }
    found
}

/// The last function, constant or macro that begins above a line.
fn function_at(source: &str, line: usize) -> String {
    let above = source.lines().take(line).collect::<Vec<_>>();
    let named = above.iter().rev().find_map(|line| {
        let marks = ["fn ", "const ", "macro_rules! "];
        let (_, rest) = marks.iter().find_map(|mark| line.split_once(mark))?;
        let end = rest.find(|end: char| !end.is_alphanumeric() && end != '_')?;
        Some(rest[..end].to_owned())
    });
    named.unwrap_or_default()
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") && !is_test(&path) {
            files.push(path);
        }
    }
}

fn is_test(path: &Path) -> bool {
    path.file_stem()
        .is_some_and(|name| name.to_string_lossy().ends_with("_tests"))
}

/// A database where `create_distributed_table` refuses what Citus refuses because of the schema.
async fn with_citus(service: Service) -> (TestDatabase, PgConnection) {
    let (test, mut admin) = migrated(service).await;
    let stand_in = include_str!("distribution/citus.sql");
    admin.execute(stand_in).await.expect("a stand-in");
    (test, admin)
}

#[tokio::test]
async fn the_scripts_distribute_what_they_name() {
    for service in Service::ALL {
        let (test, mut admin) = with_citus(service).await;
        let script = Script::read(service);
        let run = admin.execute(AssertSqlSafe(script.sql.clone())).await;
        run.unwrap_or_else(|error| panic!("{}: {error}", service.name()));
        let done = "SELECT name::text FROM distributed_tables ORDER BY name::text COLLATE \"C\"";
        let mut expected = script.distributed.clone();
        expected.sort();
        assert_eq!(names(&mut admin, done).await, expected);

        // The walls between companies stand as before.
        let open = "SELECT c.relname::text FROM pg_class c
            JOIN distributed_tables d ON d.name = c.oid
            WHERE NOT (c.relrowsecurity AND c.relforcerowsecurity) OR NOT EXISTS (
                SELECT FROM pg_policy p
                WHERE p.polrelid = c.oid AND p.polname = 'tenant' AND p.polcmd = '*'
                  AND pg_get_expr(p.polqual, c.oid)
                      = '(company_id = (NULLIF(current_setting(''app.company_id''::text, true), ''''::text))::uuid)'
                  AND pg_get_expr(p.polwithcheck, c.oid) = pg_get_expr(p.polqual, c.oid)
            )";
        assert_eq!(names(&mut admin, open).await, [""; 0]);
        let problems = self_check::problems(&test.database).await;
        let problems = problems.expect("an answer");
        let of_tables = problems.iter().filter(|problem| problem.contains("table"));
        assert_eq!(of_tables.count(), 0, "{}: {problems:?}", service.name());
        if service == Service::Equipment {
            one_company_sees_its_own(&test).await;
        }
    }
}

/// Citus locks rows of distributed tables within one company only, so a function over all of them that
/// this release still calls may lock none. Accounts is not distributed.
#[tokio::test]
async fn what_goes_over_all_companies_locks_no_rows() {
    let mut looked = 0;
    for service in [
        Service::Equipment,
        Service::OperatorUpdates,
        Service::Billing,
    ] {
        let (_test, mut admin) = migrated(service).await;
        let mut files = Vec::new();
        let folder = root().join("services").join(service.name());
        sources(&folder.join("src"), &mut files);
        let read = |file: &PathBuf| std::fs::read_to_string(file).expect("a source");
        let source: String = files.iter().map(read).collect();
        let over_all = ACROSS.iter().filter(|(of, ..)| *of == service);
        for (_, name, reason) in over_all {
            let text: String = sqlx::query_scalar("SELECT prosrc FROM pg_proc WHERE proname = $1")
                .bind(name)
                .fetch_one(&mut admin)
                .await
                .expect("the function");
            let locks = ["FOR UPDATE", "FOR SHARE", "FOR NO KEY", "FOR KEY"];
            let locks = locks.iter().any(|lock| text.contains(lock));
            let is_called = source.contains(&format!("{name}("));
            assert_ne!((locks, is_called), (true, true), "{name}: {reason}");
            looked += usize::from(is_called);
        }
    }
    assert!(looked > 3, "{looked}");
}

async fn one_company_sees_its_own(test: &TestDatabase) {
    let companies = [Uuid::now_v7(), Uuid::now_v7()];
    for company in companies {
        let mut tx = test
            .database
            .tenant(Tenant::found_by_lookup(company))
            .await
            .expect("begun");
        sqlx::query("INSERT INTO company_state (company_id, claimed_at) VALUES ($1, now())")
            .bind(company)
            .execute(&mut *tx)
            .await
            .expect("written");
        tx.commit().await.expect("done");
    }
    for company in companies {
        let mut tx = test
            .database
            .tenant(Tenant::found_by_lookup(company))
            .await
            .expect("begun");
        let seen: Vec<Uuid> = sqlx::query_scalar("SELECT company_id FROM company_state")
            .fetch_all(&mut *tx)
            .await
            .expect("read");
        assert_eq!(seen, [company]);
    }
}

#[tokio::test]
async fn the_stand_in_refuses_what_citus_refuses() {
    let (_test, mut admin) = with_citus(Service::Equipment).await;
    for (change, table, complaint) in [
        (
            "CREATE UNIQUE INDEX once ON company_state (claimed_at)",
            "company_state",
            "unique index once",
        ),
        (
            "ALTER TABLE fuel_periods ADD CONSTRAINT lonely FOREIGN KEY (actor_id)
            REFERENCES distributed_people",
            "fuel_periods",
            "foreign key lonely",
        ),
        ("SELECT", "service_tasks", "foreign key"),
        ("SELECT", "company_state", "policy tenant"),
        (
            "ALTER POLICY tenant ON company_state USING (true) WITH CHECK (true);
        CREATE TRIGGER touched BEFORE UPDATE ON company_state
            FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            "company_state",
            "trigger touched",
        ),
    ] {
        let sql = format!(
            "
            BEGIN;
            CREATE TABLE distributed_people (id uuid PRIMARY KEY);
            {change};
            SELECT create_distributed_table('{table}', 'company_id')"
        );
        let refused = admin.execute(AssertSqlSafe(sql)).await;
        let refused = refused.expect_err(complaint).to_string();
        assert!(refused.contains(complaint), "{refused}");
        admin.execute("ROLLBACK").await.expect("done");
    }
}

//! The schema can be distributed by company: `deploy/distribution.md`.

mod queries;

use std::collections::BTreeSet;

use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::{Service, Tenant};
use hourmeter_runtime::self_check;
use hourmeter_runtime::testing::{TestDatabase, database};
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use uuid::Uuid;

use crate::{migrations_of, read, rust_files};
use queries::{Bound, literals, uses};

/// Exceptions `service name: reason`. An unused exception fails.
type Exceptions = &'static [&'static str];

/// Platform-wide unique keys.
const UNIQUE: Exceptions = &[
    "accounts companies_name_key_key: no two business names look alike",
    "accounts users_email_key: people sign in by it without naming a company",
    "accounts users_operator_username_key: so do operators",
    "accounts sessions_sid_key: a session is found by its token alone",
    "accounts sessions_next_sid_key: likewise by the token that will follow",
    "accounts retired_tokens_sid_key: likewise by one that was given up",
];

const PLATFORM: Exceptions = &[
    "accounts operator_usernames: a name stays taken when its company is gone",
    "accounts staff: belong to no company",
    "accounts staff_enrolments: belong to no company",
    "accounts staff_sessions: belong to no company",
    "billing stripe_prices: the platform's own",
];

/// Functions that read across companies or find a company. `deploy/distribution.md` describes them
/// on Citus.
const ACROSS: Exceptions = &[
    "accounts companies_due_for_deletion: what is due anywhere",
    "accounts count_sealed: how many passwords each key has sealed",
    "accounts due_facts: what is due anywhere, without a lock",
    "accounts end_session: by its token",
    "accounts find_calendar_feed: a calendar is found by its secret alone",
    "accounts find_device: by a phone and a person",
    "accounts find_device_keys: by a phone",
    "accounts find_mail_link: a person is found by the secret of a mailed link alone",
    "accounts find_operator_sign_in: by a name",
    "accounts find_reauthentication: by a token",
    "accounts find_recovery: by a name",
    "accounts find_sign_in: by a name",
    "accounts forget_audit_events: the oldest lines of any company",
    "accounts gone_operator_usernames: people of any company may have them",
    "accounts hash_operator_username: people of any company may have it",
    "accounts is_tenant_email: of any company",
    "accounts list_accounts: support staff look through all companies",
    "accounts list_authenticators_to_reseal: companies, a page at a time",
    "accounts list_to_reseal: companies, a page at a time",
    "accounts peek_session: by its token",
    "accounts take_operator_username: no other company may have it",
    "accounts use_session: by its token",
    "billing company_of_customer: by the provider's customer",
    "billing due_facts: what is due anywhere, without a lock",
    "billing due_subscriptions: what is due anywhere",
    "billing forget_audit_events: the oldest lines of any company",
    "billing forget_stripe_events: the oldest events of any company",
    "billing list_subscriptions_in_state: support staff look through all companies",
    "equipment companies_with_equipment: companies, a page at a time",
    "equipment due_facts: what is due anywhere, without a lock",
    "equipment forget_audit_events: the oldest lines of any company",
    "notifications due_digests: what is due anywhere, without a lock",
    "notifications due_messages: what is due anywhere, without a lock",
    "notifications due_messages_of: what is due anywhere, without a lock",
    "notifications find_unsubscribe: a person is found by the secret of a mailed link alone",
    "notifications forget_messages: the oldest ones of any company",
    "notifications forget_notifications: the oldest ones of any company",
    "operator-updates claim_deliveries: for releases before 0.1.0",
    "operator-updates claim_queues: for the release before, which claims over all companies",
    "operator-updates due_facts: what is due anywhere, without a lock",
    "operator-updates due_queues: what is due anywhere, without a lock",
    "operator-updates outbox_state: figures of the whole platform",
];

/// Sources that compose a query from several literals, one of which names the company.
const COMPOSED_QUERIES: Exceptions = &[
    "equipment list.rs:count: `condition` adds it",
    "equipment list.rs:list: `condition` adds it",
    "operator-updates changed_at.rs:marker_of: `ANY` and `OWN` give it",
    "operator-updates updates.rs:select_updates: each use gives it",
];

fn excepted(service: Service, exceptions: Exceptions) -> BTreeSet<String> {
    let start = format!("{} ", service.name());
    let own = exceptions
        .iter()
        .filter_map(|line| line.strip_prefix(&start));
    let names = own.map(|line| line.split_once(": ").expect("a reason").0);
    names.map(str::to_owned).collect()
}

/// Fails unless the findings equal the exceptions.
fn assert_excepted(service: Service, found: &BTreeSet<String>, exceptions: &[Exceptions]) {
    let all = exceptions
        .iter()
        .flat_map(|exceptions| excepted(service, exceptions));
    let name = service.name();
    assert_eq!(
        *found,
        all.collect(),
        "{name}: without company_id, and exceptions"
    );
}

/// A service's script: its SQL, distributed tables and local tables.
fn script(service: Service) -> (String, BTreeSet<String>, BTreeSet<String>) {
    let sql = read(&format!("deploy/distribution/{}.sql", service.name()));
    let after = |start: &str, end: char| -> BTreeSet<String> {
        let lines = sql.lines().filter_map(|line| line.strip_prefix(start));
        let names = lines.filter_map(|line| line.split_once(end));
        names.map(|(name, _)| name.to_owned()).collect()
    };
    let distributed = after("SELECT create_distributed_table('", '\'');
    let local = after("-- local ", ':');
    assert!(distributed.is_disjoint(&local), "{}", service.name());
    (sql, distributed, local)
}

/// A migrated database whose `create_distributed_table` rejects the same schemas as Citus.
async fn with_citus(service: Service) -> (TestDatabase, PgConnection) {
    let test = database(service, migrations_of(service)).await;
    let mut admin = connect_admin(&test.admin_url).await.expect("a connection");
    let citus = admin.execute(include_str!("distribution/citus.sql")).await;
    citus.expect("the stand-in for Citus");
    (test, admin)
}

/// The first column of the rows.
async fn names(admin: &mut PgConnection, sql: &'static str) -> BTreeSet<String> {
    let found: Vec<String> = sqlx::query_scalar(sql)
        .fetch_all(admin)
        .await
        .expect("an answer");
    found.into_iter().collect()
}

/// Every table except those of the stand-in.
const TABLES: &str = "SELECT relname::text FROM pg_class
    WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
      AND relname NOT IN ('_sqlx_migrations', 'distributed_tables')";
const WITHOUT_COMPANY: &str = "SELECT relname::text FROM pg_class c
    WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
      AND relname NOT IN ('_sqlx_migrations', 'distributed_tables')
      AND NOT EXISTS (
          SELECT FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attname = 'company_id' AND a.attnotnull
      )";
const UNIQUE_WITHOUT_COMPANY: &str = "SELECT i.indexrelid::regclass::text
    FROM pg_index i
    JOIN pg_attribute c ON c.attrelid = i.indrelid AND c.attname = 'company_id'
    WHERE (i.indisunique OR i.indisexclusion) AND NOT c.attnum = ANY (i.indkey::smallint[])";
/// Foreign keys that do not compare `company_id`.
const ACROSS_COMPANIES: &str = "SELECT k.conname::text
    FROM pg_constraint k
    JOIN pg_attribute own ON own.attrelid = k.conrelid AND own.attname = 'company_id'
    WHERE k.contype = 'f' AND NOT EXISTS (
        SELECT FROM unnest(k.conkey, k.confkey) AS pair (own, other)
        JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = pair.other
        WHERE pair.own = own.attnum AND a.attname = 'company_id'
    )";
const TRIGGERS: &str = "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal";
const DISTRIBUTED: &str = "SELECT name::text FROM distributed_tables";

#[tokio::test]
async fn schema_and_queries_are_distributable_by_company() {
    for service in Service::ALL {
        let (test, mut admin) = with_citus(service).await;
        let (sql, distributed, local) = script(service);
        let tables = names(&mut admin, TABLES).await;
        assert_eq!(&distributed | &local, tables, "{}", service.name());
        let platform = names(&mut admin, WITHOUT_COMPANY).await;
        assert_excepted(service, &platform, &[PLATFORM]);
        let unique = names(&mut admin, UNIQUE_WITHOUT_COMPANY).await;
        assert_excepted(service, &unique, &[UNIQUE]);
        assert!(names(&mut admin, ACROSS_COMPANIES).await.is_empty());
        check_queries(service, &mut admin, &(&tables - &platform)).await;

        let triggers = names(&mut admin, TRIGGERS).await;
        let run = admin.execute(AssertSqlSafe(sql)).await;
        run.unwrap_or_else(|error| panic!("{}: {error}", service.name()));
        // A script drops them while rows are copied.
        assert_eq!(names(&mut admin, TRIGGERS).await, triggers);
        assert_eq!(names(&mut admin, DISTRIBUTED).await, distributed);
        let problems = self_check::problems(&test.database).await;
        let mut problems = problems.expect("an answer");
        // Row-level security isolates distributed tables.
        problems.retain(|problem| problem.contains("table"));
        assert_eq!(problems, [""; 0], "{}", service.name());
        if service == Service::Equipment {
            assert_company_sees_its_own(&test).await;
        }
    }
}

/// Every query must name the company of each table; a subquery by a parameter. Queries across companies
/// must not lock rows:
/// Citus locks rows only within one company.
async fn check_queries(service: Service, admin: &mut PgConnection, tables: &BTreeSet<String>) {
    let functions = "SELECT proname::text, prosrc FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND proname NOT LIKE 'create_distributed_%'";
    let functions = sqlx::query_as(functions).fetch_all(admin).await;
    let functions: Vec<(String, String)> = functions.expect("functions");
    let (queries, source) = source_queries(service, tables);
    let across = excepted(service, ACROSS);
    let is_distributed = service != Service::Accounts;
    for (name, body) in functions.iter().filter(|(name, _)| across.contains(name)) {
        let locks = ["FOR UPDATE", "FOR SHARE", "FOR NO KEY", "FOR KEY"];
        let locks = locks.iter().any(|lock| body.contains(lock));
        let may_lock = !is_distributed || !source.contains(&format!("{name}("));
        assert!(may_lock || !locks, "{name} locks rows");
    }
    let (mut unbound, mut outer, mut used) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (place, sql) in queries.into_iter().chain(functions) {
        for found in uses(&sql, tables) {
            match found.bound {
                Bound::Yes => {}
                Bound::ByOuter => drop(outer.insert(place.clone())),
                Bound::No => drop(unbound.insert(place.clone())),
            }
            used.insert(found.table);
        }
    }
    if is_distributed {
        let outer: Vec<_> = outer.difference(&across).collect();
        assert!(
            outer.is_empty(),
            "company by a column of the outer query: {outer:?}"
        );
    }
    assert_eq!(used, *tables, "tables in queries of {}", service.name());
    assert_excepted(service, &unbound, &[ACROSS, COMPOSED_QUERIES]);
}

/// SQL in a service's own and shared sources, with its place; and the sources.
fn source_queries(service: Service, tables: &BTreeSet<String>) -> (Vec<(String, String)>, String) {
    let mut files = rust_files(&[&format!("services/{}/src", service.name())]);
    files.retain(|(path, _)| !path.ends_with("_tests.rs"));
    let all = files.iter().map(|(_, source)| source.as_str()).collect();
    let shared = ["audit.rs", "idempotency.rs"].map(|name| format!("services/runtime/src/{name}"));
    files.extend(shared.map(|path| (path.clone(), read(&path))));
    let mut found = Vec::new();
    for (path, source) in files {
        // Tests come last and may query anything.
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        for (line, text) in literals(source) {
            let leads = ["FROM ", "JOIN ", "INTO ", "UPDATE ", "USING "];
            let mut rests = leads.iter().flat_map(|lead| text.split(lead).skip(1));
            if rests.any(|rest| tables.iter().any(|table| rest.starts_with(table))) {
                let name = path.rsplit('/').next().unwrap_or_default();
                found.push((format!("{name}:{}", function_at(source, line)), text));
            }
        }
    }
    (found, all)
}

/// The last function, constant or macro before a line.
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

/// Citus propagates `SET LOCAL` to its workers but not a separate call of `set_config`: rows would
/// be hidden without an error. Only the wrapper of company queries may call it.
#[test]
fn company_is_set_by_statement() {
    let call = concat!("set_", "config(");
    let (mut statements, mut calls) = (0, Vec::new());
    for (path, source) in rust_files(&["services", "gateway/src", "deploy"]) {
        if path.contains("/tests/") || path.ends_with("_tests.rs") {
            continue;
        }
        for line in source.lines() {
            statements += usize::from(line.contains("SET LOCAL app.company_id"));
            if line.contains(call) && !line.trim_start().starts_with("//") {
                calls.push((path.clone(), line.trim().to_owned()));
            }
        }
    }
    assert!(statements >= 3, "{statements}");
    let [(path, line)] = &calls[..] else {
        panic!("{calls:#?}");
    };
    assert!(path.ends_with("services/runtime/src/db.rs"), "{path}");
    assert!(line.contains(") AS found WHERE (SELECT "), "{line}");
}

async fn assert_company_sees_its_own(test: &TestDatabase) {
    let companies = [Uuid::now_v7(), Uuid::now_v7()];
    for company in companies {
        let tenant = test.database.tenant(Tenant::from_lookup(company)).await;
        let mut tx = tenant.expect("begun");
        let insert =
            sqlx::query("INSERT INTO company_state (company_id, claimed_at) VALUES ($1, now())");
        insert
            .bind(company)
            .execute(&mut *tx)
            .await
            .expect("written");
        tx.commit().await.expect("done");
    }
    for company in companies {
        let tenant = test.database.tenant(Tenant::from_lookup(company)).await;
        let mut tx = tenant.expect("begun");
        let seen = sqlx::query_scalar("SELECT company_id FROM company_state");
        let seen: Vec<Uuid> = seen.fetch_all(&mut *tx).await.expect("read");
        assert_eq!(seen, [company]);
    }
}

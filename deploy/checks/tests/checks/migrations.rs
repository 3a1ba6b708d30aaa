//! Released migrations stay unchanged. New ones take no long locks, keep what the last release
//! uses, and keep tenants isolated.
//!
//! squawk finds locks and rewrites; the other rules compare the database catalogue before and after
//! each statement.

mod examples;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::database;
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};

use crate::sql::{Statement, statements};
use crate::{is_released, migrations_of, read, root};

type Version = (u64, u64, u64);

/// Allowed statements; others are rejected until they are added here.
const KNOWN: &str = "alter function|alter table|comment on|create collation|create function|\
    create index|create or replace function|create policy|create table|create trigger|\
    create unique index|do|drop function|drop index|drop policy|drop sequence|drop table|\
    drop trigger|drop type|drop view|grant|insert into|revoke";

/// The facts of `facts.sql`.
#[derive(Clone, Default)]
struct Facts(BTreeSet<(String, String, String)>);

impl Facts {
    async fn read(connection: &mut PgConnection) -> Self {
        let found = sqlx::query_as(include_str!("migrations/facts.sql"));
        let found: Vec<_> = found.fetch_all(connection).await.expect("facts");
        Self(found.into_iter().collect())
    }

    /// Object and fact of those of a kind that `other` lacks.
    fn without<'a>(
        &'a self,
        other: &'a Self,
        kind: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let missing = self
            .0
            .difference(&other.0)
            .filter(move |fact| fact.0 == kind);
        missing.map(|(_, object, fact)| (object.as_str(), fact.as_str()))
    }

    fn has(&self, kind: &str, object: &str, fact: &str) -> bool {
        let fact = (kind.to_owned(), object.to_owned(), fact.to_owned());
        self.0.contains(&fact)
    }

    fn has_object(&self, object: &str) -> bool {
        self.0
            .iter()
            .any(|(kind, other, _)| kind == "keeps" && other == object)
    }

    /// Whether a constraint only replaces one of its name and accepts all its literals.
    fn is_widened_by(&self, object: &str, constraint: &str) -> bool {
        let named = |text: &str| text.split(": ").next().map(str::to_owned);
        let literals = |text: &str| -> BTreeSet<String> {
            let words = statements(text).into_iter().flat_map(|found| found.words);
            words
                .filter(|word| word.starts_with('\'') || word.parse::<f64>().is_ok())
                .collect()
        };
        self.0.iter().any(|(kind, other, old)| {
            kind == "binds"
                && other == object
                && named(old) == named(constraint)
                && literals(old).is_subset(&literals(constraint))
        })
    }
}

/// squawk's findings in a file.
fn squawk(sql: &str, no_transaction: bool) -> Vec<String> {
    // Installed by `make test`, or on the path.
    let installed = root().join("target/tools/bin/squawk");
    let mut command = Command::new(if installed.exists() {
        installed
    } else {
        "squawk".into()
    });
    let arguments = "--config deploy/squawk.toml --reporter gcc --stdin-filepath x.sql";
    command.args(arguments.split(' ')).current_dir(root());
    if !no_transaction {
        command.arg("--assume-in-transaction");
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("squawk; see deploy/tools.txt");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(sql.as_bytes()).expect("a running squawk");
    drop(input);
    let output = child.wait_with_output().expect("an answer");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.success(), said.is_empty(), "{output:?}");
    said.lines().map(str::to_owned).collect()
}

/// Violations in the text of a statement.
fn refused(statement: &Statement, no_transaction: bool) -> Option<&'static str> {
    let text = statement.words.join(" ");
    let starts = |beginning: &str| text == beginning || text.starts_with(&format!("{beginning} "));
    let has = |word: &str| text.contains(word);
    let batches = no_transaction && has("loop") && has("limit") && has("commit");
    let is_repeatable = starts("drop index concurrently if exists");
    let rules = [
        (
            !KNOWN.split('|').any(starts),
            "unknown: rows change in batches, timeouts are the runner's, the rest needs a rule",
        ),
        (
            starts("do") && !batches,
            "no batches: DO in a `-- no-transaction` file, with LOOP, LIMIT and COMMIT",
        ),
        (
            starts("insert into") && has(" select "),
            "no batches: insert rows of a query in batches, or in the service",
        ),
        (
            starts("drop index concurrently") && !is_repeatable,
            "not repeatable: IF EXISTS, since a migration that was killed runs it again",
        ),
        (
            has(" if not exists ") && !has("$"),
            "hides a broken index or another table: without IF NOT EXISTS",
        ),
    ];
    let found = rules.iter().find(|(is_refused, _)| *is_refused);
    found.map(|(_, problem)| *problem)
}

/// Whether `-- contract: <reason>; since <version>` precedes a statement, or its error.
fn contract(comment: &str, last_release: Version) -> Result<bool, &'static str> {
    let Some((_, contract)) = comment.split_once("contract:") else {
        return Ok(false);
    };
    let since = contract.split_once("; since ");
    let since = since.filter(|(reason, _)| !reason.trim().is_empty());
    match since.and_then(|(_, release)| version(release.split(' ').next()?)) {
        None => Err(
            "contract: write `-- contract: <reason>; since <the first release that does without it>`",
        ),
        Some(since) if since > last_release => {
            Err("contract: the last release may still be running; contract one release later")
        }
        Some(_) => Ok(true),
    }
}

fn version(text: &str) -> Option<Version> {
    let mut numbers = text.trim_end_matches('.').split('.').map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some((next()?, next()?, next()?))
}

/// Runs a new file as the owner role and returns violations. `released` is what the last release
/// relies on.
async fn check(
    owner: &mut PgConnection,
    sql: &str,
    released: &Facts,
    last_release: Version,
) -> Vec<String> {
    // As sqlx recognises it.
    let no_transaction = sql.starts_with("-- no-transaction");
    let mut problems = squawk(sql, no_transaction);
    let file = statements(sql);
    if no_transaction && file.len() != 1 {
        problems.push("not alone: a file without transaction has one statement".to_owned());
    }
    if !no_transaction {
        owner.execute("BEGIN").await.expect("begun");
    }
    let before = Facts::read(owner).await;
    let mut steps = vec![before.clone()];
    for statement in &file {
        let line = statement.line;
        if let Some(problem) = refused(statement, no_transaction) {
            problems.push(format!("line {line}: {problem}"));
        }
        if let Err(error) = owner.execute(AssertSqlSafe(statement.text.clone())).await {
            problems.push(format!("line {line}: PostgreSQL: {error}"));
            break;
        }
        steps.push(Facts::read(owner).await);
    }
    if !no_transaction {
        // After a failure this rolls back.
        owner.execute("COMMIT").await.expect("done");
    }
    let after = &steps[steps.len() - 1];
    for (statement, step) in file.iter().zip(steps.windows(2)) {
        let (old, new) = (&step[0], &step[1]);
        let mut refuse =
            |problem: String| problems.push(format!("line {}: {problem}", statement.line));
        let is_contract = contract(&statement.comment, last_release).unwrap_or_else(|problem| {
            refuse(problem.to_owned());
            false
        });
        for (object, fact) in old.without(new, "keeps") {
            if released.has("keeps", object, fact)
                && !after.has("keeps", object, fact)
                && !is_contract
            {
                refuse(format!("takes away: {fact}"));
            }
        }
        for (object, fact) in new.without(old, "binds") {
            let is_known = !released.has_object(object) || released.is_widened_by(object, fact);
            if !is_known && after.has("binds", object, fact) && !is_contract {
                refuse(format!("binds old code: {fact}"));
            }
        }
        for (table, fact) in new.without(old, "valid") {
            if before.has_object(table) && !old.has("keeps", table, fact) {
                refuse(format!("scans {table}: add {fact} NOT VALID"));
            }
        }
        for (table, _) in old.without(new, "rows") {
            if before.has_object(table) && new.has_object(table) {
                refuse(format!("rewrites {table}"));
            }
        }
    }
    problems
}

/// Violations of tenant isolation and grants.
async fn tenancy(connection: &mut PgConnection, service: Service) -> Vec<String> {
    let role = format!("hourmeter_{}", service.name().replace('-', "_"));
    let found = sqlx::query_scalar(include_str!("migrations/tenancy.sql")).bind(role);
    found.fetch_all(connection).await.expect("an answer")
}

/// Paths of a service's migrations in order.
fn paths(service: Service) -> Vec<String> {
    let folder = format!("services/{}/migrations", service.name());
    let entries = std::fs::read_dir(root().join(&folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("a file").file_name());
    let mut found: Vec<_> = names
        .map(|name| format!("{folder}/{}", name.to_string_lossy()))
        .collect();
    found.sort();
    found
}

/// Paths of a service's released migrations. `deploy/lint` compares their checksums.
fn released(service: Service) -> Vec<String> {
    let list = read("deploy/released-migrations.sha256");
    let paths = list.lines().filter_map(|line| line.split_once("  "));
    let folder = format!("services/{}/", service.name());
    let own = paths.filter(|(_, path)| path.starts_with(&folder));
    own.map(|(_, path)| path.to_owned()).collect()
}

#[test]
fn new_migrations_run_after_released_ones() {
    for service in Service::ALL {
        let (released, paths) = (released(service), paths(service));
        assert_eq!(!released.is_empty(), is_released(service), "{paths:?}");
        assert!(paths.starts_with(&released), "{paths:?}");
        // sqlx skips a file whose name does not begin with a number and `_`.
        assert_eq!(
            migrations_of(service).iter().count(),
            paths.len(),
            "{paths:?}"
        );
    }
}

#[tokio::test]
async fn new_migrations_are_compatible_and_isolate_tenants() {
    let release = read("deploy/previous-release");
    let last_release = release.split_whitespace().next().and_then(version);
    let last_release = last_release.expect("a version such as 0.1.0");
    let mut problems = Vec::new();
    for service in Service::ALL {
        let count = released(service).len();
        let old = migrations_of(service).iter().take(count).cloned().collect();
        let test = database(service, &Migrator::with_migrations(old)).await;
        let mut owner = connect_admin(&test.owner_url).await.expect("a connection");
        let relied_on = Facts::read(&mut owner).await;
        let is_read = relied_on.0.len() > 50 || !is_released(service);
        assert!(is_read, "{}", service.name());
        // As the migration runner does.
        let grant = "GRANT USAGE, CREATE ON SCHEMA public TO tenant_lookup";
        owner.execute(grant).await.expect("granted");
        for path in &paths(service)[count..] {
            let found = check(&mut owner, &read(path), &relied_on, last_release).await;
            problems.extend(found.iter().map(|problem| format!("{path}: {problem}")));
        }
        let found = tenancy(&mut owner, service).await;
        problems.extend(
            found
                .iter()
                .map(|problem| format!("{}: {problem}", service.name())),
        );
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

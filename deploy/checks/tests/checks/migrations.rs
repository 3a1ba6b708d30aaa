//! Migrations only expand while the last release runs on the same database, and lock nobody out.
//!
//! What was released is frozen in `deploy/released-migrations.sha256`; every later file keeps to the
//! rules of `deploy/releasing.md`.

mod examples;
mod rules;
mod schema;
mod statements;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use rules::{Version, check, version};
use schema::Schema;
use statements::{Statement, split};

/// A migration as it lies in the repository.
pub struct File {
    name: String,
    service: String,
    no_transaction: bool,
    statements: Vec<Statement>,
    /// What there was before it.
    base: Schema,
}

impl File {
    fn read(service: &str, name: &str, sql: &str, base: &Schema) -> Self {
        Self {
            name: name.to_owned(),
            service: service.to_owned(),
            // As sqlx recognises it.
            no_transaction: sql.starts_with("-- no-transaction"),
            statements: split(sql),
            base: base.clone(),
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Paths of all migrations, in the order they run.
fn migrations() -> Vec<String> {
    let mut found = Vec::new();
    for service in ["accounts", "billing", "equipment", "operator-updates"] {
        let folder = format!("services/{service}/migrations");
        let entries = std::fs::read_dir(root().join(&folder)).expect("a folder");
        let names = entries.map(|entry| entry.expect("a file").file_name());
        found.extend(names.map(|name| format!("{folder}/{}", name.to_string_lossy())));
    }
    found.sort();
    found
}

/// Paths and sums of what was released, as `sha256sum` writes them.
fn released() -> BTreeMap<String, String> {
    let list = read("deploy/released-migrations.sha256");
    let lines = list
        .lines()
        .map(|line| line.split_once("  ").expect("sum and path"));
    lines
        .map(|(sum, path)| (path.to_owned(), sum.to_owned()))
        .collect()
}

/// The version that `deploy/previous-release` names.
fn last_release() -> Version {
    let text = read("deploy/previous-release");
    let named = text.split_whitespace().next().and_then(version);
    named.expect("a version such as 0.1.0")
}

fn sum(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::new(), |mut sum, byte| {
        let _ = write!(sum, "{byte:02x}");
        sum
    })
}

#[test]
fn released_migrations_stay_as_they_were() {
    let present = migrations();
    for (path, released) in released() {
        assert!(present.contains(&path), "{path} was released and is gone");
        assert_eq!(
            sum(&read(&path)),
            released,
            "{path} was released and is changed: add another file instead"
        );
    }
}

#[test]
fn new_migrations_come_after_the_released_ones() {
    let released = released();
    for path in migrations() {
        let (folder, name) = path.rsplit_once('/').expect("a folder");
        let (number, rest) = name.split_at_checked(14).unwrap_or((name, ""));
        let is_named = number.len() == 14
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with('_')
            && Path::new(rest).extension().is_some_and(|end| end == "sql");
        assert!(
            is_named,
            "{path}: not called like 20260131120000_what_it_does.sql"
        );
        if released.contains_key(&path) {
            continue;
        }
        let last = released.keys().rfind(|known| known.starts_with(folder));
        assert!(
            last.is_none_or(|last| *last < path),
            "{path} would run before {last:?}"
        );
    }
}

#[test]
fn new_migrations_let_the_last_release_go_on() {
    let released = released();
    let mut problems = Vec::new();
    let mut schemas: BTreeMap<String, Schema> = BTreeMap::new();
    for path in migrations() {
        let service = path.split('/').nth(1).expect("a service");
        let schema = schemas.entry(service.to_owned()).or_default();
        let file = File::read(service, &path, &read(&path), schema);
        let is_released = released.contains_key(&path);
        if !is_released {
            let found = check(&file, schema, last_release());
            problems.extend(found.iter().map(|problem| format!("{path}, {problem}")));
        }
        for statement in &file.statements {
            schema.follow(&path, is_released, statement);
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

//! Checks of `deploy/` and the migrations against the code: renamed metrics, moved ports, keys
//! without company and the like.

mod asvs;
mod audit;
mod compose;
mod distribution;
mod kubernetes;
mod migrations;
mod observability;
mod released;
mod sql;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hourmeter_runtime::identity::Service;
use serde_json::Value;
use sqlx::migrate::Migrator;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn rust_files(folders: &[&str]) -> Vec<(String, String)> {
    let mut folders: Vec<String> = folders.iter().map(|folder| (*folder).to_owned()).collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(path);
            } else if entry.path().extension().is_some_and(|end| end == "rs") {
                let source = read(&path);
                found.push((path, source));
            }
        }
    }
    found
}

fn documents(text: &str) -> Vec<Value> {
    let found: Vec<Value> = serde_saphyr::from_multiple(text).expect("YAML");
    found.into_iter().filter(|value| !value.is_null()).collect()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn texts(value: &Value) -> Vec<&str> {
    items(value).map(text).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// A number, or the digits at the start of a text.
fn number(value: &Value) -> i64 {
    let digits = value
        .as_str()
        .map(|text| text.trim_end_matches(|c: char| !c.is_ascii_digit()));
    let number = digits.map_or_else(|| value.as_i64(), |digits| digits.parse().ok());
    number.unwrap_or_else(|| panic!("no number: {value}"))
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .collect()
}

fn process_names() -> BTreeSet<&'static str> {
    Service::ALL
        .map(Service::name)
        .into_iter()
        .chain(["gateway"])
        .collect()
}

fn migrations_of(service: Service) -> &'static Migrator {
    match service {
        Service::Accounts => &hourmeter_accounts::MIGRATIONS,
        Service::Equipment => &hourmeter_equipment::MIGRATIONS,
        Service::OperatorUpdates => &hourmeter_operator_updates::MIGRATIONS,
        Service::Billing => &hourmeter_billing::MIGRATIONS,
        Service::Notifications => &hourmeter_notifications::MIGRATIONS,
    }
}

/// Whether the last release has the service.
fn is_released(service: Service) -> bool {
    let statements = format!("deploy/released/{}.json", service.name());
    root().join(statements).exists()
}

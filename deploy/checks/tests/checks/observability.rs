//! Alerts, dashboard and runbook use existing metrics, and the runbook's SQL runs.

pub mod expressions;

use std::collections::BTreeSet;

use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::telemetry::names::ALL;
use hourmeter_runtime::testing::database;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor as _};

use crate::{documents, items, migrations_of, read, root, rust_files, text};
use expressions::{Names, TARGET_LABELS, between};

fn yaml(name: &str) -> Value {
    documents(&read(&format!("deploy/observability/{name}"))).remove(0)
}

fn rules() -> Vec<Value> {
    let groups = yaml("alerts.yaml");
    items(&groups["groups"])
        .flat_map(|group| items(&group["rules"]).cloned())
        .collect()
}

pub fn alerts(name: Option<&str>) -> Vec<Value> {
    let mut rules = rules();
    rules.retain(|rule| {
        rule["alert"]
            .as_str()
            .is_some_and(|alert| name.is_none_or(|name| alert == name))
    });
    assert!(!rules.is_empty(), "{name:?}");
    rules
}

/// Alert and text of each runbook page.
fn pages() -> Vec<(String, String)> {
    let folder = std::fs::read_dir(root().join("deploy/observability/runbook")).expect("a folder");
    let names = folder.map(|entry| entry.expect("a page").file_name());
    let names = names.map(|name| name.to_string_lossy().trim_end_matches(".md").to_owned());
    let page = |name: String| {
        (
            name.clone(),
            read(&format!("deploy/observability/runbook/{name}.md")),
        )
    };
    names.map(page).collect()
}

/// Code blocks of a language.
fn blocks<'p>(page: &'p str, mark: &'p str) -> impl Iterator<Item = &'p str> {
    let blocks = page.split("\n```").skip(1).step_by(2);
    blocks
        .filter_map(move |block| block.split_once('\n').filter(|(word, _)| *word == mark))
        .map(|(_, text)| text)
}

#[test]
fn expressions_use_existing_metrics_and_labels() {
    let mut names = Names::of_this_version();
    let mut problems = Vec::new();
    for rule in rules() {
        if let Some(name) = rule["record"].as_str() {
            names.recorded.insert(name.to_owned());
        }
        let about = rule["annotations"].to_string();
        problems.extend(names.problems(text(&rule["expr"]), &about, "$labels.", " "));
    }
    let dashboard = yaml("dashboard.json");
    let variables: Vec<_> = items(&dashboard["templating"]["list"]).collect();
    let mut look = |expr: &str, legend: &str| {
        for variable in expr.split('$').skip(1) {
            let known = variables
                .iter()
                .any(|known| variable.starts_with(text(&known["name"])));
            let known = known || variable.starts_with("__rate_interval]");
            assert!(known, "no variable ${variable}");
        }
        problems.extend(names.problems(expr, legend, "{{", "}}"));
    };
    for target in items(&dashboard["panels"]).flat_map(|panel| items(&panel["targets"])) {
        look(text(&target["expr"]), text(&target["legendFormat"]));
    }
    for mark in items(&dashboard["annotations"]["list"]).filter(|mark| !mark["expr"].is_null()) {
        look(text(&mark["expr"]), text(&mark["textFormat"]));
    }
    for query in variables
        .iter()
        .filter_map(|variable| variable["query"]["query"].as_str())
    {
        let values = query
            .strip_prefix("label_values(")
            .and_then(|rest| rest.rsplit_once(", "));
        let (metric, label) = values.expect("label_values(metric, label)");
        look(metric, &format!("{{{{{}}}}}", label.trim_end_matches(')')));
    }
    let unused = ALL.iter().map(|metric| metric.name);
    let unused: Vec<_> = unused.filter(|name| !names.used.contains(name)).collect();
    assert_eq!(unused, [""; 0], "in neither dashboard nor alerts");
    for (page, text) in pages() {
        let found = blocks(&text, "promql").flat_map(|expr| names.problems(expr, "", "{{", "}}"));
        problems.extend(found.map(|problem| format!("{page}: {problem}")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // Label values are not listed anywhere: they must at least occur in the code.
    let sources = rust_files(&["gateway/src", "deploy/standalone/src", "services"]);
    for value in names.values {
        let word = format!("\"{value}\"");
        let is_word = sources.iter().any(|(_, source)| source.contains(&word));
        assert!(is_word, "no label has the value {value}");
    }
}

#[test]
fn alerts_have_severity_duration_and_page() {
    let mut seen = BTreeSet::new();
    let mut named = BTreeSet::new();
    for alert in alerts(None) {
        let name = text(&alert["alert"]).to_owned();
        let severity = text(&alert["labels"]["severity"]);
        assert!(["page", "ticket"].contains(&severity), "{name}");
        let is_new = seen.insert(format!("{name} {severity}"));
        assert!(is_new, "{name}: {severity} twice");
        let page = format!("deploy/observability/runbook/{name}.md");
        assert_eq!(alert["annotations"]["runbook_url"], page);
        // Alerts on single events fire immediately; all others need a duration.
        let expr = text(&alert["expr"]);
        let is_event = expr.contains("unless") || expr.contains("changes(");
        assert_ne!(is_event, alert["for"].is_string(), "{name}");
        named.insert(name);
    }
    assert_eq!(named, pages().into_iter().map(|(name, _)| name).collect());
}

#[test]
fn links_of_pages_are_valid() {
    let (mut folders, mut links) = (vec![root().join("deploy")], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                let page = std::fs::read_to_string(&path).expect("a page");
                for link in between(&page, "](", ")").filter(|link| !link.contains("://")) {
                    let file = link.split('#').next().unwrap_or_default();
                    let found = file.is_empty() || folder.join(file).exists();
                    assert!(found, "{}: {link}", path.display());
                    links += 1;
                }
            }
        }
    }
    assert!(links > 50, "{links}");
}

#[tokio::test]
async fn runbook_sql_runs() {
    let pages = pages();
    let mut run = 0;
    for service in Service::ALL {
        let test = database(service, migrations_of(service)).await;
        for (page, text) in &pages {
            for sql in blocks(text, &format!("sql {}", service.name())) {
                // As administrator for server-wide views, otherwise as table owner.
                let of_server = sql.contains("pg_stat_activity") || sql.contains("pg_roles");
                let urls = [&test.owner_url, &test.admin_url];
                let connection = connect_admin(urls[usize::from(of_server)]).await;
                let mut connection = connection.expect("a connection");
                let ran = connection.execute(AssertSqlSafe(sql.to_owned())).await;
                ran.unwrap_or_else(|error| panic!("{page}: {error}\n{sql}"));
                run += 1;
            }
        }
    }
    let written = pages.iter().map(|(_, text)| text.matches("```sql").count());
    assert_eq!(run, written.sum::<usize>(), "a block without a service");
}

#[test]
fn prometheus_scrapes_processes() {
    let config = yaml("prometheus.yaml");
    assert_eq!(config["rule_files"], json!(["alerts.yaml"]));
    let rules = &config["scrape_configs"][0]["relabel_configs"];
    let kept = items(rules).find(|rule| rule["action"] == "keep");
    assert_eq!(kept.expect("a rule")["regex"], "hourmeter;admin");
    let given = items(rules).filter_map(|rule| rule["target_label"].as_str());
    let given: BTreeSet<_> = given.chain(["instance"]).collect();
    assert_eq!(given, TARGET_LABELS.into());

    let monitor = &yaml("pod-monitor.yaml")["spec"];
    let selected = json!({ "app.kubernetes.io/part-of": "hourmeter" });
    assert_eq!(monitor["selector"]["matchLabels"], selected);
    assert_eq!(monitor["jobLabel"], "app.kubernetes.io/name");
    let endpoint = json!({ "port": "admin", "path": "/metrics", "interval": "15s" });
    assert_eq!(monitor["podMetricsEndpoints"], json!([endpoint]));
}

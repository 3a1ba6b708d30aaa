//! Alerts, dashboard and runbook use existing metrics, and the runbook's SQL runs.

pub mod expressions;

use std::collections::BTreeSet;

use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::telemetry::names::ALL;
use hourmeter_runtime::testing::database;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor as _};

use crate::{documents, items, migrations_of, read, root, text};
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
    let mut names = Names::default();
    let mut expressions = Vec::new();
    for rule in rules() {
        names
            .recorded
            .extend(rule["record"].as_str().map(str::to_owned));
        expressions.push(text(&rule["expr"]).to_owned());
    }
    let dashboard = yaml("dashboard.json");
    let targets = items(&dashboard["panels"]).flat_map(|panel| items(&panel["targets"]));
    let marks = items(&dashboard["annotations"]["list"]);
    let queries = targets.chain(marks).map(|query| &query["expr"]);
    let variables = items(&dashboard["templating"]["list"]).map(|one| &one["query"]["query"]);
    let of_dashboard = queries.chain(variables).filter_map(Value::as_str);
    expressions.extend(of_dashboard.map(str::to_owned));
    for (_, page) in pages() {
        expressions.extend(blocks(&page, "promql").map(str::to_owned));
    }
    let problems = expressions.iter().flat_map(|expr| names.problems(expr));
    assert_eq!(problems.collect::<Vec<_>>(), [""; 0]);
    let unused = ALL.iter().map(|metric| metric.name);
    let unused: Vec<_> = unused.filter(|name| !names.used.contains(name)).collect();
    assert_eq!(unused, [""; 0], "in neither dashboard nor alerts");
}

#[test]
fn alerts_have_severity_and_page() {
    let mut named = BTreeSet::new();
    for alert in alerts(None) {
        let name = text(&alert["alert"]).to_owned();
        let severity = text(&alert["labels"]["severity"]);
        assert!(["page", "ticket"].contains(&severity), "{name}");
        let page = format!("deploy/observability/runbook/{name}.md");
        assert_eq!(alert["annotations"]["runbook_url"], page);
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

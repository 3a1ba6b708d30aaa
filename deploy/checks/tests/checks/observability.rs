//! Dashboard, alerts and runbook of `deploy/observability` fit what processes tell.

mod cluster;
mod dashboard;
mod examples;
mod pages;
mod promql;
mod rules;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use dashboard::{Dashboard, Panel};
use hourmeter_runtime::telemetry::names::ALL;
use promql::{Known, LabelNames, Seen};
use rules::{Rule, RuleFile};

/// What stands in an expression for a time that Grafana chooses.
const INTERVAL: &str = "$__rate_interval";
/// `page` wakes somebody, `ticket` can wait.
const SEVERITIES: [&str; 2] = ["page", "ticket"];

/// A file of `deploy/observability`.
fn file(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../observability"))
}

fn rule_file() -> RuleFile {
    serde_saphyr::from_str(&file("alerts.yaml")).expect("alerts.yaml is a rule file")
}

fn dashboard() -> Dashboard {
    serde_json::from_str(&file("dashboard.json")).expect("dashboard.json is a dashboard")
}

/// What all expressions together use.
#[derive(Default)]
struct Used {
    /// Our metrics.
    metrics: BTreeSet<&'static str>,
    /// Values of their labels.
    values: BTreeSet<String>,
}

impl Used {
    fn add(&mut self, seen: &Seen) {
        self.metrics.extend(&seen.metrics);
        self.values.extend(seen.values.iter().cloned());
    }
}

/// All that is known once the rules have been read, and what they use.
fn known_with_rules(rules: &RuleFile) -> (Known, Used, Vec<String>) {
    let mut known = Known::of_this_version();
    let (mut used, mut problems) = (Used::default(), Vec::new());
    for rule in rules.groups.iter().flat_map(|group| &group.rules) {
        let (name, expr) = match rule {
            Rule::Record(record) => (&record.name, &record.expr),
            Rule::Alert(alert) => (&alert.name, &alert.expr),
        };
        match known.read(expr) {
            Ok(seen) => {
                used.add(&seen);
                match rule {
                    Rule::Record(_) => known.record(name, seen.labels),
                    Rule::Alert(alert) => {
                        let texts = alert.annotations.values();
                        let words = texts.flat_map(|text| between(text, "$labels.", "}"));
                        problems.extend(unknown_words(name, words, &seen.labels));
                    }
                }
            }
            Err(wrong) => problems.extend(wrong.iter().map(|wrong| format!("{name}: {wrong}"))),
        }
    }
    (known, used, problems)
}

/// What stands between two marks, as often as it does.
fn between<'t>(text: &'t str, open: &'t str, close: &'t str) -> impl Iterator<Item = &'t str> {
    let parts = text.split(open).skip(1);
    parts.filter_map(move |part| part.split_once(close).map(|(word, _)| word.trim()))
}

fn unknown_words<'t>(
    whose: &str,
    words: impl Iterator<Item = &'t str>,
    labels: &LabelNames,
) -> Vec<String> {
    words
        .filter(|word| !labels.contains(*word))
        .map(|word| format!("{whose}: its text asks for {word}, its result has {labels:?}"))
        .collect()
}

/// Reads an expression of the dashboard, in which the reader's choices stand.
fn read_of_dashboard(known: &Known, expr: &str, variables: &[String]) -> Result<Seen, Vec<String>> {
    let expr = expr.replace(INTERVAL, "5m");
    let unknown = expr.split('$').skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let name = &rest[..end.unwrap_or(rest.len())];
        (!variables.iter().any(|variable| variable == name)).then(|| format!("no variable {name}"))
    });
    let unknown: Vec<_> = unknown.collect();
    if unknown.is_empty() {
        known.read(&expr)
    } else {
        Err(unknown)
    }
}

/// What is wrong with the questions of a panel; `used` gains the metrics of the right ones.
fn panel_problems(
    panel: &Panel,
    known: &Known,
    variables: &[String],
    used: &mut Used,
) -> Vec<String> {
    let title = &panel.title;
    let mut problems = Vec::new();
    for target in &panel.targets {
        match read_of_dashboard(known, &target.expr, variables) {
            Ok(seen) => {
                let words = between(&target.legend_format, "{{", "}}");
                problems.extend(unknown_words(title, words, &seen.labels));
                used.add(&seen);
            }
            Err(wrong) => problems.extend(wrong.iter().map(|wrong| format!("{title}: {wrong}"))),
        }
    }
    problems
}

/// Reads all expressions there are: what dashboard and alerts use, what the runbook uses, and what
/// is wrong.
fn read_everything() -> (Used, Used, Vec<String>) {
    let (known, mut used, mut problems) = known_with_rules(&rule_file());
    let dashboard = dashboard();
    let variables = dashboard.templating.list.iter();
    let variables: Vec<_> = variables.map(|variable| variable.name.clone()).collect();
    for panel in &dashboard.panels {
        problems.extend(panel_problems(panel, &known, &variables, &mut used));
    }
    let marks = dashboard.annotations.list.iter();
    for expr in marks.filter_map(|mark| mark.expr.as_ref()) {
        let read = read_of_dashboard(&known, expr, &variables);
        problems.extend(read.err().into_iter().flatten());
    }
    let mut of_pages = Used::default();
    for page in pages::all() {
        for expr in page.blocks("promql") {
            match known.read(expr) {
                Ok(seen) => of_pages.add(&seen),
                Err(wrong) => {
                    problems.extend(wrong.iter().map(|wrong| format!("{}: {wrong}", page.name)));
                }
            }
        }
    }
    (used, of_pages, problems)
}

#[test]
fn all_expressions_ask_for_what_is_told() {
    let (_, _, problems) = read_everything();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn dashboard_and_alerts_leave_no_metric_out() {
    let (used, _, _) = read_everything();
    let unused = ALL.iter().map(|metric| metric.name);
    let unused: Vec<_> = unused.filter(|name| !used.metrics.contains(name)).collect();
    assert!(unused.is_empty(), "nobody looks at {unused:?}");
}

/// Labels' values have no table; what an expression asks for must at least be a word of the code.
#[test]
fn values_that_labels_should_have_are_words_of_the_code() {
    let (used, of_pages, _) = read_everything();
    let sources = sources::all();
    let values = used.values.union(&of_pages.values);
    let unknown = values.filter(|value| !sources.contains(&format!("\"{value}\"")));
    let unknown: Vec<_> = unknown.collect();
    assert!(unknown.is_empty(), "nobody counts {unknown:?}");
}

#[test]
fn panels_stand_side_by_side_and_explain_themselves() {
    let dashboard = dashboard();
    assert_eq!(dashboard.schema_version, 42);
    let panels = &dashboard.panels;
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel.id).collect();
    assert_eq!(ids.len(), panels.len(), "an id twice");
    for (number, panel) in panels.iter().enumerate() {
        let (title, place) = (&panel.title, panel.grid_pos);
        assert!(
            place.w > 0 && place.h > 0 && place.x + place.w <= 24,
            "{title}"
        );
        for other in &panels[number + 1..] {
            assert!(!place.overlaps(other.grid_pos), "{title}, {}", other.title);
        }
        if panel.kind == "row" {
            continue;
        }
        assert!(!panel.description.is_empty(), "{title} explains nothing");
        assert!(!panel.targets.is_empty(), "{title} asks nothing");
        let unit = panel.field_config.defaults.unit.as_str();
        let units = ["s", "reqps", "percentunit", "bytes", "none"];
        assert!(units.contains(&unit), "{title}: {unit}");
        let refs: BTreeSet<_> = panel.targets.iter().map(|target| &target.ref_id).collect();
        assert_eq!(refs.len(), panel.targets.len(), "{title}");
        let is_named = panel
            .targets
            .iter()
            .all(|target| !target.legend_format.is_empty());
        assert!(is_named, "{title}: a line without a name");
    }
}

#[test]
fn choices_come_from_what_is_told() {
    let names = ALL.iter().map(|metric| metric.name);
    let names: BTreeSet<_> = names.collect();
    for variable in dashboard()
        .templating
        .list
        .iter()
        .filter(|v| v.name != "datasource")
    {
        let query = variable.query["query"].as_str().unwrap_or_default();
        let metric = query.strip_prefix("label_values(");
        let metric = metric.and_then(|rest| rest.split(['{', ',']).next());
        assert!(names.contains(metric.unwrap_or_default()), "{query}");
    }
}

#[test]
fn every_alert_says_what_is_so_how_much_and_where_to_read_on() {
    let rules = rule_file();
    for alert in rules.alerts() {
        let name = &alert.name;
        let severity = alert.labels.get("severity").map(String::as_str);
        assert!(SEVERITIES.contains(&severity.unwrap_or_default()), "{name}");
        let text = |key: &str| alert.annotations.get(key).map_or("", String::as_str);
        assert!(!text("summary").is_empty(), "{name}");
        let has_figures =
            text("description").contains("$value") || alert.expr.starts_with("absent");
        assert!(
            has_figures || alert.expr.contains("== 0"),
            "{name}: how much?"
        );
        assert_eq!(
            text("runbook_url"),
            format!("deploy/observability/runbook/{name}.md")
        );
    }
    let alerts: BTreeSet<_> = rules.alerts().map(|alert| alert.name.clone()).collect();
    let pages: BTreeSet<_> = pages::all().into_iter().map(|page| page.name).collect();
    assert_eq!(
        alerts, pages,
        "an alert without a page, or a page without an alert"
    );
}

#[test]
fn one_bad_moment_is_no_alert() {
    let rules = rule_file();
    let groups: BTreeSet<_> = rules.groups.iter().map(|group| &group.name).collect();
    assert_eq!(groups.len(), rules.groups.len(), "a group twice");
    for alert in rules.alerts() {
        // What a counter of single events says is so at its first one.
        let is_event = alert.expr.contains("unless") || alert.expr.contains("changes(");
        let lasting = alert.lasting.is_some();
        assert_ne!(is_event, lasting, "{}", alert.name);
    }
}

#[test]
fn the_same_alert_is_louder_when_it_is_worse() {
    let rules = rule_file();
    let mut severities: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for alert in rules.alerts() {
        let severity = alert.labels.get("severity").map_or("", String::as_str);
        severities.entry(&alert.name).or_default().push(severity);
    }
    for (name, severities) in severities {
        let distinct: BTreeSet<_> = severities.iter().collect();
        assert_eq!(
            distinct.len(),
            severities.len(),
            "{name} says the same twice"
        );
    }
}

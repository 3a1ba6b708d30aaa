//! Names in `PromQL` expressions. promtool, run by `deploy/lint`, checks syntax and the results of
//! alerts, but accepts metrics and labels that no process exports.

use std::collections::BTreeSet;

use hourmeter_runtime::telemetry::names::{ALL, Kind, Metric};

/// Labels that Prometheus adds.
pub const TARGET_LABELS: [&str; 4] = ["namespace", "job", "instance", "pod"];

#[derive(Default)]
pub struct Names {
    /// Series of recording rules.
    pub recorded: BTreeSet<String>,
    pub used: BTreeSet<&'static str>,
}

impl Names {
    /// Unknown metrics of an expression, and unknown labels of its groupings.
    pub fn problems(&mut self, expr: &str) -> Vec<String> {
        let mut labels: BTreeSet<&str> = TARGET_LABELS.into();
        labels.extend(["le", "process", "severity", "alertname", "alertstate"]);
        let mut problems = Vec::new();
        let words = expr.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':');
        for name in words.filter(|word| word.starts_with("hourmeter")) {
            if let Some(metric) = metric(name) {
                self.used.insert(metric.name);
                labels.extend(metric.labels);
            } else if !self.recorded.contains(name) {
                problems.push(format!("unknown metric {name}: {expr}"));
            }
        }
        let groupings = ["by (", "without (", "on (", "ignoring (", "group_left ("];
        let named = groupings.iter().flat_map(|list| between(expr, list, ")"));
        let named = named.flat_map(|list| list.split(',')).map(str::trim);
        let unknown = named.filter(|name| !name.is_empty() && !labels.contains(name));
        problems.extend(unknown.map(|name| format!("unknown label {name}: {expr}")));
        problems
    }
}

fn metric(name: &str) -> Option<&'static Metric> {
    ALL.iter().find(|metric| {
        let suffix = name.strip_prefix(metric.name);
        suffix.is_some_and(|suffix| match metric.kind {
            Kind::Histogram => ["_bucket", "_sum", "_count"].contains(&suffix),
            Kind::Counter | Kind::Gauge => suffix.is_empty(),
        })
    })
}

/// Every text between two marks.
pub fn between<'t>(text: &'t str, open: &'t str, close: &'t str) -> impl Iterator<Item = &'t str> {
    let parts = text.split(open).skip(1);
    parts.filter_map(move |part| part.split_once(close).map(|(word, _)| word))
}

#[test]
fn problems_finds_unknown_names() {
    let mut names = Names::default();
    names.recorded.insert("hourmeter:y:rate5m".to_owned());
    for (expr, problem) in [
        ("sum(hourmeter_nothing)", "unknown metric"),
        ("hourmeter:x:rate5m", "unknown metric"),
        ("hourmeter_panics_total_count > 0", "unknown metric"),
        ("sum by (use) (hourmeter_redis_up)", "unknown label use"),
    ] {
        let found = names.problems(expr);
        assert!(found.len() == 1 && found[0].contains(problem), "{found:?}");
    }
    let expr = "sum by (route, le) (rate(hourmeter_http_request_duration_seconds_bucket[5m]))";
    assert_eq!(names.problems(expr), [""; 0]);
    assert_eq!(names.problems("hourmeter:y:rate5m > 1"), [""; 0]);
}

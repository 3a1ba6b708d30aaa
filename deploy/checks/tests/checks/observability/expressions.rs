//! Names in `PromQL` expressions. promtool, run by `deploy/lint`, checks the syntax; it accepts
//! unknown metrics and labels, and rates of gauges.

use std::collections::BTreeSet;

use hourmeter_runtime::telemetry::names::{ALL, HTTP_DURATION, Kind, Metric};
use hourmeter_runtime::telemetry::{metrics_text, name_process};

/// Labels that Prometheus adds.
pub const TARGET_LABELS: [&str; 4] = ["namespace", "job", "instance", "pod"];

/// Names that expressions may use, and those that they have used.
pub struct Names {
    /// Metrics of every process.
    process: BTreeSet<String>,
    /// Upper bounds of histogram buckets.
    bounds: BTreeSet<String>,
    pub recorded: BTreeSet<String>,
    pub used: BTreeSet<&'static str>,
    pub values: BTreeSet<String>,
}

impl Names {
    pub fn of_this_version() -> Self {
        name_process("checks");
        HTTP_DURATION.histogram(["/checks", "GET"]).record(0.001);
        let text = metrics_text();
        let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        let names = names.filter_map(|line| line.split(' ').next());
        Self {
            process: names
                .filter(|name| name.starts_with("process_"))
                .map(str::to_owned)
                .collect(),
            bounds: between(&text, "le=\"", "\"").map(str::to_owned).collect(),
            recorded: BTreeSet::new(),
            used: BTreeSet::new(),
            values: BTreeSet::new(),
        }
    }

    /// Violations in an expression, and in labels between `open` and `close` of a text about its
    /// result.
    pub fn problems(&mut self, expr: &str, about: &str, open: &str, close: &str) -> Vec<String> {
        let mut problems = Vec::new();
        let mut labels: BTreeSet<&str> = TARGET_LABELS.into();
        if expr.contains("ALERTS") {
            labels.extend(["alertname", "alertstate", "severity"]);
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_:".contains(c);
        let (mut at, mut in_string) = (0, false);
        while at < expr.len() {
            let rest = &expr[at..];
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            if length == 0 || in_string {
                in_string ^= rest.starts_with('"');
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            }
            let (name, after) = rest.split_at(length);
            let matchers = after
                .strip_prefix('{')
                .and_then(|rest| rest.split_once('}'));
            let matchers = matchers.map_or("", |(matchers, _)| matchers);
            let is_selector = name.starts_with("hourmeter")
                || name.starts_with("process_")
                || name != "ALERTS" && after.starts_with(['{', '[']);
            if let Some((metric, part)) = metric(name) {
                self.used.insert(metric.name);
                labels.extend(metric.labels);
                if part == "_bucket" {
                    labels.insert("le");
                }
                let is_rate = ["rate(", "increase("]
                    .iter()
                    .any(|call| expr[..at].ends_with(call));
                // Matches a counter's first value, which a rate does not show.
                let is_first = after.starts_with(" > 0") || after.starts_with(" offset");
                if metric.kind == Kind::Gauge && is_rate {
                    problems.push(format!("{name}: a gauge has no rate"));
                } else if metric.kind != Kind::Gauge && !is_rate && !is_first {
                    problems.push(format!("{name}: a total without a rate"));
                }
                self.check_matchers(metric, part, matchers, &mut problems);
            } else if name == "up" {
                if !matchers.contains("job=") {
                    problems.push("up: of which job? Others are watched, too".to_owned());
                }
            } else if is_selector && !self.recorded.contains(name) && !self.process.contains(name) {
                problems.push(format!("{name}: nobody counts that"));
            }
            at += length;
        }
        let lists = [
            "by (",
            "without (",
            "on (",
            "ignoring (",
            "group_left (",
            "group_right (",
        ];
        let lists = lists.iter().flat_map(|list| between(expr, list, ")"));
        let named = lists
            .flat_map(|list| list.split(','))
            .chain(between(about, open, close));
        let mut quantiles = expr.split("histogram_quantile(").skip(1);
        if quantiles.any(|quantile| {
            between(quantile, "by (", ")")
                .next()
                .is_some_and(|list| !list.split(", ").any(|label| label == "le"))
        }) {
            problems.push("a quantile of buckets that are summed up: by (le)".to_owned());
        }
        let unknown = named
            .map(str::trim)
            .filter(|name| !name.is_empty() && !labels.contains(name));
        problems.extend(unknown.map(|name| format!("no label {name} here")));
        problems
            .iter()
            .map(|problem| format!("{problem}: {expr}"))
            .collect()
    }

    fn check_matchers(
        &mut self,
        metric: &Metric,
        part: &str,
        matchers: &str,
        problems: &mut Vec<String>,
    ) {
        for (label, value) in matchers
            .split("\",")
            .filter_map(|matcher| matcher.split_once('"'))
        {
            let (label, value) = (
                label.trim_matches([' ', '=', '~', '!']),
                value.trim_end_matches('"'),
            );
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-/".contains(c);
            if label == "le" && part == "_bucket" {
                if !self.bounds.contains(value) {
                    problems.push(format!("{}: no bucket ends at {value}", metric.name));
                }
            } else if metric.labels.contains(&label) {
                let values = value
                    .split('|')
                    .filter(|value| !value.is_empty() && value.chars().all(plain));
                self.values.extend(values.map(str::to_owned));
            } else if !TARGET_LABELS.contains(&label) {
                problems.push(format!("{}: no label {label}", metric.name));
            }
        }
    }
}

/// The metric of a name and its histogram suffix.
fn metric(name: &str) -> Option<(&'static Metric, &'static str)> {
    ["", "_bucket", "_sum", "_count"]
        .into_iter()
        .find_map(|part| {
            let metric = name.strip_suffix(part)?;
            let metric = ALL.iter().find(|known| known.name == metric)?;
            ((metric.kind == Kind::Histogram) != part.is_empty()).then_some((metric, part))
        })
}

/// Every text between two marks.
pub fn between<'t>(text: &'t str, open: &'t str, close: &'t str) -> impl Iterator<Item = &'t str> {
    let parts = text.split(open).skip(1);
    parts.filter_map(move |part| part.split_once(close).map(|(word, _)| word))
}

#[test]
fn problems_finds_unknown_names() {
    let mut names = Names::of_this_version();
    for (expr, problem) in [
        ("sum(hourmeter_nothing)", "nobody counts"),
        ("hourmeter:y:rate5m", "nobody counts"),
        ("scrape_duration_seconds{job=\"x\"} > 1", "nobody counts"),
        ("process_nothing > 1", "nobody counts"),
        ("up == 0", "of which job"),
        ("rate(hourmeter_outbox_waiting[5m])", "a gauge has no rate"),
        ("sum(hourmeter_panics_total) > 5", "a total without a rate"),
        (
            "histogram_quantile(0.9, sum by (route) (rate(hourmeter_http_request_duration_seconds_bucket[5m])))",
            "by (le)",
        ),
        ("hourmeter_http_request_duration_seconds", "nobody counts"),
        ("hourmeter_panics_total_count > 0", "nobody counts"),
        (r#"hourmeter_redis_up{use="x"}"#, "no label use"),
        (r#"hourmeter_redis_up{job="x", use="x"}"#, "no label use"),
        ("sum by (status) (hourmeter_redis_up)", "no label status"),
        (
            "hourmeter_redis_up * on (job) group_left (version) hourmeter_redis_up",
            "no label version",
        ),
        (
            r#"rate(hourmeter_http_request_duration_seconds_bucket{le="0.3"}[5m])"#,
            "no bucket ends at 0.3",
        ),
    ] {
        let found = names.problems(expr, "", "{{", "}}");
        assert!(
            found.len() == 1 && found[0].contains(problem),
            "{expr}: {found:?}"
        );
    }
    let found = names.problems("hourmeter_redis_up", "{{use}} {{job}}", "{{", "}}");
    assert_eq!(found, ["no label use here: hourmeter_redis_up"]);
    names.recorded.insert("hourmeter:y:rate5m".to_owned());
    for expr in [
        r#"hourmeter:y:rate5m > 1 and up{job="hourmeter_x"}"#,
        r#"histogram_quantile(0.9, sum by (route, le) (rate(hourmeter_http_request_duration_seconds_bucket{job="x"}[5m])))"#,
        r#"rate(hourmeter_http_request_duration_seconds_bucket{route!~"/a|/b", le="0.5"}[5m])"#,
        "process_open_fds * on (instance) group_left (process) hourmeter_build_info",
    ] {
        assert_eq!(names.problems(expr, "{{job}}", "{{", "}}"), [""; 0]);
    }
    assert!(names.values.contains("/a") && names.used.contains("hourmeter_build_info"));
}

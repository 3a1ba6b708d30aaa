//! The example files fit each other and the cluster's.

use std::collections::BTreeSet;

use serde_json::Value;

use super::file;
use super::promql::TARGET_LABELS;

fn yaml(name: &str) -> Value {
    serde_saphyr::from_str(&file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn names(value: &Value) -> BTreeSet<&str> {
    let of_object = value.as_object().into_iter().flatten();
    let of_array = value.as_array().into_iter().flatten();
    let of_array = of_array.filter_map(Value::as_str);
    of_object
        .map(|(name, _)| name.as_str())
        .chain(of_array)
        .collect()
}

#[test]
fn prometheus_finds_the_processes_and_the_rules() {
    let config = yaml("prometheus.yaml");
    assert_eq!(
        names(&config["rule_files"]),
        BTreeSet::from(["alerts.yaml"])
    );
    let rules = config["scrape_configs"][0]["relabel_configs"].as_array();
    let rules = rules.expect("rules");
    let kept = rules.iter().find(|rule| rule["action"] == "keep");
    assert_eq!(kept.expect("a choice")["regex"], "hourmeter;admin");
    // A pod that was evicted keeps its address, and nobody answers there.
    let ended = "__meta_kubernetes_pod_phase";
    let dropped = rules.iter().find(|rule| rule["action"] == "drop");
    let dropped = dropped.expect("what is left out");
    assert_eq!(dropped["source_labels"][0], ended);
    assert_eq!(dropped["regex"], "Failed|Succeeded");
    let given = rules
        .iter()
        .filter_map(|rule| rule["target_label"].as_str());
    let given: BTreeSet<_> = given.chain(["instance"]).collect();
    // What expressions may ask for, no less and no more.
    assert_eq!(given, TARGET_LABELS.into());

    let monitor = yaml("pod-monitor.yaml");
    let spec = &monitor["spec"];
    let part_of = &spec["selector"]["matchLabels"]["app.kubernetes.io/part-of"];
    assert_eq!(part_of, "hourmeter");
    assert_eq!(spec["jobLabel"], "app.kubernetes.io/name");
    assert_eq!(spec["podMetricsEndpoints"][0]["port"], "admin");
    assert_eq!(spec["podMetricsEndpoints"][0]["path"], "/metrics");
}

#[test]
fn the_collector_uses_all_that_it_has_and_nothing_else() {
    let config = yaml("otel-collector.yaml");
    let pipeline = &config["service"]["pipelines"]["traces"];
    for part in ["receivers", "processors", "exporters"] {
        assert_eq!(names(&config[part]), names(&pipeline[part]), "{part}");
    }
    let endpoint = &config["receivers"]["otlp"]["protocols"]["grpc"]["endpoint"];
    assert_eq!(endpoint, "0.0.0.0:4317");
}

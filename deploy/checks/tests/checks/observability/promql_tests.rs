//! The checks find what they are for.

use super::*;

#[test]
fn what_would_never_work_is_found() {
    let mut known = Known::of_this_version();
    known.record(
        "hourmeter:x:rate5m",
        LabelNames::from(["namespace".to_owned()]),
    );
    for (text, problem) in [
        ("sum(rate(hourmeter_http_requests_total[5m])", "unclosed"),
        ("hourmeter_nothing", "no process tells that"),
        ("hourmeter:y:rate5m", "no process tells that"),
        ("scrape_duration_seconds > 1", "no process tells that"),
        ("up == 0", "whose"),
        (r#"up{namespace="x"}"#, "whose"),
        (r#"up{job="x", process="x"}"#, "no label process"),
        (r#"increase(up{job="x"}[5m])"#, "a gauge has no rate"),
        (r#"{job="gateway"}"#, "without a name"),
        ("rate(hourmeter_outbox_waiting[5m])", "a gauge has no rate"),
        ("hourmeter_panics_total", "without its rate"),
        ("sum(hourmeter_panics_total) > 0", "without its rate"),
        (
            "hourmeter_http_request_duration_seconds",
            "no process tells that",
        ),
        ("hourmeter_panics_total_count > 0", "no process tells that"),
        (
            "max_over_time(hourmeter_panics_total[5m])",
            "without its rate",
        ),
        (r#"hourmeter_redis_up{use="x"}"#, "no label use"),
        ("sum by (status) (hourmeter_redis_up)", "no label status"),
        ("sum without (le) (hourmeter_redis_up)", "no label le"),
        (
            "hourmeter_redis_up * on (route) hourmeter_redis_up",
            "no label route",
        ),
        (
            "hourmeter_redis_up * on (job) group_left (version) hourmeter_redis_up",
            "no label version",
        ),
        (
            "histogram_quantile(0.9, sum by (route) (rate(hourmeter_http_request_duration_seconds_bucket[5m])))",
            "without le",
        ),
        (
            "histogram_quantile(0.9, rate(hourmeter_http_request_duration_seconds_sum[5m]))",
            "needs its buckets",
        ),
        (
            r#"rate(hourmeter_http_request_duration_seconds_bucket{le="0.3"}[5m])"#,
            "no bucket ends at 0.3",
        ),
        (
            r#"rate(hourmeter_http_request_duration_seconds_bucket{le=~"0.5|1"}[5m])"#,
            "choose one",
        ),
        (
            "rate(hourmeter_http_request_duration_seconds_bucket[5m])",
            "contain each other",
        ),
        (r#"hourmeter:x:rate5m{route="/"}"#, "no label route"),
    ] {
        let problems = known.read(text).err().unwrap_or_default();
        let found = problems.iter().any(|said| said.contains(problem));
        assert!(found, "{text}: {problems:?}");
    }
}

#[test]
fn what_works_is_left_alone() {
    let known = Known::of_this_version();
    let labels = |text: &str| {
        let seen = known
            .read(text)
            .map_err(|problems| format!("{text}: {problems:?}"));
        let labels = seen.expect("right").labels;
        labels.into_iter().collect::<Vec<_>>().join(" ")
    };
    for (text, expected) in [
        ("sum(rate(hourmeter_http_requests_total[5m]))", ""),
        (
            "sum by (route) (rate(hourmeter_http_requests_total[5m])) > 1",
            "route",
        ),
        (
            "hourmeter_panics_total > 0 unless hourmeter_panics_total offset 5m",
            "instance job namespace pod",
        ),
        (
            "histogram_quantile(0.9, sum by (le, route) (rate(hourmeter_http_request_duration_seconds_bucket[5m])))",
            "route",
        ),
        (
            r#"1 - sum by (job) (rate(hourmeter_http_request_duration_seconds_bucket{le="0.5"}[5m]))"#,
            "job",
        ),
        (
            "process_threads * on (instance) group_left (process) hourmeter_build_info",
            "instance job namespace pod process",
        ),
        (
            r#"hourmeter_db_connections{state="used"} / ignoring (state) hourmeter_db_connections_max"#,
            "instance job namespace pod service",
        ),
        ("time() - process_threads", "instance job namespace pod"),
        ("topk(3, hourmeter_redis_up)", "instance job namespace pod"),
        ("absent(hourmeter_redis_up)", ""),
        (r#"absent(up{job="x", pod!=""})"#, "job"),
        (
            r#"avg_over_time(up{job=~"x|y"}[10m]) < 0.5"#,
            "instance job namespace pod",
        ),
    ] {
        assert_eq!(labels(text), expected, "{text}");
    }
}

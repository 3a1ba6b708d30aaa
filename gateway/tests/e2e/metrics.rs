//! Metrics of the product in use.

use hourmeter_runtime::telemetry::names::{self, ALL, Kind, Metric};
use hourmeter_runtime::telemetry::{metrics_text, name_process};
use http::Method;
use serde_json::json;

use crate::limits_shared::redis;
use crate::product::{Browser, OPERATOR_PASSWORD, PASSWORD, Product, config, id};
use crate::split::{Remote, untrusted};
use crate::{grpc_web, subscription};

/// Metrics that this test can't trigger, and where they are tested.
const ELSEWHERE: [(Metric, &str); 4] = [
    (
        names::CERTIFICATE_EXPIRY,
        "no TLS here; tested where certificates are read",
    ),
    (
        names::SELF_CHECK_FAILURES,
        "a process that fails its check ends",
    ),
    (
        names::OVERLOAD_REFUSED,
        "takes 256 requests at once; in layers/overload.rs",
    ),
    (
        names::AUDIT_DROPPED,
        "takes 1024 refused requests at once; in audit/queue.rs",
    ),
];

/// Whether the metric has a value.
fn has_value(text: &str, metric: &Metric) -> bool {
    let name = if metric.kind == Kind::Histogram {
        format!("{}_count", metric.name)
    } else {
        metric.name.to_owned()
    };
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(&name));
    lines.any(|rest| rest.starts_with(['{', ' ']))
}

/// The value of a series, 0 when there is none.
fn value(series: &str) -> f64 {
    let text = metrics_text();
    let mut lines = text.lines();
    let found = lines.find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    found.map_or(0.0, |value| value.parse().expect("a number"))
}

#[tokio::test]
async fn all_metrics_have_values() {
    name_process("test");
    let mut settings = config();
    settings.rate_limits = true;
    settings.redis_url = Some(redis(5).await.into());
    let product = Product::with(settings).await;
    let mut owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    owner.get("/api/equipment").await.expect(200);

    let operator = product.operator_of(&owner).await;
    let report = json!({"equipmentId": machine, "newUsage": 101.0});
    let update = operator.post_as("/api/operator-updates", report).await;
    let apply = format!("/api/operator-updates/{}/apply", id(&update.expect(201)));
    owner.post_as(&apply, json!({})).await.expect(200);

    // A payment and a watcher.
    owner.pay("basic", "month").await;
    let watching = owner.watching(&[1]).await;
    assert!(value("hourmeter_watch_streams") > 0.5);
    drop(watching);

    // Failures: wrong passwords, Redis and accounts unavailable, an untrusted key.
    for _ in 0..6 {
        let wrong = json!({"emailOrBusinessName": "Acme", "password": "wrong-one"});
        owner.post("/api/auth/login", wrong).await;
    }
    let no_redis = product.gateway_with(|settings, _| {
        settings.redis_url = Some("redis://127.0.0.1:1/".to_owned().into());
    });
    Browser::new(no_redis)
        .post("/api/auth/login", json!({}))
        .await;
    let unavailable =
        product.gateway_with(|_, backends| backends.accounts = subscription::unavailable());
    assert_eq!(Browser::new(unavailable).get("/readyz").await.status, 503);
    let remote = Remote::start(&product).await;
    let untrusted = untrusted(&product, remote.backend.clone());
    assert_eq!(untrusted.get("/readyz").await.status, 503);

    let text = metrics_text();
    for metric in ALL {
        let elsewhere = ELSEWHERE.iter().any(|(other, _)| other == metric);
        assert_eq!(
            has_value(&text, metric),
            !elsewhere,
            "{}\n{text}",
            metric.name
        );
    }
    // Labels contain no personal data.
    for secret in [
        "Acme",
        "acme",
        "Olivia",
        "Crane",
        PASSWORD,
        OPERATOR_PASSWORD,
        &machine,
    ] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn requests_are_counted_by_route() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let count = |route: &str, method: &str, status: u16| {
        let labels = format!("{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}}");
        value(&format!("hourmeter_http_requests_total{labels}"))
    };
    let path = format!("/api/equipment/{machine}");
    owner.get(&path).await.expect(200);
    owner.get(&path.replace(&machine[..8], "00000000")).await;
    assert!(count("/api/equipment/{id}", "GET", 200) > 0.5);
    assert!(count("/api/equipment/{id}", "GET", 404) > 0.5);
    owner.signed_out().get(&path).await;
    assert!(count("/api/equipment/{id}", "GET", 401) > 0.5);

    let list = "/hourmeter.equipment.v1.EquipmentService/ListEquipment";
    grpc_web::code(&owner, list, &[]).await;
    assert!(count(list, "POST", 200) > 0.5);
    // Failed RPCs have HTTP status 200; the gRPC code counts.
    grpc_web::code(&owner.signed_out(), list, &[]).await;
    assert!(count(list, "POST", 401) > 0.5);

    let nothing = "/hourmeter.equipment.v1.EquipmentService/Nothing1";
    for path in [nothing, "/hourmeter.x/Nothing2", "/api/nothing3", "/api"] {
        owner.get(path).await;
        owner.send(grpc_web::request(&owner, path, &[])).await;
    }
    let brew = Method::from_bytes(b"BREW4").expect("a method");
    owner.call(brew, "/api/equipment", None).await;
    owner.get("/nothing5").await;
    let text = metrics_text();
    for unknown in [
        "othing1", "othing2", "othing3", "BREW4", "othing5", &machine,
    ] {
        assert!(!text.contains(unknown), "{unknown}");
    }
    assert!(count("unmatched", "GET", 404) > 0.5);
    assert!(count("/api/equipment", "other", 405) > 0.5);
    assert!(text.contains("route=\"pages\""));
    assert!(value("hourmeter_http_requests_in_flight").abs() < 0.5);
    let seconds = "hourmeter_http_request_duration_seconds_count";
    let labels = "{route=\"/api/equipment/{id}\",method=\"GET\"}";
    assert!(value(&format!("{seconds}{labels}")) > 2.5);
}

#[tokio::test]
async fn in_flight_counts_until_the_response() {
    let running = || value("hourmeter_http_requests_in_flight");
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    assert!(running().abs() < 0.5);
    // Polled in order: when the second begins, the first waits for a password hash.
    let sign_in = || {
        let wrong = json!({"emailOrBusinessName": "Acme", "password": "wrong-one-9"});
        owner.post_as("/api/auth/login", wrong)
    };
    let (answer, meanwhile) = tokio::join!(sign_in(), async { running() });
    assert_eq!(answer.status, 401, "{}", answer.text());
    assert!((meanwhile - 1.0).abs() < 0.5, "{meanwhile}");
    assert!(running().abs() < 0.5);
    // A disconnected client is no longer counted.
    tokio::select! {
        biased;
        _ = sign_in() => panic!("responded without waiting"),
        meanwhile = async { running() } => assert!((meanwhile - 1.0).abs() < 0.5, "{meanwhile}"),
    }
    assert!(running().abs() < 0.5);
}

#[tokio::test]
async fn calls_are_counted_by_client_and_server() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    owner.get("/api/equipment").await.expect(200);
    let call = "\"equipment\",method=\"ListEquipment\"";
    for (metric, label) in [("rpc", "service"), ("backend", "backend")] {
        let name = format!("hourmeter_{metric}_requests_total");
        let counted = value(&format!("{name}{{{label}={call},code=\"OK\"}}"));
        assert!((counted - 1.0).abs() < 0.5, "{metric}");
        let name = format!("hourmeter_{metric}_request_duration_seconds_count");
        let timed = value(&format!("{name}{{{label}={call}}}"));
        assert!((timed - 1.0).abs() < 0.5, "{metric}");
    }
}

#[tokio::test]
async fn deliveries_are_counted_by_outcome() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let operator = product.operator_of(&owner).await;
    let report = json!({"equipmentId": machine, "newUsage": 101.0});
    let update = operator.post_as("/api/operator-updates", report).await;
    let apply = format!("/api/operator-updates/{}/apply", id(&update.expect(201)));
    owner.post_as(&apply, json!({})).await.expect(200);
    let name = "hourmeter_outbox_deliveries_total";
    let labels = "{service=\"operator-updates\",outcome=\"applied\"}";
    assert!((value(&format!("{name}{labels}")) - 1.0).abs() < 0.5);
}

#[tokio::test]
async fn limited_counts_rejected_calls_only() {
    let mut settings = config();
    settings.rate_limits = true;
    let product = Product::with(settings).await;
    let mut owner = product.owner("Acme").await;
    let mut refused = 0;
    for _ in 0..8 {
        let wrong = json!({"emailOrBusinessName": "Acme", "password": "wrong-one"});
        let answer = owner.post("/api/auth/login", wrong).await;
        refused += u8::from(answer.status == 429);
    }
    assert_eq!(refused, 3);
    let counted = value("hourmeter_limited_total{limit=\"failed_sign_in_name\"}");
    assert!((counted - f64::from(refused)).abs() < 0.5, "{counted}");
    let all = metrics_text();
    let all = all
        .lines()
        .filter(|line| line.starts_with("hourmeter_limited_total{"));
    assert_eq!(all.count(), 1, "another limit counted");
}

#[tokio::test]
async fn caches_count_hits_and_misses() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let counts = |cache: &str| {
        ["hit", "miss"].map(|outcome| {
            let labels = format!("{{cache=\"{cache}\",outcome=\"{outcome}\"}}");
            value(&format!("hourmeter_cache_requests_total{labels}"))
        })
    };
    owner.get("/api/equipment").await.expect(200);
    for cache in ["entitlements", "sessions"] {
        let [hits, misses] = counts(cache);
        owner.get("/api/equipment").await.expect(200);
        let [more_hits, more_misses] = counts(cache);
        assert!(more_hits > hits + 0.5, "{cache}: expected a hit");
        assert!((more_misses - misses).abs() < 0.5, "{cache}");
        let name = format!("Not known to {cache}").replace('_', " ");
        let other = product.owner(&name).await;
        other.get("/api/equipment").await.expect(200);
        assert!(counts(cache)[1] > misses + 0.5, "{cache}: expected a miss");
    }
}

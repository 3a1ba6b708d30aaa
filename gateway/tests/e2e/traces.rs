//! Traces from the browser to SQL, received by a real collector.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::TimeDelta;
use hourmeter_runtime::telemetry::{self, LogFormat, Traces};
use http::{HeaderValue, Method};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

use crate::grpc_web;
use crate::product::{Browser, PASSWORD, Product, Reply, id};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const BROWSER: &str = "00f067aa0ba902b7";
const LIST: &str = "/hourmeter.equipment.v1.EquipmentService/ListEquipment";

/// A collector that keeps all received spans.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Span>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let resources = request.into_inner().resource_spans.into_iter();
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        let spans = scopes.flat_map(|scope| scope.spans);
        self.0.lock().expect("a lock").extend(spans);
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Exports the traces of this process to a new collector; `share` is the sampling ratio.
    async fn start(share: f64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let collector = Self::default();
        let service = TraceServiceServer::new(collector.clone());
        let server = tonic::transport::Server::builder().add_service(service);
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        start_export(format!("http://{address}"), share);
        collector
    }

    /// Stops the export and returns all spans.
    async fn received(&self) -> Vec<Span> {
        telemetry::stop().await;
        self.0.lock().expect("a lock").clone()
    }
}

/// Starts the export. Each test runs in its own process.
fn start_export(endpoint: String, share: f64) {
    let settings = Traces {
        endpoint,
        share,
        authorities: None,
    };
    let tracer = settings.start("test").expect("an exporter");
    telemetry::start("info", LogFormat::Json, Some(tracer));
}

async fn list_with_trace(browser: &Browser, traceparent: &str) -> Reply {
    let mut request = grpc_web::request(browser, LIST, &[]);
    let headers = request.headers_mut();
    headers.insert("traceparent", traceparent.parse().expect("a header"));
    headers.insert("tracestate", HeaderValue::from_static("vendor=tracked-7"));
    headers.insert("baggage", HeaderValue::from_static("user=tracked-7"));
    browser.send(request).await
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn attribute(span: &Span, key: &str) -> String {
    let found = span.attributes.iter().find(|pair| pair.key == key);
    format!("{:?}", found.and_then(|pair| pair.value.clone()))
}

#[tokio::test(flavor = "multi_thread")]
async fn trace_spans_browser_gateway_service_and_sql() {
    let collector = Collector::start(1.0).await;
    let product = Product::new().await;
    let owner = product.owner("Acme Secret Works").await;
    owner.machine("Crane of Acme").await;
    // After this time accounts resolves the session again.
    product
        .clock
        .set(product.clock.now() + TimeDelta::seconds(5));
    // The sampling flag of the browser is ignored.
    list_with_trace(&owner, &format!("00-{TRACE}-{BROWSER}-00")).await;
    let wrong = json!({"emailOrBusinessName": "x@tracked.example", "password": PASSWORD});
    owner.post_as("/api/auth/login", wrong).await;
    let all = collector.received().await;

    let ours: Vec<&Span> = all
        .iter()
        .filter(|span| hex(&span.trace_id) == TRACE)
        .collect();
    let named = |name: &str, parent: &[u8]| -> &Span {
        let mut found = ours
            .iter()
            .filter(|span| span.name == name && span.parent_span_id == parent);
        let first = found.next();
        first.unwrap_or_else(|| panic!("no {name} below {}: {ours:#?}", hex(parent)))
    };
    // In the browser's trace, but its first span, as the browser records none.
    let gateway = named(&format!("POST {LIST}"), &[]);
    for (backend, method) in [
        ("accounts", "ResolveSession"),
        ("equipment", "ListEquipment"),
    ] {
        let name = format!("{backend}/{method}");
        let call = named(&name, &gateway.span_id);
        let served = named(&name, &call.span_id);
        assert!(call.kind != served.kind, "{name}");
        let statement = ours
            .iter()
            .find(|span| span.parent_span_id == served.span_id && span.name == "SELECT");
        let statement = statement.unwrap_or_else(|| panic!("no SQL below {name}: {ours:#?}"));
        let text = attribute(statement, "db.query.text");
        assert!(text.contains("$1"), "{text}");
    }
    // Each span has its parent and appears once.
    let ids: BTreeMap<&[u8], &Span> = all.iter().map(|span| (&*span.span_id, span)).collect();
    assert_eq!(ids.len(), all.len());
    for span in &all {
        let parent = span.parent_span_id.as_slice();
        assert!(parent.is_empty() || ids.contains_key(parent), "{span:?}");
    }
    assert!(all.iter().any(|span| span.name == "accounts.hash_password"));
    // No user data.
    let text = format!("{all:?}");
    let session = owner.cookie.as_deref().expect("a session");
    let (_, token) = session.split_once('=').expect("a token");
    let user = owner.get("/api/auth/user").await.expect(200);
    let ids = ["id", "companyId"].map(|name| user[name].as_str().unwrap_or("no id").to_owned());
    for secret in [
        PASSWORD,
        token,
        "Secret Works",
        "Crane of",
        "Olivia",
        "example",
        "tracked",
        &ids[0],
        &ids[1],
    ] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sampling_flag_of_the_browser_is_ignored() {
    let collector = Collector::start(0.0).await;
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let reply = list_with_trace(&owner, &format!("00-{TRACE}-{BROWSER}-01")).await;
    assert_eq!(reply.status, 200);
    let all = collector.received().await;
    assert!(all.is_empty(), "{all:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_traceparent_starts_a_new_trace() {
    let collector = Collector::start(1.0).await;
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    list_with_trace(&owner, &format!("ff-{TRACE}-{BROWSER}-01")).await;
    let all = collector.received().await;
    let name = format!("POST {LIST}");
    let root = all.iter().find(|span| span.name == name).expect("a span");
    assert!(root.parent_span_id.is_empty());
    assert_ne!(hex(&root.trace_id), TRACE);
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_collector_does_not_affect_requests() {
    start_export("http://127.0.0.1:1".to_owned(), 1.0);
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for _ in 0..100 {
        owner.get("/api/equipment").await.expect(200);
    }
    let stopped = tokio::time::timeout(Duration::from_secs(5), telemetry::stop()).await;
    assert!(stopped.is_ok());
}

/// Submits an update as a part of this trace.
async fn report(operator: &Browser, machine: &Value) -> Value {
    let body = json!({"equipmentId": id(machine), "newUsage": 101.5});
    let path = "/api/operator-updates";
    let mut request = operator.request(Method::POST, path, Some(body));
    let traceparent = format!("00-{TRACE}-{BROWSER}-00");
    let headers = request.headers_mut();
    headers.insert("traceparent", traceparent.parse().expect("a header"));
    operator.send(request).await.expect(201)
}

/// The children of a span.
fn children<'a>(all: &'a [Span], span: &Span, name: &str) -> Vec<&'a Span> {
    let found = all
        .iter()
        .filter(|child| child.parent_span_id == span.span_id && child.name == name);
    found.collect()
}

/// The text of spans without times, whose digits may match a secret.
fn text_without_times(all: &[Span]) -> String {
    let texts = all.iter().cloned().map(|mut span| {
        (span.start_time_unix_nano, span.end_time_unix_nano) = (0, 0);
        for event in &mut span.events {
            event.time_unix_nano = 0;
        }
        format!("{span:?}")
    });
    texts.collect()
}

/// The span of the delivery that wrote to the ledger.
fn delivery(all: &[Span]) -> &Span {
    let reached = |delivery: &&Span| {
        let calls = children(all, delivery, "equipment/ApplyOperatorUpdate");
        let served = calls
            .iter()
            .flat_map(|call| children(all, call, &call.name));
        let steps =
            served.flat_map(|served| children(all, served, "equipment.apply_operator_updates"));
        steps
            .flat_map(|step| children(all, step, "WITH"))
            .any(|booked| attribute(booked, "db.query.text").contains("INTO ledger"))
    };
    let mut deliveries = all
        .iter()
        .filter(|span| span.name == "operator-updates/deliver");
    let found = deliveries.find(reached);
    found.unwrap_or_else(|| panic!("nothing reached the ledger: {all:#?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn relay_delivery_joins_the_trace_of_the_submission() {
    let collector = Collector::start(1.0).await;
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Crane").await;
    let operator = product.operator_of(&owner).await;
    let auto_apply = json!({"masterPassword": "********", "autoApplyUpdates": true});
    owner
        .post_as("/api/company-settings", auto_apply)
        .await
        .expect(200);
    // Two readings of one moment would contradict each other.
    let later = product.clock.now() + chrono::TimeDelta::minutes(1);
    product.clock.set(later);
    product.equipment_unavailable.store(true, Ordering::Relaxed);
    let sent = report(&operator, &machine).await;
    assert_eq!(sent["status"], "pending");
    product
        .equipment_unavailable
        .store(false, Ordering::Relaxed);
    // The relay delivers it without a request.
    let path = format!("/api/equipment/{}", id(&machine));
    for _ in 0..200 {
        if owner.get(&path).await.expect(200)["currentUsage"] == 101.5 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The result is stored a moment later.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let all = collector.received().await;
    let delivery = delivery(&all);
    assert_eq!(hex(&delivery.trace_id), TRACE);
    let parent = all
        .iter()
        .find(|span| span.span_id == delivery.parent_span_id);
    assert_eq!(
        parent.map(|span| span.name.as_str()),
        Some("operator_updates.submit")
    );
    // Same trace, so no link.
    assert!(delivery.links.is_empty());
    assert!(
        !children(&all, delivery, "WITH").is_empty(),
        "the end of the decision"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn apply_is_linked_to_the_trace_of_the_submission() {
    let collector = Collector::start(1.0).await;
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Crane").await;
    let operator = product.operator_of(&owner).await;
    let sent = report(&operator, &machine).await;
    let path = format!("/api/operator-updates/{}/apply", id(&sent));
    let applied = owner.post_as(&path, json!({})).await.expect(200);
    assert_eq!(applied["status"], "applied");
    let all = collector.received().await;
    let delivery = delivery(&all);
    assert_ne!(hex(&delivery.trace_id), TRACE, "the manager's own");
    let links: Vec<String> = delivery
        .links
        .iter()
        .map(|link| hex(&link.trace_id))
        .collect();
    assert_eq!(links, [TRACE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_spans_contain_operation_and_outcome_only() {
    let collector = Collector::start(1.0).await;
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    // After the trial, an upgrade is charged.
    owner.forward(29).await;
    let checkout = owner.checkout("basic", "month").await;
    let (_, checkout) = checkout.rsplit_once('/').expect("an id");
    owner.pay("basic", "month").await;
    owner.card(true).await;
    let dearer = json!({"tier": "professional"});
    let refused = owner.post_as("/api/subscription/upgrade", dearer).await;
    assert!(refused.status.is_client_error(), "{}", refused.text());
    let all = collector.received().await;
    let call = |name: &str, caller: &str| {
        let spans = all.iter().filter(|span| span.name == name);
        let mut spans = spans.filter(|span| {
            let parent = all.iter().find(|one| one.span_id == span.parent_span_id);
            parent.is_some_and(|parent| parent.name == caller)
        });
        let found = spans.next();
        found.unwrap_or_else(|| panic!("no {name} below {caller}: {all:#?}"))
    };
    let opened = call("sandbox/open_checkout", "billing/CreateCheckoutSession");
    assert_eq!(opened.kind(), SpanKind::Client);
    assert!(attribute(opened, "provider.outcome").contains("\"ok\""));
    let status = |span: &Span| span.status.as_ref().map_or(0, |status| status.code);
    assert_eq!(status(opened), StatusCode::Unset as i32);
    let declined = call("sandbox/change_plan", "billing/ChangePlan");
    assert!(attribute(declined, "provider.operation").contains("\"change_plan\""));
    assert!(attribute(declined, "provider.outcome").contains("\"declined\""));
    assert_eq!(status(declined), StatusCode::Error as i32);
    let text = text_without_times(&all);
    assert!(text.contains("billing/ChangePlan") && text.contains("declined"));
    for secret in [checkout, "4242", "Acme", "example"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

//! Calls to services: metadata and retries.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use hourmeter_proto::equipment::v1::{GetSummaryRequest, GetSummaryResponse};
use hourmeter_runtime::client::{Backend, GrpcRequest};
use http::HeaderMap;
use prost::Message as _;
use serde_json::json;
use tonic::{Code, Status};
use tower::{ServiceExt as _, service_fn};

use crate::grpc_web;
use crate::product::{Browser, Product, id};

/// Recorded calls of a service: method and metadata.
#[derive(Clone, Default)]
pub struct RecordedCalls(Arc<Mutex<Vec<(String, HeaderMap)>>>);

impl RecordedCalls {
    /// One metadata entry of all calls of a method, in order.
    pub fn entries(&self, method: &str, name: &str) -> Vec<Option<String>> {
        let calls = self.0.lock().expect("no panic");
        let calls = calls.iter().filter(|(called, _)| called == method);
        calls
            .map(|(_, headers)| Some(headers.get(name)?.to_str().expect("text").to_owned()))
            .collect()
    }
}

/// The same service with recording.
pub fn recording(backend: Backend) -> (Backend, RecordedCalls) {
    let seen = RecordedCalls::default();
    let noting = seen.clone();
    let backend = service_fn(move |request: GrpcRequest| {
        let path = request.uri().path();
        let method = path.rsplit('/').next().unwrap_or_default().to_owned();
        let call = (method, request.headers().clone());
        noting.0.lock().expect("no panic").push(call);
        backend.clone().oneshot(request)
    });
    (Backend::new(backend), seen)
}

/// A service that fails `times` times, and the number of its calls.
fn failing(backend: Backend, times: u32, code: Code) -> (Backend, Arc<AtomicU32>) {
    let calls = Arc::new(AtomicU32::new(0));
    let counting = calls.clone();
    let backend = service_fn(move |request: GrpcRequest| {
        let call = counting.fetch_add(1, Ordering::Relaxed);
        let backend = backend.clone();
        async move {
            let status = Status::new(code, "not now");
            match call {
                // Fails to connect, or responds with an error.
                call if call < times && call % 2 == 0 => Err(status),
                call if call < times => Ok(status.into_http()),
                _ => backend.oneshot(request).await,
            }
        }
    });
    (Backend::new(backend), calls)
}

fn with_failing_equipment(
    product: &Product,
    owner: &Browser,
    times: u32,
    code: Code,
) -> (Browser, Arc<AtomicU32>) {
    let (backend, calls) = failing(product.backends.equipment.clone(), times, code);
    let router = product.gateway_with(|_, backends| backends.equipment = backend);
    let browser = Browser {
        router,
        ..owner.clone()
    };
    (browser, calls)
}

#[tokio::test]
async fn reads_are_retried_while_a_service_is_unavailable() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    owner.machine("Crane").await;
    owner.machine("Truck").await;
    for (times, status) in [(1, 200), (2, 200), (3, 503)] {
        let (browser, calls) = with_failing_equipment(&product, &owner, times, Code::Unavailable);
        let reply = browser.get("/api/equipment?search=crane").await;
        assert_eq!(reply.status, status, "{times}");
        assert_eq!(calls.load(Ordering::Relaxed), times.min(2) + 1);
        if status == 200 {
            // The retried call is complete.
            let list = reply.json();
            assert_eq!(
                (list[0]["name"].as_str(), list[1].as_str()),
                (Some("Crane"), None)
            );
        }
    }
    let (browser, _) = with_failing_equipment(&product, &owner, 2, Code::Unavailable);
    let path = "/hourmeter.equipment.v1.EquipmentService/GetSummary";
    let message = GetSummaryRequest {}.encode_to_vec();
    let reply = browser
        .send(grpc_web::request(&browser, path, &message))
        .await;
    let (status, message) = grpc_web::outcome(&reply);
    assert_eq!(status.code(), Code::Ok);
    let summary = GetSummaryResponse::decode(message.as_slice()).expect("a message");
    assert_eq!(summary.total, 2);
}

#[tokio::test]
async fn unavailable_services_set_retry_after() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for (code, retry_after) in [
        (Code::Unavailable, "1"),
        (Code::ResourceExhausted, "1"),
        (Code::NotFound, ""),
        (Code::Internal, ""),
    ] {
        let (browser, _) = with_failing_equipment(&product, &owner, 6, code);
        let reply = browser.get("/api/equipment").await;
        assert_eq!(reply.header("retry-after"), retry_after, "{code:?} by REST");
        let path = "/hourmeter.equipment.v1.EquipmentService/GetSummary";
        let reply = browser.send(grpc_web::request(&browser, path, &[])).await;
        assert_eq!(grpc_web::outcome(&reply).0.code(), code);
        assert_eq!(
            reply.header("retry-after"),
            retry_after,
            "{code:?} by grpc-web"
        );
    }
}

#[tokio::test]
async fn other_errors_and_writes_are_not_retried() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for (code, status) in [(Code::ResourceExhausted, 429), (Code::Internal, 500)] {
        let (browser, calls) = with_failing_equipment(&product, &owner, 1, code);
        assert_eq!(browser.get("/api/equipment").await.status, status);
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }
    let (browser, calls) = with_failing_equipment(&product, &owner, 1, Code::Unavailable);
    let body = json!({"name": "A", "type": "tools", "unit": "n/a"});
    let reply = browser.post_as("/api/equipment", body).await;
    assert_eq!(
        (reply.status.as_u16(), calls.load(Ordering::Relaxed)),
        (503, 1)
    );
}

#[tokio::test]
async fn writes_carry_the_idempotency_key() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let (backend, seen) = recording(product.backends.equipment.clone());
    let router = product.gateway_with(|_, backends| backends.equipment = backend);
    let browser = Browser { router, ..owner };
    let path = format!("/api/equipment/{}", id(&browser.machine("A").await));
    let key = "6f1c 2d~";
    let calls = [
        (
            http::Method::POST,
            "/api/equipment".to_owned(),
            json!({"name": "B", "type": "tools", "unit": "n/a"}),
            201,
        ),
        (
            http::Method::PATCH,
            format!("{path}/usage"),
            json!({"usageIncrease": 1}),
            200,
        ),
        (http::Method::GET, path, json!({}), 200),
    ];
    for (method, path, body, status) in calls {
        let mut request = browser.request(method, &path, Some(body));
        let value = key.parse().expect("a value");
        request.headers_mut().insert("idempotency-key", value);
        let reply = browser.send(request).await;
        assert_eq!(reply.status, status, "{}", reply.text());
    }
    let sent = |method| seen.entries(method, "idempotency-key");
    let key = Some(key.to_owned());
    assert_eq!(sent("CreateEquipment"), [None, key.clone()]);
    assert_eq!(sent("RecordUsage"), [key]);
    assert_eq!(sent("GetEquipment"), [None]);
}

#[tokio::test]
async fn record_usage_is_idempotent() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let path = format!("/api/equipment/{}", id(&owner.machine("A").await));
    let usage = format!("{path}/usage");
    let enter = |key: &str, increase: u32| {
        let body = json!({"usageIncrease": increase});
        let mut request = owner.request(http::Method::PATCH, &usage, Some(body));
        let value = key.parse().expect("a value");
        request.headers_mut().insert("idempotency-key", value);
        owner.send(request)
    };
    let first = enter("one", 5).await.expect(200);
    assert_eq!(first["currentUsage"], 105);
    assert_eq!(enter("one", 5).await.expect(200), first);
    assert_eq!(enter("one", 6).await.error(422), "IDEMPOTENCY_KEY_REUSED");
    let mut row = owner.get(&path).await.expect(200);
    row["entryIds"] = first["entryIds"].clone();
    assert_eq!(row, first);
    let other = enter("two", 5).await.expect(200);
    assert_eq!(other["currentUsage"], 110);
}

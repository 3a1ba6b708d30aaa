//! The webhook of the payment provider, the only write that is accepted from another origin.

use std::sync::{Arc, Mutex};

use axum::body::Body;
use chrono::TimeDelta;
use hourmeter_proto::billing::v1::{ReceiveWebhookRequest, ReceiveWebhookResponse};
use hourmeter_runtime::client::{Backend, GrpcRequest};
use hourmeter_runtime::error::ServiceError;
use http::{HeaderMap, Request};
use http_body_util::BodyExt as _;
use prost::Message as _;
use serde_json::json;
use tonic::Status;
use tower::{ServiceExt as _, service_fn};

use crate::plan::grpc_response;
use crate::product::{Browser, Product, Reply, config};

const PATH: &str = "/api/stripe/webhook";
const SIGNED: (&str, &str) = ("stripe-signature", "t=1,v1=ab");

type WebhookResult = fn() -> Result<(), ServiceError>;

/// The events that billing received.
#[derive(Clone, Default)]
struct Received(Arc<Mutex<Vec<(ReceiveWebhookRequest, HeaderMap)>>>);

impl Received {
    fn count(&self) -> usize {
        self.0.lock().expect("no panic").len()
    }

    fn last(&self) -> (ReceiveWebhookRequest, HeaderMap) {
        let all = self.0.lock().expect("no panic");
        all.last().expect("a call").clone()
    }
}

/// Billing with this result for webhook events.
fn billing(inner: Backend, result: WebhookResult) -> (Backend, Received) {
    let received = Received::default();
    let recorder = received.clone();
    let backend = service_fn(move |request: GrpcRequest| {
        let (inner, recorder) = (inner.clone(), recorder.clone());
        async move {
            if !request.uri().path().ends_with("/ReceiveWebhook") {
                return inner.oneshot(request).await;
            }
            let (parts, body) = request.into_parts();
            let body = body.collect().await.expect("a body").to_bytes();
            let event = ReceiveWebhookRequest::decode(&body[5..]).expect("a message");
            recorder
                .0
                .lock()
                .expect("no panic")
                .push((event, parts.headers));
            result()
                .map(|()| grpc_response(&ReceiveWebhookResponse {}))
                .map_err(Status::from)
        }
    });
    (Backend::new(backend), received)
}

fn event(headers: &[(&str, &str)], body: impl Into<Body>) -> Request<Body> {
    let mut request = Request::post(PATH).header("host", "app.example.com");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body.into()).expect("a request")
}

async fn setup(rate_limits: bool, result: WebhookResult) -> (Product, Browser, Received) {
    let mut settings = config();
    settings.rate_limits = rate_limits;
    let product = Product::with(settings).await;
    let (backend, received) = billing(product.backends.billing.clone(), result);
    let router = product.gateway_with(|_, backends| backends.billing = backend);
    (product, Browser::new(router), received)
}

fn forged() -> Result<(), ServiceError> {
    Err(ServiceError::field(
        "signature",
        hourmeter_runtime::refusals::NOT_A_TIME,
    ))
}

#[tokio::test]
async fn webhook_forwards_body_and_signature_unchanged() {
    let (product, provider, received) = setup(false, || Ok(())).await;
    let owner = product.owner("Acme").await;
    let cookie = owner.cookie.clone().expect("a cookie");
    // The gateway does not parse the body, which need not be JSON.
    let body = b"{\"id\" : \"evt_1\",\n \"x\": \"\xff\xc3\xa9\\u00e9\"}  \n".as_slice();
    let plain: &[(&str, &str)] = &[SIGNED];
    for headers in [
        plain,
        &[SIGNED, ("content-type", "text/plain")],
        &[SIGNED, ("content-type", "application/json; charset=utf-8")],
        &[
            SIGNED,
            ("origin", "https://evil.example"),
            ("sec-fetch-site", "cross-site"),
        ],
        &[SIGNED, ("cookie", &cookie), ("idempotency-key", "")],
        &[
            SIGNED,
            ("x-internal-identity", "forged"),
            ("x-expected-user", "unknown"),
        ],
    ] {
        let reply = provider.send(event(headers, body)).await;
        assert_eq!(reply.expect(200), json!({"received": true}), "{headers:?}");
        assert_eq!(reply.header("set-cookie"), "");
        let (event, inner) = received.last();
        assert_eq!(event.body, body, "{headers:?}");
        assert_eq!(event.signature, SIGNED.1);
        // No header of the sender reaches the service.
        assert!(!inner.contains_key("x-internal-identity"));
        assert!(!inner.contains_key("cookie") && !inner.contains_key("idempotency-key"));
    }
    for headers in [&[][..], &[SIGNED, SIGNED]] {
        provider.send(event(headers, body)).await;
        assert_eq!(received.last().0.signature, "", "{headers:?}");
    }
}

#[tokio::test]
async fn webhook_body_is_limited_to_256_kib() {
    let (_product, provider, received) = setup(false, || Ok(())).await;
    let send = |size: usize| provider.send(event(&[SIGNED], vec![b' '; size]));
    assert_eq!(send(256 * 1024).await.status, 200);
    assert_eq!(received.last().0.body.len(), 256 * 1024);
    assert_eq!(send(256 * 1024 + 1).await.status, 413);
    // Chunked bodies have the same limit.
    let piece = vec![b' '; 64 * 1024];
    let pieces = futures::stream::iter((0..5).map(move |_| Ok::<_, std::io::Error>(piece.clone())));
    let reply = provider
        .send(event(&[SIGNED], Body::from_stream(pieces)))
        .await;
    assert_eq!(reply.status, 413);
    let broken = futures::stream::iter([Ok(vec![1]), Err(std::io::Error::other("cut"))]);
    let reply = provider
        .send(event(&[SIGNED], Body::from_stream(broken)))
        .await;
    assert_eq!(reply.status, 400);
    assert_eq!(received.count(), 1);
}

#[tokio::test]
async fn webhook_returns_400_only_for_faults_of_the_sender() {
    let results: [(WebhookResult, u16); 6] = [
        (forged, 400),
        (|| Err(ServiceError::unavailable("stopped")), 503),
        (|| Err(ServiceError::provider("stopped")), 502),
        (|| Err(ServiceError::internal("broken")), 500),
        (|| Err(ServiceError::not_found()), 500),
        (|| Err(ServiceError::key_in_progress()), 500),
    ];
    let product = Product::new().await;
    for (result, status) in results {
        let (backend, _) = billing(product.backends.billing.clone(), result);
        let router = product.gateway_with(|_, backends| backends.billing = backend);
        let reply = Browser::new(router).send(event(&[SIGNED], "{}")).await;
        assert_eq!(reply.status, status, "{}", reply.text());
    }
}

#[tokio::test]
async fn webhook_with_a_forged_signature_changes_nothing() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let before = owner.subscription().await;
    let body = json!({
        "id": "evt_1", "object": "event", "type": "customer.subscription.updated",
        "created": product.clock.now().timestamp(), "livemode": false,
        "data": {"object": {"id": "sub_1", "status": "active", "customer": "cus_1"}},
    });
    let now = product.clock.now().timestamp();
    let invalid = format!("t={now},v1={}", "0".repeat(64));
    for signature in ["", "x", "t=1", &invalid] {
        let headers = [("stripe-signature", signature)];
        let provider = product.visitor();
        for body in [body.to_string(), String::new(), "[]".to_owned()] {
            let reply = provider.send(event(&headers, body)).await;
            assert_eq!(reply.status, 400, "{signature}: {}", reply.text());
        }
    }
    assert_eq!(owner.subscription().await, before);
    // The exemption covers one method of one path.
    for (method, path) in [
        ("GET", PATH),
        ("PUT", PATH),
        ("POST", "/api/stripe/webhook/"),
    ] {
        let mut request = event(&[SIGNED], "{}");
        *request.method_mut() = method.parse().expect("a method");
        *request.uri_mut() = path.parse().expect("a path");
        let status = product.visitor().send(request).await.status;
        assert!(
            matches!(status.as_u16(), 403..=405),
            "{method} {path}: {status}"
        );
    }
}

#[tokio::test]
async fn forged_webhooks_are_limited_by_address() {
    let (product, forger, received) = setup(true, forged).await;
    let send = async |from: &Browser| -> Reply { from.send(event(&[SIGNED], "{}")).await };
    for _ in 0..600 {
        assert_eq!(send(&forger).await.status, 400);
    }
    let refused = send(&forger).await;
    assert_eq!(refused.status, 429);
    assert_ne!(refused.header("retry-after"), "");
    assert_eq!(received.count(), 600);
    // The provider at another address is not limited.
    let elsewhere = Browser::new(forger.router.clone());
    assert_eq!(send(&elsewhere).await.status, 400);
    product
        .clock
        .set(product.clock.now() + TimeDelta::seconds(60));
    assert_eq!(send(&forger).await.status, 400);
}

#[tokio::test]
async fn valid_webhooks_are_not_limited() {
    let (_product, provider, received) = setup(true, || Ok(())).await;
    for _ in 0..700 {
        assert_eq!(provider.send(event(&[SIGNED], "{}")).await.status, 200);
    }
    assert_eq!(received.count(), 700);
}

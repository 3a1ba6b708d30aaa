//! A fake of Stripe: an HTTP server in this process with customers, catalogue, checkouts and
//! subscriptions, a movable clock and fault injection.
//!
//! It follows Stripe's documentation and shares no code with the sandbox, so a conformance test
//! that both pass is meaningful.

mod calls;
mod form;
mod objects;
mod portal;
mod record;
pub mod response;
mod subscriptions;
mod time;
pub mod world;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use chrono::{DateTime, Utc};
use hourmeter_billing::{StripeSettings, webhook};
use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use self::form::Form;
use self::response::refused;
use self::world::World;

pub const API_KEY: &str = "sk_test_fake_5b1f0c7d9e";
pub const WEBHOOK_SECRET: &str = "whsec_fake_20b4c8aa61";

/// Faults of the next calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FakeFault {
    /// Returns this status without effect.
    Status(u16),
    /// Like `Status`, for writes only.
    Writes(u16),
    /// Takes effect and responds too late.
    Slow(Duration),
    /// Takes effect and closes the connection before the response.
    Cut,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub method: String,
    pub path: String,
    pub body: String,
    pub key: Option<String>,
}

#[derive(Debug)]
struct Inner {
    world: World,
    error: Option<FakeFault>,
    /// Number of writes until one loses its response.
    cut_in: Option<u32>,
    calls: Vec<Call>,
    /// Stored responses to writes by idempotency key.
    answered: HashMap<String, (Call, u16, Value)>,
}

/// The server; stops when dropped.
#[derive(Clone, Debug)]
pub struct Fake {
    pub url: String,
    inner: Arc<Mutex<Inner>>,
}

impl Fake {
    pub async fn start(now: DateTime<Utc>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self {
            url: format!("http://{}/", listener.local_addr().unwrap()),
            inner: Arc::new(Mutex::new(Inner {
                world: World::new(now),
                error: None,
                cut_in: None,
                calls: Vec::new(),
                answered: HashMap::new(),
            })),
        };
        let router = Router::new().fallback(serve).with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    pub fn settings(&self) -> StripeSettings {
        StripeSettings {
            api_key: API_KEY.into(),
            webhook_secrets: vec![WEBHOOK_SECRET.into()],
            api_base: Some(self.url.clone()),
            public_origin: "https://app.example.com".to_owned(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    /// Reads or changes the state, as at Stripe's dashboard.
    pub fn world<T>(&self, act: impl FnOnce(&mut World) -> T) -> T {
        act(&mut self.lock().world)
    }

    pub fn set_fault(&self, error: Option<FakeFault>) {
        self.lock().error = error;
    }

    /// The response of the write number `writes` from now is lost, once.
    pub fn cut_after_writes(&self, writes: u32) {
        self.lock().cut_in = Some(writes);
    }

    pub fn calls(&self) -> Vec<Call> {
        self.lock().calls.clone()
    }

    pub fn writes(&self) -> usize {
        let calls = self.calls();
        calls.iter().filter(|call| call.method != "GET").count()
    }

    /// Removes the undelivered events: body and signature.
    pub fn take_events(&self) -> Vec<(Vec<u8>, String)> {
        let secret = SecretString::from(WEBHOOK_SECRET);
        let (events, now) = self.world(|world| (std::mem::take(&mut world.events), world.now));
        let signed = events.into_iter().map(|event| {
            let body = event.to_string();
            let signature = webhook::sign(&secret, body.as_bytes(), now);
            record::append(&json!({
                "event": body,
                "signature": signature,
                "secret": WEBHOOK_SECRET,
            }));
            (body.into_bytes(), signature)
        });
        signed.collect()
    }
}

async fn serve(
    State(fake): State<Fake>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let header = |name: &str| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
    };
    let call = Call {
        method: method.to_string(),
        path: uri.path().to_owned(),
        body: String::from_utf8(body.to_vec()).unwrap(),
        key: header("idempotency-key"),
    };
    let bearer = header("authorization");
    let query = uri.query().unwrap_or_default();
    let mut line = json!({
        "version": header("stripe-version"),
        "method": call.method,
        "path": call.path,
        "query": query,
        "body": call.body,
    });
    let (error, status, answer) = {
        let mut inner = fake.lock();
        inner.calls.push(call.clone());
        let error = inner.next_fault(&call.method);
        let (status, answer) = match error {
            Some(FakeFault::Status(status) | FakeFault::Writes(status)) => inner.fail(call, status),
            _ => inner.answer(call, query, bearer.as_deref()),
        };
        (error, status, answer)
    };
    (line["status"], line["answer"]) = (json!(status), answer.clone());
    record::append(&line);
    let body = match error {
        Some(FakeFault::Cut) => {
            let cut = futures::stream::iter([Err::<Bytes, _>(std::io::Error::other("cut"))]);
            Body::from_stream(cut)
        }
        Some(FakeFault::Slow(time)) => {
            tokio::time::sleep(time).await;
            Body::from(answer.to_string())
        }
        _ => Body::from(answer.to_string()),
    };
    let status = StatusCode::from_u16(status).unwrap();
    Response::builder().status(status).body(body).unwrap()
}

fn failing(status: u16) -> Value {
    let sentence = "Something went wrong on our side; sk_test is not to be logged.";
    let kind = if status == 429 {
        "invalid_request_error"
    } else {
        "api_error"
    };
    refused(status, kind, "", None, sentence).body
}

impl Inner {
    fn next_fault(&mut self, method: &str) -> Option<FakeFault> {
        let reads = method == "GET";
        let error = self
            .error
            .filter(|error| !reads || !matches!(error, FakeFault::Writes(_)));
        let left = self.cut_in.filter(|_| !reads);
        match left {
            Some(0 | 1) => {
                self.cut_in = None;
                Some(FakeFault::Cut)
            }
            Some(left) => {
                self.cut_in = Some(left - 1);
                error
            }
            None => error,
        }
    }

    /// Fails a call; Stripe repeats a 5xx response for the same key.
    fn fail(&mut self, call: Call, status: u16) -> (u16, Value) {
        let answer = failing(status);
        if let Some(key) = call.key.clone().filter(|_| status >= 500) {
            let failed = (call, status, answer.clone());
            self.answered.entry(key).or_insert(failed);
        }
        (status, answer)
    }

    /// Handles a call; a repeated key returns the stored response.
    fn answer(&mut self, call: Call, query: &str, bearer: Option<&str>) -> (u16, Value) {
        if bearer != Some(&format!("Bearer {API_KEY}")) {
            let sentence = "Invalid API Key provided: sk_****";
            return (
                401,
                refused(401, "invalid_request_error", "", None, sentence).body,
            );
        }
        if call.method == "GET" {
            return self.act(&call, Form::read(query));
        }
        // Stripe accepts writes without a key; this program must not send them.
        let Some(key) = call.key.clone() else {
            let sentence = "A write without an idempotency key.";
            return (
                400,
                refused(400, "idempotency_error", "", None, sentence).body,
            );
        };
        if let Some((before, status, answer)) = self.answered.get(&key) {
            // Parameters have no order.
            let is_same = (&before.method, &before.path) == (&call.method, &call.path)
                && Form::read(&before.body) == Form::read(&call.body);
            if is_same {
                return (*status, answer.clone());
            }
            let sentence = "Keys for idempotent requests can only be used with the same parameters \
                they were first used with.";
            return (
                400,
                refused(400, "idempotency_error", "", None, sentence).body,
            );
        }
        let (status, answer) = self.act(&call, Form::read(&call.body));
        // Errors before execution are not stored.
        if status == 200 || status == 402 {
            self.answered.insert(key, (call, status, answer.clone()));
        }
        (status, answer)
    }

    fn act(&mut self, call: &Call, form: Form) -> (u16, Value) {
        let path = call.path.strip_prefix("/v1/").unwrap_or_default();
        let segments: Vec<&str> = path.split('/').collect();
        match self.world.call(&call.method, &segments, form) {
            Ok(answer) => (200, answer),
            Err(refused) => (refused.status, refused.body),
        }
    }
}

pub fn unknown_path(method: &str, segments: &[&str]) -> response::Refused {
    let path = segments.join("/");
    let sentence = format!("Unrecognized request URL ({method}: /v1/{path}).");
    let mut said = refused(404, "invalid_request_error", "", None, &sentence);
    said.body["error"]["request_log_url"] = json!(null);
    said
}

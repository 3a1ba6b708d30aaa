//! All four services and the gateway on real databases, and browsers as their users.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hourmeter_accounts::{PasswordSettings, Secrets, start_security_events};
use hourmeter_billing::{BillingSettings, PaymentSettings};
use hourmeter_gateway::{Backends, GatewayConfig, WatchTiming};
use hourmeter_notifications::{Channels, MailSettings, PushSettings};
use hourmeter_runtime::client::{Backend, GrpcRequest};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::config::AppEnv;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::facts::{StoredFacts, start_facts};
use hourmeter_runtime::identity::{Service, Signer};
use hourmeter_runtime::testing::{self, TestDatabase};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};
use secrecy::SecretString;
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt as _;
use uuid::Uuid;

/// A valid password.
pub const PASSWORD: &str = "horse-battery-9";
/// The shared operator password of test companies.
pub const OPERATOR_PASSWORD: &str = "gravel-pit-77";

pub struct Product {
    pub clock: Clock,
    pub router: Router,
    pub backends: Backends,
    pub stores: Stores,
    pub events: Events,
    /// While set, `ApplyOperatorUpdate` of equipment fails.
    pub equipment_unavailable: Arc<AtomicBool>,
    config: GatewayConfig,
    _stop: DropGuard,
}

/// Direct access for tests.
pub struct Stores {
    pub accounts: TestDatabase,
    /// Superuser URL of the equipment database.
    pub equipment_url: SecretString,
    pub secrets: Secrets,
}

/// Default settings of tests.
pub fn config() -> GatewayConfig {
    GatewayConfig {
        env: AppEnv::Test,
        public_origin: Some("https://app.example.com".to_owned()),
        trusted_proxies: Vec::new(),
        web_dir: Some(std::env::temp_dir().join("hourmeter-no-web-client")),
        rate_limits: false,
        redis_url: None,
        limits_key: None,
        watch_timing: WatchTiming::DEFAULT,
    }
}

impl Product {
    pub async fn new() -> Self {
        Self::with(config()).await
    }

    pub async fn with(config: GatewayConfig) -> Self {
        let redis = config.redis_url.as_ref();
        let events = redis.map_or_else(|| Ok(Events::local()), Events::shared);
        Self::with_events(config, events.expect("an event channel")).await
    }

    /// With services that publish events this way.
    pub async fn with_events(config: GatewayConfig, events: Events) -> Self {
        // Sessions use the clock of the database, so the fixed clock starts at the same time.
        let clock = Clock::fixed(Clock::system().now());
        let stop = CancellationToken::new();
        let equipment_unavailable = Arc::<AtomicBool>::default();
        let connections = (&events, equipment_unavailable.clone());
        let (backends, stores) = Box::pin(backends(&clock, connections, &stop)).await;
        let router = gateway(
            config.clone(),
            backends.clone(),
            clock.clone(),
            events.clone(),
        );
        Self {
            clock,
            router,
            backends,
            stores,
            events,
            equipment_unavailable,
            config,
            _stop: stop.drop_guard(),
        }
    }

    /// Another gateway for the same services, with other settings or backends.
    pub fn gateway_with(&self, change: impl FnOnce(&mut GatewayConfig, &mut Backends)) -> Router {
        let (mut config, mut backends) = (self.config.clone(), self.backends.clone());
        change(&mut config, &mut backends);
        gateway(config, backends, self.clock.clone(), self.events.clone())
    }

    /// Another gateway for the same services, which receives events this way.
    pub fn gateway_with_events(&self, events: Events) -> Router {
        let (config, backends) = (self.config.clone(), self.backends.clone());
        gateway(config, backends, self.clock.clone(), events)
    }

    /// A browser without a session.
    pub fn visitor(&self) -> Browser {
        Browser::new(self.router.clone())
    }

    /// A signed-in owner of a new company with an operator password.
    pub async fn owner(&self, company: &str) -> Browser {
        let mut browser = self.visitor();
        let body = json!({
            "businessName": company, "password": PASSWORD, "firstName": "Olivia",
            "lastName": "Owner", "timeZone": "America/Mexico_City",
            "email": format!("owner@{}.example", company.to_lowercase().replace(' ', "-")),
        });
        let reply = browser.post("/api/auth/signup", body).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        let body = json!({"masterPassword": OPERATOR_PASSWORD});
        let reply = browser.post("/api/company-settings", body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        browser
    }

    /// A signed-in operator of the owner's company.
    pub async fn operator_of(&self, owner: &Browser) -> Browser {
        let body = json!({"firstName": "Oscar", "lastName": "Operator"});
        let row = owner.post_as("/api/employees", body).await.expect(201);
        let mut browser = self.visitor();
        let body = json!({"operatorName": row["operatorUsername"], "password": OPERATOR_PASSWORD});
        let reply = browser.post("/api/employee/login", body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        browser
    }
}

async fn backends(
    clock: &Clock,
    (events, equipment_unavailable): (&Events, Arc<AtomicBool>),
    stop: &CancellationToken,
) -> (Backends, Stores) {
    let [accounts, equipment, updates, billing, notifications] = tokio::join!(
        testing::database(Service::Accounts, &hourmeter_accounts::MIGRATIONS),
        testing::database(Service::Equipment, &hourmeter_equipment::MIGRATIONS),
        testing::database(
            Service::OperatorUpdates,
            &hourmeter_operator_updates::MIGRATIONS
        ),
        testing::database(Service::Billing, &hourmeter_billing::MIGRATIONS),
        testing::database(Service::Notifications, &hourmeter_notifications::MIGRATIONS),
    )
    .into();
    let outboxes = [&accounts, &equipment, &billing].map(|store| store.database.clone());
    let secrets = Secrets::generate().expect("secrets");
    let passwords = PasswordSettings::for_tests();
    let stores = Stores {
        accounts,
        equipment_url: equipment.admin_url,
        secrets,
    };
    let accounts = hourmeter_accounts::routes(
        stores.accounts.database.clone(),
        clock.clone(),
        stores.secrets.clone(),
        passwords,
    );
    let equipment = hourmeter_equipment::routes(equipment.database, clock.clone(), events.clone());
    let equipment = testing::backend(Service::Equipment, equipment, clock.clone());
    let accounts = testing::backend(Service::Accounts, accounts, clock.clone());
    let mail = std::env::temp_dir().join(format!("hourmeter-mail-{}", Uuid::now_v7()));
    let vapid_key = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=".to_owned();
    let channels = Channels {
        mail: Some(MailSettings::folder(mail, "https://app.example.com")),
        push: PushSettings::new(&vapid_key.into(), "https://app.example.com", "127.0.0.1"),
        sms: None,
    };
    let outbox = notifications.database.clone();
    let notifications = hourmeter_notifications::start(
        notifications.database,
        clock.clone(),
        events.clone(),
        (equipment.clone(), notifications_signer()),
        channels.clone(),
        &stop.clone().into(),
    );
    let notifications = testing::backend(Service::Notifications, notifications, clock.clone());
    start_outboxes(outboxes, &notifications, stop);
    let relay = Signer::new("operator-updates", &testing::RELAY_SECRET).expect("a signer");
    let updates = hourmeter_operator_updates::start(
        updates.database,
        clock.clone(),
        events.clone(),
        failing_apply(equipment.clone(), equipment_unavailable),
        notifications.clone(),
        relay,
        &stop.clone().into(),
    );
    let updates = testing::backend(Service::OperatorUpdates, updates, clock.clone());
    let settings = BillingSettings {
        trial_days: 28,
        payments: PaymentSettings::Sandbox,
    };
    let billing = hourmeter_billing::start(
        billing.database,
        clock.clone(),
        events.clone(),
        settings,
        &stop.clone().into(),
    );
    let billing = billing.expect("billing");
    let billing = testing::backend(Service::Billing, billing, clock.clone());
    let sources = hourmeter_notifications::Backends {
        accounts: accounts.clone(),
        equipment: equipment.clone(),
        operator_updates: updates.clone(),
        billing: billing.clone(),
    };
    hourmeter_notifications::start_channels(
        &outbox,
        clock,
        events.clone(),
        (sources, notifications_signer()),
        channels,
        &stop.clone().into(),
    );
    let backends = Backends {
        accounts,
        equipment,
        operator_updates: updates,
        billing,
        notifications,
    };
    (backends, stores)
}

fn notifications_signer() -> Signer {
    Signer::new("notifications", &testing::NOTIFICATIONS_SECRET).expect("a signer")
}

/// Starts to send the facts of accounts, equipment and billing to notifications.
fn start_outboxes(
    [accounts, equipment, billing]: [Database; 3],
    notifications: &Backend,
    stop: &CancellationToken,
) {
    let background = stop.clone().into();
    let signer = Signer::new("accounts", &testing::ACCOUNTS_SECRET).expect("a signer");
    start_security_events(accounts, notifications.clone(), signer, &background);
    for (service, database, secret) in [
        (Service::Equipment, equipment, testing::EQUIPMENT_SECRET),
        (Service::Billing, billing, testing::BILLING_SECRET),
    ] {
        let signer = Signer::new(service.name(), &secret).expect("a signer");
        start_facts::<StoredFacts>(
            service,
            database,
            notifications.clone(),
            signer,
            &background,
        );
    }
}

/// Equipment with an `ApplyOperatorUpdate` that can be made to fail.
fn failing_apply(equipment: Backend, unavailable: Arc<AtomicBool>) -> Backend {
    Backend::new(tower::service_fn(move |request: GrpcRequest| {
        let (equipment, unavailable) = (equipment.clone(), unavailable.clone());
        async move {
            let applies = request.uri().path().contains("/ApplyOperatorUpdate");
            if applies && unavailable.load(Ordering::Relaxed) {
                return Err(tonic::Status::unavailable("stopped"));
            }
            equipment.oneshot(request).await
        }
    }))
}

fn gateway(config: GatewayConfig, backends: Backends, clock: Clock, events: Events) -> Router {
    let signer = Signer::new("gateway", &testing::GATEWAY_SECRET).expect("a signer");
    hourmeter_gateway::router(config, backends, signer, clock, events).expect("a router")
}

/// A browser on the client's page: sends the CSRF header and origin, keeps the session cookie.
#[derive(Clone)]
pub struct Browser {
    pub router: Router,
    pub cookie: Option<String>,
    pub address: SocketAddr,
}

impl Browser {
    pub fn new(router: Router) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let [_, a, b, c] = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        Self {
            router,
            cookie: None,
            address: SocketAddr::from(([10, a, b, c], 40_000)),
        }
    }

    /// The same browser without its session.
    pub fn signed_out(&self) -> Self {
        Self {
            cookie: None,
            ..self.clone()
        }
    }

    /// A request as the client sends it.
    pub fn request(&self, method: Method, path: &str, body: Option<Value>) -> Request<Body> {
        let body = body.map(|body| body.to_string());
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "app.example.com")
            .header("origin", "https://app.example.com")
            .header("sec-fetch-site", "same-origin")
            .header("x-requested-with", "XMLHttpRequest");
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        let body = body.map_or_else(Body::empty, Body::from);
        request.body(body).expect("a request")
    }

    pub async fn send(&self, mut request: Request<Body>) -> Reply {
        request.extensions_mut().insert(ConnectInfo(self.address));
        let response = self.router.clone().oneshot(request).await;
        let (parts, body) = response.expect("a response").into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await;
        Reply {
            status: parts.status,
            headers: parts.headers,
            body: body.expect("a whole body").to_vec(),
        }
    }

    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Reply {
        self.send(self.request(method, path, body)).await
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.call(Method::GET, path, None).await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        self.call(Method::DELETE, path, None).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.call(Method::PATCH, path, Some(body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.call(Method::PUT, path, Some(body)).await
    }

    /// Posts without changing the session cookie.
    pub async fn post_as(&self, path: &str, body: Value) -> Reply {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Posts and stores the session cookie of the response, as a browser does.
    pub async fn post(&mut self, path: &str, body: Value) -> Reply {
        let reply = self.post_as(path, body).await;
        self.keep_cookie(&reply);
        reply
    }

    /// Stores the session cookie of a response.
    pub fn keep_cookie(&mut self, reply: &Reply) {
        if let Some(cookie) = reply.headers.get(header::SET_COOKIE) {
            let cookie = cookie.to_str().expect("text");
            let pair = cookie.split(';').next().expect("a pair");
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
    }

    /// A new excavator with a service interval of 250 hours.
    pub async fn machine(&self, name: &str) -> Value {
        let body = json!({
            "name": name, "type": "machinery", "unit": "hours", "currentUsage": 100,
            "fuelType": "diesel", "serviceInterval": 250,
        });
        self.post_as("/api/equipment", body).await.expect(201)
    }

    /// A new set of one task, every 50 hours.
    pub async fn task_set(&self, name: &str) -> Value {
        let items = json!([{"name": "Grease", "usageInterval": 50}]);
        let body = json!({"name": name, "unit": "hours", "items": items});
        self.post_as("/api/task-sets", body).await.expect(201)
    }
}

/// A complete response.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        let json = serde_json::from_slice(&self.body);
        json.unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The body of an answer that must have this status.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()
    }

    /// The error of an answer that must have this status, as `code`, or the message without one.
    #[track_caller]
    pub fn error(&self, status: u16) -> String {
        let body = self.expect(status);
        let word = if body["code"].is_string() {
            &body["code"]
        } else {
            &body["message"]
        };
        word.as_str().expect("a text").to_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).map(HeaderValue::to_str);
        value.map_or("", |value| value.expect("text"))
    }
}

/// A route's path with this id for each parameter.
pub fn filled(path: &str, id: &str) -> String {
    let parts = path.split('/').map(|part| match part.strip_prefix('{') {
        Some(_) => id,
        None => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The value with ids and times replaced, to compare whole bodies.
pub fn masked(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), masked(value)))
            .collect(),
        Value::Array(items) => items.iter().map(masked).collect(),
        Value::String(text) if is_id(text) => json!("<id>"),
        Value::String(text) if is_time(text) => json!("<time>"),
        other => other.clone(),
    }
}

fn is_id(text: &str) -> bool {
    let shape: Vec<usize> = text.split('-').map(str::len).collect();
    shape == [8, 4, 4, 4, 12] && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

fn is_time(text: &str) -> bool {
    text.ends_with('Z') && text.len() >= 20 && text.as_bytes()[10] == b'T'
}

pub fn id(row: &Value) -> String {
    row["id"].as_str().expect("an id").to_owned()
}

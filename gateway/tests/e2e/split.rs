//! A service on a port of its own, reached over TCP.

use std::sync::Arc;

use hourmeter_accounts::{PasswordSettings, Secrets};
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::{Backend, over_tcp};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Service, Signer, Verifier};
use hourmeter_runtime::server::{Guard, ServicePort, guarded};
use hourmeter_runtime::testing::{self, TestDatabase};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::Code;

use crate::grpc_web;
use crate::product::{Browser, PASSWORD, Product, config};

pub struct Remote {
    pub backend: Backend,
    stop: CancellationToken,
    serving: JoinHandle<Result<(), ServiceError>>,
    _store: TestDatabase,
}

impl Remote {
    pub async fn start(product: &Product) -> Self {
        let policy = Arc::new(policy_table().expect("a complete table"));
        let store = testing::database(Service::Accounts, &hourmeter_accounts::MIGRATIONS).await;
        let rpcs = hourmeter_accounts::routes(
            store.database.clone(),
            product.clock.clone(),
            Secrets::generate().expect("secrets"),
            PasswordSettings::for_tests(),
        );
        let verifier = Verifier::new(Service::Accounts, &testing::trusted_issuers());
        let guard = Guard::new(verifier, policy.clone(), product.clock.clone());
        let free = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = free.local_addr().expect("an address");
        drop(free);
        let stop = CancellationToken::new();
        let port = ServicePort::open(Service::Accounts, address, store.database.clone());
        let port = port.await.expect("a port");
        let serving = tokio::spawn(port.serve(guarded(rpcs, guard), stop.clone().into()));
        let address = format!("http://{address}");
        let backend = over_tcp(Service::Accounts, &address, policy, None);
        Self {
            backend: backend.expect("a backend"),
            stop,
            serving,
            _store: store,
        }
    }

    async fn stop(self) {
        self.stop.cancel();
        let ended = self.serving.await.expect("no panic");
        ended.expect("a clean stop");
    }
}

/// Retries until this status, since the first call may come before the port is open.
async fn until(browser: &Browser, status: u16) {
    for _ in 0..50 {
        if browser.get("/readyz").await.status == status {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("never {status}");
}

/// A gateway that signs with an untrusted key.
pub fn untrusted(product: &Product, accounts: Backend) -> Browser {
    let signer = Signer::new("gateway", &[99; 32]).expect("a signer");
    let (clock, events) = (product.clock.clone(), product.events.clone());
    let mut backends = product.backends.clone();
    backends.accounts = accounts;
    let router = hourmeter_gateway::router(config(), backends, signer, clock, events);
    Browser::new(router.expect("a router"))
}

#[tokio::test]
async fn rest_and_grpc_web_reach_a_service_over_tcp() {
    let product = Product::new().await;
    let remote = Remote::start(&product).await;
    let backend = remote.backend.clone();
    let split = product.gateway_with(|_, backends| backends.accounts = backend);
    let mut browser = Browser::new(split);
    until(&browser, 200).await;
    let body = json!({"businessName": "Acme", "email": "a@b.example", "password": PASSWORD});
    browser.post("/api/auth/signup", body).await.expect(201);
    assert_eq!(browser.get("/api/auth/user").await.status, 200);
    let called = grpc_web::code(&browser, grpc_web::USER, &[]).await;
    assert_eq!(called, Code::Ok);
    remote.stop().await;
    assert_eq!(browser.get("/api/auth/user").await.status, 503);
}

#[tokio::test]
async fn gateway_with_an_untrusted_key_is_not_ready() {
    let product = Product::new().await;
    let remote = Remote::start(&product).await;
    let backend = remote.backend.clone();
    let trusted = product.gateway_with(|_, backends| backends.accounts = backend);
    until(&Browser::new(trusted), 200).await;
    let untrusted = untrusted(&product, remote.backend.clone());
    assert_eq!(untrusted.get("/readyz").await.status, 503);
    remote.stop().await;
}

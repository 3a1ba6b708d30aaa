//! A service in a process of its own, reached over TCP.

use std::sync::Arc;

use hourmeter_accounts::{PasswordSettings, Secrets};
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::over_tcp;
use hourmeter_runtime::identity::{Service, Verifier};
use hourmeter_runtime::server::{Guard, guarded, serve};
use hourmeter_runtime::testing;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::Code;

use crate::grpc_web;
use crate::product::{Browser, PASSWORD, Product};

#[tokio::test]
async fn both_doors_reach_a_service_over_tcp() {
    let product = Product::new().await;
    let policy = Arc::new(policy_table().expect("a whole table"));
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
    let serving = serve(
        Service::Accounts,
        guarded(rpcs, guard),
        store.database,
        address,
        stop.clone().into(),
    );
    let serving = tokio::spawn(serving);
    let backend = over_tcp(
        Service::Accounts,
        &format!("http://{address}"),
        policy,
        None,
    )
    .expect("a backend");
    let split = product.regated(|_, backends| backends.accounts = backend);
    let mut browser = Browser::new(split);

    // The first call may come before the port is open.
    for _ in 0..50 {
        if browser.get("/readyz").await.status == 200 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let body = json!({"businessName": "Acme", "email": "a@b.example", "password": PASSWORD});
    browser.post("/api/auth/signup", body).await.expect(201);
    assert_eq!(browser.get("/api/auth/user").await.status, 200);
    let called = grpc_web::code(&browser, grpc_web::USER, &[]).await;
    assert_eq!(called, Code::Ok);
    stop.cancel();
    serving.await.expect("no panic").expect("a clean stop");
    assert_eq!(browser.get("/api/auth/user").await.status, 503);
}

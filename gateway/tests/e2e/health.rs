//! Readiness of the gateway.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::routing::get;
use hourmeter_accounts::{PasswordSettings, Secrets};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing;
use http::StatusCode;
use tokio_util::sync::CancellationToken;

use crate::product::{Browser, Product};

#[tokio::test]
async fn readyz_fails_without_the_accounts_database() {
    let product = Product::new().await;
    assert_eq!(product.visitor().get("/readyz").await.text(), "ok");

    let nowhere = "postgres://user:password@127.0.0.1:1/nothing";
    let database = Database::connect(&nowhere.to_owned().into(), 1).expect("a pool");
    let accounts = hourmeter_accounts::routes(
        database,
        product.clock.clone(),
        Secrets::generate().expect("secrets"),
        PasswordSettings::for_tests(),
    );
    let accounts = testing::backend(Service::Accounts, accounts, product.clock.clone());
    let cut_off = Browser::new(product.gateway_with(|_, backends| backends.accounts = accounts));
    assert_eq!(cut_off.get("/readyz").await.status, 503);
    assert_eq!(cut_off.get("/healthz").await.text(), "ok");
}

#[tokio::test]
async fn ready_once_reached_fails_only_on_shutdown() {
    let is_up = Arc::new(AtomicBool::new(false));
    let accounts = is_up.clone();
    let answer = async move || {
        if accounts.load(Ordering::Relaxed) {
            StatusCode::OK
        } else {
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    let app = Router::new().route("/readyz", get(answer));
    let shutdown = CancellationToken::new();
    let ready = hourmeter_gateway::ready_once_reached(app, shutdown.clone());
    assert!(!ready().await);
    assert!(!ready().await);
    is_up.store(true, Ordering::Relaxed);
    assert!(ready().await);
    is_up.store(false, Ordering::Relaxed);
    assert!(
        ready.clone()().await,
        "a failing dependency does not matter"
    );
    shutdown.cancel();
    assert!(!ready().await);
}

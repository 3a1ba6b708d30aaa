//! Heartbeats and ends of streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hourmeter_gateway::WatchTiming;
use hourmeter_runtime::client::{Backend, GrpcRequest};
use serde_json::json;
use tonic::{Code, Status};
use tower::{ServiceExt as _, service_fn};

use super::{Received, SOON, Watching};
use crate::product::{Browser, PASSWORD, Product, config};

const MOMENT: Duration = Duration::from_millis(300);

/// The product with other watch timing.
pub(super) async fn with_timing(change: impl FnOnce(&mut WatchTiming)) -> Product {
    let mut settings = config();
    change(&mut settings.watch_timing);
    Product::with(settings).await
}

/// The end of a stream: its code, and the time until then.
pub(super) async fn end(watching: &mut Watching) -> (Code, Duration) {
    let start = Instant::now();
    loop {
        match watching.within(Duration::from_secs(10)).await {
            Some(Received::Changed(_)) => {}
            Some(Received::End(code)) => return (code, start.elapsed()),
            None => panic!("the stream continues"),
        }
    }
}

#[test]
fn default_timing_keeps_the_documented_limits() {
    let timing = WatchTiming::DEFAULT;
    let seconds = Duration::from_secs;
    assert!(timing.heartbeat <= seconds(15));
    // Plus the response time of accounts.
    assert!(timing.check + seconds(2) < seconds(15));
    assert!(timing.max_age <= Duration::from_mins(5));
    assert!(timing.poll_without_events <= seconds(2) && timing.poll_with_events <= seconds(15));
}

#[tokio::test]
async fn idle_stream_sends_heartbeats() {
    let product = with_timing(|timing| timing.heartbeat = MOMENT).await;
    let owner = product.owner("Acme").await;
    let mut watching = owner.watching(&[]).await;
    for _ in 0..5 {
        let start = Instant::now();
        let received = watching.within(SOON).await;
        assert_eq!(received, Some(Received::Changed(vec![])));
        assert!(start.elapsed() >= MOMENT / 2);
    }
}

#[tokio::test]
async fn stream_ends_with_the_session() {
    let product = with_timing(|timing| timing.check = MOMENT).await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let mut operators = operator.watching(&[]).await;
    let mut watching = owner.watching(&[]).await;
    let mut expiring = product.manager_of(&owner).await.watching(&[]).await;
    assert!(watching.within(3 * MOMENT).await.is_none());

    let id = crate::product::id(&operator.get("/api/auth/user").await.expect(200));
    let gone = owner.delete(&format!("/api/employees/{id}")).await;
    assert_eq!(gone.status, 204, "{}", gone.text());
    let (code, after) = end(&mut operators).await;
    assert!(
        code == Code::Unauthenticated && after < SOON,
        "{code:?} {after:?}"
    );

    product
        .in_accounts(
            "UPDATE sessions SET expire = now() - interval '1 second' WHERE role = 'manager'",
        )
        .await;
    let (code, after) = end(&mut expiring).await;
    assert!(
        code == Code::Unauthenticated && after < SOON,
        "{code:?} {after:?}"
    );

    let ended = owner.post_as("/api/auth/logout", json!({})).await;
    assert_eq!(ended.status, 204);
    let (code, after) = end(&mut watching).await;
    assert!(
        code == Code::Unauthenticated && after < SOON,
        "{code:?} {after:?}"
    );
    assert_eq!(
        owner.watch(&[]).await.next().await,
        Received::End(Code::Unauthenticated)
    );
}

#[tokio::test]
async fn stream_ends_when_the_token_changes() {
    let product = with_timing(|timing| timing.check = MOMENT).await;
    let mut owner = product.owner("Acme").await;
    let mut watching = owner.watching(&[]).await;
    let confirmed = owner
        .post("/api/auth/reauth", json!({"password": PASSWORD}))
        .await;
    assert_eq!(confirmed.status, 204, "{}", confirmed.text());
    assert_eq!(end(&mut watching).await.0, Code::Unauthenticated);
    owner.watching(&[]).await;
}

#[tokio::test]
async fn stream_ends_after_its_maximum_age() {
    let product = with_timing(|timing| timing.max_age = SOON).await;
    let owner = product.owner("Acme").await;
    let mut watching = owner.watching(&[]).await;
    let (code, after) = end(&mut watching).await;
    assert_eq!(code, Code::Ok);
    assert!(after > SOON / 2 && after < 3 * SOON, "{after:?}");
    owner.watching(&[]).await;
}

/// The same browser at a gateway whose accounts service can be stopped.
fn with_stoppable_accounts(product: &Product, owner: &Browser) -> (Browser, Arc<AtomicBool>) {
    let stopped = Arc::new(AtomicBool::new(false));
    let (accounts, flag) = (product.backends.accounts.clone(), stopped.clone());
    let accounts = service_fn(move |request: GrpcRequest| {
        let (accounts, stopped) = (accounts.clone(), flag.load(Ordering::Relaxed));
        async move {
            if stopped {
                return Err(Status::unavailable("stopped"));
            }
            accounts.oneshot(request).await
        }
    });
    let router = product.gateway_with(|_, backends| backends.accounts = Backend::new(accounts));
    let browser = Browser {
        router,
        ..owner.clone()
    };
    (browser, stopped)
}

#[tokio::test]
async fn stream_outlives_a_short_outage_of_accounts() {
    let product = with_timing(|timing| {
        timing.check = MOMENT;
        timing.check_retry = MOMENT / 3;
        timing.max_unconfirmed = 2 * SOON;
    })
    .await;
    let owner = product.owner("Acme").await;
    let (owner, stopped) = with_stoppable_accounts(&product, &owner);
    let mut watching = owner.watching(&[]).await;
    stopped.store(true, Ordering::Relaxed);
    assert!(watching.within(SOON).await.is_none());
    stopped.store(false, Ordering::Relaxed);
    assert!(watching.within(2 * SOON).await.is_none());
    stopped.store(true, Ordering::Relaxed);
    let (code, after) = end(&mut watching).await;
    assert_eq!(code, Code::Unavailable);
    assert!(after > SOON, "{after:?}");
}

//! How streams go on and end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hourmeter_gateway::WatchPace;
use hourmeter_runtime::client::{Backend, GrpcRequest};
use serde_json::json;
use tonic::{Code, Status};
use tower::{ServiceExt as _, service_fn};

use super::{Heard, SOON, Watching};
use crate::product::{Browser, PASSWORD, Product, config};

const MOMENT: Duration = Duration::from_millis(300);

/// The product, watched at another pace.
pub(super) async fn at_pace(change: impl FnOnce(&mut WatchPace)) -> Product {
    let mut settings = config();
    change(&mut settings.watch_pace);
    Product::with(settings).await
}

/// How a stream ends, and when.
pub(super) async fn end(watching: &mut Watching) -> (Code, Duration) {
    let began = Instant::now();
    loop {
        match watching.within(Duration::from_secs(10)).await {
            Some(Heard::Changed(_)) => {}
            Some(Heard::End(code)) => return (code, began.elapsed()),
            None => panic!("it goes on"),
        }
    }
}

#[test]
fn the_usual_pace_keeps_what_is_promised() {
    let pace = WatchPace::USUAL;
    let seconds = Duration::from_secs;
    assert!(pace.heartbeat <= seconds(15));
    // The time of an answer from accounts comes on top.
    assert!(pace.check + seconds(2) < seconds(15));
    assert!(pace.life <= Duration::from_mins(5));
    assert!(pace.alone <= seconds(2) && pace.calm <= seconds(15));
}

#[tokio::test]
async fn silence_is_filled() {
    let product = at_pace(|pace| pace.heartbeat = MOMENT).await;
    let owner = product.owner("Acme").await;
    let mut watching = owner.watching(&[]).await;
    for _ in 0..5 {
        let began = Instant::now();
        let heard = watching.within(SOON).await;
        assert_eq!(heard, Some(Heard::Changed(vec![])));
        assert!(began.elapsed() >= MOMENT / 2);
    }
}

#[tokio::test]
async fn a_session_that_ended_watches_no_longer() {
    let product = at_pace(|pace| pace.check = MOMENT).await;
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
        Heard::End(Code::Unauthenticated)
    );
}

#[tokio::test]
async fn with_another_token_one_watches_anew() {
    let product = at_pace(|pace| pace.check = MOMENT).await;
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
async fn a_stream_has_its_time() {
    let product = at_pace(|pace| pace.life = SOON).await;
    let owner = product.owner("Acme").await;
    let mut watching = owner.watching(&[]).await;
    let (code, after) = end(&mut watching).await;
    assert_eq!(code, Code::Ok);
    assert!(after > SOON / 2 && after < 3 * SOON, "{after:?}");
    owner.watching(&[]).await;
}

/// The same person at a gateway whose accounts service can be away.
fn with_accounts_away(product: &Product, owner: &Browser) -> (Browser, Arc<AtomicBool>) {
    let away = Arc::new(AtomicBool::new(false));
    let (accounts, told) = (product.backends.accounts.clone(), away.clone());
    let accounts = service_fn(move |request: GrpcRequest| {
        let (accounts, away) = (accounts.clone(), told.load(Ordering::Relaxed));
        async move {
            if away {
                return Err(Status::unavailable("away"));
            }
            accounts.oneshot(request).await
        }
    });
    let router = product.regated(|_, backends| backends.accounts = Backend::new(accounts));
    let browser = Browser {
        router,
        ..owner.clone()
    };
    (browser, away)
}

#[tokio::test]
async fn without_accounts_a_stream_goes_on_for_a_while() {
    let product = at_pace(|pace| {
        pace.check = MOMENT;
        pace.check_again = MOMENT / 3;
        pace.unconfirmed = 2 * SOON;
    })
    .await;
    let owner = product.owner("Acme").await;
    let (owner, away) = with_accounts_away(&product, &owner);
    let mut watching = owner.watching(&[]).await;
    away.store(true, Ordering::Relaxed);
    assert!(watching.within(SOON).await.is_none());
    away.store(false, Ordering::Relaxed);
    assert!(watching.within(2 * SOON).await.is_none());
    away.store(true, Ordering::Relaxed);
    let (code, after) = end(&mut watching).await;
    assert_eq!(code, Code::Unavailable);
    assert!(after > SOON, "{after:?}");
}

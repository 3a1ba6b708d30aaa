//! The session cache of gateways: how rarely accounts is called, and how soon an ended session is
//! noticed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use chrono::TimeDelta;
use hourmeter_gateway::Backends;
use hourmeter_runtime::client::{Backend, GrpcRequest};
use serde_json::json;
use tower::ServiceExt as _;

use crate::limits_shared::redis;
use crate::product::{Browser, OPERATOR_PASSWORD, PASSWORD, Product, config, id};

const USER: &str = "/api/auth/user";

/// Counts the sessions that accounts resolves.
fn counting(backends: &mut Backends) -> Arc<AtomicU32> {
    let resolved = Arc::<AtomicU32>::default();
    let (accounts, count) = (backends.accounts.clone(), resolved.clone());
    backends.accounts = Backend::new(tower::service_fn(move |request: GrpcRequest| {
        if request.uri().path().ends_with("/ResolveSession") {
            count.fetch_add(1, Ordering::Relaxed);
        }
        accounts.clone().oneshot(request)
    }));
    resolved
}

/// Two gateways for the same services, with this Redis or none.
async fn two_gateways(redis_url: Option<&str>) -> (Product, Browser) {
    let mut settings = config();
    settings.redis_url = redis_url.map(|url| url.to_owned().into());
    let product = Product::with(settings).await;
    let other = Browser::new(product.gateway_with(|_, _| ()));
    (product, other)
}

/// The browser at another gateway, which has cached the session.
async fn cached_at(gateway: &Browser, browser: &Browser) -> Browser {
    let there = Browser {
        router: gateway.router.clone(),
        ..browser.clone()
    };
    // The first request learns the session's company, the second fills the cache.
    for _ in 0..3 {
        there.get(USER).await.expect(200);
    }
    there
}

#[tokio::test]
async fn session_is_resolved_once_per_five_seconds() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let mut resolved = Arc::default();
    let router = product.gateway_with(|_, backends| resolved = counting(backends));
    let owner = Browser { router, ..owner };
    for _ in 0..10 {
        owner.get(USER).await.expect(200);
    }
    assert_eq!(resolved.load(Ordering::Relaxed), 2);
    let now = product.clock.now();
    for (milliseconds, expected) in [(4999, 2), (5000, 3), (5001, 3)] {
        let then = now + TimeDelta::milliseconds(milliseconds);
        product.clock.set(then);
        owner.get(USER).await.expect(200);
        assert_eq!(resolved.load(Ordering::Relaxed), expected, "{milliseconds}");
    }
}

/// Ends sessions in every way, and checks each end at the other gateway.
async fn assert_ends_are_noticed(redis_url: &str) {
    let (product, gateway) = two_gateways(Some(redis_url)).await;
    let mut owner = product.owner("Acme").await;

    // A person is removed.
    let operator = product.operator_of(&owner).await;
    let there = cached_at(&gateway, &operator).await;
    let gone = format!(
        "/api/employees/{}",
        id(&operator.get(USER).await.expect(200))
    );
    assert_eq!(owner.delete(&gone).await.status, 204);
    assert_eq!(there.get(USER).await.status, 401);

    // A person gets another password.
    let manager = product.manager_of(&owner).await;
    let there = cached_at(&gateway, &manager).await;
    let target = id(&manager.get(USER).await.expect(200));
    let reset = json!({"targetUserId": target, "newPassword": "trench-9-shoring"});
    let reset = owner.post_as("/api/admin/reset-user-password", reset).await;
    assert!(reset.status.is_success(), "{}", reset.text());
    assert_eq!(there.get(USER).await.status, 401);

    // The shared password changes.
    let crew = product.shared_session("Acme").await;
    let there = cached_at(&gateway, &crew).await;
    let changed = json!({"masterPassword": format!("{OPERATOR_PASSWORD}-2")});
    let changed = owner.post_as("/api/company-settings", changed).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    let here = crew.get(USER).await.status;
    assert_eq!(there.get(USER).await.status, here);

    // The owner's own password changes; so does the token.
    let there = cached_at(&gateway, &owner).await;
    let change = json!({"currentPassword": PASSWORD, "newPassword": "culvert-6-spoil"});
    let change = owner.patch("/api/user/change-password", change).await;
    assert!(change.status.is_success(), "{}", change.text());
    owner.keep_cookie(&change);
    assert_eq!(there.get(USER).await.status, 401);

    // Company data in the session changes.
    let there = cached_at(&gateway, &owner).await;
    let settings = json!({"timeZone": "America/Chicago"});
    owner
        .post_as("/api/company-settings", settings)
        .await
        .expect(200);
    assert_eq!(owner.get(USER).await.json(), there.get(USER).await.json());

    // Signed out.
    let ended = owner.post_as("/api/auth/logout", json!({})).await;
    assert_eq!(ended.status, 204);
    assert_eq!(there.get(USER).await.status, 401);
}

#[tokio::test]
async fn ended_session_is_rejected_at_every_gateway() {
    assert_ends_are_noticed(&redis(6).await).await;
}

#[tokio::test]
async fn ended_session_is_rejected_at_every_gateway_without_redis() {
    assert_ends_are_noticed("redis://127.0.0.1:1/").await;
}

#[tokio::test]
async fn evicted_session_is_rejected() {
    let (product, gateway) = two_gateways(Some(&redis(7).await)).await;
    let owner = product.owner("Acme").await;
    let there = cached_at(&gateway, &owner).await;
    let login = json!({"emailOrBusinessName": "Acme", "password": PASSWORD});
    for _ in 0..20 {
        there.get(USER).await.expect(200);
        let mut browser = product.visitor();
        let signed_in = browser.post("/api/auth/login", login.clone()).await;
        assert_eq!(signed_in.status, 200, "{}", signed_in.text());
    }
    assert_eq!(there.get(USER).await.status, 401);
}

#[tokio::test]
async fn ended_session_is_rejected_within_five_seconds_after_lost_events() {
    // Gateways without Redis do not share generations, as if every change were lost.
    let (product, gateway) = two_gateways(None).await;
    let owner = product.owner("Acme").await;
    let there = cached_at(&gateway, &owner).await;
    let now = product.clock.now();
    let ended = owner.post_as("/api/auth/logout", json!({})).await;
    assert_eq!(ended.status, 204);
    assert_eq!(owner.get(USER).await.status, 401);
    // The cached session is still valid.
    product.clock.set(now + TimeDelta::milliseconds(4999));
    assert_eq!(there.get(USER).await.status, 200);
    product.clock.set(now + TimeDelta::seconds(5));
    assert_eq!(there.get(USER).await.status, 401);
}

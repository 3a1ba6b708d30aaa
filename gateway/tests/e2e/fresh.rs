//! How soon services see a changed subscription.

use std::time::Duration;

use chrono::TimeDelta;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::testing::redis_url;
use serde_json::json;
use tokio::time::timeout;

use crate::product::{Browser, Product, config};

/// Pays, pauses and resumes, as seen through these gateways.
async fn pay_pause_resume(owner: &Browser, gateways: &[Browser]) {
    for gateway in gateways {
        gateway.until_premium(false).await;
    }
    owner.pay("professional", "month").await;
    for gateway in gateways {
        gateway.until_premium(true).await;
    }
    let pause = json!({"months": 3});
    let paused = owner.post_as("/api/subscription/pause", pause).await;
    paused.expect(200);
    for gateway in gateways {
        gateway.until_premium(false).await;
    }
    let resumed = owner.post_as("/api/subscription/reactivate", json!({}));
    resumed.await.expect(200);
    for gateway in gateways {
        gateway.until_premium(true).await;
    }
}

// The clock is fixed, so no cache entry expires by age.

#[tokio::test]
async fn entitlements_change_immediately_in_one_process() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    pay_pause_resume(&owner, std::slice::from_ref(&owner)).await;
}

#[tokio::test]
async fn entitlements_change_at_every_gateway_through_redis() {
    let url = redis_url();
    let shared = || Events::shared(&url).expect("a URL");
    let product = Product::with_events(config(), shared()).await;
    let owner = product.owner("Acme").await;
    let events = [shared(), shared()];
    let mut gateways = Vec::new();
    for events in &events {
        let router = product.gateway_with_events(events.clone());
        let mut live = events.live();
        let connected = timeout(Duration::from_secs(10), live.wait_for(|live| *live)).await;
        assert!(
            matches!(connected, Ok(Ok(_))),
            "the gateway is not subscribed"
        );
        gateways.push(Browser {
            router,
            ..owner.clone()
        });
    }
    pay_pause_resume(&owner, &gateways).await;
}

#[tokio::test]
async fn entitlements_change_within_a_second_without_redis() {
    let product = Product::with_events(config(), Events::off()).await;
    let owner = product.owner("Acme").await;
    let gateway = Browser {
        router: product.gateway_with_events(Events::off()),
        ..owner.clone()
    };
    assert!(!gateway.premium().await);
    owner.pay("professional", "month").await;
    let now = product.clock.now();
    product.clock.set(now + TimeDelta::milliseconds(999));
    assert!(!gateway.premium().await);
    product.clock.set(now + TimeDelta::seconds(1));
    assert!(gateway.premium().await);
    let canceled = owner.post_as("/api/subscription/pause", json!({"months": 3}));
    canceled.await.expect(200);
    product.clock.set(now + TimeDelta::seconds(2));
    assert!(!gateway.premium().await);
}

//! How soon what was paid for opens, and what was not paid for closes, at the services.

use std::time::Duration;

use chrono::TimeDelta;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::testing::redis_url;
use serde_json::json;
use tokio::time::timeout;

use crate::product::{Browser, Product, config};

/// Everything of a plan, there and back, as a person at this door sees it.
async fn there_and_back(owner: &Browser, doors: &[Browser]) {
    for door in doors {
        door.until_premium(false).await;
    }
    owner.pay("professional", "month").await;
    for door in doors {
        door.until_premium(true).await;
    }
    let pause = json!({"months": 3});
    let paused = owner.post_as("/api/subscription/pause", pause).await;
    paused.expect(200);
    for door in doors {
        door.until_premium(false).await;
    }
    let resumed = owner.post_as("/api/subscription/reactivate", json!({}));
    resumed.await.expect(200);
    for door in doors {
        door.until_premium(true).await;
    }
}

// The product's clock stands still in these, so that nothing is asked for again by its age.

#[tokio::test]
async fn in_one_process_at_once() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    there_and_back(&owner, std::slice::from_ref(&owner)).await;
}

#[tokio::test]
async fn through_redis_at_every_gateway_at_once() {
    let url = redis_url();
    let shared = || Events::shared(&url).expect("a URL");
    let product = Product::telling(config(), shared()).await;
    let owner = product.owner("Acme").await;
    let events = [shared(), shared()];
    let mut doors = Vec::new();
    for events in &events {
        let router = product.hearing(events.clone());
        let mut live = events.live();
        let heard = timeout(Duration::from_secs(10), live.wait_for(|live| *live)).await;
        assert!(matches!(heard, Ok(Ok(_))), "the gateway does not listen");
        doors.push(Browser {
            router,
            ..owner.clone()
        });
    }
    there_and_back(&owner, &doors).await;
}

#[tokio::test]
async fn without_redis_within_a_second() {
    let product = Product::telling(config(), Events::off()).await;
    let owner = product.owner("Acme").await;
    let door = Browser {
        router: product.hearing(Events::off()),
        ..owner.clone()
    };
    assert!(!door.premium().await);
    owner.pay("professional", "month").await;
    let now = product.clock.now();
    product.clock.set(now + TimeDelta::milliseconds(999));
    assert!(!door.premium().await);
    product.clock.set(now + TimeDelta::seconds(1));
    assert!(door.premium().await);
    let canceled = owner.post_as("/api/subscription/pause", json!({"months": 3}));
    canceled.await.expect(200);
    product.clock.set(now + TimeDelta::seconds(2));
    assert!(!door.premium().await);
}

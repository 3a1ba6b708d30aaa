//! Several gateways with one Redis that fails and recovers.

use std::time::Duration;

use hourmeter_runtime::events::Events;
use hourmeter_runtime::testing::redis_url;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout;

use super::revisions::frequent_polls;
use super::{SOON, UPDATES};
use crate::limits_shared::RedisProxy;
use crate::product::{Browser, Product, id};

fn shared(url: &SecretString) -> Events {
    Events::shared(url).expect("a URL")
}

async fn until_live(events: &Events, wanted: bool) {
    let mut live = events.live();
    let change = timeout(10 * SOON, live.wait_for(|live| *live == wanted)).await;
    assert!(matches!(change, Ok(Ok(_))), "not {wanted} in time");
}

#[tokio::test]
async fn events_reach_every_gateway() {
    let url = redis_url();
    let mut settings = frequent_polls();
    // Only events are fast enough.
    settings.watch_timing.poll_without_events = Duration::from_mins(1);
    settings.watch_timing.poll_with_events = Duration::from_mins(1);
    let product = Product::with_events(settings, shared(&url)).await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let operator = product.operator_of(&owner).await;
    let gateways = [shared(&url), shared(&url)];
    let mut all = Vec::new();
    for events in &gateways {
        let browser = Browser {
            router: product.gateway_with_events(events.clone()),
            ..owner.clone()
        };
        let mut watching = browser.watching_after_changes(&[UPDATES]).await;
        until_live(events, true).await;
        watching.all(SOON / 2).await;
        all.push(watching);
    }
    for reading in [104.0, 105.0, 106.0] {
        operator.report(&machine, reading).await;
        for watching in &mut all {
            assert_eq!(watching.changed().await, [UPDATES]);
        }
    }
}

#[tokio::test]
async fn polling_replaces_events_while_redis_is_down() {
    let url = redis_url();
    let target = url.expose_secret().trim_start_matches("redis://");
    let target = target.trim_end_matches('/').to_owned();
    let mut proxy = RedisProxy::to(target).await;
    let through: SecretString = format!("redis://{}/", proxy.address).into();
    let mut settings = frequent_polls();
    settings.watch_timing.poll_with_events = Duration::from_mins(1);
    let product = Product::with_events(settings, shared(&through)).await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let operator = product.operator_of(&owner).await;
    let events = shared(&through);
    let browser = Browser {
        router: product.gateway_with_events(events.clone()),
        ..owner
    };
    let mut watching = browser.watching_after_changes(&[UPDATES]).await;
    until_live(&events, true).await;
    watching.all(SOON / 2).await;
    let mut reading = 104.0;
    let mut assert_reported = async |watching: &mut super::Watching| {
        operator.report(&machine, reading).await;
        reading += 1.0;
        assert_eq!(watching.changed().await, [UPDATES]);
    };
    assert_reported(&mut watching).await;
    proxy.stop().await;
    until_live(&events, false).await;
    for _ in 0..3 {
        assert_reported(&mut watching).await;
    }
    proxy.restart().await;
    until_live(&events, true).await;
    watching.all(2 * SOON).await;
    // Publishing pauses for a second after its last failure.
    for _ in 0..3 {
        assert_reported(&mut watching).await;
    }
}

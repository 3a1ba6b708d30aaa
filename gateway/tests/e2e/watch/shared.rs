//! Several gateways and one Redis that comes and goes.

use std::time::Duration;

use hourmeter_runtime::events::Events;
use hourmeter_runtime::testing::redis_url;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout;

use super::markers::impatient;
use super::{SOON, UPDATES};
use crate::limits_shared::Wire;
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
async fn every_gateway_hears_what_services_tell() {
    let url = redis_url();
    let mut settings = impatient();
    // Only events can be in time.
    settings.watch_pace.alone = Duration::from_mins(1);
    settings.watch_pace.calm = Duration::from_mins(1);
    let product = Product::telling(settings, shared(&url)).await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let operator = product.operator_of(&owner).await;
    let gateways = [shared(&url), shared(&url)];
    let mut all = Vec::new();
    for events in &gateways {
        let browser = Browser {
            router: product.hearing(events.clone()),
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
async fn without_redis_markers_take_over_until_it_is_back() {
    let url = redis_url();
    let target = url.expose_secret().trim_start_matches("redis://");
    let target = target.trim_end_matches('/').to_owned();
    let mut wire = Wire::to(target).await;
    let through: SecretString = format!("redis://{}/", wire.address).into();
    let mut settings = impatient();
    settings.watch_pace.calm = Duration::from_mins(1);
    let product = Product::telling(settings, shared(&through)).await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let operator = product.operator_of(&owner).await;
    let events = shared(&through);
    let browser = Browser {
        router: product.hearing(events.clone()),
        ..owner
    };
    let mut watching = browser.watching(&[UPDATES]).await;
    until_live(&events, true).await;
    watching.all(SOON / 2).await;
    let mut reading = 104.0;
    let mut seen = async |watching: &mut super::Watching| {
        operator.report(&machine, reading).await;
        reading += 1.0;
        assert_eq!(watching.changed().await, [UPDATES]);
    };
    seen(&mut watching).await;
    wire.cut().await;
    until_live(&events, false).await;
    for _ in 0..3 {
        seen(&mut watching).await;
    }
    wire.mend().await;
    until_live(&events, true).await;
    watching.all(2 * SOON).await;
    // The way for telling is left alone for a second after its last failure.
    for _ in 0..3 {
        seen(&mut watching).await;
    }
}

//! Watching by polling revisions, without events.

use std::time::{Duration, Instant};

use hourmeter_gateway::GatewayConfig;
use hourmeter_runtime::events::{Events, Topic};

use super::{EQUIPMENT, SOON, SUBSCRIPTION, UPDATES};
use crate::outgoing::recording;
use crate::product::{Browser, Product, config, id};

const MOMENT: Duration = Duration::from_millis(300);

/// Settings with frequent polls of revisions without events.
pub fn frequent_polls() -> GatewayConfig {
    let mut settings = config();
    settings.watch_timing.poll_without_events = MOMENT;
    settings
}

#[tokio::test]
async fn changes_are_found_by_polling_without_events() {
    let product = Product::with_events(frequent_polls(), Events::off()).await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let (one, other) = (
        product.operator_of(&owner).await,
        product.operator_of(&owner).await,
    );
    let other_owner = product.owner("Beta").await;
    let mut other_company = other_owner.watching_after_changes(&[]).await;
    let mut managers = owner.watching_after_changes(&[UPDATES]).await;
    let mut own = one.watching_after_changes(&[UPDATES]).await;
    let mut others = other.watching_after_changes(&[UPDATES]).await;
    let mut machines = owner.watching_after_changes(&[EQUIPMENT]).await;
    // Changes before the stream are reported once, since the client may not have read them.
    for watching in [
        &mut other_company,
        &mut managers,
        &mut own,
        &mut others,
        &mut machines,
    ] {
        let topics = watching.all(2 * MOMENT).await;
        assert!(topics.len() <= Topic::ALL.len(), "{topics:?}");
    }
    one.report(&machine, 104.0).await;
    assert_eq!(managers.changed().await, [UPDATES]);
    assert_eq!(own.changed().await, [UPDATES]);
    owner.machine("Truck").await;
    assert_eq!(machines.changed().await, [EQUIPMENT]);
    for watching in [
        &mut other_company,
        &mut managers,
        &mut own,
        &mut others,
        &mut machines,
    ] {
        assert_eq!(watching.all(2 * MOMENT).await, [0; 0]);
    }
}

#[tokio::test]
async fn subscription_changes_are_found_by_polling_without_events() {
    let product = Product::with_events(frequent_polls(), Events::off()).await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let other_owner = product.owner("Beta").await;
    let mut managers = owner.watching_after_changes(&[SUBSCRIPTION]).await;
    let mut operators = operator.watching_after_changes(&[SUBSCRIPTION]).await;
    let mut other_company = other_owner.watching_after_changes(&[SUBSCRIPTION]).await;
    managers.all(2 * MOMENT).await;
    assert_eq!(operators.all(MOMENT).await, [0; 0]);
    other_company.all(MOMENT).await;
    owner.pay("professional", "month").await;
    assert_eq!(managers.changed().await, [SUBSCRIPTION]);
    managers.all(2 * MOMENT).await;
    assert_eq!(managers.all(3 * MOMENT).await, [0; 0]);
    let pause = serde_json::json!({"months": 3});
    owner
        .post_as("/api/subscription/pause", pause)
        .await
        .expect(200);
    assert_eq!(managers.changed().await, [SUBSCRIPTION]);
    for watching in [&mut operators, &mut other_company] {
        assert_eq!(watching.all(MOMENT).await, [0; 0]);
    }
}

#[tokio::test]
async fn lost_event_makes_polling_frequent() {
    let mut settings = frequent_polls();
    settings.watch_timing.poll_with_events = 3 * SOON;
    // The services publish no events, and the gateway does not know it.
    let product = Product::with_events(settings, Events::off()).await;
    let owner = product.owner("Acme").await;
    let owner = Browser {
        router: product.gateway_with_events(Events::local()),
        ..owner
    };
    let mut watching = owner.watching(&[EQUIPMENT]).await;
    assert_eq!(watching.all(SOON / 2).await, [0; 0]);
    owner.machine("Crane").await;
    let start = Instant::now();
    while watching.all(MOMENT).await.is_empty() {
        assert!(start.elapsed() < 5 * SOON, "never found");
    }
    for name in ["Truck", "Pump"] {
        owner.machine(name).await;
        assert_eq!(watching.changed().await, [EQUIPMENT]);
    }
}

#[tokio::test]
async fn polls_do_not_depend_on_the_number_of_streams() {
    let mut settings = frequent_polls();
    settings.watch_timing.poll_with_events = MOMENT;
    let product = Product::with(settings).await;
    let owner = product.owner("Acme").await;
    let manager = product.manager_of(&owner).await;
    let operator = product.operator_of(&owner).await;
    let (equipment, equipment_calls) = recording(product.backends.equipment.clone());
    let (updates, updates_calls) = recording(product.backends.operator_updates.clone());
    let router = product.gateway_with(|_, backends| {
        backends.equipment = equipment;
        backends.operator_updates = updates;
    });
    let mut all = Vec::new();
    for browser in [owner, manager, operator] {
        let browser = Browser {
            router: router.clone(),
            ..browser
        };
        for _ in 0..10 {
            all.push(browser.watching(&[]).await);
        }
    }
    let count = || {
        let name = "x-internal-identity";
        let equipment = equipment_calls.entries("GetEquipmentMarker", name).len();
        (
            equipment,
            updates_calls.entries("GetUpdatesMarker", name).len(),
        )
    };
    let before = count();
    tokio::time::sleep(10 * MOMENT).await;
    let after = count();
    // One for equipment; for submissions one for all with the full view, and one for the operator.
    assert!(
        (5..=11).contains(&(after.0 - before.0)),
        "{before:?} {after:?}"
    );
    assert!(
        (10..=22).contains(&(after.1 - before.1)),
        "{before:?} {after:?}"
    );
    drop(all);
    tokio::time::sleep(MOMENT).await;
    let before = count();
    tokio::time::sleep(3 * MOMENT).await;
    assert_eq!(count(), before);
}

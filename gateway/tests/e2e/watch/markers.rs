//! Watching where nobody tells what changed.

use std::time::{Duration, Instant};

use hourmeter_gateway::GatewayConfig;
use hourmeter_runtime::events::Events;

use super::{EQUIPMENT, SOON, SUBSCRIPTION, UPDATES};
use crate::outgoing::watched;
use crate::product::{Browser, Product, config, id};

const MOMENT: Duration = Duration::from_millis(300);

/// Settings with which markers are compared often where they have to be.
pub fn impatient() -> GatewayConfig {
    let mut settings = config();
    settings.watch_pace.alone = MOMENT;
    settings
}

#[tokio::test]
async fn without_events_markers_tell() {
    let product = Product::telling(impatient(), Events::off()).await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let (one, other) = (
        product.operator_of(&owner).await,
        product.operator_of(&owner).await,
    );
    let stranger = product.owner("Beta").await;
    let mut theirs = stranger.watching_after_changes(&[]).await;
    let mut managers = owner.watching_after_changes(&[UPDATES]).await;
    let mut own = one.watching_after_changes(&[UPDATES]).await;
    let mut others = other.watching_after_changes(&[UPDATES]).await;
    let mut machines = owner.watching_after_changes(&[EQUIPMENT]).await;
    // What came before somebody began to watch is told once, since it may not have been read.
    for watching in [
        &mut theirs,
        &mut managers,
        &mut own,
        &mut others,
        &mut machines,
    ] {
        let told = watching.all(2 * MOMENT).await;
        assert!(told.len() <= 3, "{told:?}");
    }
    one.report(&machine, 104.0).await;
    assert_eq!(managers.changed().await, [UPDATES]);
    assert_eq!(own.changed().await, [UPDATES]);
    owner.machine("Truck").await;
    assert_eq!(machines.changed().await, [EQUIPMENT]);
    for watching in [
        &mut theirs,
        &mut managers,
        &mut own,
        &mut others,
        &mut machines,
    ] {
        assert_eq!(watching.all(2 * MOMENT).await, [0; 0]);
    }
}

#[tokio::test]
async fn without_events_the_subscriptions_marker_tells() {
    let product = Product::telling(impatient(), Events::off()).await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let stranger = product.owner("Beta").await;
    let mut managers = owner.watching_after_changes(&[SUBSCRIPTION]).await;
    let mut operators = operator.watching_after_changes(&[SUBSCRIPTION]).await;
    let mut strangers = stranger.watching_after_changes(&[SUBSCRIPTION]).await;
    managers.all(2 * MOMENT).await;
    assert_eq!(operators.all(MOMENT).await, [0; 0]);
    strangers.all(MOMENT).await;
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
    for nobody in [&mut operators, &mut strangers] {
        assert_eq!(nobody.all(MOMENT).await, [0; 0]);
    }
}

#[tokio::test]
async fn what_nobody_told_is_found_and_then_looked_for_often() {
    let mut settings = impatient();
    settings.watch_pace.calm = 3 * SOON;
    // The services tell nobody, and the gateway does not know.
    let product = Product::telling(settings, Events::off()).await;
    let owner = product.owner("Acme").await;
    let owner = Browser {
        router: product.hearing(Events::local()),
        ..owner
    };
    let mut watching = owner.watching(&[EQUIPMENT]).await;
    assert_eq!(watching.all(SOON / 2).await, [0; 0]);
    owner.machine("Crane").await;
    let began = Instant::now();
    while watching.all(MOMENT).await.is_empty() {
        assert!(began.elapsed() < 5 * SOON, "never found");
    }
    for name in ["Truck", "Pump"] {
        owner.machine(name).await;
        assert_eq!(watching.changed().await, [EQUIPMENT]);
    }
}

#[tokio::test]
async fn a_company_is_looked_at_once_however_many_watch() {
    let mut settings = impatient();
    settings.watch_pace.calm = MOMENT;
    let product = Product::with(settings).await;
    let owner = product.owner("Acme").await;
    let manager = product.manager_of(&owner).await;
    let operator = product.operator_of(&owner).await;
    let (equipment, asked) = watched(product.backends.equipment.clone());
    let (updates, asked_updates) = watched(product.backends.operator_updates.clone());
    let router = product.regated(|_, backends| {
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
        let equipment = asked.entries("GetEquipmentMarker", name).len();
        (
            equipment,
            asked_updates.entries("GetUpdatesMarker", name).len(),
        )
    };
    let before = count();
    tokio::time::sleep(10 * MOMENT).await;
    let after = count();
    // One for equipment; for submissions one of all who see all, and one of the operator.
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

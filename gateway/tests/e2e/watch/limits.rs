//! How many may watch, and what that costs others.

use std::time::Duration;

use hourmeter_runtime::events::Topic;
use tonic::Code;

use super::{EQUIPMENT, Heard, SOON, Watching, event};
use crate::product::{Browser, Product, config};

async fn watch_times(browser: &Browser, times: usize) -> Vec<Watching> {
    let mut all = Vec::new();
    for _ in 0..times {
        all.push(browser.watching(&[]).await);
    }
    all
}

async fn refused(browser: &Browser) -> Watching {
    let mut refused = browser.watch(&[]).await;
    assert_eq!(refused.next().await, Heard::End(Code::ResourceExhausted));
    refused
}

#[tokio::test]
async fn a_session_and_a_company_have_their_streams() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let mut all = watch_times(&owner, 20).await;
    let told = refused(&owner).await;
    assert_eq!(told.headers["retry-after"], "30");
    assert_eq!(told.headers["grpc-status"], "8");
    // One who leaves makes room.
    all.pop();
    tokio::time::sleep(SOON / 10).await;
    all.push(owner.watching(&[]).await);
    refused(&owner).await;

    for _ in 0..9 {
        let manager = product.manager_of(&owner).await;
        all.extend(watch_times(&manager, 20).await);
    }
    let manager = product.manager_of(&owner).await;
    refused(&manager).await;
    let stranger = product.owner("Beta").await;
    stranger.watching(&[]).await;
    // Operators have places of their own.
    let operator = product.operator_of(&owner).await;
    operator.watching(&[]).await;
    drop(all);
    tokio::time::sleep(SOON / 10).await;
    manager.watching(&[]).await;
}

#[tokio::test]
async fn a_crew_keeps_no_manager_out() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    product.operator_of(&owner).await;
    let mut all = Vec::new();
    // All of these are the same person, on telephones of their own.
    for _ in 0..25 {
        let phone = product.shared_session("Acme").await;
        all.extend(watch_times(&phone, 20).await);
    }
    let late = product.shared_session("Acme").await;
    refused(&late).await;
    owner.watching(&[]).await;
    drop(all);
    tokio::time::sleep(SOON / 10).await;
    late.watching(&[]).await;
}

#[tokio::test]
async fn who_watches_takes_no_turn_from_others() {
    let mut settings = config();
    settings.rate_limits = true;
    let product = Product::with(settings).await;
    let owner = product.owner("Acme").await;
    let manager = product.manager_of(&owner).await;
    // More than a company may have under way at the same moment.
    let mut all = watch_times(&owner, 20).await;
    all.extend(watch_times(&manager, 20).await);
    assert_eq!(owner.get("/api/equipment").await.status, 200);
}

#[tokio::test]
async fn a_client_that_does_not_read_costs_no_more_for_it() {
    let mut settings = config();
    // Longer than a slow machine takes for what comes before it runs out.
    settings.watch_pace.life = 15 * SOON;
    let product = Product::with(settings).await;
    let owner = product.owner("Acme").await;
    let (company, _) = owner.user().await;
    let mut all = Vec::new();
    for _ in 0..20 {
        all.push(owner.watch(&[]).await);
    }
    for _ in 0..1000 {
        for _ in 0..30 {
            product
                .events
                .publish(event((company, None), Topic::Equipment));
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut messages = Vec::new();
    while let Some(Heard::Changed(topics)) = all[0].within(SOON).await {
        messages.push(topics);
    }
    // What waited to be read, and then all that changed in one.
    assert_eq!(messages, [vec![], vec![EQUIPMENT]]);
    // Its time runs out all the same, and its place is free.
    refused(&owner).await;
    tokio::time::sleep(15 * SOON).await;
    owner.watching(&[]).await;
}

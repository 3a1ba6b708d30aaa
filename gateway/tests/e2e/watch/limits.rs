//! Limits of concurrent streams, and their cost for others.

use std::time::Duration;

use hourmeter_runtime::events::Topic;
use tonic::Code;

use super::{EQUIPMENT, Received, SOON, Watching, event};
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
    assert_eq!(refused.next().await, Received::End(Code::ResourceExhausted));
    refused
}

#[tokio::test]
async fn session_and_company_have_stream_limits() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let mut all = watch_times(&owner, 20).await;
    let rejected = refused(&owner).await;
    assert_eq!(rejected.headers["retry-after"], "30");
    assert_eq!(rejected.headers["grpc-status"], "8");
    // A closed stream frees its place.
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
    let other_owner = product.owner("Beta").await;
    other_owner.watching(&[]).await;
    // Operators have their own limit.
    let operator = product.operator_of(&owner).await;
    operator.watching(&[]).await;
    drop(all);
    tokio::time::sleep(SOON / 10).await;
    manager.watching(&[]).await;
}

#[tokio::test]
async fn streams_of_operators_do_not_block_managers() {
    let mut settings = config();
    // Longer than the test takes on a slow machine: a check might end a stream.
    settings.watch_timing.check = 60 * SOON;
    let product = Product::with(settings).await;
    let owner = product.owner("Acme").await;
    product.operator_of(&owner).await;
    let mut all = Vec::new();
    // All are the same person, on different phones.
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
async fn streams_do_not_count_as_concurrent_calls() {
    let mut settings = config();
    settings.rate_limits = true;
    let product = Product::with(settings).await;
    let owner = product.owner("Acme").await;
    let manager = product.manager_of(&owner).await;
    // More than the concurrent calls of a company.
    let mut all = watch_times(&owner, 20).await;
    all.extend(watch_times(&manager, 20).await);
    assert_eq!(owner.get("/api/equipment").await.status, 200);
}

#[tokio::test]
async fn unread_changes_are_merged() {
    let mut settings = config();
    // Longer than the test takes on a slow machine.
    settings.watch_timing.max_age = 15 * SOON;
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
    while let Some(Received::Changed(topics)) = all[0].within(SOON).await {
        messages.push(topics);
    }
    // The first message, which was not read, and then all changes in one.
    assert_eq!(messages, [vec![], vec![EQUIPMENT]]);
    // It still ends at its maximum age and frees its place.
    refused(&owner).await;
    tokio::time::sleep(15 * SOON).await;
    owner.watching(&[]).await;
}

//! Customers, checkouts and the portal.

use chrono::TimeDelta;
use hourmeter_billing::domain::plan::Tier;
use hourmeter_billing::domain::subscription::Interval;
use hourmeter_billing::provider::{Offer, Progress};

use crate::desk::{BASIC, Desk, PROFESSIONAL, assert_paid};
use crate::support::start;

on_both_providers! {
    create_customer_is_idempotent,
    checkout_unpaid_creates_no_subscription,
    every_offer_is_payable,
    checkout_expires,
    checkout_declined_stays_open,
    closed_checkout_is_not_payable,
    close_paid_checkout_changes_nothing,
    open_checkout_is_idempotent,
    subscriptions_are_newest_first,
    open_portal_returns_url,
}

async fn create_customer_is_idempotent(desk: Desk) {
    let tenant = desk.payer.tenant;
    let again = desk.payments.create_customer(tenant, "customer").await;
    assert_eq!(again.unwrap(), desk.payer.customer_id);
    assert_eq!(desk.readings().await, []);
}

async fn checkout_unpaid_creates_no_subscription(mut desk: Desk) {
    let checkout = desk.open(PROFESSIONAL).await;
    assert!(!checkout.url.is_empty());
    let open_for = checkout.expires_at - start();
    assert!(open_for > TimeDelta::minutes(30) && open_for <= TimeDelta::hours(24));
    assert_eq!(desk.readings().await, []);
    desk.advance(TimeDelta::minutes(10)).await;
    assert!(desk.pay(&checkout.id).await);
    let reading = desk.sole().await;
    assert_paid(&reading, PROFESSIONAL, desk.now);
    assert_eq!(reading.created_at, desk.now);
    assert!(!reading.cancel_at_period_end);
    assert_eq!(reading.paused_until, None);
    assert!(!desk.pay(&checkout.id).await, "paid twice");
    assert_eq!(desk.sole().await, reading);
}

async fn every_offer_is_payable(mut desk: Desk) {
    for tier in [Tier::Basic, Tier::Professional, Tier::Enterprise] {
        for interval in [Interval::Month, Interval::Year] {
            let offer = Offer { tier, interval };
            let reading = desk.buy(offer).await;
            assert_paid(&reading, offer, desk.now);
            desk.end(&reading.subscription_id).await.unwrap();
            let rest = desk.readings().await;
            assert!(
                rest.iter()
                    .all(|one| one.progress == Progress::Ended(desk.now))
            );
            // The next case needs a new customer.
            desk = desk.another().await;
        }
    }
}

async fn checkout_expires(mut desk: Desk) {
    let checkout = desk.open(BASIC).await;
    desk.advance_to(checkout.expires_at).await;
    assert!(!desk.pay(&checkout.id).await);
    assert_eq!(desk.readings().await, []);
    let closed = desk.payments.close_checkout(&desk.payer, &checkout.id);
    closed.await.unwrap();
}

async fn checkout_declined_stays_open(mut desk: Desk) {
    let checkout = desk.open(BASIC).await;
    desk.set_declines(true).await;
    assert!(!desk.pay(&checkout.id).await);
    assert_eq!(desk.readings().await, []);
    desk.set_declines(false).await;
    assert!(desk.pay(&checkout.id).await);
    assert_paid(&desk.sole().await, BASIC, start());
}

async fn closed_checkout_is_not_payable(mut desk: Desk) {
    let checkout = desk.open(BASIC).await;
    for _ in 0..2 {
        let close = desk.payments.close_checkout(&desk.payer, &checkout.id);
        close.await.unwrap();
    }
    assert!(!desk.pay(&checkout.id).await);
    assert_eq!(desk.readings().await, []);
}

async fn close_paid_checkout_changes_nothing(mut desk: Desk) {
    let checkout = desk.open(BASIC).await;
    assert!(desk.pay(&checkout.id).await);
    let close = desk.payments.close_checkout(&desk.payer, &checkout.id);
    close.await.unwrap();
    assert_paid(&desk.sole().await, BASIC, start());
}

async fn open_checkout_is_idempotent(mut desk: Desk) {
    let key = desk.key();
    let payments = desk.payments.clone();
    let first = payments.open_checkout(&desk.payer, BASIC, desk.now, &key);
    let first = first.await.unwrap();
    // A retry comes after a timeout.
    let later = desk.now + TimeDelta::seconds(7);
    let second = payments.open_checkout(&desk.payer, BASIC, later, &key);
    assert_eq!(second.await.unwrap(), first);
    let other = desk.open(BASIC).await;
    assert_ne!(other.id, first.id);
    assert!(desk.pay(&first.id).await);
    assert!(!desk.pay(&first.id).await);
    desk.sole().await;
}

async fn subscriptions_are_newest_first(mut desk: Desk) {
    let first = desk.buy(BASIC).await.subscription_id;
    desk.end(&first).await.unwrap();
    desk.advance(TimeDelta::hours(1)).await;
    let checkout = desk.open(PROFESSIONAL).await;
    assert!(desk.pay(&checkout.id).await);
    let readings = desk.readings().await;
    assert_eq!(readings.len(), 2);
    assert_eq!(readings[0].offer, PROFESSIONAL);
    assert_eq!(readings[1].subscription_id, first);
}

async fn open_portal_returns_url(mut desk: Desk) {
    let key = desk.key();
    let url = desk.payments.open_portal(&desk.payer, &key).await.unwrap();
    assert!(url.starts_with("https://") || url.starts_with('/'), "{url}");
}

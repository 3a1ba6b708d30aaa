//! Customers, checkouts and the portal.

use chrono::TimeDelta;
use hourmeter_billing::domain::plan::Tier;
use hourmeter_billing::domain::subscription::Interval;
use hourmeter_billing::provider::{Offer, PaymentStatus};

use crate::customer::{BASIC, PROFESSIONAL, TestCustomer, assert_paid};
use crate::support::start;

on_both_providers! {
    create_customer_is_idempotent,
    checkout_unpaid_creates_no_subscription,
    every_offer_is_payable,
    checkout_in_trial_charges_from_its_end,
    checkout_expires,
    checkout_declined_stays_open,
    closed_checkout_is_not_payable,
    close_paid_checkout_changes_nothing,
    open_checkout_is_idempotent,
    subscriptions_are_newest_first,
    open_portal_returns_url,
}

async fn create_customer_is_idempotent(customer: TestCustomer) {
    let tenant = customer.payer.tenant;
    let again = customer.payments.create_customer(tenant, "customer").await;
    assert_eq!(again.unwrap(), customer.payer.customer_id);
    assert_eq!(customer.readings().await, []);
}

async fn checkout_unpaid_creates_no_subscription(mut customer: TestCustomer) {
    let checkout = customer.open(PROFESSIONAL).await;
    assert!(!checkout.url.is_empty());
    let open_for = checkout.expires_at - start();
    assert!(open_for > TimeDelta::minutes(30) && open_for <= TimeDelta::hours(24));
    assert_eq!(customer.readings().await, []);
    customer.advance(TimeDelta::minutes(10)).await;
    assert!(customer.pay(&checkout.id).await);
    let reading = customer.only_subscription().await;
    assert_paid(&reading, PROFESSIONAL, customer.now);
    assert_eq!(reading.created_at, customer.now);
    assert!(!reading.cancel_at_period_end);
    assert_eq!(reading.paused_until, None);
    assert!(!customer.pay(&checkout.id).await, "paid twice");
    assert_eq!(customer.only_subscription().await, reading);
}

async fn every_offer_is_payable(mut customer: TestCustomer) {
    for tier in [Tier::Basic, Tier::Professional, Tier::Enterprise] {
        for interval in [Interval::Month, Interval::Year] {
            let offer = Offer { tier, interval };
            let reading = customer.buy(offer).await;
            assert_paid(&reading, offer, customer.now);
            customer.end(&reading.subscription_id).await.unwrap();
            let rest = customer.readings().await;
            assert!(
                rest.iter()
                    .all(|one| one.payment_status == PaymentStatus::Ended(customer.now))
            );
            // The next case needs a new customer.
            customer = customer.another().await;
        }
    }
}

async fn checkout_expires(mut customer: TestCustomer) {
    let checkout = customer.open(BASIC).await;
    customer.advance_to(checkout.expires_at).await;
    assert!(!customer.pay(&checkout.id).await);
    assert_eq!(customer.readings().await, []);
    let closed = customer
        .payments
        .close_checkout(&customer.payer, &checkout.id);
    closed.await.unwrap();
}

async fn checkout_declined_stays_open(mut customer: TestCustomer) {
    let checkout = customer.open(BASIC).await;
    customer.set_declines(true).await;
    assert!(!customer.pay(&checkout.id).await);
    assert_eq!(customer.readings().await, []);
    customer.set_declines(false).await;
    assert!(customer.pay(&checkout.id).await);
    assert_paid(&customer.only_subscription().await, BASIC, start());
}

async fn closed_checkout_is_not_payable(mut customer: TestCustomer) {
    let checkout = customer.open(BASIC).await;
    for _ in 0..2 {
        let close = customer
            .payments
            .close_checkout(&customer.payer, &checkout.id);
        close.await.unwrap();
    }
    assert!(!customer.pay(&checkout.id).await);
    assert_eq!(customer.readings().await, []);
}

async fn close_paid_checkout_changes_nothing(mut customer: TestCustomer) {
    let checkout = customer.open(BASIC).await;
    assert!(customer.pay(&checkout.id).await);
    let close = customer
        .payments
        .close_checkout(&customer.payer, &checkout.id);
    close.await.unwrap();
    assert_paid(&customer.only_subscription().await, BASIC, start());
}

async fn open_checkout_is_idempotent(mut customer: TestCustomer) {
    let key = customer.key();
    let payments = customer.payments.clone();
    let first = payments.open_checkout(&customer.payer, BASIC, None, customer.now, &key);
    let first = first.await.unwrap();
    // A retry comes after a timeout.
    let later = customer.now + TimeDelta::seconds(7);
    let second = payments.open_checkout(&customer.payer, BASIC, None, later, &key);
    assert_eq!(second.await.unwrap(), first);
    let other = customer.open(BASIC).await;
    assert_ne!(other.id, first.id);
    assert!(customer.pay(&first.id).await);
    assert!(!customer.pay(&first.id).await);
    customer.only_subscription().await;
}

async fn subscriptions_are_newest_first(mut customer: TestCustomer) {
    let first = customer.buy(BASIC).await.subscription_id;
    customer.end(&first).await.unwrap();
    customer.advance(TimeDelta::hours(1)).await;
    let checkout = customer.open(PROFESSIONAL).await;
    assert!(customer.pay(&checkout.id).await);
    let readings = customer.readings().await;
    assert_eq!(readings.len(), 2);
    assert_eq!(readings[0].offer, PROFESSIONAL);
    assert_eq!(readings[1].subscription_id, first);
}

async fn open_portal_returns_url(mut customer: TestCustomer) {
    let key = customer.key();
    let url = customer
        .payments
        .open_portal(&customer.payer, &key)
        .await
        .unwrap();
    assert!(url.starts_with("https://") || url.starts_with('/'), "{url}");
}

async fn checkout_in_trial_charges_from_its_end(mut customer: TestCustomer) {
    let end = start() + TimeDelta::days(28);
    let checkout = customer.open_from(PROFESSIONAL, Some(end)).await;
    assert!(customer.pay(&checkout.id).await);
    let chosen = customer.only_subscription().await;
    assert_eq!(chosen.payment_status, PaymentStatus::Paid);
    assert_eq!(chosen.period_end, end);
    let id = chosen.subscription_id;
    customer.change(&id, BASIC).await.unwrap();
    assert_eq!(customer.only_subscription().await.period_end, end);
    assert_eq!(customer.paid().await, 0);
    customer.advance_to(end).await;
    assert_paid(&customer.only_subscription().await, BASIC, end);
    assert_eq!(customer.paid().await, 3200);
}

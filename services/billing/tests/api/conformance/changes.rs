//! Plan changes and cancellations.

use chrono::{Months, TimeDelta};
use hourmeter_billing::domain::plan::Tier;
use hourmeter_billing::domain::subscription::Interval;
use hourmeter_billing::provider::{Change, Offer, PaymentError, PaymentStatus};

use crate::customer::{
    BASIC, PROFESSIONAL, PROFESSIONAL_YEAR, TestCustomer, assert_declined, assert_paid,
    assert_refused,
};
use crate::support::start;

on_both_providers! {
    change_tier_keeps_period,
    change_interval_starts_period,
    change_plan_declined_keeps_plan,
    change_plan_is_idempotent,
    cancel_at_period_end_can_be_undone,
    cancel_now_is_final,
    cancel_now_credits_unused_part_on_request,
    unknown_ids_are_refused,
}

async fn change_tier_keeps_period(mut customer: TestCustomer) {
    let id = customer.buy(BASIC).await.subscription_id;
    customer.advance(TimeDelta::days(10)).await;
    let up = Offer {
        tier: Tier::Enterprise,
        interval: Interval::Month,
    };
    for offer in [up, PROFESSIONAL, PROFESSIONAL] {
        customer.change(&id, offer).await.unwrap();
        let reading = customer.only_subscription().await;
        assert_paid(&reading, offer, start());
        assert_eq!(reading.subscription_id, id);
    }
}

async fn change_interval_starts_period(mut customer: TestCustomer) {
    let id = customer.buy(PROFESSIONAL).await.subscription_id;
    customer.advance(TimeDelta::days(10)).await;
    customer.change(&id, PROFESSIONAL_YEAR).await.unwrap();
    assert_paid(
        &customer.only_subscription().await,
        PROFESSIONAL_YEAR,
        customer.now,
    );
    customer.advance(TimeDelta::days(40)).await;
    customer.change(&id, BASIC).await.unwrap();
    assert_paid(&customer.only_subscription().await, BASIC, customer.now);
}

async fn change_plan_declined_keeps_plan(mut customer: TestCustomer) {
    let before = customer.buy(BASIC).await;
    customer.set_declines(true).await;
    let id = before.subscription_id.clone();
    assert_declined(customer.change(&id, PROFESSIONAL).await);
    assert_declined(customer.change(&id, PROFESSIONAL_YEAR).await);
    assert_eq!(customer.only_subscription().await, before);
    customer.set_declines(false).await;
    customer.change(&id, PROFESSIONAL).await.unwrap();
    assert_paid(&customer.only_subscription().await, PROFESSIONAL, start());
}

async fn change_plan_is_idempotent(mut customer: TestCustomer) {
    let id = customer.buy(BASIC).await.subscription_id;
    let (up, pause) = (customer.key(), customer.key());
    let (payments, payer, now) = (
        customer.payments.clone(),
        customer.payer.clone(),
        customer.now,
    );
    for _ in 0..2 {
        let change = payments.change(&payer, &id, Change::Plan(PROFESSIONAL), now, &up);
        change.await.unwrap();
    }
    assert_eq!(customer.only_subscription().await.offer, PROFESSIONAL);
    customer.change(&id, BASIC).await.unwrap();
    let late = payments.change(&payer, &id, Change::Plan(PROFESSIONAL), now, &up);
    late.await.unwrap();
    assert_eq!(
        customer.only_subscription().await.offer,
        BASIC,
        "a repeat after the key has expired takes effect again"
    );

    let until = now + Months::new(3);
    for _ in 0..2 {
        payments
            .change(&payer, &id, Change::Pause(until), now, &pause)
            .await
            .unwrap();
    }
    customer.resume(&id).await.unwrap();
    payments
        .change(&payer, &id, Change::Pause(until), now, &pause)
        .await
        .unwrap();
    assert_eq!(
        customer.only_subscription().await.paused_until,
        None,
        "a repeat after the key has expired takes effect again"
    );
}

async fn cancel_at_period_end_can_be_undone(mut customer: TestCustomer) {
    let bought = customer.buy(BASIC).await;
    let id = bought.subscription_id.clone();
    customer.end_with_period(&id).await.unwrap();
    let ending = customer.only_subscription().await;
    assert!(ending.cancel_at_period_end);
    assert_paid(&ending, BASIC, start());
    assert_refused(customer.pause(&id, start() + Months::new(3)).await);
    customer.resume(&id).await.unwrap();
    assert_eq!(customer.only_subscription().await, bought);
    customer.advance_to(bought.period_end).await;
    let renewed = customer.only_subscription().await;
    assert_paid(&renewed, BASIC, bought.period_end);
    customer.end_with_period(&id).await.unwrap();
    customer.end_with_period(&id).await.unwrap();
    customer.advance_to(renewed.period_end).await;
    let ended = customer.only_subscription().await;
    assert_eq!(
        ended.payment_status,
        PaymentStatus::Ended(renewed.period_end)
    );
    customer.advance(TimeDelta::days(100)).await;
    assert_eq!(
        customer.only_subscription().await.payment_status,
        ended.payment_status
    );
}

async fn cancel_now_is_final(mut customer: TestCustomer) {
    let id = customer.buy(BASIC).await.subscription_id;
    customer.advance(TimeDelta::days(3)).await;
    customer.end(&id).await.unwrap();
    let ended = PaymentStatus::Ended(customer.now);
    assert_eq!(customer.only_subscription().await.payment_status, ended);
    customer.advance(TimeDelta::days(50)).await;
    customer.end(&id).await.unwrap();
    assert_refused(
        customer
            .resume(&id)
            .await
            .and(customer.pause(&id, customer.now + Months::new(3)).await),
    );
    assert_eq!(customer.only_subscription().await.payment_status, ended);
}

async fn unknown_ids_are_refused(mut customer: TestCustomer) {
    let until = start() + Months::new(3);
    assert_refused(customer.change("sub_none", BASIC).await);
    assert_refused(customer.pause("sub_none", until).await);
    assert_refused(customer.resume("sub_none").await);
    assert_refused(customer.begin("sub_none").await);
    assert_refused(customer.end_with_period("sub_none").await);
    assert_refused(customer.end("sub_none").await);
    let close = customer.payments.close_checkout(&customer.payer, "cs_none");
    close.await.unwrap();
    let mut stranger = customer.payer.clone();
    "cus_none".clone_into(&mut stranger.customer_id);
    let opened = customer
        .payments
        .open_checkout(&stranger, BASIC, None, customer.now, "strange");
    let opened = opened.await;
    assert!(
        matches!(opened, Err(PaymentError::NoCustomer)),
        "{opened:?}"
    );
    let portal = customer
        .payments
        .open_portal(&stranger, "strange portal")
        .await;
    assert!(
        matches!(portal, Err(PaymentError::NoCustomer)),
        "{portal:?}"
    );
    let none = customer
        .payments
        .subscriptions(&stranger, customer.now)
        .await;
    assert_eq!(none.unwrap(), []);
}

async fn cancel_now_credits_unused_part_on_request(mut customer: TestCustomer) {
    let id = customer.buy(BASIC).await.subscription_id;
    customer.advance(TimeDelta::days(15)).await;
    customer.end_with_credit(&id).await.unwrap();
    customer.end_with_credit(&id).await.unwrap();
    // Half of November.
    assert_eq!(customer.credit().await, 1600);
    let ended = customer.only_subscription().await.payment_status;
    assert_eq!(ended, PaymentStatus::Ended(customer.now));
}

//! Plan changes and cancellations.

use chrono::{Months, TimeDelta};
use hourmeter_billing::domain::plan::Tier;
use hourmeter_billing::domain::subscription::Interval;
use hourmeter_billing::provider::{Offer, PaymentError, Progress};

use crate::desk::{
    BASIC, Desk, PROFESSIONAL, PROFESSIONAL_YEAR, assert_declined, assert_paid, assert_refused,
};
use crate::support::start;

on_both_providers! {
    change_tier_keeps_period,
    change_interval_starts_period,
    change_plan_declined_keeps_plan,
    change_plan_is_idempotent,
    cancel_at_period_end_can_be_undone,
    cancel_now_is_final,
    unknown_ids_are_refused,
}

async fn change_tier_keeps_period(mut desk: Desk) {
    let id = desk.buy(BASIC).await.subscription_id;
    desk.advance(TimeDelta::days(10)).await;
    let up = Offer {
        tier: Tier::Enterprise,
        interval: Interval::Month,
    };
    for offer in [up, PROFESSIONAL, PROFESSIONAL] {
        desk.change(&id, offer).await.unwrap();
        let reading = desk.sole().await;
        assert_paid(&reading, offer, start());
        assert_eq!(reading.subscription_id, id);
    }
}

async fn change_interval_starts_period(mut desk: Desk) {
    let id = desk.buy(PROFESSIONAL).await.subscription_id;
    desk.advance(TimeDelta::days(10)).await;
    desk.change(&id, PROFESSIONAL_YEAR).await.unwrap();
    assert_paid(&desk.sole().await, PROFESSIONAL_YEAR, desk.now);
    desk.advance(TimeDelta::days(40)).await;
    desk.change(&id, BASIC).await.unwrap();
    assert_paid(&desk.sole().await, BASIC, desk.now);
}

async fn change_plan_declined_keeps_plan(mut desk: Desk) {
    let before = desk.buy(BASIC).await;
    desk.set_declines(true).await;
    let id = before.subscription_id.clone();
    assert_declined(desk.change(&id, PROFESSIONAL).await);
    assert_declined(desk.change(&id, PROFESSIONAL_YEAR).await);
    assert_eq!(desk.sole().await, before);
    desk.set_declines(false).await;
    desk.change(&id, PROFESSIONAL).await.unwrap();
    assert_paid(&desk.sole().await, PROFESSIONAL, start());
}

async fn change_plan_is_idempotent(mut desk: Desk) {
    let id = desk.buy(BASIC).await.subscription_id;
    let (up, pause) = (desk.key(), desk.key());
    let (payments, payer, now) = (desk.payments.clone(), desk.payer.clone(), desk.now);
    for _ in 0..2 {
        let change = payments.change_plan(&payer, &id, PROFESSIONAL, now, &up);
        change.await.unwrap();
    }
    assert_eq!(desk.sole().await.offer, PROFESSIONAL);
    desk.change(&id, BASIC).await.unwrap();
    let late = payments.change_plan(&payer, &id, PROFESSIONAL, now, &up);
    late.await.unwrap();
    assert_eq!(
        desk.sole().await.offer,
        BASIC,
        "a late repeat is done again"
    );

    let until = now + Months::new(3);
    for _ in 0..2 {
        payments
            .pause(&payer, &id, until, now, &pause)
            .await
            .unwrap();
    }
    desk.resume(&id).await.unwrap();
    payments
        .pause(&payer, &id, until, now, &pause)
        .await
        .unwrap();
    assert_eq!(
        desk.sole().await.paused_until,
        None,
        "a late repeat is done again"
    );
}

async fn cancel_at_period_end_can_be_undone(mut desk: Desk) {
    let bought = desk.buy(BASIC).await;
    let id = bought.subscription_id.clone();
    desk.end_with_period(&id).await.unwrap();
    let ending = desk.sole().await;
    assert!(ending.cancel_at_period_end);
    assert_paid(&ending, BASIC, start());
    assert_refused(desk.pause(&id, start() + Months::new(3)).await);
    desk.resume(&id).await.unwrap();
    assert_eq!(desk.sole().await, bought);
    desk.advance_to(bought.period_end).await;
    let renewed = desk.sole().await;
    assert_paid(&renewed, BASIC, bought.period_end);
    desk.end_with_period(&id).await.unwrap();
    desk.end_with_period(&id).await.unwrap();
    desk.advance_to(renewed.period_end).await;
    let ended = desk.sole().await;
    assert_eq!(ended.progress, Progress::Ended(renewed.period_end));
    desk.advance(TimeDelta::days(100)).await;
    assert_eq!(desk.sole().await.progress, ended.progress);
}

async fn cancel_now_is_final(mut desk: Desk) {
    let id = desk.buy(BASIC).await.subscription_id;
    desk.advance(TimeDelta::days(3)).await;
    desk.end(&id).await.unwrap();
    let ended = Progress::Ended(desk.now);
    assert_eq!(desk.sole().await.progress, ended);
    desk.advance(TimeDelta::days(50)).await;
    desk.end(&id).await.unwrap();
    assert_refused(
        desk.resume(&id)
            .await
            .and(desk.pause(&id, desk.now + Months::new(3)).await),
    );
    assert_eq!(desk.sole().await.progress, ended);
}

async fn unknown_ids_are_refused(mut desk: Desk) {
    let until = start() + Months::new(3);
    assert_refused(desk.change("sub_none", BASIC).await);
    assert_refused(desk.pause("sub_none", until).await);
    assert_refused(desk.resume("sub_none").await);
    assert_refused(desk.begin("sub_none").await);
    assert_refused(desk.end_with_period("sub_none").await);
    assert_refused(desk.end("sub_none").await);
    let close = desk.payments.close_checkout(&desk.payer, "cs_none");
    close.await.unwrap();
    let mut stranger = desk.payer.clone();
    "cus_none".clone_into(&mut stranger.customer_id);
    let opened = desk
        .payments
        .open_checkout(&stranger, BASIC, desk.now, "strange");
    let opened = opened.await;
    assert!(
        matches!(opened, Err(PaymentError::NoCustomer)),
        "{opened:?}"
    );
    let portal = desk.payments.open_portal(&stranger, "strange portal").await;
    assert!(
        matches!(portal, Err(PaymentError::NoCustomer)),
        "{portal:?}"
    );
    let none = desk.payments.subscriptions(&stranger, desk.now).await;
    assert_eq!(none.unwrap(), []);
}

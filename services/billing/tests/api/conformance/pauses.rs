//! Pauses and the periods that begin in them.

use chrono::{DateTime, Days, Months, TimeDelta, Utc};
use hourmeter_billing::provider::{Change, PaymentStatus};

use crate::customer::{
    BASIC, PROFESSIONAL, PROFESSIONAL_YEAR, TestCustomer, assert_declined, assert_paid,
    assert_refused,
};
use crate::support::start;

/// Price of a year of Professional in cents.
const YEAR: i64 = 55_080;

on_both_providers! {
    pause_ends_automatically,
    resume_early_moves_period_by_days_paused,
    change_plan_in_moved_period_credits_its_rest,
    second_pause_moves_period_again,
    resume_after_missed_renewal_charges_new_period,
    change_plan_in_pause_is_refused,
    cancel_ends_pause,
    cancel_of_unpaid_period_ends_now,
    pause_moves_end_of_paid_period,
    voided_period_is_paid_after_pause,
    begin_period_declined_is_past_due_until_paid,
    begin_period_never_paid_ends,
    begin_period_is_idempotent,
    begin_period_without_effect_can_be_repeated,
    voided_period_ends_when_canceled,
}

async fn pause_ends_automatically(mut customer: TestCustomer) {
    let id = customer.buy(BASIC).await.subscription_id;
    customer.advance(TimeDelta::days(5)).await;
    let until = customer.now + Months::new(3);
    customer.pause(&id, until).await.unwrap();
    let paused = customer.only_subscription().await;
    assert_eq!(paused.paused_until, Some(until));
    let end = start() + Months::new(1) + (until - customer.now);
    assert_eq!(paused.period_end, end);
    // Nothing is collected, so no card is declined.
    customer.set_declines(true).await;
    customer.advance_to(until - TimeDelta::seconds(1)).await;
    let paused = customer.only_subscription().await;
    assert_eq!(paused.paused_until, Some(until));
    assert_eq!(paused.payment_status, PaymentStatus::Paid);
    customer.set_declines(false).await;
    customer.advance_to(until).await;
    let running = customer.only_subscription().await;
    assert_eq!(running.paused_until, None);
    assert_eq!(running.period_end, end);
    assert_eq!(customer.paid().await, 3200);
    customer.set_declines(true).await;
    customer.advance_to(running.period_end).await;
    assert_eq!(
        customer.only_subscription().await.payment_status,
        PaymentStatus::PastDue,
        "collected"
    );
}

async fn resume_early_moves_period_by_days_paused(mut customer: TestCustomer) {
    let bought = customer.buy(PROFESSIONAL_YEAR).await;
    let id = bought.subscription_id.clone();
    let until = customer.now + Months::new(6);
    customer.pause(&id, until).await.unwrap();
    customer.pause(&id, until).await.unwrap();
    assert_refused(customer.pause(&id, until + Days::new(1)).await);
    customer.advance(TimeDelta::days(60)).await;
    customer.set_declines(true).await;
    for _ in 0..2 {
        customer.resume(&id).await.unwrap();
        let running = customer.only_subscription().await;
        assert_eq!(running.paused_until, None);
        assert_eq!(running.period_end, bought.period_end + Days::new(60));
        assert_eq!(running.payment_status, PaymentStatus::Paid);
    }
    customer.set_declines(false).await;
    customer.advance_to(bought.period_end + Days::new(60)).await;
    assert_eq!(customer.paid().await, 2 * YEAR);
}

async fn change_plan_in_moved_period_credits_its_rest(mut customer: TestCustomer) {
    let id = customer.buy(BASIC).await.subscription_id;
    customer.advance(TimeDelta::days(10)).await;
    let until = customer.now + Months::new(3);
    customer.pause(&id, until).await.unwrap();
    customer.advance_to(until).await;
    customer.set_declines(true).await;
    assert_declined(customer.change(&id, PROFESSIONAL).await);
    customer.set_declines(false).await;
    customer.change(&id, PROFESSIONAL).await.unwrap();
    assert_paid(
        &customer.only_subscription().await,
        PROFESSIONAL,
        customer.now,
    );
    // 20 days of the month before 2027-03-04, which has 28 days.
    assert_eq!(customer.paid().await, 3200 + 5400 - 2286);
}

async fn second_pause_moves_period_again(mut customer: TestCustomer) {
    let bought = customer.buy(BASIC).await;
    let id = bought.subscription_id;
    for _ in 0..2 {
        customer.advance(TimeDelta::days(10)).await;
        let until = customer.now + Days::new(90);
        customer.pause(&id, until).await.unwrap();
        customer.advance_to(until).await;
    }
    let end = bought.period_end + Days::new(180);
    assert_eq!(customer.only_subscription().await.period_end, end);
    customer.advance_to(end).await;
    assert_paid(&customer.only_subscription().await, BASIC, end);
    assert_eq!(customer.paid().await, 2 * 3200);
}

async fn resume_after_missed_renewal_charges_new_period(mut customer: TestCustomer) {
    let id = customer.buy(BASIC).await.subscription_id;
    let until = customer.now + Months::new(3);
    customer.hold(until).await;
    customer.advance_to(start() + Days::new(45)).await;
    customer.set_declines(true).await;
    assert_declined(customer.resume(&id).await);
    assert_eq!(
        customer.only_subscription().await.paused_until,
        Some(until),
        "still paused"
    );
    customer.set_declines(false).await;
    customer.resume(&id).await.unwrap();
    let running = customer.only_subscription().await;
    assert_eq!(running.paused_until, None);
    assert_paid(&running, BASIC, customer.now);
}

async fn change_plan_in_pause_is_refused(mut customer: TestCustomer) {
    let id = customer.buy(BASIC).await.subscription_id;
    customer.pause(&id, start() + Months::new(3)).await.unwrap();
    assert_refused(customer.change(&id, PROFESSIONAL).await);
    assert_eq!(customer.only_subscription().await.offer, BASIC);
}

async fn cancel_ends_pause(mut customer: TestCustomer) {
    let bought = customer.buy(BASIC).await;
    let id = bought.subscription_id.clone();
    customer.pause(&id, start() + Months::new(6)).await.unwrap();
    customer.advance(TimeDelta::days(3)).await;
    customer.end_with_period(&id).await.unwrap();
    let ending = customer.only_subscription().await;
    assert!(ending.cancel_at_period_end);
    assert_eq!(ending.paused_until, None);
    let end = bought.period_end + Days::new(3);
    assert_eq!(ending.period_end, end);
    customer.advance_to(end).await;
    assert_eq!(
        customer.only_subscription().await.payment_status,
        PaymentStatus::Ended(end)
    );
    assert_eq!(customer.paid().await, 3200);
}

async fn cancel_of_unpaid_period_ends_now(mut customer: TestCustomer) {
    let id = customer.buy(BASIC).await.subscription_id;
    customer.hold(start() + Months::new(3)).await;
    customer.advance_to(start() + Days::new(45)).await;
    customer.end_with_period(&id).await.unwrap();
    assert_eq!(
        customer.only_subscription().await.payment_status,
        PaymentStatus::Ended(customer.now)
    );
}

async fn pause_moves_end_of_paid_period(mut customer: TestCustomer) {
    let bought = customer.buy(PROFESSIONAL_YEAR).await;
    let id = bought.subscription_id.clone();
    let until = customer.now + Months::new(3);
    customer.pause(&id, until).await.unwrap();
    customer.set_declines(true).await;
    customer.advance_to(until).await;
    let moved = customer.only_subscription().await;
    assert_eq!(moved.period_end, bought.period_end + (until - start()));
    assert!(!moved.waived);
    customer.begin(&id).await.unwrap();
    assert_eq!(
        customer.only_subscription().await,
        moved,
        "a paid period is not charged again"
    );
    assert_eq!(customer.paid().await, YEAR);
}

/// A yearly subscription, paused for three months a week before its renewal.
async fn paused_before_a_renewal(customer: &mut TestCustomer) -> (String, DateTime<Utc>) {
    let bought = customer.buy(PROFESSIONAL_YEAR).await;
    customer
        .advance_to(bought.period_end - TimeDelta::days(7))
        .await;
    let until = customer.now + Months::new(3);
    let id = bought.subscription_id;
    customer.hold(until).await;
    (id, until)
}

async fn voided_period_is_paid_after_pause(mut customer: TestCustomer) {
    let (id, until) = paused_before_a_renewal(&mut customer).await;
    assert!(
        !customer.only_subscription().await.waived,
        "the year is paid"
    );
    customer.advance_to(until - TimeDelta::seconds(1)).await;
    let paused = customer.only_subscription().await;
    assert!(paused.waived && !paused.is_unpaid_after_pause());
    customer.begin(&id).await.unwrap();
    assert_eq!(customer.only_subscription().await, paused, "still paused");

    customer.advance_to(until + TimeDelta::hours(1)).await;
    assert!(customer.only_subscription().await.is_unpaid_after_pause());
    assert_eq!(customer.paid().await, YEAR);
    customer.begin(&id).await.unwrap();
    let begun = customer.only_subscription().await;
    assert!(!begun.waived);
    assert_paid(&begun, PROFESSIONAL_YEAR, customer.now);
    assert_eq!(customer.paid().await, 2 * YEAR);
    customer.begin(&id).await.unwrap();
    assert_eq!(customer.only_subscription().await, begun);
    customer.advance_to(begun.period_end).await;
    assert_paid(
        &customer.only_subscription().await,
        PROFESSIONAL_YEAR,
        begun.period_end,
    );
    assert_eq!(customer.paid().await, 3 * YEAR);
}

/// A subscription whose new period after a pause was declined two and a half days ago.
async fn declined(customer: &mut TestCustomer) -> (String, DateTime<Utc>) {
    let (id, until) = paused_before_a_renewal(customer).await;
    customer.set_declines(true).await;
    customer.advance_to(until).await;
    customer.begin(&id).await.unwrap();
    let unpaid = customer.only_subscription().await;
    assert_eq!(unpaid.payment_status, PaymentStatus::PastDue);
    assert_eq!(unpaid.paused_until, None);
    assert_eq!(unpaid.period_start, until, "the grace period starts here");
    customer.begin(&id).await.unwrap();
    assert_eq!(customer.only_subscription().await, unpaid, "one call");
    customer.advance(TimeDelta::hours(60)).await;
    assert_eq!(customer.only_subscription().await, unpaid, "retry declined");
    (id, until)
}

async fn begin_period_declined_is_past_due_until_paid(mut customer: TestCustomer) {
    let (_, begun) = declined(&mut customer).await;
    assert_eq!(customer.paid().await, YEAR);
    customer.set_declines(false).await;
    assert_paid(
        &customer.only_subscription().await,
        PROFESSIONAL_YEAR,
        begun,
    );
    assert_eq!(customer.paid().await, 2 * YEAR);
}

async fn begin_period_never_paid_ends(mut customer: TestCustomer) {
    let (id, begun) = declined(&mut customer).await;
    customer.advance_to(begun + TimeDelta::days(14)).await;
    let ended = PaymentStatus::Ended(begun + TimeDelta::days(14));
    assert_eq!(customer.only_subscription().await.payment_status, ended);
    customer.begin(&id).await.unwrap();
    assert_eq!(customer.only_subscription().await.payment_status, ended);
    assert_eq!(customer.paid().await, YEAR);
}

async fn begin_period_is_idempotent(mut customer: TestCustomer) {
    let (id, until) = paused_before_a_renewal(&mut customer).await;
    customer.advance_to(until).await;
    let key = customer.key();
    let (payments, payer, now) = (
        customer.payments.clone(),
        customer.payer.clone(),
        customer.now,
    );
    let begin = || payments.change(&payer, &id, Change::BeginPeriod, now, &key);
    let thrice = (0..3).map(|_| begin());
    for done in futures::future::join_all(thrice).await {
        done.unwrap();
    }
    begin().await.unwrap();
    assert_paid(
        &customer.only_subscription().await,
        PROFESSIONAL_YEAR,
        until,
    );
    assert_eq!(customer.paid().await, 2 * YEAR);
}

async fn begin_period_without_effect_can_be_repeated(mut customer: TestCustomer) {
    let (id, until) = paused_before_a_renewal(&mut customer).await;
    let key = customer.key();
    let (payments, payer) = (customer.payments.clone(), customer.payer.clone());
    for at in [until - TimeDelta::days(1), until] {
        customer.advance_to(at).await;
        let begin = payments.change(&payer, &id, Change::BeginPeriod, at, &key);
        begin.await.unwrap();
    }
    assert_paid(
        &customer.only_subscription().await,
        PROFESSIONAL_YEAR,
        until,
    );
}

async fn voided_period_ends_when_canceled(mut customer: TestCustomer) {
    let (id, until) = paused_before_a_renewal(&mut customer).await;
    customer.advance_to(until).await;
    customer.end_with_period(&id).await.unwrap();
    let ended = PaymentStatus::Ended(until);
    assert_eq!(customer.only_subscription().await.payment_status, ended);
    customer.begin(&id).await.unwrap();
    assert_eq!(customer.only_subscription().await.payment_status, ended);
    assert_eq!(customer.paid().await, YEAR);
}

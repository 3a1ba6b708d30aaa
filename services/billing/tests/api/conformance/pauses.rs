//! Pauses and the periods that begin in them.

use chrono::{DateTime, Days, Months, TimeDelta, Utc};
use hourmeter_billing::provider::Progress;

use crate::desk::{
    BASIC, Desk, PROFESSIONAL, PROFESSIONAL_YEAR, assert_declined, assert_paid, assert_refused,
};
use crate::support::start;

/// Price of a year of Professional in cents.
const YEAR: i64 = 55_080;

on_both_providers! {
    pause_ends_automatically,
    resume_within_paid_period_is_free,
    resume_after_missed_renewal_charges_new_period,
    change_plan_in_pause_is_refused,
    cancel_ends_pause,
    cancel_of_unpaid_period_ends_now,
    pause_within_paid_period_ends_without_charge,
    voided_period_is_paid_after_pause,
    begin_period_declined_is_past_due_until_paid,
    begin_period_never_paid_ends,
    begin_period_is_idempotent,
    begin_period_without_effect_can_be_repeated,
    voided_period_ends_when_canceled,
}

async fn pause_ends_automatically(mut desk: Desk) {
    let id = desk.buy(BASIC).await.subscription_id;
    desk.advance(TimeDelta::days(5)).await;
    let until = desk.now + Months::new(3);
    desk.pause(&id, until).await.unwrap();
    let paused = desk.sole().await;
    assert_eq!(paused.paused_until, Some(until));
    assert_paid(&paused, BASIC, start());
    // Nothing is collected, so no card is declined.
    desk.set_declines(true).await;
    desk.advance_to(until - TimeDelta::seconds(1)).await;
    let paused = desk.sole().await;
    assert_eq!(paused.paused_until, Some(until));
    assert_eq!(paused.progress, Progress::Paid);
    desk.set_declines(false).await;
    desk.advance_to(until).await;
    let running = desk.sole().await;
    assert_eq!(running.paused_until, None);
    assert_paid(&running, BASIC, start() + Months::new(3));
    desk.set_declines(true).await;
    desk.advance_to(running.period_end).await;
    assert_eq!(
        desk.sole().await.progress,
        Progress::PastDue,
        "collected again"
    );
}

async fn resume_within_paid_period_is_free(mut desk: Desk) {
    let bought = desk.buy(PROFESSIONAL_YEAR).await;
    let id = bought.subscription_id.clone();
    let until = desk.now + Months::new(6);
    desk.pause(&id, until).await.unwrap();
    desk.advance(TimeDelta::days(60)).await;
    desk.set_declines(true).await;
    desk.resume(&id).await.unwrap();
    assert_eq!(desk.sole().await, bought);
    desk.resume(&id).await.unwrap();
    assert_eq!(desk.sole().await, bought);
}

async fn resume_after_missed_renewal_charges_new_period(mut desk: Desk) {
    let id = desk.buy(BASIC).await.subscription_id;
    let until = desk.now + Months::new(3);
    desk.pause(&id, until).await.unwrap();
    desk.advance_to(start() + Days::new(45)).await;
    desk.set_declines(true).await;
    assert_declined(desk.resume(&id).await);
    assert_eq!(desk.sole().await.paused_until, Some(until), "still paused");
    desk.set_declines(false).await;
    desk.resume(&id).await.unwrap();
    let running = desk.sole().await;
    assert_eq!(running.paused_until, None);
    assert_paid(&running, BASIC, desk.now);
}

async fn change_plan_in_pause_is_refused(mut desk: Desk) {
    let id = desk.buy(BASIC).await.subscription_id;
    desk.pause(&id, start() + Months::new(3)).await.unwrap();
    assert_refused(desk.change(&id, PROFESSIONAL).await);
    assert_eq!(desk.sole().await.offer, BASIC);
}

async fn cancel_ends_pause(mut desk: Desk) {
    let bought = desk.buy(BASIC).await;
    let id = bought.subscription_id.clone();
    desk.pause(&id, start() + Months::new(6)).await.unwrap();
    desk.advance(TimeDelta::days(3)).await;
    desk.end_with_period(&id).await.unwrap();
    let ending = desk.sole().await;
    assert!(ending.cancel_at_period_end);
    assert_eq!(ending.paused_until, None);
    assert_paid(&ending, BASIC, start());
    desk.advance_to(bought.period_end).await;
    assert_eq!(
        desk.sole().await.progress,
        Progress::Ended(bought.period_end)
    );
}

async fn cancel_of_unpaid_period_ends_now(mut desk: Desk) {
    let id = desk.buy(BASIC).await.subscription_id;
    desk.pause(&id, start() + Months::new(3)).await.unwrap();
    desk.advance_to(start() + Days::new(45)).await;
    desk.end_with_period(&id).await.unwrap();
    assert_eq!(desk.sole().await.progress, Progress::Ended(desk.now));
}

async fn pause_within_paid_period_ends_without_charge(mut desk: Desk) {
    let bought = desk.buy(PROFESSIONAL_YEAR).await;
    let id = bought.subscription_id.clone();
    let until = desk.now + Months::new(3);
    desk.pause(&id, until).await.unwrap();
    desk.set_declines(true).await;
    desk.advance_to(until).await;
    assert_eq!(desk.sole().await, bought);
    desk.begin(&id).await.unwrap();
    assert_eq!(desk.sole().await, bought, "what is paid is not paid again");
    assert_eq!(desk.paid().await, YEAR);
}

/// A yearly subscription, paused for three months a week before its renewal.
async fn paused_before_a_renewal(desk: &mut Desk) -> (String, DateTime<Utc>) {
    let bought = desk.buy(PROFESSIONAL_YEAR).await;
    desk.advance_to(bought.period_end - TimeDelta::days(7))
        .await;
    let until = desk.now + Months::new(3);
    let id = bought.subscription_id;
    desk.pause(&id, until).await.unwrap();
    (id, until)
}

async fn voided_period_is_paid_after_pause(mut desk: Desk) {
    let (id, until) = paused_before_a_renewal(&mut desk).await;
    assert!(!desk.sole().await.waived, "this year is paid");
    desk.advance_to(until - TimeDelta::seconds(1)).await;
    let paused = desk.sole().await;
    assert!(paused.waived && !paused.is_unpaid_after_pause());
    desk.begin(&id).await.unwrap();
    assert_eq!(desk.sole().await, paused, "the pause still runs");

    desk.advance_to(until + TimeDelta::hours(1)).await;
    assert!(desk.sole().await.is_unpaid_after_pause());
    assert_eq!(desk.paid().await, YEAR);
    desk.begin(&id).await.unwrap();
    let begun = desk.sole().await;
    assert!(!begun.waived);
    assert_paid(&begun, PROFESSIONAL_YEAR, desk.now);
    assert_eq!(desk.paid().await, 2 * YEAR);
    desk.begin(&id).await.unwrap();
    assert_eq!(desk.sole().await, begun);
    desk.advance_to(begun.period_end).await;
    assert_paid(&desk.sole().await, PROFESSIONAL_YEAR, begun.period_end);
    assert_eq!(desk.paid().await, 3 * YEAR);
}

/// A subscription whose new period after a pause was declined two and a half days ago.
async fn declined(desk: &mut Desk) -> (String, DateTime<Utc>) {
    let (id, until) = paused_before_a_renewal(desk).await;
    desk.set_declines(true).await;
    desk.advance_to(until).await;
    desk.begin(&id).await.unwrap();
    let unpaid = desk.sole().await;
    assert_eq!(unpaid.progress, Progress::PastDue);
    assert_eq!(unpaid.paused_until, None);
    assert_eq!(unpaid.period_start, until, "the grace counts from here");
    desk.begin(&id).await.unwrap();
    assert_eq!(desk.sole().await, unpaid, "asked once");
    desk.advance(TimeDelta::hours(60)).await;
    assert_eq!(desk.sole().await, unpaid, "tried again in vain");
    (id, until)
}

async fn begin_period_declined_is_past_due_until_paid(mut desk: Desk) {
    let (_, begun) = declined(&mut desk).await;
    assert_eq!(desk.paid().await, YEAR);
    desk.set_declines(false).await;
    assert_paid(&desk.sole().await, PROFESSIONAL_YEAR, begun);
    assert_eq!(desk.paid().await, 2 * YEAR);
}

async fn begin_period_never_paid_ends(mut desk: Desk) {
    let (id, begun) = declined(&mut desk).await;
    desk.advance_to(begun + TimeDelta::days(14)).await;
    let ended = Progress::Ended(begun + TimeDelta::days(14));
    assert_eq!(desk.sole().await.progress, ended);
    desk.begin(&id).await.unwrap();
    assert_eq!(desk.sole().await.progress, ended);
    assert_eq!(desk.paid().await, YEAR);
}

async fn begin_period_is_idempotent(mut desk: Desk) {
    let (id, until) = paused_before_a_renewal(&mut desk).await;
    desk.advance_to(until).await;
    let key = desk.key();
    let (payments, payer, now) = (desk.payments.clone(), desk.payer.clone(), desk.now);
    let thrice = (0..3).map(|_| payments.begin_period(&payer, &id, now, &key));
    for done in futures::future::join_all(thrice).await {
        done.unwrap();
    }
    payments.begin_period(&payer, &id, now, &key).await.unwrap();
    assert_paid(&desk.sole().await, PROFESSIONAL_YEAR, until);
    assert_eq!(desk.paid().await, 2 * YEAR);
}

async fn begin_period_without_effect_can_be_repeated(mut desk: Desk) {
    let (id, until) = paused_before_a_renewal(&mut desk).await;
    let key = desk.key();
    let (payments, payer) = (desk.payments.clone(), desk.payer.clone());
    for at in [until - TimeDelta::days(1), until] {
        desk.advance_to(at).await;
        let begin = payments.begin_period(&payer, &id, at, &key);
        begin.await.unwrap();
    }
    assert_paid(&desk.sole().await, PROFESSIONAL_YEAR, until);
}

async fn voided_period_ends_when_canceled(mut desk: Desk) {
    let (id, until) = paused_before_a_renewal(&mut desk).await;
    desk.advance_to(until).await;
    desk.end_with_period(&id).await.unwrap();
    let ended = Progress::Ended(until);
    assert_eq!(desk.sole().await.progress, ended);
    desk.begin(&id).await.unwrap();
    assert_eq!(desk.sole().await.progress, ended);
    assert_eq!(desk.paid().await, YEAR);
}

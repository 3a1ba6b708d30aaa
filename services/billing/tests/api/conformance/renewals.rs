use chrono::{Months, TimeDelta};
use hourmeter_billing::provider::Progress;

use crate::desk::{BASIC, Desk, PROFESSIONAL, assert_paid, assert_refused, period};
use crate::support::start;

on_both_providers! {
    subscription_renews,
    failed_renewal_is_paid_by_new_card,
    renewal_never_paid_ends,
}

async fn subscription_renews(mut desk: Desk) {
    let bought = desk.buy(PROFESSIONAL).await;
    desk.advance_to(bought.period_end - TimeDelta::seconds(1))
        .await;
    assert_eq!(desk.sole().await, bought);
    desk.advance_to(bought.period_end).await;
    assert_paid(&desk.sole().await, PROFESSIONAL, bought.period_end);
    desk.advance_to(start() + Months::new(14)).await;
    assert_paid(&desk.sole().await, PROFESSIONAL, start() + Months::new(14));
}

async fn failed_renewal_is_paid_by_new_card(mut desk: Desk) {
    let bought = desk.buy(BASIC).await;
    let id = bought.subscription_id.clone();
    desk.set_declines(true).await;
    desk.advance_to(bought.period_end + TimeDelta::hours(5))
        .await;
    let due = desk.sole().await;
    assert_eq!(due.progress, Progress::PastDue);
    let (begin, end) = period(BASIC, bought.period_end);
    assert_eq!((due.period_start, due.period_end), (begin, end));
    assert_refused(desk.pause(&id, desk.now + Months::new(3)).await);
    assert_refused(desk.change(&id, PROFESSIONAL).await);
    desk.begin(&id).await.unwrap();
    assert_eq!(desk.sole().await, due, "it is due already");
    desk.set_declines(false).await;
    assert_paid(&desk.sole().await, BASIC, bought.period_end);
}

async fn renewal_never_paid_ends(mut desk: Desk) {
    let bought = desk.buy(BASIC).await;
    desk.set_declines(true).await;
    desk.advance_to(bought.period_end + TimeDelta::days(7))
        .await;
    assert_eq!(desk.sole().await.progress, Progress::PastDue);
    desk.advance_to(bought.period_end + TimeDelta::days(25))
        .await;
    let progress = desk.sole().await.progress;
    assert!(
        matches!(progress, Progress::Ended(at) if at <= desk.now),
        "{progress:?}"
    );
}

use chrono::{Months, TimeDelta};
use hourmeter_billing::provider::PaymentStatus;

use crate::customer::{BASIC, PROFESSIONAL, TestCustomer, assert_paid, assert_refused, period};
use crate::support::start;

on_both_providers! {
    subscription_renews,
    failed_renewal_is_paid_by_new_card,
    renewal_never_paid_ends,
}

async fn subscription_renews(mut customer: TestCustomer) {
    let bought = customer.buy(PROFESSIONAL).await;
    customer
        .advance_to(bought.period_end - TimeDelta::seconds(1))
        .await;
    assert_eq!(customer.only_subscription().await, bought);
    customer.advance_to(bought.period_end).await;
    assert_paid(
        &customer.only_subscription().await,
        PROFESSIONAL,
        bought.period_end,
    );
    customer.advance_to(start() + Months::new(14)).await;
    assert_paid(
        &customer.only_subscription().await,
        PROFESSIONAL,
        start() + Months::new(14),
    );
}

async fn failed_renewal_is_paid_by_new_card(mut customer: TestCustomer) {
    let bought = customer.buy(BASIC).await;
    let id = bought.subscription_id.clone();
    customer.set_declines(true).await;
    customer
        .advance_to(bought.period_end + TimeDelta::hours(5))
        .await;
    let due = customer.only_subscription().await;
    assert_eq!(due.payment_status, PaymentStatus::PastDue);
    let (begin, end) = period(BASIC, bought.period_end);
    assert_eq!((due.period_start, due.period_end), (begin, end));
    assert_refused(customer.pause(&id, customer.now + Months::new(3)).await);
    assert_refused(customer.change(&id, PROFESSIONAL).await);
    customer.begin(&id).await.unwrap();
    assert_eq!(customer.only_subscription().await, due, "already due");
    customer.set_declines(false).await;
    assert_paid(
        &customer.only_subscription().await,
        BASIC,
        bought.period_end,
    );
}

async fn renewal_never_paid_ends(mut customer: TestCustomer) {
    let bought = customer.buy(BASIC).await;
    customer.set_declines(true).await;
    customer
        .advance_to(bought.period_end + TimeDelta::days(7))
        .await;
    assert_eq!(
        customer.only_subscription().await.payment_status,
        PaymentStatus::PastDue
    );
    customer
        .advance_to(bought.period_end + TimeDelta::days(25))
        .await;
    let payment_status = customer.only_subscription().await.payment_status;
    assert!(
        matches!(payment_status, PaymentStatus::Ended(at) if at <= customer.now),
        "{payment_status:?}"
    );
}

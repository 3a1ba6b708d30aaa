//! Periods that began in a pause made by hand or by the last release, after the pause is over; found by the scheduler.

use std::sync::Arc;

use chrono::{DateTime, Months, TimeDelta, Utc};
use hourmeter_billing::provider::Payments;
use hourmeter_proto::billing::v1::{BillingInterval, SubscriptionStatus, Tier};
use hourmeter_runtime::error::Kind;

use crate::company::Company;
use crate::faulty::{Fault, Faulty};
use crate::support::{TestBilling, start, timestamp};

const MONTH: BillingInterval = BillingInterval::Month;
const YEAR: BillingInterval = BillingInterval::Year;

/// A company that pays for Professional and pauses for three months, a week before its renewal.
/// Returns the company and the end of the pause.
async fn paused(billing: &TestBilling, interval: BillingInterval) -> (Company<'_>, DateTime<Utc>) {
    let company = Company::on_trial(billing).await;
    let url = company.check_out(Tier::Professional, interval).await;
    company.pay(&url.unwrap()).await.unwrap();
    let months = if interval == YEAR { 12 } else { 1 };
    let now = start() + Months::new(months) - TimeDelta::days(7);
    billing.clock.set(now);
    let until = now + Months::new(3);
    company.hold(until).await;
    (company, until)
}

async fn status(company: &Company<'_>) -> SubscriptionStatus {
    let subscription = company.subscription().await;
    subscription.entitlements.unwrap().status()
}

/// Cents paid by card.
async fn paid(company: &Company<'_>) -> i64 {
    sqlx::query_scalar(
        "SELECT sum((invoice->>'card_cents')::bigint)::bigint
        FROM sandbox_accounts, jsonb_array_elements(account->'invoices') invoice
        WHERE company_id = $1",
    )
    .bind(company.owner.company_id)
    .fetch_one(&mut company.billing.admin().await)
    .await
    .unwrap()
}

#[tokio::test]
async fn first_check_pays_period_after_pause() {
    for (interval, months, cents) in [(YEAR, 12, 55_080), (MONTH, 1, 5400)] {
        let billing = TestBilling::new().await;
        let (company, until) = paused(&billing, interval).await;
        billing.clock.set(until - TimeDelta::microseconds(1));
        billing.service.run_due_checks().await.unwrap();
        assert_eq!(status(&company).await, SubscriptionStatus::Paused);
        assert_eq!(paid(&company).await, cents);

        billing.clock.set(until + TimeDelta::seconds(15));
        assert_eq!(billing.service.run_due_checks().await.unwrap(), 1);
        let running = company.subscription().await;
        let begun = billing.clock.now();
        let end = timestamp(begun + Months::new(months));
        assert_eq!(running.current_period_end, Some(end));
        assert_eq!(paid(&company).await, 2 * cents, "{interval:?}");
        assert_eq!(status(&company).await, SubscriptionStatus::Active);

        billing.clock.set(begun + TimeDelta::days(1));
        billing.service.run_due_checks().await.unwrap();
        assert_eq!(paid(&company).await, 2 * cents, "once");
        let words = ["!subscribed", "!paused", "!resumed"];
        assert_eq!(company.audit_details().await, words);
    }
}

#[tokio::test]
async fn pause_moves_end_of_paid_period() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let url = company.check_out(Tier::Professional, YEAR).await;
    company.pay(&url.unwrap()).await.unwrap();
    company.pause(3).await.unwrap();
    billing.clock.set(start() + Months::new(3));
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(status(&company).await, SubscriptionStatus::Active);
    // 2027-11-02 and the 92 days of the pause.
    let moved = start() + Months::new(12) + TimeDelta::days(92);
    let end = company.subscription().await.current_period_end;
    assert_eq!(end, Some(timestamp(moved)));
    assert_eq!(paid(&company).await, 55_080);
}

#[tokio::test]
async fn declined_period_after_pause_has_grace() {
    for interval in [YEAR, MONTH] {
        let billing = TestBilling::new().await;
        let (company, until) = paused(&billing, interval).await;
        let id = company.owner.company_id;
        company.card(true).await;
        billing.clock.set(until);
        billing.service.run_due_checks().await.unwrap();
        let grace = company.subscription().await;
        let last = until + TimeDelta::days(7);
        assert_eq!(grace.grace_end, Some(timestamp(last)));
        billing.clock.set(last - TimeDelta::microseconds(1));
        billing.service.run_due_checks().await.unwrap();
        assert!(billing.entitlements(id).await.active);

        company.card(false).await;
        let mended = company.subscription().await;
        let months = if interval == YEAR { 12 } else { 1 };
        let end = timestamp(until + Months::new(months));
        assert_eq!(
            mended.current_period_end,
            Some(end),
            "from the start of the period"
        );
        assert!(billing.entitlements(id).await.active);
        let words = ["!subscribed", "!paused", "!resumed", "!renewal_failed"];
        assert_eq!(company.audit_details().await, words);
    }
}

#[tokio::test]
async fn declined_period_after_pause_ends_after_grace() {
    let billing = TestBilling::new().await;
    let (company, until) = paused(&billing, YEAR).await;
    let id = company.owner.company_id;
    company.card(true).await;
    billing.clock.set(until);
    billing.service.run_due_checks().await.unwrap();
    billing.clock.set(until + TimeDelta::days(7));
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(billing.stored_status(id).await.unwrap(), "expired");
    company.card(false).await;
    assert!(!billing.entitlements(id).await.active, "no further charge");
}

#[tokio::test]
async fn uncollected_period_is_not_stored_as_paid() {
    for fault in [Fault::Before, Fault::Refused] {
        let mut kept = None;
        let billing = TestBilling::with_payments(|inner: Arc<dyn Payments>| {
            let faulty = Faulty::new(inner);
            kept = Some(faulty.clone());
            faulty
        })
        .await;
        let provider = kept.unwrap();
        let (company, until) = paused(&billing, YEAR).await;
        let id = company.owner.company_id;
        provider.fail("begin_period", Some(fault));
        billing.clock.set(until);
        billing.service.run_due_checks().await.unwrap();
        assert_eq!(billing.stored_status(id).await.unwrap(), "paused");
        // The grace period and no longer.
        assert!(billing.entitlements(id).await.active);
        billing.clock.set(until + TimeDelta::days(7));
        billing.service.run_due_checks().await.unwrap();
        assert!(!billing.entitlements(id).await.active);
        let asked = company.change(Tier::Basic, MONTH).await.unwrap_err();
        assert_ne!(asked.kind, Kind::Internal, "{asked:?}");

        provider.fail("begin_period", None);
        billing.clock.set(until + TimeDelta::days(8));
        billing.service.run_due_checks().await.unwrap();
        assert!(billing.entitlements(id).await.active, "{fault:?}");
        assert_eq!(paid(&company).await, 2 * 55_080);
    }
}

#[tokio::test]
async fn concurrent_checks_begin_one_period() {
    let billing = TestBilling::new().await;
    let (company, until) = paused(&billing, YEAR).await;
    billing.clock.set(until);
    let checks = [
        billing.service.run_due_checks(),
        billing.service.run_due_checks(),
    ];
    for check_company in futures::future::join_all(checks).await {
        check_company.unwrap();
    }
    assert_eq!(status(&company).await, SubscriptionStatus::Active);
    assert_eq!(paid(&company).await, 2 * 55_080);
}

#[tokio::test]
async fn canceled_in_pause_ends_with_pause() {
    let billing = TestBilling::new().await;
    let (company, until) = paused(&billing, YEAR).await;
    billing.clock.set(until + TimeDelta::seconds(1));
    company.cancel().await.unwrap();
    assert_eq!(status(&company).await, SubscriptionStatus::Expired);
    assert_eq!(paid(&company).await, 55_080, "no further charge");
}

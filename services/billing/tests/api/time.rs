//! Changes by time, with and without the scheduler.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::billing::v1::{BillingInterval, SubscriptionStatus, Tier};
use hourmeter_runtime::events::Topic;

use crate::company::Company;
use crate::support::{TestBilling, start};

fn day(day: i64) -> DateTime<Utc> {
    start() + TimeDelta::days(day)
}

const BLINK: TimeDelta = TimeDelta::microseconds(1);

#[tokio::test]
async fn trial_end_is_logged_once_and_published() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let id = company.owner.company_id;
    billing.clock.set(day(28) - BLINK);
    assert_eq!(billing.service.run_due_checks().await.unwrap(), 0);
    billing.clock.set(day(28));
    let mut events = billing.events.subscribe();
    let checks = [
        billing.service.run_due_checks(),
        billing.service.run_due_checks(),
    ];
    let checked = futures::future::join_all(checks).await;
    let checked: usize = checked.into_iter().map(Result::unwrap).sum();
    assert_eq!(checked, 1, "by exactly one of two processes");
    assert_eq!(billing.stored_status(id).await.unwrap(), "expired");
    let event = events.try_recv().unwrap();
    assert_eq!((event.company_id, event.topic), (id, Topic::Subscription));
    assert!(events.try_recv().is_err());
    assert_eq!(billing.service.run_due_checks().await.unwrap(), 0);
    billing.entitlements(id).await;
    assert_eq!(company.audit_details().await, ["!trial_ended"]);
}

#[tokio::test]
async fn trial_end_found_by_read_is_logged_once() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    billing.clock.set(day(28));
    let asked = (0..4).map(|_| billing.entitlements(company.owner.company_id));
    for entitlements in futures::future::join_all(asked).await {
        assert_eq!(entitlements.status(), SubscriptionStatus::Expired);
    }
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(company.audit_details().await, ["!trial_ended"]);
}

#[tokio::test]
async fn scheduler_renews_subscription() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    let mut end = company.subscription().await.current_period_end;
    for _ in 0..3 {
        let at = DateTime::from_timestamp(end.unwrap().seconds, 0).unwrap();
        billing.clock.set(at);
        assert_eq!(billing.service.run_due_checks().await.unwrap(), 1);
        let renewed = company.subscription().await;
        assert!(renewed.current_period_end.unwrap().seconds > at.timestamp());
        end = renewed.current_period_end;
    }
    assert_eq!(company.audit_details().await, ["!subscribed"]);
}

#[tokio::test]
async fn unpaid_renewal_expires_after_grace() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Professional).await;
    company.card(true).await;
    let end = company.subscription().await.current_period_end.unwrap();
    let end = DateTime::from_timestamp(end.seconds, 0).unwrap();
    let id = company.owner.company_id;
    billing.clock.set(end);
    billing.service.run_due_checks().await.unwrap();
    let last = end + TimeDelta::days(7) - BLINK;
    billing.clock.set(last);
    billing.service.run_due_checks().await.unwrap();
    assert!(billing.entitlements(id).await.fuel_analytics);
    billing.clock.set(end + TimeDelta::days(7));
    assert!(!billing.entitlements(id).await.active, "before a check");
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(billing.stored_status(id).await.unwrap(), "expired");
    // It has ended: a working card must not be charged any more.
    company.card(false).await;
    billing.clock.set(end + TimeDelta::days(9));
    billing.service.run_due_checks().await.unwrap();
    assert!(!billing.entitlements(id).await.active);
    let words = ["!subscribed", "!renewal_failed", "!expired"];
    assert_eq!(company.audit_details().await, words);
    let interval = BillingInterval::Month;
    company.check_out(Tier::Basic, interval).await.unwrap();
}

#[tokio::test]
async fn scheduler_checks_all_due_companies() {
    let billing = TestBilling::new().await;
    let mut ids = Vec::new();
    for _ in 0..60 {
        ids.push(Company::on_trial(&billing).await.owner.company_id);
    }
    billing.clock.set(day(28));
    assert_eq!(billing.service.run_due_checks().await.unwrap(), 60);
    for id in ids {
        assert_eq!(billing.stored_status(id).await.unwrap(), "expired");
    }
}

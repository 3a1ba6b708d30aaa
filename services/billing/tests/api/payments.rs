//! Checkouts, changes, pauses and cancellations through the RPCs.

use chrono::{DateTime, Months, TimeDelta, Utc};
use hourmeter_proto::billing::v1::{
    BillingInterval, Subscription, SubscriptionAction as Action, SubscriptionStatus, Tier,
};
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::events::Topic;

use crate::company::Company;
use crate::support::{TestBilling, start, timestamp};

const MONTH: BillingInterval = BillingInterval::Month;
const YEAR: BillingInterval = BillingInterval::Year;
const AS_BEFORE: BillingInterval = BillingInterval::Unspecified;

fn status(subscription: &Subscription) -> SubscriptionStatus {
    subscription.entitlements.as_ref().unwrap().status()
}

fn is_active(subscription: &Subscription) -> bool {
    subscription.entitlements.as_ref().unwrap().active
}

fn actions(subscription: &Subscription) -> Vec<Action> {
    subscription.actions().collect()
}

fn months(months: u32) -> DateTime<Utc> {
    start() + Months::new(months)
}

#[tokio::test]
async fn checkout_paid_creates_subscription_and_publishes() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let before = company.subscription().await;
    assert_eq!(actions(&before), [Action::Checkout, Action::Cancel]);
    assert!(!before.has_portal);
    assert_eq!(
        company.portal().await.unwrap_err().reason,
        "CHECKOUT_REQUIRED"
    );

    let url = company.check_out(Tier::Professional, YEAR).await.unwrap();
    let granted = company.subscription().await;
    assert_eq!(
        status(&granted),
        SubscriptionStatus::Expired,
        "no access before payment"
    );
    let mut events = billing.events.subscribe();
    company.pay(&url).await.unwrap();
    let event = events.recv().await.unwrap();
    assert_eq!(
        (event.company_id, event.topic),
        (company.owner.company_id, Topic::Subscription)
    );

    let paid = company.subscription().await;
    assert_eq!(status(&paid), SubscriptionStatus::Active);
    assert_eq!(
        paid.entitlements.as_ref().unwrap().tier(),
        Tier::Professional
    );
    assert!(paid.entitlements.as_ref().unwrap().fuel_analytics && paid.has_portal);
    assert_eq!(paid.billing_interval, "year");
    assert_eq!(paid.current_period_end, Some(timestamp(months(12))));
    assert_eq!(
        actions(&paid),
        [Action::ChangePlan, Action::Pause, Action::Cancel]
    );
    assert_eq!(company.audit_details().await, ["!subscribed"]);
    assert_eq!(company.portal().await.unwrap(), "/sandbox/portal");
    let again = company.check_out(Tier::Basic, MONTH).await.unwrap_err();
    assert_eq!(
        (again.kind, &*again.reason),
        (Kind::Conflict, "ALREADY_SUBSCRIBED")
    );
}

#[tokio::test]
async fn checkout_is_unique_per_company() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let first = company.check_out(Tier::Basic, MONTH).await.unwrap();
    assert_eq!(company.check_out(Tier::Basic, MONTH).await.unwrap(), first);
    let other = company.check_out(Tier::Basic, YEAR).await.unwrap();
    assert_ne!(other, first);
    assert_eq!(
        company.pay(&first).await.unwrap_err().reason,
        "CHECKOUT_CLOSED"
    );
    company.pay(&other).await.unwrap();
    assert_eq!(company.at_provider().await.len(), 1);

    // A checkout is returned until five minutes before it expires.
    let company = Company::on_trial(&billing).await;
    let first = company.check_out(Tier::Basic, MONTH).await.unwrap();
    let sql = "SELECT checkout_expires_at FROM subscriptions WHERE company_id = $1";
    let end: DateTime<Utc> = sqlx::query_scalar(sql)
        .bind(company.owner.company_id)
        .fetch_one(&mut billing.admin().await)
        .await
        .unwrap();
    billing.clock.set(end - TimeDelta::minutes(5));
    assert_eq!(company.check_out(Tier::Basic, MONTH).await.unwrap(), first);
    billing
        .clock
        .set(end - TimeDelta::minutes(5) + TimeDelta::microseconds(1));
    assert_ne!(company.check_out(Tier::Basic, MONTH).await.unwrap(), first);
    assert_eq!(
        company.pay(&first).await.unwrap_err().reason,
        "CHECKOUT_CLOSED"
    );
}

#[tokio::test]
async fn concurrent_checkouts_leave_one_payable() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let tiers = [Tier::Basic, Tier::Basic, Tier::Professional, Tier::Basic];
    let opening = tiers.map(|tier| company.check_out(tier, MONTH));
    let mut paid = 0;
    for url in futures::future::join_all(opening)
        .await
        .into_iter()
        .flatten()
    {
        paid += usize::from(company.pay(&url).await.is_ok());
    }
    assert_eq!(paid, 1);
    assert_eq!(company.at_provider().await.len(), 1);
}

#[tokio::test]
async fn change_plan_up_down_and_interval() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    let other = Company::paying(&billing, Tier::Basic).await;
    let other_before = other.subscription().await;
    for (tier, interval, words) in [
        (Tier::Enterprise, AS_BEFORE, &["tier_changed"][..]),
        (Tier::Enterprise, MONTH, &[]),
        (Tier::Enterprise, AS_BEFORE, &[]),
        (Tier::Enterprise, YEAR, &["interval_changed"]),
        (
            Tier::Professional,
            MONTH,
            &["tier_changed", "interval_changed"],
        ),
        (Tier::Basic, AS_BEFORE, &["tier_changed"]),
    ] {
        let before = company.audit_entries().await.len();
        let changed = company.change(tier, interval).await.unwrap();
        assert_eq!(changed.entitlements.as_ref().unwrap().tier(), tier);
        assert_eq!(changed, company.subscription().await);
        let lines = company.audit_details().await;
        assert_eq!(lines[before..], *words, "{tier:?} {interval:?}");
    }
    assert_eq!(other.subscription().await, other_before);
}

#[tokio::test]
async fn pause_removes_access_until_its_end() {
    let billing = TestBilling::new().await;
    for length in [3, 6] {
        billing.clock.set(start());
        let company = Company::paying(&billing, Tier::Professional).await;
        let paused = company.pause(length).await.unwrap();
        assert_eq!(status(&paused), SubscriptionStatus::Paused);
        assert!(!is_active(&paused));
        assert_eq!(paused.pause_end, Some(timestamp(months(length))));
        assert_eq!(actions(&paused), [Action::Reactivate, Action::Cancel]);
        let again = company.pause(length).await.unwrap_err();
        assert_eq!(&*again.reason, "SUBSCRIPTION_STATE");
        // Reads are right without a scheduled check.
        billing
            .clock
            .set(months(length) - TimeDelta::microseconds(1));
        assert!(!is_active(&company.subscription().await));
        billing.clock.set(months(length));
        assert!(is_active(&company.subscription().await));
        // The scheduled check writes the log.
        billing.service.run_due_checks().await.unwrap();
        assert_eq!(
            status(&company.subscription().await),
            SubscriptionStatus::Active
        );
        assert_eq!(
            company.audit_details().await,
            ["!subscribed", "paused", "!resumed"]
        );
    }
}

#[tokio::test]
async fn pause_accepts_three_or_six_months() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    for wrong in [0, 1, 2, 4, 5, 7, 12, u32::MAX] {
        let failure = company.pause(wrong).await.unwrap_err();
        assert_eq!(
            (failure.kind, &*failure.fields[0].0),
            (Kind::Invalid, "months")
        );
    }
    assert_eq!(
        status(&company.subscription().await),
        SubscriptionStatus::Active
    );
    assert_eq!(company.audit_details().await, ["!subscribed"]);
}

#[tokio::test]
async fn reactivate_ends_pause_and_undoes_cancellation() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    company.pause(3).await.unwrap();
    assert_eq!(
        status(&company.reactivate().await.unwrap()),
        SubscriptionStatus::Active
    );
    let canceled = company.cancel().await.unwrap();
    assert_eq!(status(&canceled), SubscriptionStatus::Canceled);
    assert!(is_active(&canceled) && canceled.cancel_at_period_end);
    assert_eq!(actions(&canceled), [Action::Reactivate]);
    let twice = company.cancel().await.unwrap_err();
    assert_eq!(&*twice.reason, "SUBSCRIPTION_STATE");
    let back = company.reactivate().await.unwrap();
    assert_eq!(
        (status(&back), back.cancel_at_period_end),
        (SubscriptionStatus::Active, false)
    );
    let twice = company.reactivate().await.unwrap_err();
    assert_eq!(&*twice.reason, "SUBSCRIPTION_STATE");
    let words = [
        "!subscribed",
        "paused",
        "resumed",
        "canceled",
        "cancel_undone",
    ];
    assert_eq!(company.audit_details().await, words);
}

#[tokio::test]
async fn cancel_ends_with_period() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Professional).await;
    company.cancel().await.unwrap();
    billing.clock.set(months(1) - TimeDelta::microseconds(1));
    assert!(is_active(&company.subscription().await));
    billing.clock.set(months(1));
    let over = company.subscription().await;
    assert_eq!(status(&over), SubscriptionStatus::Expired);
    assert_eq!(actions(&over), [Action::Checkout]);
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(
        company.audit_details().await,
        ["!subscribed", "canceled", "!expired"]
    );
    // A new checkout is possible.
    let url = company.check_out(Tier::Basic, MONTH).await.unwrap();
    company.pay(&url).await.unwrap();
    assert_eq!(
        status(&company.subscription().await),
        SubscriptionStatus::Active
    );
}

#[tokio::test]
async fn failed_renewal_has_grace_and_can_be_canceled() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    company.card(true).await;
    billing.clock.set(months(1) + TimeDelta::days(1));
    billing.service.run_due_checks().await.unwrap();
    let unpaid = company.subscription().await;
    assert_eq!(status(&unpaid), SubscriptionStatus::Active);
    assert_eq!(
        unpaid.grace_end,
        Some(timestamp(months(1) + TimeDelta::days(7)))
    );
    assert_eq!(actions(&unpaid), [Action::Cancel]);
    assert_eq!(
        &*company.pause(3).await.unwrap_err().reason,
        "SUBSCRIPTION_STATE"
    );
    let ended = company.cancel().await.unwrap();
    assert_eq!(
        (status(&ended), is_active(&ended)),
        (SubscriptionStatus::Expired, false)
    );
    assert_eq!(
        company.audit_details().await,
        ["!subscribed", "!renewal_failed", "canceled"]
    );
}

#[tokio::test]
async fn cancel_trial_ends_now() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    for refused in [
        company.pause(3).await.unwrap_err(),
        company.change(Tier::Enterprise, YEAR).await.unwrap_err(),
        company.reactivate().await.unwrap_err(),
    ] {
        assert_eq!(
            (refused.kind, &*refused.reason),
            (Kind::Conflict, "CHECKOUT_REQUIRED")
        );
    }
    let mut events = billing.events.subscribe();
    let canceling = [company.cancel(), company.cancel(), company.cancel()];
    let done = futures::future::join_all(canceling).await;
    assert_eq!(done.iter().flatten().count(), 1, "takes effect once");
    assert!(events.try_recv().is_ok() && events.try_recv().is_err());
    let canceled = company.subscription().await;
    assert_eq!(status(&canceled), SubscriptionStatus::Canceled);
    assert!(!is_active(&canceled));
    assert_eq!(actions(&canceled), [Action::Checkout]);
    assert_eq!(company.audit_details().await, ["trial_canceled"]);
}

#[tokio::test]
async fn concurrent_changes_take_effect_once() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    let pauses = futures::future::join_all([3, 6, 3].map(|length| company.pause(length))).await;
    assert_eq!(pauses.iter().flatten().count(), 1);
    company.reactivate().await.unwrap();
    let cancels = futures::future::join_all((0..3).map(|_| company.cancel())).await;
    assert_eq!(cancels.iter().flatten().count(), 1);
    let words = ["!subscribed", "paused", "resumed", "canceled"];
    assert_eq!(company.audit_details().await, words);
}

#[tokio::test]
async fn change_plan_rejects_unknown_plan_and_interval() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let names = |failure: hourmeter_runtime::error::ServiceError| {
        let fields = failure.fields.into_iter();
        fields.map(|(name, _)| name).collect::<Vec<_>>()
    };
    let both = company.check_out(Tier::Unspecified, AS_BEFORE).await;
    assert_eq!(names(both.unwrap_err()), ["tier", "billingInterval"]);
    let tier = company.check_out(Tier::Unspecified, YEAR).await;
    assert_eq!(names(tier.unwrap_err()), ["tier"]);
    let interval = company.check_out(Tier::Basic, AS_BEFORE).await;
    assert_eq!(names(interval.unwrap_err()), ["billingInterval"]);
    let tier = company.change(Tier::Unspecified, AS_BEFORE).await;
    assert_eq!(names(tier.unwrap_err()), ["tier"]);
    assert!(!company.subscription().await.has_portal && company.audit_entries().await.is_empty());
}

#[tokio::test]
async fn marker_changes_with_subscription() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let first = billing.marker(&company.owner).await;
    assert_eq!(billing.marker(&company.owner).await, first);
    billing.clock.set(start() + TimeDelta::hours(1));
    assert_eq!(
        billing.marker(&company.owner).await,
        first,
        "time alone does not change it"
    );
    let url = company.check_out(Tier::Basic, MONTH).await.unwrap();
    company.pay(&url).await.unwrap();
    let paid = billing.marker(&company.owner).await;
    assert_ne!(paid, first);
    company.cancel().await.unwrap();
    assert_ne!(billing.marker(&company.owner).await, paid);
}

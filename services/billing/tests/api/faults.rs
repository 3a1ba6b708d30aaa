//! Provider faults and killed processes: no payment is lost or made twice.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta};
use hourmeter_billing::provider::Payments;
use hourmeter_proto::billing::v1::{BillingInterval, SubscriptionStatus, Tier};
use hourmeter_runtime::error::{Kind, PROVIDER_MESSAGE};

use crate::company::Company;
use crate::faulty::{Fault, Faulty};
use crate::support::{TestBilling, start};

const MONTH: BillingInterval = BillingInterval::Month;

/// A service with a [`Faulty`] provider.
async fn faulty() -> (TestBilling, Arc<Faulty>) {
    let mut kept = None;
    let billing = TestBilling::with_payments(|inner: Arc<dyn Payments>| {
        let faulty = Faulty::new(inner);
        kept = Some(faulty.clone());
        faulty
    })
    .await;
    (billing, kept.unwrap())
}

async fn status(company: &Company<'_>) -> SubscriptionStatus {
    let subscription = company.subscription().await;
    subscription.entitlements.unwrap().status()
}

/// Advances the clock beyond the time in which an earlier call may still be running.
async fn after_a_while<T>(billing: &TestBilling, call: impl Future<Output = T>) -> T {
    let now = billing.clock.now();
    billing.clock.set(now + TimeDelta::seconds(41));
    call.await
}

/// Advances the real clock and runs due checks.
async fn later(billing: &TestBilling, seconds: i64) {
    billing
        .clock
        .set(billing.clock.now() + TimeDelta::seconds(seconds));
    billing.service.run_due_checks().await.unwrap();
}

/// Calls of the changes below.
const CALLS: [&str; 7] = [
    "customer",
    "open",
    "read",
    "change_plan",
    "pause",
    "cancel_at_period_end",
    "portal",
];

#[tokio::test]
async fn unavailable_provider_changes_nothing() {
    let (billing, provider) = faulty().await;
    let trial = Company::on_trial(&billing).await;
    let paying = Company::paying(&billing, Tier::Basic).await;
    let before = paying.subscription().await;
    for call in CALLS {
        provider.fail(call, Some(Fault::Before));
    }
    for failure in [
        trial
            .check_out_in_trial(Tier::Basic, MONTH)
            .await
            .unwrap_err(),
        paying.change(Tier::Enterprise, MONTH).await.unwrap_err(),
        after_a_while(&billing, paying.pause(3)).await.unwrap_err(),
        after_a_while(&billing, paying.cancel()).await.unwrap_err(),
        paying.portal().await.unwrap_err(),
    ] {
        assert_eq!(
            (failure.kind, &*failure.reason),
            (Kind::Provider, "PAYMENT_PROVIDER")
        );
        assert_eq!(failure.message, PROVIDER_MESSAGE);
    }
    // Other functions keep working.
    let mut after = paying.subscription().await;
    after.now = before.now;
    assert_eq!(after, before);
    assert!(billing.entitlements(trial.owner.company_id).await.active);
    trial.cancel().await.unwrap();
    for call in CALLS {
        provider.fail(call, None);
    }
    // The first change may still be running; after that time the change succeeds.
    let busy = paying.change(Tier::Enterprise, MONTH).await.unwrap_err();
    assert_eq!(&*busy.reason, "SUBSCRIPTION_STATE");
    let again = paying.change(Tier::Enterprise, MONTH);
    after_a_while(&billing, again).await.unwrap();
    assert_eq!(
        paying.audit_details().await,
        ["!subscribed", "tier_changed"]
    );
}

#[tokio::test]
async fn refused_change_is_a_conflict() {
    let (billing, provider) = faulty().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    provider.fail("pause", Some(Fault::Refused));
    let refused = company.pause(3).await.unwrap_err();
    assert_eq!(
        (refused.kind, &*refused.reason),
        (Kind::Conflict, "SUBSCRIPTION_STATE")
    );
    provider.fail("pause", None);
    company.pause(3).await.unwrap();
}

#[tokio::test]
async fn change_with_lost_response_is_found_by_next_check() {
    for (fault, call) in [
        (Fault::After, "pause"),
        (Fault::After, "read"),
        (Fault::Killed, "pause"),
        (Fault::Killed, "read"),
    ] {
        let (billing, provider) = faulty().await;
        let company = Company::paying(&billing, Tier::Basic).await;
        provider.fail(call, Some(fault));
        let result = tokio::time::timeout(Duration::from_millis(800), company.pause(3)).await;
        match fault {
            Fault::Killed => assert!(result.is_err(), "{call}: expected a timeout"),
            _ => assert_eq!(result.unwrap().unwrap_err().kind, Kind::Provider),
        }
        provider.fail(call, None);
        // The sandbox's events may have reported it already.
        if (fault, call) != (Fault::After, "pause") {
            let known = status(&company).await;
            assert_eq!(known, SubscriptionStatus::Active, "not reported yet");
        }
        if fault == Fault::Killed {
            // While the change may be running, no other one starts.
            let busy = company.cancel().await.unwrap_err();
            assert_eq!(&*busy.reason, "SUBSCRIPTION_STATE");
        }
        later(&billing, 46).await;
        assert_eq!(
            status(&company).await,
            SubscriptionStatus::Paused,
            "{fault:?} {call}"
        );
        // The log still names the person who requested it.
        assert_eq!(
            company.audit_details().await,
            ["!subscribed", "paused"],
            "{fault:?} {call}"
        );
        company.reactivate().await.unwrap();
    }
}

#[tokio::test]
async fn payment_without_event_is_found_by_check() {
    let (billing, provider) = faulty().await;
    let company = Company::on_trial(&billing).await;
    let url = company.check_out(Tier::Professional, MONTH).await.unwrap();
    company.pay_without_event(&url).await;
    assert_eq!(status(&company).await, SubscriptionStatus::Expired);
    // Not twice, even before a scheduled check.
    let again = company
        .check_out(Tier::Professional, MONTH)
        .await
        .unwrap_err();
    assert_eq!(&*again.reason, "ALREADY_SUBSCRIBED");
    assert_eq!(provider.count("open"), 1);
    assert_eq!(status(&company).await, SubscriptionStatus::Active);

    let company = Company::on_trial(&billing).await;
    let url = company.check_out(Tier::Basic, MONTH).await.unwrap();
    company.pay_without_event(&url).await;
    later(&billing, 60).await;
    assert_eq!(status(&company).await, SubscriptionStatus::Active);
    assert_eq!(company.audit_details().await, ["!subscribed"]);
    assert_eq!(company.at_provider().await.len(), 1);
}

#[tokio::test]
async fn checkout_paid_during_reopen_is_kept() {
    let (billing, provider) = faulty().await;
    let company = Company::on_trial(&billing).await;
    let url = company.check_out(Tier::Basic, MONTH).await.unwrap();
    // Closed at the provider; killed before the next one is opened.
    provider.fail("close", Some(Fault::Killed));
    let call = company.check_out(Tier::Enterprise, MONTH);
    assert!(
        tokio::time::timeout(Duration::from_millis(800), call)
            .await
            .is_err()
    );
    provider.fail("close", None);
    assert!(company.pay(&url).await.is_err(), "the checkout is closed");
    // The closed URL is not returned.
    let fresh = company.check_out(Tier::Basic, MONTH).await.unwrap();
    assert_ne!(fresh, url);
    company.pay(&fresh).await.unwrap();
    assert_eq!(company.at_provider().await.len(), 1);
}

#[tokio::test]
async fn checkout_of_killed_process_is_not_returned() {
    let (billing, provider) = faulty().await;
    let company = Company::on_trial(&billing).await;
    for call in ["customer", "open"] {
        provider.fail(call, Some(Fault::Killed));
        let attempt = company.check_out(Tier::Basic, MONTH);
        assert!(
            tokio::time::timeout(Duration::from_millis(800), attempt)
                .await
                .is_err()
        );
        provider.fail(call, None);
    }
    let url = company.check_out(Tier::Basic, MONTH).await.unwrap();
    company.pay(&url).await.unwrap();
    assert_eq!(company.at_provider().await.len(), 1);
    assert_eq!(status(&company).await, SubscriptionStatus::Active);
}

#[tokio::test]
async fn duplicate_subscription_is_canceled() {
    let (billing, provider) = faulty().await;
    let company = Company::on_trial(&billing).await;
    let old = company.check_out(Tier::Basic, MONTH).await.unwrap();
    // Two payable checkouts: the provider did not close the first.
    sqlx::query("UPDATE subscriptions SET checkout_id = NULL WHERE company_id = $1")
        .bind(company.owner.company_id)
        .execute(&mut billing.admin().await)
        .await
        .unwrap();
    let new = company.check_out(Tier::Enterprise, MONTH).await.unwrap();
    company.pay_without_event(&old).await;
    billing.clock.set(start() + TimeDelta::seconds(30));
    provider.fail("cancel_now", Some(Fault::Before));
    company.pay(&new).await.unwrap();
    let paid = company.subscription().await.entitlements.unwrap();
    assert_eq!(
        paid.tier(),
        Tier::Enterprise,
        "the newest subscription counts immediately"
    );
    provider.fail("cancel_now", None);
    later(&billing, 600).await;
    let left = company.at_provider().await;
    let running = left.iter().filter(|reading| {
        !matches!(
            reading.payment_status,
            hourmeter_billing::provider::PaymentStatus::Ended(_)
        )
    });
    assert_eq!(running.count(), 1);
    let paid = company.subscription().await.entitlements.unwrap();
    assert_eq!((paid.tier(), paid.active), (Tier::Enterprise, true));
}

#[tokio::test]
async fn checks_back_off_while_provider_is_unavailable() {
    let (billing, provider) = faulty().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    let end = company.subscription().await.current_period_end.unwrap();
    let end = chrono::DateTime::from_timestamp(end.seconds, 0).unwrap();
    provider.fail("read", Some(Fault::Before));
    billing.clock.set(end);
    let before = provider.count("read");
    for _ in 0..24 * 60 {
        later(&billing, 60).await;
    }
    let result = provider.count("read") - before;
    assert!((8..15).contains(&result), "{result} times in a day");
    // Access continues, and the renewal follows once the provider is back.
    assert!(billing.entitlements(company.owner.company_id).await.active);
    provider.fail("read", None);
    later(&billing, 6 * 3600).await;
    let renewed = company.subscription().await.current_period_end.unwrap();
    assert!(renewed.seconds > end.timestamp());
    assert_eq!(company.audit_details().await, ["!subscribed"]);
}

#[tokio::test]
async fn cancel_after_unreported_payment_cancels_paid_plan() {
    let (billing, _) = faulty().await;
    let company = Company::on_trial(&billing).await;
    let url = company.check_out(Tier::Basic, MONTH).await.unwrap();
    company.pay_without_event(&url).await;
    let canceled = company.cancel().await.unwrap();
    let entitled = canceled.entitlements.unwrap();
    assert_eq!(entitled.status(), SubscriptionStatus::Canceled);
    assert!(entitled.active, "paid access remains");
    let end = canceled.current_period_end.unwrap();
    billing
        .clock
        .set(DateTime::from_timestamp(end.seconds, 0).unwrap());
    billing.service.run_due_checks().await.unwrap();
    assert_eq!(status(&company).await, SubscriptionStatus::Expired);
    assert_eq!(
        company.audit_details().await,
        ["!subscribed", "canceled", "!expired"]
    );
}

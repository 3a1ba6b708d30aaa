//! `ExtendTrial` and `SetPlan`.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::billing::v1::{
    AccountSubscription, BillingInterval, ExtendTrialRequest, SetPlanRequest, SubscriptionAction,
    SubscriptionStatus, Tier,
};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Service, StaffIdentity};
use hourmeter_runtime::testing::{as_staff, staff};
use uuid::Uuid;

use crate::company::Company;
use crate::support::{TestBilling, start, timestamp};

const REASON: &str = "Agreed with the owner by phone";

fn day(day: i64) -> DateTime<Utc> {
    start() + TimeDelta::days(day)
}

fn recent(billing: &TestBilling) -> StaffIdentity {
    StaffIdentity {
        authenticated_at: billing.clock.now().timestamp(),
        ..staff()
    }
}

async fn extend(
    billing: &TestBilling,
    company_id: Uuid,
    days: u32,
    reason: &str,
) -> Result<AccountSubscription, ServiceError> {
    let request = ExtendTrialRequest {
        company_id: company_id.to_string(),
        days,
        reason: reason.to_owned(),
    };
    let request = as_staff(Service::Billing, &recent(billing), request);
    let answer = billing.client.clone().extend_trial(request).await;
    let answer = answer.map_err(|status| ServiceError::from_status(&status))?;
    Ok(answer.into_inner().subscription.unwrap())
}

async fn set_plan(
    billing: &TestBilling,
    company_id: Uuid,
    tier: Tier,
    days: u32,
    reason: &str,
) -> Result<AccountSubscription, ServiceError> {
    let request = SetPlanRequest {
        company_id: company_id.to_string(),
        tier: tier.into(),
        days,
        reason: reason.to_owned(),
    };
    let request = as_staff(Service::Billing, &recent(billing), request);
    let answer = billing.client.clone().set_plan(request).await;
    let answer = answer.map_err(|status| ServiceError::from_status(&status))?;
    Ok(answer.into_inner().subscription.unwrap())
}

fn status(account: &AccountSubscription) -> SubscriptionStatus {
    let subscription = account.subscription.as_ref().unwrap();
    subscription.entitlements.as_ref().unwrap().status()
}

/// Company and detail of audit entries; the platform's log has the zero company.
async fn lines(billing: &TestBilling, event: &str) -> Vec<(Uuid, String, String)> {
    sqlx::query_as(
        "SELECT company_id, target_name, detail FROM audit_events
        WHERE event = $1 AND scope = 'staff' AND actor_id IS NOT NULL
        ORDER BY company_id",
    )
    .bind(event)
    .fetch_all(&mut billing.admin().await)
    .await
    .unwrap()
}

#[tokio::test]
async fn extend_trial_of_running_and_expired_trial() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let id = company.owner.company_id;
    let mut event = billing.events.subscribe();
    let longer = extend(&billing, id, 40, REASON).await.unwrap();
    assert_eq!(
        longer.subscription.as_ref().unwrap().trial_end,
        Some(timestamp(day(40)))
    );
    assert_eq!(event.try_recv().unwrap().company_id, id);
    let shorter = extend(&billing, id, 40, REASON).await.unwrap_err();
    assert_eq!(shorter.fields[0].0, "days");

    billing.clock.set(day(50));
    billing.service.run_due_checks().await.unwrap();
    assert!(!billing.entitlements(id).await.active);
    let again = extend(&billing, id, 1, REASON).await.unwrap();
    assert_eq!(status(&again), SubscriptionStatus::Trial);
    assert!(billing.entitlements(id).await.active);
    billing.clock.set(day(51));
    assert_eq!(billing.service.run_due_checks().await.unwrap(), 1);
    assert!(!billing.entitlements(id).await.active);
    let expected: Vec<_> = [
        (Uuid::nil(), "40"),
        (Uuid::nil(), "1"),
        (id, "40"),
        (id, "1"),
    ]
    .map(|(company, days)| (company, days.to_owned(), REASON.to_owned()))
    .into();
    let mut written = lines(&billing, "trial_extended").await;
    written.sort();
    let mut expected = expected;
    expected.sort();
    assert_eq!(written, expected);
}

#[tokio::test]
async fn extend_trial_requires_unpaid_trial() {
    let billing = TestBilling::new().await;
    let paying = Company::paying(&billing, Tier::Basic).await;
    let canceled = Company::on_trial(&billing).await;
    canceled.cancel().await.unwrap();
    let agreed = Company::on_trial(&billing).await;
    set_plan(&billing, agreed.owner.company_id, Tier::Basic, 1, REASON)
        .await
        .unwrap();
    for company in [&paying, &canceled, &agreed] {
        let id = company.owner.company_id;
        let refused = extend(&billing, id, 60, REASON).await.unwrap_err();
        assert_eq!(
            (refused.kind, &*refused.reason),
            (Kind::Conflict, "SUBSCRIPTION_STATE")
        );
    }
    // Paid a moment ago; the event has not arrived.
    let unreported = Company::on_trial(&billing).await;
    let url = unreported
        .check_out(Tier::Basic, BillingInterval::Month)
        .await
        .unwrap();
    unreported.pay_without_event(&url).await;
    let refused = extend(&billing, unreported.owner.company_id, 60, REASON)
        .await
        .unwrap_err();
    assert_eq!(&*refused.reason, "SUBSCRIPTION_STATE");
    assert!(lines(&billing, "trial_extended").await.is_empty());
}

#[tokio::test]
async fn set_plan_applies_until_its_end() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let id = company.owner.company_id;
    let set = set_plan(&billing, id, Tier::Enterprise, 90, REASON)
        .await
        .unwrap();
    assert_eq!(status(&set), SubscriptionStatus::Active);
    let shown = company.subscription().await;
    assert_eq!(set.subscription.as_ref(), Some(&shown));
    assert_eq!(shown.current_period_end, Some(timestamp(day(90))));
    let actions: Vec<_> = shown.actions().collect();
    assert_eq!(
        actions,
        [SubscriptionAction::Checkout, SubscriptionAction::Cancel]
    );
    assert!(billing.entitlements(id).await.fuel_analytics);
    let expected = [Uuid::nil(), id].map(|company| (company, "enterprise".into(), REASON.into()));
    assert_eq!(lines(&billing, "plan_set").await, expected);
    let canceled = company.cancel().await.unwrap();
    assert!(
        canceled.entitlements.unwrap().active,
        "until the agreed day"
    );
    let url = company
        .check_out(Tier::Basic, BillingInterval::Month)
        .await
        .unwrap();
    company.pay(&url).await.unwrap();
    let refused = set_plan(&billing, id, Tier::Enterprise, 90, REASON)
        .await
        .unwrap_err();
    assert_eq!(
        (refused.kind, &*refused.reason),
        (Kind::Conflict, "SUBSCRIPTION_STATE")
    );
    let paid = company.subscription().await.entitlements.unwrap();
    assert_eq!(paid.tier(), Tier::Basic);
    let words = company.audit_details().await;
    assert_eq!(words, [REASON, "canceled", "!subscribed"]);
}

#[tokio::test]
async fn set_plan_after_unpaid_renewal_stops_collection() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    let id = company.owner.company_id;
    company.card(true).await;
    billing.clock.set(day(31));
    billing.service.run_due_checks().await.unwrap();
    billing.clock.set(day(39));
    billing.service.run_due_checks().await.unwrap();
    assert!(!billing.entitlements(id).await.active);
    set_plan(&billing, id, Tier::Professional, 30, REASON)
        .await
        .unwrap();
    company.card(false).await;
    billing.clock.set(day(45));
    billing.service.run_due_checks().await.unwrap();
    let entitlements = billing.entitlements(id).await;
    assert_eq!(
        (entitlements.tier(), entitlements.active),
        (Tier::Professional, true)
    );
}

#[tokio::test]
async fn set_plan_rejects_invalid_requests() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let id = company.owner.company_id;
    let names = |failure: ServiceError| -> Vec<String> {
        failure.fields.into_iter().map(|(name, _)| name).collect()
    };
    for days in [0, 366, u32::MAX] {
        assert_eq!(
            names(extend(&billing, id, days, REASON).await.unwrap_err()),
            ["days"]
        );
    }
    for days in [0, 3661, u32::MAX] {
        let wrong = set_plan(&billing, id, Tier::Basic, days, REASON).await;
        assert_eq!(names(wrong.unwrap_err()), ["days"]);
    }
    for reason in [
        "",
        "too short",
        "   nothing   ",
        &"x".repeat(501),
        "evil \u{202E} reason",
    ] {
        assert_eq!(
            names(extend(&billing, id, 60, reason).await.unwrap_err()),
            ["reason"]
        );
    }
    let all = set_plan(&billing, id, Tier::Unspecified, 0, "").await;
    assert_eq!(names(all.unwrap_err()), ["tier", "days", "reason"]);
    let unmet = extend(&billing, Uuid::now_v7(), 60, REASON)
        .await
        .unwrap_err();
    assert_eq!(unmet.kind, Kind::NotFound);
    let unmet = set_plan(&billing, Uuid::now_v7(), Tier::Basic, 60, REASON).await;
    assert_eq!(unmet.unwrap_err().kind, Kind::NotFound);
    assert!(company.audit_entries().await.is_empty());
    // Longest extension.
    extend(&billing, id, 365, REASON).await.unwrap();
    set_plan(&billing, id, Tier::Basic, 3660, REASON)
        .await
        .unwrap();
    set_plan(&billing, id, Tier::Basic, 1, REASON)
        .await
        .unwrap();
}

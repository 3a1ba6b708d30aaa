//! `GetEntitlements` and `GetSubscription`.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_billing::agreed::set_plan;
use hourmeter_proto::billing::v1::{GetEntitlementsRequest, SubscriptionStatus, Tier};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::owner;
use prost_types::Timestamp;
use tonic::Code;
use uuid::Uuid;

use crate::support::{TestBilling, start, timestamp};

fn day(day: i64) -> DateTime<Utc> {
    start() + TimeDelta::days(day)
}

#[tokio::test]
async fn entitlements_begin_trial_of_new_company() {
    let billing = TestBilling::new().await;
    let owner = owner();
    let unknown = billing.subscription(&owner).await.unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);
    assert_eq!(billing.rows().await, 0, "a read creates nothing");

    let entitlements = billing.entitlements(owner.company_id).await;
    assert_eq!(entitlements.tier(), Tier::Basic);
    assert_eq!(entitlements.status(), SubscriptionStatus::Trial);
    assert!(entitlements.active);
    assert_eq!(entitlements.equipment_limit, 15);
    assert!(!entitlements.fuel_analytics && !entitlements.parts_entry);

    let subscription = billing.subscription(&owner).await.unwrap();
    assert_eq!(subscription.entitlements, Some(entitlements));
    assert_eq!(subscription.trial_start, Some(timestamp(start())));
    assert_eq!(subscription.trial_end, Some(timestamp(day(28))));
    assert_eq!(subscription.trial_days_left, 28);
    assert_eq!(subscription.current_period_end, None);
    assert_eq!(subscription.pause_end, None);
    assert_eq!(subscription.billing_interval, "");
    assert!(!subscription.cancel_at_period_end);
}

#[tokio::test]
async fn trial_starts_once_at_sign_up() {
    let billing = TestBilling::new().await;
    let owner = owner();
    let request = |signed_up| GetEntitlementsRequest {
        company_id: owner.company_id.to_string(),
        company_created_at: Some(timestamp(signed_up)),
    };
    billing.try_entitlements(request(day(-10))).await.unwrap();
    billing.try_entitlements(request(day(0))).await.unwrap();
    let subscription = billing.subscription(&owner).await.unwrap();
    assert_eq!(subscription.trial_end, Some(timestamp(day(18))));
    assert_eq!(subscription.trial_days_left, 18);
    assert_eq!(billing.rows().await, 1);
}

#[tokio::test]
async fn trial_of_future_sign_up_starts_now() {
    let billing = TestBilling::new().await;
    let owner = owner();
    let request = GetEntitlementsRequest {
        company_id: owner.company_id.to_string(),
        company_created_at: Some(timestamp(day(900))),
    };
    billing.try_entitlements(request).await.unwrap();
    let subscription = billing.subscription(&owner).await.unwrap();
    assert_eq!(subscription.trial_end, Some(timestamp(day(28))));
}

#[tokio::test]
async fn trial_of_old_sign_up_is_expired() {
    let billing = TestBilling::new().await;
    let company_id = Uuid::now_v7();
    let request = GetEntitlementsRequest {
        company_id: company_id.to_string(),
        company_created_at: Some(timestamp(day(-28))),
    };
    let entitlements = billing.try_entitlements(request).await.unwrap();
    assert_eq!(entitlements.status(), SubscriptionStatus::Expired);
    assert!(!entitlements.active);
    assert_eq!(billing.stored_status(company_id).await.unwrap(), "expired");
}

#[tokio::test]
async fn trial_past_end_is_stored_as_expired() {
    let billing = TestBilling::new().await;
    let owner = owner();
    billing.entitlements(owner.company_id).await;

    billing.clock.set(day(28) - TimeDelta::microseconds(1));
    assert!(billing.entitlements(owner.company_id).await.active);
    let last = billing.subscription(&owner).await.unwrap();
    assert_eq!(last.trial_days_left, 1);

    billing.clock.set(day(28));
    let read = billing.subscription(&owner).await.unwrap();
    assert_eq!(read.trial_days_left, 0);
    assert_eq!(
        read.entitlements.unwrap().status(),
        SubscriptionStatus::Expired
    );
    let stored = billing.stored_status(owner.company_id).await.unwrap();
    assert_eq!(stored, "trial", "a read stores nothing");

    let entitlements = billing.entitlements(owner.company_id).await;
    assert_eq!(entitlements.status(), SubscriptionStatus::Expired);
    assert!(!entitlements.active);
    assert_eq!(entitlements.equipment_limit, 15);
    let stored = billing.stored_status(owner.company_id).await.unwrap();
    assert_eq!(stored, "expired");
}

#[tokio::test]
async fn entitlements_premium_by_plan() {
    let billing = TestBilling::new().await;
    let owner = owner();
    billing.entitlements(owner.company_id).await;
    for (tier, status, active, premium) in [
        ("basic", "active", true, false),
        ("professional", "active", true, true),
        ("enterprise", "active", true, true),
        ("professional", "canceled", true, true),
        ("professional", "paused", false, false),
        ("enterprise", "expired", false, false),
    ] {
        billing.pay(owner.company_id, tier, status).await;
        let entitlements = billing.entitlements(owner.company_id).await;
        assert_eq!(entitlements.active, active, "{tier} {status}");
        assert_eq!(entitlements.fuel_analytics, premium, "{tier} {status}");
        assert_eq!(entitlements.parts_entry, premium, "{tier} {status}");
        let subscription = billing.subscription(&owner).await.unwrap();
        assert_eq!(subscription.pause_end.is_some(), status == "paused");
        assert_eq!(subscription.billing_interval, "month");
        assert_eq!(subscription.current_period_end, Some(timestamp(day(28))));
    }
}

#[tokio::test]
async fn entitlements_are_separate_per_company() {
    let billing = TestBilling::new().await;
    let (ours, theirs) = (owner(), owner());
    billing.entitlements(ours.company_id).await;
    let foreign = billing.subscription(&theirs).await.unwrap_err();
    assert_eq!(foreign.code(), Code::NotFound);
    billing.entitlements(theirs.company_id).await;
    billing.pay(theirs.company_id, "enterprise", "active").await;
    let entitlements = billing.entitlements(ours.company_id).await;
    assert_eq!(entitlements.tier(), Tier::Basic);
}

#[tokio::test]
async fn concurrent_first_calls_begin_one_trial() {
    let billing = TestBilling::new().await;
    let company_id = Uuid::now_v7();
    let mut calls = tokio::task::JoinSet::new();
    for day_of_sign_up in 0..20 {
        let request = GetEntitlementsRequest {
            company_id: company_id.to_string(),
            company_created_at: Some(timestamp(day(-day_of_sign_up))),
        };
        let mut client = billing.client.clone();
        calls.spawn(async move {
            let request = hourmeter_runtime::testing::as_edge(
                hourmeter_runtime::identity::Service::Billing,
                request,
            );
            client.get_entitlements(request).await.unwrap();
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
    assert_eq!(billing.rows().await, 1);
}

#[tokio::test]
async fn entitlements_invalid_request_names_fields() {
    let billing = TestBilling::new().await;
    let good_id = Uuid::now_v7().to_string();
    let good_time = Some(timestamp(start()));
    let time = |seconds, nanos| Some(Timestamp { seconds, nanos });
    let bad = [
        (String::new(), good_time, vec!["companyId"]),
        ("nonsense".to_owned(), good_time, vec!["companyId"]),
        (good_id.clone(), None, vec!["companyCreatedAt"]),
        (good_id.clone(), time(i64::MAX, 0), vec!["companyCreatedAt"]),
        (good_id.clone(), time(i64::MIN, 0), vec!["companyCreatedAt"]),
        (good_id.clone(), time(0, -1), vec!["companyCreatedAt"]),
        (good_id, time(0, i32::MAX), vec!["companyCreatedAt"]),
        (String::new(), None, vec!["companyId", "companyCreatedAt"]),
    ];
    for (company_id, company_created_at, expected) in bad {
        let request = GetEntitlementsRequest {
            company_id,
            company_created_at,
        };
        let status = billing.try_entitlements(request).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        let fields = ServiceError::from_status(&status).fields;
        let names: Vec<_> = fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected);
    }
    assert_eq!(billing.rows().await, 0);
}

#[tokio::test]
async fn agreed_plan_applies_until_its_end() {
    let billing = TestBilling::new().await;
    let (owner, other) = (owner(), owner());
    let database = &billing.database.database;
    let agree = |who: &Identity, tier: &'static str| {
        set_plan(database, who.tenant(), tier, day(365), start())
    };
    let unmet = agree(&owner, "professional").await.unwrap_err();
    assert_eq!(unmet.kind, Kind::NotFound, "unknown company");
    billing.entitlements(owner.company_id).await;
    billing.entitlements(other.company_id).await;
    let unknown = agree(&owner, "platinum").await.unwrap_err();
    assert_eq!(unknown.kind, Kind::NotFound);
    agree(&owner, "professional").await.unwrap();

    let entitlements = billing.entitlements(owner.company_id).await;
    assert_eq!(entitlements.tier(), Tier::Professional);
    assert_eq!(entitlements.status(), SubscriptionStatus::Active);
    assert_eq!(entitlements.equipment_limit, 30);
    assert!(entitlements.fuel_analytics && entitlements.parts_entry);
    let unchanged = billing.entitlements(other.company_id).await;
    assert_eq!(unchanged.tier(), Tier::Basic);

    billing.clock.set(day(365 + 8));
    let after = billing.entitlements(owner.company_id).await;
    assert_eq!(
        after.status(),
        SubscriptionStatus::Expired,
        "after the grace period"
    );
    assert!(!after.active && !after.fuel_analytics);
}

//! `ListSubscriptions`, `ListSubscriptionsInState`, `SetEquipmentLimit` and `ListAccountEvents`.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use hourmeter_proto::billing::v1::staff_service_client::StaffServiceClient;
use hourmeter_proto::billing::v1::{
    AccountState, AccountSubscription, ListAccountEventsRequest, ListSubscriptionsInStateRequest,
    ListSubscriptionsRequest, SetEquipmentLimitRequest, SubscriptionStatus, Tier,
};
use hourmeter_proto::common::v1::{AuditEvent, PageRequest};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Service, StaffIdentity};
use hourmeter_runtime::testing::{as_staff, owner, staff};
use uuid::Uuid;

use crate::support::TestBilling;

const REASON: &str = "Agreed with the owner by phone";

async fn list(
    billing: &TestBilling,
    ids: &[String],
) -> Result<Vec<AccountSubscription>, ServiceError> {
    let request = ListSubscriptionsRequest {
        company_ids: ids.to_vec(),
    };
    let request = as_staff(Service::Billing, &recent(billing), request);
    let answer = billing.client.clone().list_subscriptions(request).await;
    answer
        .map(|answer| answer.into_inner().subscriptions)
        .map_err(|status| ServiceError::from_status(&status))
}

/// Staff with a recent sign-in by the test's clock.
fn recent(billing: &TestBilling) -> StaffIdentity {
    StaffIdentity {
        authenticated_at: billing.clock.now().timestamp(),
        ..staff()
    }
}

async fn set_as(
    billing: &TestBilling,
    who: &StaffIdentity,
    company_id: &str,
    limit: Option<i32>,
    reason: &str,
) -> Result<AccountSubscription, ServiceError> {
    let request = SetEquipmentLimitRequest {
        company_id: company_id.to_owned(),
        equipment_limit: limit,
        reason: reason.to_owned(),
    };
    let request = as_staff(Service::Billing, who, request);
    let answer = billing.client.clone().set_equipment_limit(request).await;
    answer
        .map(|answer| answer.into_inner().subscription.unwrap())
        .map_err(|status| ServiceError::from_status(&status))
}

async fn set(
    billing: &TestBilling,
    company_id: Uuid,
    limit: Option<i32>,
    reason: &str,
) -> Result<AccountSubscription, ServiceError> {
    let who = recent(billing);
    set_as(billing, &who, &company_id.to_string(), limit, reason).await
}

fn limit(account: &AccountSubscription) -> i32 {
    let entitlements = account.subscription.as_ref().unwrap().entitlements.as_ref();
    entitlements.unwrap().equipment_limit
}

/// Company, actor, target, target name, detail; newest last.
async fn lines(billing: &TestBilling) -> Vec<(Uuid, Uuid, Uuid, String, String)> {
    sqlx::query_as(
        "SELECT company_id, actor_id, target_id, target_name, detail FROM audit_events
        WHERE event = 'equipment_limit_set' AND outcome = 'success' AND scope = 'staff'
        ORDER BY at, id",
    )
    .fetch_all(&mut billing.admin().await)
    .await
    .unwrap()
}

#[tokio::test]
async fn list_subscriptions_of_many_companies() {
    let billing = TestBilling::new().await;
    let (trial, paid, unmet) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    billing.entitlements(trial).await;
    billing.entitlements(paid).await;
    billing.entitlements(Uuid::now_v7()).await;
    billing.pay(paid, "enterprise", "active").await;
    let ids = [trial, paid, unmet, paid].map(|id| id.to_string());
    let mut found = list(&billing, &ids).await.unwrap();
    found.sort_by_key(|account| account.company_id != trial.to_string());
    assert_eq!(found.len(), 2, "known companies once each");
    let entitlements = |place: usize| {
        let subscription: &AccountSubscription = &found[place];
        subscription
            .subscription
            .clone()
            .unwrap()
            .entitlements
            .unwrap()
    };
    assert_eq!(found[1].company_id, paid.to_string());
    assert_eq!(entitlements(0).status(), SubscriptionStatus::Trial);
    assert_eq!(entitlements(1).tier(), Tier::Enterprise);
    assert_eq!(entitlements(1).equipment_limit, 65);
    assert!(
        found
            .iter()
            .all(|found| found.equipment_limit_override.is_none())
    );
    // The company's own view.
    let mut manager = owner();
    manager.company_id = paid;
    manager.authenticated_at = billing.clock.now().timestamp();
    let own = billing.subscription(&manager).await.unwrap();
    assert_eq!(found[1].subscription, Some(own));
    assert!(list(&billing, &[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn list_subscriptions_rejects_invalid_ids() {
    let billing = TestBilling::new().await;
    let many = |count| vec![Uuid::now_v7().to_string(); count];
    assert!(list(&billing, &many(500)).await.unwrap().is_empty());
    let mut with_nonsense = many(2);
    with_nonsense.push("nonsense".to_owned());
    for bad in [many(501), with_nonsense, vec![String::new()]] {
        let failure = list(&billing, &bad).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Invalid);
        assert_eq!(failure.fields[0].0, "companyIds");
    }
}

async fn in_state(
    billing: &TestBilling,
    state: i32,
    limit: u32,
    cursor: &str,
) -> Result<(Vec<AccountSubscription>, String), ServiceError> {
    let request = ListSubscriptionsInStateRequest {
        state,
        page: Some(PageRequest {
            limit,
            cursor: cursor.to_owned(),
        }),
    };
    let mut client = StaffServiceClient::new(billing.backend.clone());
    let request = as_staff(Service::Billing, &staff(), request);
    let answer = client.list_subscriptions_in_state(request).await;
    answer
        .map(|answer| {
            let answer = answer.into_inner();
            (answer.subscriptions, answer.page.unwrap().next_cursor)
        })
        .map_err(|status| ServiceError::from_status(&status))
}

const STATES: [AccountState; 6] = [
    AccountState::Trial,
    AccountState::Active,
    AccountState::PastDue,
    AccountState::Paused,
    AccountState::Canceled,
    AccountState::Expired,
];

/// The state that the subscription's message shows.
fn state_of(account: &AccountSubscription) -> AccountState {
    let subscription = account.subscription.as_ref().unwrap();
    match subscription.entitlements.as_ref().unwrap().status() {
        SubscriptionStatus::Active if subscription.grace_end.is_some() => AccountState::PastDue,
        SubscriptionStatus::Active => AccountState::Active,
        SubscriptionStatus::Trial => AccountState::Trial,
        SubscriptionStatus::Paused => AccountState::Paused,
        SubscriptionStatus::Canceled => AccountState::Canceled,
        SubscriptionStatus::Expired => AccountState::Expired,
        SubscriptionStatus::Unspecified => AccountState::Unspecified,
    }
}

/// Inserts companies with every combination of what decides about the state; times are days from now.
async fn insert_all_kinds(billing: &TestBilling) -> u64 {
    let inserted = sqlx::query(
        "INSERT INTO subscriptions (company_id, tier, status, trial_start, trial_end,
            current_period_end, pause_end, cancel_at_period_end, payment_failed, provider,
            provider_subscription_id, clock_days_ahead, created_at, updated_at)
        SELECT gen_random_uuid(), 'basic', status, $1 - interval '99 days',
            $1 + trial * interval '1 day', $1 + period * interval '1 day',
            $1 + pause * interval '1 day', cancels, failed, provider, subscription, ahead, $1, $1
        FROM unnest(ARRAY['trial', 'active', 'paused', 'canceled', 'expired']) status,
            unnest(ARRAY[0, 1]) trial,
            unnest(ARRAY[NULL, -8, -7, -6, 0, 1]) period,
            unnest(ARRAY[NULL, -7, -1, 0, 1]) pause,
            unnest(ARRAY[false, true]) cancels,
            unnest(ARRAY[false, true]) failed,
            (VALUES (NULL, NULL), ('sandbox', NULL), ('sandbox', 'sub_1'), ('stripe', 'sub_2'))
                paid (provider, subscription),
            unnest(ARRAY[0, 1]) ahead
        WHERE status <> 'paused' OR pause IS NOT NULL",
    )
    .bind(billing.clock.now())
    .execute(&mut billing.admin().await)
    .await;
    inserted.unwrap().rows_affected()
}

#[tokio::test]
async fn list_subscriptions_in_state_agrees_with_the_subscriptions() {
    let billing = TestBilling::new().await;
    let count = insert_all_kinds(&billing).await;
    let mut found = BTreeMap::new();
    for state in STATES {
        let mut cursor = String::new();
        loop {
            let page = in_state(&billing, state.into(), 0, &cursor).await.unwrap();
            assert!(!page.0.is_empty(), "{state:?}");
            for account in page.0 {
                assert_eq!(state_of(&account), state, "{account:?}");
                found.insert(account.company_id.clone(), account);
            }
            cursor = page.1;
            if cursor.is_empty() {
                break;
            }
        }
    }
    assert_eq!(found.len() as u64, count, "every company has one state");
    let ids: Vec<_> = found.keys().take(500).cloned().collect();
    for account in list(&billing, &ids).await.unwrap() {
        assert_eq!(found[&account.company_id], account);
    }
}

/// A company in a state that signed up this many seconds after the start of the test.
async fn signed_up(billing: &TestBilling, seconds: i64, status: &str) -> Uuid {
    let company_id = Uuid::now_v7();
    billing.entitlements(company_id).await;
    billing.pay(company_id, "basic", status).await;
    sqlx::query("UPDATE subscriptions SET trial_start = $2 WHERE company_id = $1")
        .bind(company_id)
        .bind(billing.clock.now() + TimeDelta::seconds(seconds))
        .execute(&mut billing.admin().await)
        .await
        .unwrap();
    company_id
}

#[tokio::test]
async fn list_subscriptions_in_state_pages_are_newest_first_and_stable() {
    let billing = TestBilling::new().await;
    // Three pages of companies, one paused in each; the later two signed up together.
    let mut paused = Vec::new();
    for page in 0..3 {
        for status in ["active", "paused", "canceled"] {
            let company_id = signed_up(&billing, page.min(1), status).await;
            if status == "paused" {
                paused.insert(0, company_id.to_string());
            }
        }
    }
    let ids = |accounts: Vec<AccountSubscription>| -> Vec<String> {
        let ids = accounts.into_iter().map(|account| account.company_id);
        ids.collect()
    };
    let state = AccountState::Paused.into();
    let (whole, end) = in_state(&billing, state, 3, "").await.unwrap();
    assert_eq!((ids(whole), &*end), (paused.clone(), ""));
    let (first, cursor) = in_state(&billing, state, 1, "").await.unwrap();
    assert_eq!(ids(first), paused[..1]);
    // A newer company does not move the next page, and one that left the state is skipped.
    signed_up(&billing, 2, "paused").await;
    let (rest, end) = in_state(&billing, state, 2, &cursor).await.unwrap();
    assert_eq!((ids(rest), &*end), (paused[1..].to_vec(), ""));
    let left = paused[1].parse().unwrap();
    billing.pay(left, "basic", "active").await;
    let (rest, _) = in_state(&billing, state, 2, &cursor).await.unwrap();
    assert_eq!(ids(rest), paused[2..]);
    let trials = in_state(&billing, AccountState::Trial.into(), 0, "").await;
    assert_eq!(trials.unwrap(), (vec![], String::new()));
}

#[tokio::test]
async fn list_subscriptions_in_state_rejects_invalid_requests() {
    let billing = TestBilling::new().await;
    let active = AccountState::Active.into();
    for (state, limit, cursor, field) in [
        (0, 1, "", "state"),
        (7, 1, "", "state"),
        (active, 501, "", "limit"),
        (active, 1, "%%%", "cursor"),
        // [9223372036854775807, all zero]
        (
            active,
            1,
            "WzkyMjMzNzIwMzY4NTQ3NzU4MDcsIjAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMCJd",
            "cursor",
        ),
    ] {
        let failure = in_state(&billing, state, limit, cursor).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Invalid);
        assert_eq!(failure.fields[0].0, field);
    }
}

#[tokio::test]
async fn set_limit_takes_effect_and_is_logged_twice() {
    let billing = TestBilling::new().await;
    let (ours, other) = (Uuid::now_v7(), Uuid::now_v7());
    billing.entitlements(ours).await;
    billing.entitlements(other).await;
    let who = recent(&billing);
    let id = ours.to_string();
    let mut expected = Vec::new();
    for (new_limit, in_effect, shown) in [
        (Some(40), 40, "40"),
        (Some(0), 0, "0"),
        (Some(1_000_000), 1_000_000, "1000000"),
        (Some(-1), -1, "∞"),
        (None, 15, "15"),
    ] {
        let account = set_as(&billing, &who, &id, new_limit, REASON)
            .await
            .unwrap();
        assert_eq!(account.company_id, id);
        assert_eq!(account.equipment_limit_override, new_limit);
        assert_eq!(limit(&account), in_effect);
        assert_eq!(billing.entitlements(ours).await.equipment_limit, in_effect);
        assert_eq!(billing.entitlements(other).await.equipment_limit, 15);
        let listed = list(&billing, std::slice::from_ref(&id)).await.unwrap();
        assert_eq!(listed, [account]);
        for company in [ours, Uuid::nil()] {
            let line = (
                company,
                who.staff_id,
                ours,
                shown.to_owned(),
                REASON.to_owned(),
            );
            expected.push(line);
        }
    }
    let mut written = lines(&billing).await;
    written.sort();
    expected.sort();
    assert_eq!(written, expected);
}

#[tokio::test]
async fn set_limit_survives_plan_change() {
    let billing = TestBilling::new().await;
    let company = Uuid::now_v7();
    billing.entitlements(company).await;
    set(&billing, company, Some(99), REASON).await.unwrap();
    billing.pay(company, "professional", "active").await;
    assert_eq!(billing.entitlements(company).await.equipment_limit, 99);
    set(&billing, company, None, REASON).await.unwrap();
    assert_eq!(billing.entitlements(company).await.equipment_limit, 30);
}

#[tokio::test]
async fn set_limit_rejects_invalid_requests() {
    let billing = TestBilling::new().await;
    let company = Uuid::now_v7();
    billing.entitlements(company).await;
    for wrong in [-2, 1_000_001, i32::MIN, i32::MAX] {
        let failure = set(&billing, company, Some(wrong), REASON)
            .await
            .unwrap_err();
        assert_eq!(failure.kind, Kind::Invalid);
        assert_eq!(failure.fields[0].0, "equipmentLimit", "{wrong}");
    }
    let (long, hidden) = ("x".repeat(501), "a\u{200B}".repeat(9));
    for wrong in [
        "",
        "too short",
        "         x         ",
        "a reason\0 here",
        "evil \u{202E} reason",
        &long,
        &hidden,
    ] {
        let failure = set(&billing, company, Some(40), wrong).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Invalid);
        assert_eq!(failure.fields[0].0, "reason", "{wrong}");
    }
    let both = set(&billing, company, Some(-2), "").await.unwrap_err();
    let names: Vec<_> = both.fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["equipmentLimit", "reason"]);
    assert_eq!(billing.entitlements(company).await.equipment_limit, 15);
    assert!(lines(&billing).await.is_empty());
    // Shortest and longest reason.
    for right in ["0123456789", &"é".repeat(500)] {
        set(&billing, company, Some(1), right).await.unwrap();
    }
}

#[tokio::test]
async fn set_limit_of_unknown_company_is_not_found() {
    let billing = TestBilling::new().await;
    let unmet = Uuid::now_v7().to_string();
    let system_actor = Uuid::nil().to_string();
    for id in [unmet.as_str(), &system_actor, "", "nonsense"] {
        let who = recent(&billing);
        let failure = set_as(&billing, &who, id, Some(5), REASON)
            .await
            .unwrap_err();
        assert_eq!(failure.kind, Kind::NotFound, "{id}");
    }
    assert_eq!(billing.rows().await, 0);
    assert!(lines(&billing).await.is_empty());
}

#[tokio::test]
async fn set_limit_requires_recent_sign_in() {
    let billing = TestBilling::new().await;
    let company = Uuid::now_v7();
    billing.entitlements(company).await;
    let id = company.to_string();
    for (minutes, fine) in [(30, true), (31, false)] {
        let mut who = recent(&billing);
        who.authenticated_at -= minutes * 60;
        let done = set_as(&billing, &who, &id, Some(7), REASON).await;
        match done {
            Ok(_) => assert!(fine),
            Err(failure) => assert!(!fine && failure.reason == "REAUTH_REQUIRED"),
        }
    }
}

#[tokio::test]
async fn set_limit_concurrently_logs_each() {
    let billing = TestBilling::new().await;
    let company = Uuid::now_v7();
    billing.entitlements(company).await;
    let sets = (0..10).map(|limit| set(&billing, company, Some(limit), REASON));
    for done in futures::future::join_all(sets).await {
        done.unwrap();
    }
    let of_company = lines(&billing).await;
    let mut of_company = of_company.iter().filter(|line| line.0 == company);
    assert_eq!(of_company.clone().count(), 10);
    let now = billing
        .entitlements(company)
        .await
        .equipment_limit
        .to_string();
    assert!(of_company.any(|line| line.3 == now));
}

async fn events(billing: &TestBilling, company_id: &str) -> Result<Vec<AuditEvent>, ServiceError> {
    let request = ListAccountEventsRequest {
        company_id: company_id.to_owned(),
    };
    let request = as_staff(Service::Billing, &staff(), request);
    let mut client = StaffServiceClient::new(billing.backend.clone());
    let answer = client.list_account_events(request).await;
    answer
        .map(|answer| answer.into_inner().events)
        .map_err(|status| ServiceError::from_status(&status))
}

#[tokio::test]
async fn list_account_events_returns_changes_without_networks() {
    let billing = TestBilling::new().await;
    let (ours, other) = (Uuid::now_v7(), Uuid::now_v7());
    billing.entitlements(ours).await;
    billing.entitlements(other).await;
    let who = recent(&billing);
    let id = ours.to_string();
    for limit in [Some(40), None] {
        set_as(&billing, &who, &id, limit, REASON).await.unwrap();
    }
    let found = events(&billing, &id).await.unwrap();
    let texts: Vec<_> = found
        .iter()
        .map(|event| [&*event.event, &*event.target_name, &*event.detail])
        .collect();
    let line = |limit| ["equipment_limit_set", limit, REASON];
    assert_eq!(texts, [line("15"), line("40")], "newest first");
    for event in &found {
        assert_eq!((&*event.scope, &*event.address_prefix), ("staff", ""));
    }
    for id in [other, Uuid::now_v7(), Uuid::nil()] {
        let found = events(&billing, &id.to_string()).await.unwrap();
        assert_eq!(found, [], "{id}");
    }
    let failure = events(&billing, "nonsense").await.unwrap_err();
    assert_eq!(failure.kind, Kind::Invalid);
}

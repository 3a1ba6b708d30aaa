//! Idempotency keys.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use hourmeter_billing::provider::Payments;
use hourmeter_proto::billing::v1::*;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::IDEMPOTENCY_HEADER;
use hourmeter_runtime::identity::{Identity, Service, StaffIdentity};
use hourmeter_runtime::testing::{as_person, as_staff, staff};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::company::Company;
use crate::faulty::{Fault, Faulty};
use crate::support::TestBilling;

fn keyed<T>(key: &str, mut request: Request<T>) -> Request<T> {
    let key = key.parse().unwrap();
    request.metadata_mut().insert(IDEMPOTENCY_HEADER, key);
    request
}

fn read<T>(answer: Result<Response<T>, Status>) -> Result<T, ServiceError> {
    answer
        .map(Response::into_inner)
        .map_err(|status| ServiceError::from_status(&status))
}

async fn pause(
    billing: &TestBilling,
    company: &Company<'_>,
    key: &str,
    months: u32,
) -> Result<PauseSubscriptionResponse, ServiceError> {
    let caller = Identity {
        request_id: Uuid::now_v7(),
        ..company.owner.clone()
    };
    let request = as_person(
        Service::Billing,
        &caller,
        PauseSubscriptionRequest { months },
    );
    let request = keyed(key, request);
    read(billing.client.clone().pause_subscription(request).await)
}

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

fn assert_in_progress(failure: &ServiceError) {
    assert_eq!(
        (failure.http_status(), &*failure.reason),
        (409, "IDEMPOTENCY_KEY_IN_PROGRESS")
    );
}

#[tokio::test]
async fn pause_repeated_returns_stored_response() {
    let billing = TestBilling::new().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    let first = pause(&billing, &company, "k", 3).await.unwrap();
    assert_eq!(pause(&billing, &company, "k", 3).await.unwrap(), first);
    let failure = pause(&billing, &company, "k", 6).await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.http_status()),
        (Kind::KeyReused, 422)
    );
    // Another key is another request.
    let failure = pause(&billing, &company, "l", 3).await.unwrap_err();
    assert_eq!(failure.reason, "SUBSCRIPTION_STATE");
    assert_eq!(company.audit_details().await, ["!subscribed", "paused"]);
}

#[tokio::test]
async fn pause_failed_releases_key() {
    let (billing, provider) = faulty().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    provider.fail("pause", Some(Fault::Refused));
    assert!(pause(&billing, &company, "k", 3).await.is_err());
    provider.fail("pause", None);
    assert!(pause(&billing, &company, "k", 3).await.is_ok());
}

#[tokio::test]
async fn pause_that_panics_releases_key() {
    let (billing, provider) = faulty().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    provider.fail("pause", Some(Fault::Panic));
    let failure = pause(&billing, &company, "k", 3).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Internal);
    provider.fail("pause", None);
    let failure = pause(&billing, &company, "k", 3).await.unwrap_err();
    assert_eq!(
        failure.reason, "SUBSCRIPTION_STATE",
        "the key is free; the change may still be running"
    );
}

#[tokio::test]
async fn pause_continues_after_its_client_disconnects() {
    let (billing, provider) = faulty().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    provider.fail("pause", Some(Fault::Slow));
    let asked = pause(&billing, &company, "k", 3);
    let asked = tokio::time::timeout(Duration::from_millis(200), asked).await;
    assert!(asked.is_err(), "the call times out");
    assert_in_progress(&pause(&billing, &company, "k", 3).await.unwrap_err());
    tokio::time::sleep(Duration::from_secs(2)).await;
    let answer = pause(&billing, &company, "k", 3).await.unwrap();
    let subscription = answer.subscription.unwrap();
    let status = subscription.entitlements.unwrap().status();
    assert_eq!(status, SubscriptionStatus::Paused);
    assert_eq!(provider.count("pause"), 1);
}

#[tokio::test]
async fn pause_in_progress_is_a_conflict() {
    let (billing, provider) = faulty().await;
    let company = Company::paying(&billing, Tier::Basic).await;
    provider.fail("pause", Some(Fault::Killed));
    let asked = pause(&billing, &company, "k", 3);
    let asked = tokio::time::timeout(Duration::from_millis(800), asked).await;
    assert!(asked.is_err(), "the call times out");
    let failure = pause(&billing, &company, "k", 3).await.unwrap_err();
    assert_in_progress(&failure);
    let failure = pause(&billing, &company, "k", 6).await.unwrap_err();
    assert_eq!(failure.kind, Kind::KeyReused);
    provider.fail("pause", None);
    let later = billing.clock.now() + TimeDelta::seconds(61);
    billing.clock.set(later);
    // It took effect before or does so now; both return the current state.
    match pause(&billing, &company, "k", 3).await {
        Ok(answer) => {
            let subscription = answer.subscription.unwrap();
            let status = subscription.entitlements.unwrap().status();
            assert_eq!(status, SubscriptionStatus::Paused);
        }
        Err(failure) => assert_eq!(failure.reason, "SUBSCRIPTION_STATE"),
    }
}

#[tokio::test]
async fn move_clock_repeated_moves_once() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let move_on = async |key: &str| {
        let message = MoveSandboxClockRequest { advance_days: 3 };
        let request = keyed(key, as_person(Service::Billing, &company.owner, message));
        read(billing.sandbox_client().move_sandbox_clock(request).await).unwrap()
    };
    let start = company.now().await;
    move_on("k").await;
    move_on("k").await;
    assert_eq!(company.now().await - start, TimeDelta::days(3));
    move_on("l").await;
    assert_eq!(company.now().await - start, TimeDelta::days(6));
}

#[tokio::test]
async fn set_limit_repeated_logs_once() {
    let billing = TestBilling::new().await;
    let company = Company::on_trial(&billing).await;
    let member = StaffIdentity {
        authenticated_at: billing.clock.now().timestamp(),
        ..staff()
    };
    let set = async |limit: i32| {
        let message = SetEquipmentLimitRequest {
            company_id: company.owner.company_id.to_string(),
            equipment_limit: Some(limit),
            reason: "Agreed with the owner by phone".to_owned(),
        };
        let request = keyed("k", as_staff(Service::Billing, &member, message));
        read(billing.client.clone().set_equipment_limit(request).await)
    };
    let first = set(40).await.unwrap();
    assert_eq!(set(40).await.unwrap(), first);
    assert_eq!(set(41).await.unwrap_err().kind, Kind::KeyReused);
    let lines: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM audit_events
        WHERE event = 'equipment_limit_set' AND company_id = $1",
    )
    .bind(company.owner.company_id)
    .fetch_one(&mut billing.admin().await)
    .await
    .unwrap();
    assert_eq!(lines, 1);
}

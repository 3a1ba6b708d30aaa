//! Failed payments that billing sends to notifications.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::billing::v1::Tier;
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::{Fact, FailedPayment};
use hourmeter_runtime::facts::{StoredFacts, start_facts};
use hourmeter_runtime::identity::{Service, Signer};
use hourmeter_runtime::testing::{BILLING_SECRET, FakeNotifications};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use crate::company::Company;
use crate::support::{TestBilling, timestamp};

/// Sends the failed payments of the service to the fake until the guard is dropped.
fn start(billing: &TestBilling, notifications: &FakeNotifications) -> DropGuard {
    let stop = CancellationToken::new();
    start_facts::<StoredFacts>(
        Service::Billing,
        billing.database.database.clone(),
        notifications.backend(),
        Signer::new("billing", &BILLING_SECRET).unwrap(),
        &stop.clone().into(),
    );
    stop.drop_guard()
}

/// The facts of a company once the outbox is empty.
async fn sent(
    billing: &TestBilling,
    notifications: &FakeNotifications,
    company_id: Uuid,
) -> Vec<Fact> {
    for _ in 0..200 {
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM outbox")
            .fetch_one(&mut billing.admin().await)
            .await
            .unwrap();
        if left == 0 {
            return notifications.facts(company_id);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("failed payments are left");
}

async fn period_end(company: &Company<'_>) -> DateTime<Utc> {
    let end = company.subscription().await.current_period_end.unwrap();
    DateTime::from_timestamp(end.seconds, 0).unwrap()
}

#[tokio::test]
async fn each_failed_renewal_is_sent_once() {
    let billing = TestBilling::new().await;
    let notifications = FakeNotifications::default();
    let _stop = start(&billing, &notifications);
    let company = Company::paying(&billing, Tier::Basic).await;
    let id = company.owner.company_id;
    let mut ends = Vec::new();
    for _ in 0..2 {
        company.card(true).await;
        let end = period_end(&company).await;
        // Later checks find the same failure.
        for days in 0..3 {
            billing.clock.set(end + TimeDelta::days(days));
            billing.service.run_due_checks().await.unwrap();
        }
        ends.push(end + TimeDelta::days(7));
        company.card(false).await;
        billing.service.run_due_checks().await.unwrap();
        assert!(period_end(&company).await > end, "paid");
    }
    let facts = sent(&billing, &notifications, id).await;
    let found: Vec<&What> = facts.iter().filter_map(|fact| fact.what.as_ref()).collect();
    let expected = ends.into_iter().map(|end| {
        What::FailedPayment(FailedPayment {
            access_until: Some(timestamp(end)),
        })
    });
    let expected: Vec<What> = expected.collect();
    assert_eq!(found, expected.iter().collect::<Vec<_>>());
    assert_ne!(facts[0].key, facts[1].key);
    assert!(facts.iter().all(|fact| fact.actor_id.is_empty()));
}

#[tokio::test]
async fn failure_found_after_access_ended_is_not_sent() {
    let billing = TestBilling::new().await;
    let notifications = FakeNotifications::default();
    let _stop = start(&billing, &notifications);
    let company = Company::paying(&billing, Tier::Basic).await;
    company.card(true).await;
    let end = period_end(&company).await;
    billing.clock.set(end + TimeDelta::days(8));
    billing.service.run_due_checks().await.unwrap();
    let facts = sent(&billing, &notifications, company.owner.company_id).await;
    assert!(facts.is_empty(), "{facts:?}");
}

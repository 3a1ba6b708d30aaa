//! What notifications say about updates.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::operator_updates::v1::digest_service_client::DigestServiceClient;
use hourmeter_proto::operator_updates::v1::{
    CountReviewRequest, CountReviewResponse, ListRecentOperatorsRequest,
};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_notifications, as_person, as_relay, operator_of, owner};
use tonic::{Code, Request, Status};
use uuid::Uuid;

use crate::support::{TestUpdates, timestamp};

async fn count(
    updates: &TestUpdates,
    request: Request<CountReviewRequest>,
) -> Result<CountReviewResponse, Status> {
    let mut client = DigestServiceClient::new(updates.backend.clone());
    client
        .count_review(request)
        .await
        .map(tonic::Response::into_inner)
}

fn of(company: &Identity) -> Request<CountReviewRequest> {
    let to = Service::OperatorUpdates;
    as_notifications(to, company.company_id, CountReviewRequest {})
}

#[tokio::test]
async fn digest_counts_updates_that_wait_and_flagged_ones() {
    let updates = TestUpdates::new().await;
    let (owner, other) = (owner(), owner());
    let operator = operator_of(&owner);
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    updates.submitted(&operator, equipment, 101.0).await;
    updates.submitted(&operator, equipment, 5.0).await;
    let found = count(&updates, of(&owner)).await.unwrap();
    assert_eq!((found.pending, found.flagged), (2, 1));
    let none = count(&updates, of(&other)).await.unwrap();
    assert_eq!((none.pending, none.flagged), (0, 0));
}

#[tokio::test]
async fn digest_is_for_the_notifications_service() {
    let updates = TestUpdates::new().await;
    let (owner, to) = (owner(), Service::OperatorUpdates);
    for request in [
        as_person(to, &owner, CountReviewRequest {}),
        as_relay(to, owner.company_id, CountReviewRequest {}),
    ] {
        let refused = count(&updates, request).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied);
    }
}

/// The operators who have reported on these machines since then, sorted.
async fn recent(
    updates: &TestUpdates,
    company: &Identity,
    machines: &[String],
    since: Option<DateTime<Utc>>,
) -> Result<Vec<String>, ServiceError> {
    let message = ListRecentOperatorsRequest {
        equipment_ids: machines.to_vec(),
        since: since.map(timestamp),
    };
    let request = as_notifications(Service::OperatorUpdates, company.company_id, message);
    let mut client = DigestServiceClient::new(updates.backend.clone());
    let found = client.list_recent_operators(request).await;
    let found = found.map_err(|status| ServiceError::from_status(&status))?;
    let operators = found.into_inner().operators.into_iter();
    let mut ids: Vec<String> = operators.map(|one| one.operator_id).collect();
    ids.sort();
    Ok(ids)
}

#[tokio::test]
async fn recent_operators_have_reported_since_then() {
    let updates = TestUpdates::new().await;
    let (owner, other) = (owner(), owner());
    let [first, second, third] = [(); 3].map(|()| operator_of(&owner));
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let further = updates.equipment.add(owner.company_id, 100.0);
    updates.submitted(&first, machine, 101.0).await;
    updates.submitted(&first, machine, 102.0).await;
    updates.submitted(&second, machine, 103.0).await;
    updates.submitted(&third, further, 101.0).await;
    let mut expected = [&first, &second].map(|operator| operator.user_id.to_string());
    expected.sort();
    let at = updates.clock.now();
    let machines = [machine.to_string()];
    let found = recent(&updates, &owner, &machines, Some(at)).await.unwrap();
    assert_eq!(found, expected);
    let later = Some(at + TimeDelta::microseconds(1));
    for (company, since) in [(&owner, later), (&other, Some(at))] {
        let none = recent(&updates, company, &machines, since).await.unwrap();
        assert!(none.is_empty(), "{none:?}");
    }
}

#[tokio::test]
async fn recent_operators_of_a_wrong_request_are_refused() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let now = Some(updates.clock.now());
    let id = || Uuid::now_v7().to_string();
    let many: Vec<String> = (0..101).map(|_| id()).collect();
    for (machines, since, field) in [
        (vec![], now, "equipment_ids"),
        (many, now, "equipment_ids"),
        (vec!["EX-7".to_owned()], now, "equipment_ids"),
        (vec![id()], None, "since"),
    ] {
        let failure = recent(&updates, &owner, &machines, since)
            .await
            .unwrap_err();
        assert_eq!(failure.kind, Kind::Invalid);
        assert_eq!(failure.fields[0].0, field);
    }
}
